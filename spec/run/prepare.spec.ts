/** Parameters at run time, and values that JSON cannot carry: nothing is requested for them. */
import { from, lastValueFrom, of, switchMap, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import { z } from 'zod';
import { ConfigurationError, deliver, extract, prepare, sinks, validate } from '../../src';
import type { RunEvent } from '../../src';
import { useNock } from '../support/nock';

const api = useNock();
const BASE = 'https://api.example';
const all = <T>(stream$: Observable<T>): Promise<T[]> => lastValueFrom(stream$.pipe(toArray()));
const faultsOf = (make: () => unknown): unknown => {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return undefined;
};

const config = {
  api: { baseUrl: BASE },
  config: {
    jobs: [
      { endpoint: 'levels', params: { river: { attr: 'river' }, since: { attr: 'since' }, limit: { attr: 'limit' } } },
    ],
  },
};
const parameters = { river: 'string', since: 'date', limit: { type: 'integer', default: 10 } } as const;
const SINCE = new Date('2024-06-01T12:00:00Z');

describe('prepare', () => {
  it('runs a configuration with the parameters of each run', async () => {
    const byRiver = prepare(config, { parameters });
    const asked = (river: string, limit: number): void =>
      void api(BASE).get('/levels').query({ river, since: '2024-06-01T12:00:00.000Z', limit }).reply(200, [{ river }]);
    asked('Alder', 10);
    asked('Marl', 5);
    expect(await all(byRiver.run({ river: 'Alder', since: SINCE }).items$)).toEqual([{ river: 'Alder' }]);
    expect(await all(byRiver.run({ river: 'Marl', since: SINCE, limit: 5 }).items$)).toEqual([{ river: 'Marl' }]);
  });

  it('gives what extract gives: interop, jobs, decoders, options of the run', async () => {
    const byRiver = prepare(config, { parameters, items: { levels: z.object({ river: z.string() }) } });
    api(BASE)
      .get('/levels')
      .query(true)
      .times(3)
      .reply(200, [{ river: 'Alder' }]);
    const values = { river: 'Alder', since: SINCE };
    const levels$: Observable<{ river: string }> = byRiver.run(values).job('levels').items$;
    expect(await all(levels$)).toEqual([{ river: 'Alder' }]);
    expect(await all(of('Alder').pipe(switchMap((river) => byRiver.run({ river, since: SINCE }))))).toHaveLength(1);
    const types: string[] = [];
    await all(from(byRiver.run(values, { onEvent: ({ type }) => types.push(type) })));
    expect(types).toContain('run.finished');
  });

  it('reads Dates as declared', async () => {
    const one = { api: { baseUrl: BASE }, config: { jobs: [{ endpoint: 'a', params: { at: { attr: 'at' } } }] } };
    for (const [format, at] of [
      ['date', '2024-06-01'],
      ['seconds', '1717243200'],
      ['milliseconds', '1717243200000'],
    ] as const) {
      api(BASE).get('/a').query({ at }).reply(200, []);
      await all(prepare(one, { parameters: { at: { type: 'date', format } } }).run({ at: SINCE }).items$);
    }
  });

  it.each([
    ['strin', 'river: expected string, number, integer, boolean or date, found "strin"; did you mean "string"?'],
    [
      { type: 'dat' },
      'river.type: expected string, number, integer, boolean or date, found "dat"; did you mean "date"?',
    ],
    [null, 'river.type: expected string, number, integer, boolean or date, found undefined'],
    [
      { type: 'date', format: 'second' },
      'river.format: expected iso, date, seconds or milliseconds, found "second"; did you mean "seconds"?',
    ],
  ])('refuses the declaration %j, before there is a run', (river, message) => {
    const declared = { ...parameters, river } as unknown as typeof parameters;
    expect(() => prepare(config, { parameters: declared })).toThrow(new RangeError(`options.parameters.${message}`));
  });

  it('refuses values that are missing, unknown or of another type, all at once', () => {
    const byRiver = prepare(config, { parameters });
    const wrong = { river: 7, sinse: SINCE, limit: 1.5 } as unknown as { river: string; since: Date };
    expect(faultsOf(() => byRiver.run(wrong))).toEqual([
      { path: 'parameters.river', message: 'expected a string, found a number' },
      { path: 'parameters.since', message: 'expected a Date with a time, found nothing' },
      { path: 'parameters.limit', message: 'expected an integer up to 2^53, or a bigint, found a number' },
      { path: 'parameters.sinse', message: 'is no parameter; did you mean "since"?' },
    ]);
    for (const since of [new Date(NaN), '2024-06-01', null])
      expect(faultsOf(() => byRiver.run({ river: 'a', since: since as Date }))).toMatchObject([
        { path: 'parameters.since' },
      ]);
  });

  it.each([
    ['without a prototype', Object.create(null), 'an object'],
    ['of an object without a prototype', Object.create(Object.create(null) as object), 'an object'],
    ['with a constructor of its own', { constructor: { name: 's3cret' } }, 'a value of Object'],
    ['of a class', new Date(0), 'a value of Date'],
  ])('refuses an object %s', (_, river: unknown, found) => {
    expect(faultsOf(() => prepare(config, { parameters }).run({ river: river as string, since: SINCE }))).toEqual([
      { path: 'parameters.river', message: `expected a string, found ${found}` },
    ]);
  });

  it('refuses inherited values, also those that have a default', () => {
    const inherited = Object.assign(Object.create({ limit: 5 }) as { limit: number }, { river: 'a', since: SINCE });
    expect(faultsOf(() => prepare(config, { parameters }).run(inherited))).toEqual([
      { path: 'parameters.limit', message: expect.stringContaining('inherited') as string },
    ]);
  });

  it('takes no value from what every object has', () => {
    const one = {
      api: { baseUrl: BASE },
      config: { jobs: [{ endpoint: 'a', params: { at: { attr: 'constructor' } } }] },
    };
    const prepared = prepare(one, { parameters: { constructor: 'string' } });
    expect(faultsOf(() => prepared.run({} as { constructor: string & (() => void) }))).toEqual([
      { path: 'parameters.constructor', message: 'expected a string, found nothing' },
    ]);
  });

  it('types tell what is missing', () => {
    const byRiver = prepare(config, { parameters });
    // @ts-expect-error -- `since` is missing
    expect(() => byRiver.run({ river: 'a' })).toThrow(ConfigurationError);
    // @ts-expect-error -- a number is no string
    expect(() => byRiver.run({ river: 1, since: SINCE })).toThrow(ConfigurationError);
  });

  it('refuses a configuration at once, and a parameter that it does not read', () => {
    expect(faultsOf(() => prepare({ api: {}, config: { jobs: [] } }, { parameters: {} }))).toBeDefined();
    expect(faultsOf(() => prepare(config, { parameters: { ...parameters, rivr: 'string' } }))).toEqual([
      {
        path: 'parameters.rivr',
        message: 'is read by no {"attr": …} of the configuration, and in no endpoint; did you mean "river"?',
      },
    ]);
  });

  it('says where a made-up value may be what is wrong, and takes an example instead', async () => {
    const hosted = {
      api: { baseUrl: { function: 'concat', args: [{ attr: 'host' }, '/v1/'] } },
      config: { jobs: [{ endpoint: 'a' }] },
    };
    const faults = faultsOf(() => prepare(hosted, { parameters: { host: 'string' } }));
    expect(faults).toMatchObject([
      { path: 'api.baseUrl' },
      { path: 'parameters.host', message: expect.stringContaining('example') as string },
    ]);
    const prepared = prepare(hosted, { parameters: { host: { type: 'string', example: BASE } } });
    api(BASE).get('/v1/a').reply(200, []);
    await all(prepared.run({ host: BASE }).items$);
    expect(faultsOf(() => prepared.run({ host: 'nowhere' }))).toMatchObject([{ path: 'api.baseUrl' }]);
  });

  it('a secret parameter is masked', async () => {
    const secret = {
      api: { baseUrl: BASE },
      config: { jobs: [{ endpoint: 'a', params: { t: { attr: '#token' } } }], '#token': 'example-token' },
    };
    const urls: string[] = [];
    api(BASE).get('/a').query({ t: 'hunter2hunter2' }).reply(200, []);
    const onEvent = (event: { type: string }): void => {
      if (event.type === 'request.sent') urls.push(JSON.stringify(event));
    };
    await all(
      prepare(secret, { parameters: { '#token': 'string' }, onEvent }).run({ '#token': 'hunter2hunter2' }).items$,
    );
    expect(urls).toHaveLength(1);
    expect(urls[0]).not.toContain('hunter2');
  });

  describe('parameters in an endpoint', () => {
    const levels = {
      api: { baseUrl: `${BASE}/v1` },
      config: { jobs: [{ endpoint: 'rivers/{river}/levels?at={at}', params: { of: { attr: 'river' } } }] },
    };
    const byRiver = prepare(levels, { parameters: { river: 'string', at: { type: 'string', default: '' } } });

    it.each([
      ['Alder', 'Alder'],
      ['a/../b', 'a%2F..%2Fb'],
      ['?x=1#y', '%3Fx%3D1%23y'],
      ['50% über', '50%25%20%C3%BCber'],
      ['{id}', '%7Bid%7D'],
      ['...', '...'],
      ['%2e%2e', '%252e%252e'],
    ])('%s is sent as one segment of the path, and as one value of the query', async (value, sent) => {
      const urls: string[] = [];
      const onEvent = (event: RunEvent): void => {
        if (event.type === 'request.sent') urls.push(event.url);
      };
      api(BASE)
        .get(/./)
        .reply(200, [{ river: value }]);
      expect(await all(byRiver.run({ river: value, at: value }, { onEvent }).items$)).toHaveLength(1);
      const { pathname, searchParams } = new URL(urls[0] ?? '');
      expect(pathname).toBe(`/v1/rivers/${sent}/levels`);
      expect(Object.fromEntries(searchParams)).toEqual({ at: value, of: value });
    });

    it.each(['', '.', '..'])('%j would make another path, and is refused before any request', (river) => {
      expect(faultsOf(() => byRiver.run({ river }))).toEqual([
        {
          path: 'config.jobs[0].endpoint',
          message: `{river} is ${JSON.stringify(river)}: that would make another path, encoded or not`,
        },
      ]);
    });

    it('make no dots together, and may be dots beside other text', async () => {
      const one = { api: { baseUrl: BASE }, config: { jobs: [{ endpoint: 'a/{x}{y}/b' }] } };
      const prepared = prepare(one, { parameters: { x: 'string', y: 'string' } });
      expect(faultsOf(() => prepared.run({ x: '.', y: '.' }))).toHaveLength(1);
      api(BASE)
        .get('/a/..v/b')
        .reply(200, [{ id: 1 }]);
      expect(await all(prepared.run({ x: '..', y: 'v' }).items$)).toHaveLength(1);
    });

    it('fill those of children, scroll requests and asynchronous jobs, but for the names of their placeholders', async () => {
      const children = [{ endpoint: '{account}/items/{id}/{n}', placeholders: { id: 'id' } }];
      const whole = {
        api: {
          baseUrl: BASE,
          pagination: {
            method: 'response.param',
            responseParam: 'next',
            queryParam: 'at',
            scrollRequest: { endpoint: '{account}/more' },
          },
        },
        config: { id: '..', jobs: [{ endpoint: '{account}/items', dataField: 'items', children }] },
      };
      const prepared = prepare(whole, { parameters: { account: 'string', n: 'integer' } });
      api(BASE)
        .get('/a%20b/items')
        .reply(200, { items: [{ id: 7 }], next: '2' });
      api(BASE).get('/a%20b/items/7/9007199254740993').reply(200, { items: [] });
      api(BASE).get('/a%20b/more?at=2').reply(200, { items: [] });
      expect(await all(prepared.run({ account: 'a b', n: 9007199254740993n }).items$)).toEqual([{ id: 7 }]);
    });

    it('of a table do not name it', () => {
      const { outputs } = validate(byRiver.configuration({ river: 'Alder', at: 'x' }));
      expect(outputs[0]?.jobPlaces).toMatchObject([{ dataType: 'rivers/{river}/levels?at={at}' }]);
    });

    it('that are secret are masked as they are sent', async () => {
      const one = { api: { baseUrl: BASE }, config: { jobs: [{ endpoint: 'a/{#token}' }] } };
      const urls: string[] = [];
      const onEvent = (event: RunEvent): void => {
        if (event.type === 'request.sent') urls.push(event.url);
      };
      api(BASE).get('/a/hunter%2F2hunter2').reply(200, []);
      await all(
        prepare(one, { parameters: { '#token': 'string' }, onEvent }).run({ '#token': 'hunter/2hunter2' }).items$,
      );
      expect(urls).toEqual([`${BASE}/a/***`]);
    });
  });

  it('gives the configuration of a run, in the form in which it came', () => {
    const wrapped = prepare({ parameters: config }, { parameters });
    expect(wrapped.configuration({ river: 'Alder', since: SINCE })).toEqual({
      parameters: {
        ...config,
        config: { ...config.config, river: 'Alder', since: '2024-06-01T12:00:00.000Z', limit: 10 },
      },
    });
  });
});

describe('a value that JSON cannot carry', () => {
  class Station {
    readonly name = 'Mill Weir';
  }
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const VALUES: readonly (readonly [string, unknown])[] = [
    ['a Date', new Date(0)],
    ['a function', () => 'x'],
    ['a Map', new Map()],
    ['a Set', new Set()],
    ['an instance of a class', new Station()],
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['a symbol', Symbol('x')],
    ['undefined in an array', [undefined]],
    ['what holds itself', cyclic],
  ];
  const withValue = (value: unknown) => ({
    api: { baseUrl: BASE },
    config: { jobs: [{ endpoint: 'a', params: { q: value } }] },
  });

  it.each(VALUES)(
    '%s is a fault of extract, prepare, deliver and validate, and nothing is requested',
    async (_, value) => {
      const found = [{ path: expect.stringMatching(/^config\.jobs\[0\]\.params\.q/) as string }];
      expect(faultsOf(() => extract(withValue(value)))).toMatchObject(found);
      expect(faultsOf(() => validate(withValue(value)))).toMatchObject(found);
      expect(faultsOf(() => prepare(withValue(value), { parameters: {} }))).toMatchObject(found);
      const delivered = deliver(withValue(value) as never, [sinks.csv('nowhere')]);
      await expect(delivered).rejects.toMatchObject({ faults: found });
    },
  );

  it('a bigint is JSON, and a member that is undefined is not there', async () => {
    api(BASE).get('/a').query({ q: '9007199254740993' }).reply(200, []);
    await all(extract(withValue(9007199254740993n)).items$);
    api(BASE).get('/a').reply(200, []);
    await all(extract(withValue(undefined)).items$);
  });
});
