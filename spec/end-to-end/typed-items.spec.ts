/** Items that an application decodes, and streams of one job. */
import * as t from 'io-ts';
import { lastValueFrom, Subject, tap, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import { z } from 'zod';
import { extract, InvalidItemError, JobsFailedError } from '../../src';
import type { InvalidItem, Item, Page, RunEvent } from '../../src';
import { useNock } from '../support/nock';

const api = useNock();
const BASE = 'https://api.example';
const all = <T>(stream$: Observable<T>): Promise<T[]> => lastValueFrom(stream$.pipe(toArray()));
const failureOf = (stream$: Observable<unknown>): Promise<unknown> =>
  all(stream$).then(
    () => undefined,
    (error: unknown) => error,
  );

const Station = t.type({ id: t.number, name: t.string }, 'Station');
const River = z.object({ river: z.string(), since: z.string().transform((text) => new Date(text)) });
const config = {
  api: { baseUrl: BASE },
  config: {
    jobs: [{ endpoint: 'stations', id: 'stations' }, { endpoint: 'rivers' }, { endpoint: 'levels', dataType: 'level' }],
  },
};
const STATIONS = [{ id: 1, name: 'Mill Weir' }];
const RIVERS = [{ river: 'Alder', since: '1901-01-01T00:00:00Z' }];
const answerAll = (): void => {
  api(BASE).get('/stations').reply(200, STATIONS).get('/rivers').reply(200, RIVERS).get('/levels').reply(200, [5]);
};

describe('typed items', () => {
  it('a `parse` that is asynchronous is refused, and its promises are no items', async () => {
    const decoders = [(value: unknown) => Promise.resolve(value), () => Promise.reject(new Error('late'))];
    for (const parse of decoders) {
      api(BASE).get('/stations').reply(200, STATIONS);
      const error = await failureOf(extract(config, { items: { stations: { parse } } }).items$);
      expect(error).toBeInstanceOf(TypeError);
      const message = 'options.items["stations"]: `parse` is asynchronous, and items are decoded at once';
      expect(error).toHaveProperty('message', message);
    }
  });

  it.each(['a decoder', 'a consumer'])('%s that changes items changes no request of children', async (who) => {
    const parent = { endpoint: 'stations', id: 'stations' };
    const children = [{ endpoint: 'stations/{id}/levels', placeholders: { id: 'id' }, dataType: 'levels' }];
    const withChildren = { ...config, config: { jobs: [{ ...parent, children }] } };
    api(BASE)
      .get('/stations')
      .reply(200, [{ id: 1 }, { id: 2 }]);
    api(BASE).get('/stations/1/levels').reply(200, [5]).get('/stations/2/levels').reply(200, [6]);
    const change = (item: unknown): unknown =>
      typeof item === 'object' ? Object.assign(item ?? {}, { id: 'other' }) : item;
    const options = who === 'a decoder' ? { items: { stations: { parse: change } } } : {};
    const given: unknown[] = [];
    await lastValueFrom(extract(withChildren, options).items$.pipe(tap((item) => given.push(change(item)))));
    expect(given).toEqual([{ id: 'other' }, { id: 'other' }, 5, 6]);
  });

  it('a job with a decoder gives what the decoder gives, and requests nothing else', async () => {
    const extraction = extract(config, { items: { stations: Station, rivers: River } });
    api(BASE).get('/stations').reply(200, STATIONS).get('/rivers').reply(200, RIVERS).get('/levels').reply(200, [5]);
    const stations$: Observable<{ id: number; name: string }> = extraction.job('stations').items$;
    const rivers$: Observable<{ river: string; since: Date }> = extraction.job('rivers').items$;
    const levels$: Observable<Item> = extraction.job('level').items$;
    expect(await all(stations$)).toEqual(STATIONS);
    expect(await all(rivers$)).toEqual([{ river: 'Alder', since: new Date('1901-01-01T00:00:00Z') }]);
    expect(await all(levels$)).toEqual([5]);
  });

  it('the streams of a whole run have the items of each job, decoded where there is a decoder', async () => {
    answerAll();
    const extraction = extract(config, { items: { rivers: River } });
    const items$: Observable<Item | { river: string; since: Date }> = extraction.items$;
    expect(await all(items$)).toEqual([...STATIONS, { river: 'Alder', since: new Date('1901-01-01T00:00:00Z') }, 5]);
  });

  it('pages, iteration, events and onEvent have decoded items; lines and counts are as they came', async () => {
    const events: unknown[] = [];
    const extraction = extract(config, {
      items: { rivers: River },
      onEvent: (event) => {
        if (event.type === 'page.extracted') events.push(event.page.items);
      },
    });
    const since = new Date('1901-01-01T00:00:00Z');
    for (let run = 0; run < 4; run += 1) api(BASE).get('/rivers').reply(200, RIVERS);
    const rivers = extraction.job('rivers');
    const [page] = await all(rivers.pages$);
    const typed: readonly { river: string; since: Date }[] = page?.items ?? [];
    expect(typed).toEqual([{ river: 'Alder', since }]);
    expect(Buffer.from(page?.lines() ?? []).toString()).toBe('{"river":"Alder","since":"1901-01-01T00:00:00Z"}\n');
    for await (const river of rivers) expect(river.since).toEqual(since);
    expect(await all(rivers.drain(({ items: [first] }) => [first?.since.getTime()]))).toEqual([since.getTime()]);
    const told = await all(rivers.events$);
    expect(told.flatMap((event) => (event.type === 'page.extracted' ? event.page.items : []))).toEqual(typed);
    expect(events).toEqual([typed, typed, typed, typed]);
  });

  it('an item that does not decode is an error that names it, after the items before it', async () => {
    api(BASE)
      .get('/stations')
      .reply(200, [...STATIONS, { id: 'two', name: 'Old Lock' }]);
    const error = await failureOf(extract(config, { items: { stations: Station } }).items$);
    expect(error).toBeInstanceOf(InvalidItemError);
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'InvalidItemError',
      code: 'ITEM_INVALID',
      recovery: 'fatal',
      message:
        'config.jobs[0]: item 1 of page 0 of stations does not decode (both count from 0).\n  id: expected number, found a string',
      job: { id: 'stations', path: 'config.jobs[0]', endpoint: 'stations', dataType: 'stations' },
      page: 0,
      position: 1,
      reasons: ['id: expected number, found a string'],
    });
  });

  it('secrets are masked in what a decoder says', async () => {
    api(BASE).get('/a').reply(200, ['x']);
    const parse = (): never => {
      throw new Error('not with hunter2hunter2');
    };
    const secret = { api: { baseUrl: BASE }, config: { '#key': 'hunter2hunter2', jobs: [{ endpoint: 'a' }] } };
    const error = await failureOf(extract(secret, { items: { a: { parse } } }).items$);
    expect(JSON.stringify(error)).toContain('not with ***');
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  it.each(['a function', 'a Subject'])('onInvalid: %s takes what does not decode, and it is counted', async (kind) => {
    api(BASE)
      .get('/stations')
      .reply(200, [{ id: 'one' }, ...STATIONS, { id: 'three', name: '' }]);
    const invalid: InvalidItem[] = [];
    const invalid$ = new Subject<InvalidItem>();
    invalid$.subscribe((each) => invalid.push(each));
    const events: RunEvent[] = [];
    const { items$ } = extract(config, {
      items: { stations: Station },
      onInvalid: kind === 'a function' ? (each) => invalid.push(each) : invalid$,
      onEvent: (event) => event.type === 'items.invalid' && events.push(event),
    }).job('stations');
    expect(await all(items$)).toEqual(STATIONS);
    const job = { id: 'stations', path: 'config.jobs[0]', endpoint: 'stations', dataType: 'stations' };
    expect(invalid).toEqual([
      {
        ...{ job, page: 0, position: 0, item: { id: 'one' } },
        reasons: ['id: expected number, found a string', 'name: expected string, found nothing'],
      },
      { job, page: 0, position: 2, item: { id: 'three', name: '' }, reasons: ['id: expected number, found a string'] },
    ]);
    expect(events).toMatchObject([{ type: 'items.invalid', job, items: 2 }]);
  });

  it('an onInvalid that throws ends the run with its error', async () => {
    api(BASE).get('/stations').reply(200, [{}]);
    const onInvalid = (): never => {
      throw new Error('full');
    };
    expect(await failureOf(extract(config, { items: { stations: Station }, onInvalid }).items$)).toEqual(
      new Error('full'),
    );
  });

  it.each([
    ['bigint', [9007199254740993n, { id: 1 }]],
    ['string', ['9007199254740993', { id: 1 }]],
  ] as const)('bigints: %s', async (bigints, expected) => {
    api(BASE).get('/a').reply(200, '[9007199254740993,{"id":1}]', { 'content-type': 'application/json' });
    const { items$ } = extract({ api: { baseUrl: BASE }, config: { jobs: [{ endpoint: 'a' }] } }, { bigints });
    expect(await all(items$)).toEqual(expected);
  });

  it('bigints: number is an error where no number is equal', async () => {
    api(BASE).get('/a').reply(200, '[9007199254740993]', { 'content-type': 'application/json' });
    const one = { api: { baseUrl: BASE }, config: { jobs: [{ endpoint: 'a' }] } };
    expect(await failureOf(extract(one, { bigints: 'number' }).items$)).toMatchObject({
      code: 'ITEM_INVALID',
      position: 0,
    });
    expect(() => extract(one, { bigints: 'decimal' as 'number' })).toThrow('options.bigints');
  });

  it('a name that no job has is an error with the one that was meant', () => {
    expect(() => extract(config).job('statoins')).toThrow(
      new RangeError('job: there is no job "statoins"; did you mean "stations"?'),
    );
    expect(() => extract(config, { items: { levle: Station } })).toThrow(
      new RangeError('options.items["levle"]: there is no job "levle"; did you mean "level"?'),
    );
  });
});

const tree = {
  api: { baseUrl: BASE },
  config: {
    jobs: [
      {
        endpoint: 'stations',
        children: [
          { endpoint: 'stations/{id}/levels', dataType: 'levels', placeholders: { id: 'id' } },
          { endpoint: 'stations/{id}/notes', dataType: 'notes', placeholders: { id: 'id' } },
        ],
      },
      { endpoint: 'rivers' },
    ],
  },
};

describe('job', () => {
  it('of a child runs the jobs above it, and gives its own pages alone', async () => {
    api(BASE)
      .get('/stations')
      .reply(200, [{ id: 1 }, { id: 2 }]);
    api(BASE)
      .get('/stations/1/levels')
      .reply(200, [{ level: 10 }])
      .get('/stations/2/levels')
      .reply(200, [{ level: 20 }]);
    const events: RunEvent[] = [];
    const { items$ } = extract(tree, { onEvent: (event) => events.push(event) }).job('levels');
    expect(await all(items$)).toEqual([{ level: 10 }, { level: 20 }]);
    expect(events.find(({ type }) => type === 'run.started')).toMatchObject({ jobs: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', outcome: 'complete' });
  });

  it('of a parent does not call its children', async () => {
    api(BASE)
      .get('/stations')
      .reply(200, [{ id: 1 }]);
    const pages: Page[] = await all(extract(tree).job('stations').pages$);
    expect(pages.map(({ job }) => job.path)).toEqual(['config.jobs[0]']);
  });

  it('is incomplete where a job above it is', async () => {
    api(BASE)
      .get('/stations')
      .query({ limit: 1, offset: 0 })
      .reply(200, [{ id: 1 }]);
    api(BASE)
      .get('/stations')
      .query({ limit: 1, offset: 1 })
      .reply(200, [{ id: 1 }]);
    api(BASE).get('/stations/1/levels').query({ limit: 1, offset: 0 }).reply(200, []);
    const paged = { ...tree, api: { ...tree.api, pagination: { method: 'offset', limit: 1 } } };
    expect(await failureOf(extract(paged).job('levels').items$)).toMatchObject({ code: 'INCOMPLETE' });
  });

  it('is refused where a run of all jobs is to go on', () => {
    const resume = { startedAt: 0, progress: new Map() };
    expect(() => extract(tree, { resume }).job('levels')).toThrow('`resume`');
  });
});

describe('onJobError', () => {
  const failing = (): void => {
    api(BASE).get('/stations').reply(404, 'gone').get('/rivers').reply(200, RIVERS).get('/levels').reply(200, [5]);
  };

  it('fail, the default, ends the run with the first failure', async () => {
    api(BASE).get('/stations').reply(404, 'gone');
    expect(await failureOf(extract(config).items$)).toMatchObject({ code: 'API_STATUS' });
  });

  it('continue gives the items of the others, tells each outcome, and fails at the end', async () => {
    failing();
    const events: RunEvent[] = [];
    const items: Item[] = [];
    const error = await new Promise((resolve) =>
      extract(config, { onJobError: 'continue', onEvent: (event) => events.push(event) }).items$.subscribe({
        next: (item) => items.push(item),
        error: resolve,
      }),
    );
    expect(items).toEqual([...RIVERS, 5]);
    expect(error).toBeInstanceOf(JobsFailedError);
    expect(error).toMatchObject({
      code: 'JOBS_FAILED',
      recovery: 'fatal',
      failures: [{ job: { id: 'stations' }, error: { code: 'API_STATUS', status: 404 } }],
    });
    expect((error as Error).message).toMatch(/^A job failed\.\n {2}config\.jobs\[0\] \(stations\): /);
    expect(events.find(({ type }) => type === 'job.failed')).toMatchObject({
      job: { id: 'stations' },
      error: { code: 'API_STATUS' },
    });
    expect(events.at(-1)).toMatchObject({
      type: 'run.finished',
      outcome: 'failed',
      jobs: [
        { endpoint: 'rivers', outcome: 'complete' },
        { endpoint: 'levels', outcome: 'complete' },
        { endpoint: 'stations', outcome: 'failed', error: { code: 'API_STATUS' }, pages: 0 },
      ],
    });
  });

  it('an item that does not decode is the failure of its job', async () => {
    api(BASE).get('/stations').reply(200, [{}]).get('/rivers').reply(200, RIVERS).get('/levels').reply(200, [5]);
    const { items$ } = extract(config, { onJobError: 'continue', items: { stations: Station } });
    expect(await failureOf(items$)).toMatchObject({ failures: [{ error: { code: 'ITEM_INVALID' } }] });
  });

  it('the same run may succeed later where that is true of each failure', async () => {
    const one = { api: { baseUrl: BASE, retryConfig: { maxRetries: 0 } }, config: { jobs: [{ endpoint: 'a' }] } };
    api(BASE).get('/a').reply(503);
    expect(await failureOf(extract(one, { onJobError: 'continue' }).items$)).toMatchObject({ recovery: 'retry' });
  });

  it('a child that fails makes its parent fail, whose other calls are missing', async () => {
    api(BASE)
      .get('/stations')
      .reply(200, [{ id: 1 }, { id: 2 }])
      .get('/rivers')
      .reply(200, RIVERS);
    api(BASE)
      .get('/stations/1/levels')
      .reply(200, [{ level: 10 }])
      .get('/stations/2/levels')
      .reply(404);
    const events: RunEvent[] = [];
    const options = { onJobError: 'continue', onEvent: (event: RunEvent) => events.push(event) } as const;
    expect(await failureOf(extract(tree, options).items$)).toMatchObject({
      failures: [{ job: { endpoint: 'stations' }, error: { job: { dataType: 'levels' } } }],
    });
    const finished = events.at(-1);
    expect(finished?.type === 'run.finished' && finished.jobs.map(({ path, outcome }) => [path, outcome])).toEqual([
      ['config.jobs[0]', 'failed'],
      ['config.jobs[0].children[0]', 'failed'],
      ['config.jobs[1]', 'complete'],
    ]);
  });
});
