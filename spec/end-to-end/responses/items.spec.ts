/** What a job makes of its items, in whole runs (docs/language/items.md). */
import * as t from 'io-ts';
import { Subject, lastValueFrom, tap, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import { z } from 'zod';
import { InvalidItemError, JobsFailedError, extract, validate } from '../../../src';
import type { InvalidItem, Item, Page, RunEvent } from '../../../src';
import { createProgressTracker } from '../../../src/run/state/progress';
import { useNock } from '../../support/nock';

describe('items of runs', () => {
  const ALL = Array.from({ length: 7 }, (_, at) => ({ id: at, kind: at < 4 ? 'old' : 'new', key: at % 3 }));

  /** Two items a page; below each item there is one. */
  function run(job: object, more: { resume?: Page[]; api?: object } = {}) {
    const asked: string[] = [];
    const events: RunEvent[] = [];
    const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
      const url = new URL(String(input instanceof Request ? input.url : input));
      asked.push(url.pathname + url.search);
      const offset = Number(url.searchParams.get('offset') ?? 0);
      const items = url.pathname === '/items' ? ALL.slice(offset, offset + 2) : [{ of: url.pathname }, { of: 'all' }];
      const isOver = url.pathname !== '/items' && offset > 0;
      return Promise.resolve(new Response(JSON.stringify({ total: ALL.length, items: isOver ? [] : items })));
    };
    const config = {
      api: { baseUrl: 'https://api.example/', pagination: { method: 'offset', limit: 2 }, ...more.api },
      config: { jobs: [{ id: 'items', endpoint: 'items', dataField: 'items', ...job }] },
    };
    const book = createProgressTracker();
    for (const { checkpoint } of more.resume ?? []) book.add(checkpoint);
    const { pages$ } = extract(config, {
      fetch,
      onEvent: (event) => events.push(event),
      ...(more.resume === undefined ? {} : { resume: { startedAt: 1, progress: book.progress() } }),
    });
    return lastValueFrom(pages$.pipe(toArray())).then((pages) => ({ pages, asked, events }));
  }

  const idsOf = (pages: readonly Page[]): unknown[] => pages.flatMap(({ items }) => items);
  const lines = (page: Page): string => Buffer.from(page.lines()).toString();

  describe('items of a run', () => {
    it('pages on where nothing of a page is kept, and is complete', async () => {
      const { pages, events } = await run({ filter: 'kind==new', total: 'total' });
      expect(pages.map(({ count }) => count)).toEqual([0, 0, 2, 1]);
      expect(pages.map(({ items }) => items.length)).toEqual([0, 0, 2, 1]);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: 'items.shaped',
          arrived: 7,
          delivered: 3,
          dropped: { unnest: 0, filter: 4, exclude: 0, unique: 0 },
        }),
      );
      expect(events.at(-1)).toMatchObject({
        type: 'run.finished',
        items: 3,
        outcome: 'complete',
        jobs: [{ items: 3 }],
      });
    });

    it('stops by the items as they came', async () => {
      const { pages } = await run(
        { filter: 'kind==new' },
        { api: { pagination: { method: 'offset', limit: 2, limitStop: { count: 5 } } } },
      );
      expect(pages.map(({ index }) => index)).toEqual([0, 1, 2]);
    });

    it('comes as far as the items that it drops', async () => {
      const { pages } = await run({ filter: 'kind==old', incremental: { field: 'id', param: 'since' } });
      const cursor = { parent: '', value: 6, least: 6, ascends: true };
      expect(pages.at(-1)?.cursor).toEqual(cursor);
      expect(pages.at(-1)?.checkpoint.cursor).toEqual(cursor);
    });

    it('calls children for what is made of the items', async () => {
      const child = { endpoint: '{name}', placeholders: { name: 'name' }, dataField: 'items', unique: 'of' };
      const { asked, pages, events } = await run({ rename: { id: 'name' }, exclude: 'kind==old', children: [child] });
      expect(asked.filter((address) => !address.startsWith('/items')).map((address) => address.slice(0, 2))).toEqual(
        expect.arrayContaining(['/4', '/5', '/6']),
      );
      expect(asked.some((address) => address.startsWith('/0'))).toBe(false);
      expect(pages.map(({ job }) => job.endpoint)).toContain('{name}');
      expect(events.filter(({ type }) => type === 'items.shaped')).toHaveLength(2);
    });

    it('goes on behind any page with nothing lost or doubled', async () => {
      const job = { unnest: 'id', filter: 'value>=1', compute: { twice: { item: 'value' } } };
      const whole = await run(job);
      const wanted = whole.pages.map(lines);
      for (let cut = 0; cut <= whole.pages.length; cut += 1) {
        const rest = await run(job, { resume: whole.pages.slice(0, cut) });
        expect([...wanted.slice(0, cut), ...rest.pages.map(lines)]).toEqual(wanted);
      }
    });

    it('begins again where keys have to be known, children included', async () => {
      const child = { endpoint: '{id}', placeholders: { id: 'id' }, dataField: 'items' };
      const job = { unique: 'key', children: [child] };
      const whole = await run(job);
      expect(idsOf(whole.pages.filter(({ job: { endpoint } }) => endpoint === 'items'))).toHaveLength(3);
      for (let cut = 1; cut < whole.pages.length; cut += 1) {
        const { pages, events } = await run(job, { resume: whole.pages.slice(0, cut) });
        // A call whose last page is there needs no keys any more.
        const isRestarted = events.some((event) => event.type === 'warning' && event.code === 'JOB_RESTARTED');
        const isLast = whole.pages
          .slice(0, cut)
          .some(({ job: { endpoint }, checkpoint }) => endpoint === 'items' && checkpoint.position === undefined);
        expect(isRestarted).toBe(!isLast);
        if (isRestarted) expect(pages.map(lines)).toEqual(whole.pages.map(lines));
      }
    });

    it('copies numbers as the API wrote them', async () => {
      const fetch = (): Promise<Response> => Promise.resolve(new Response('[{"id":1.50,"n":0.12345678901234567890}]'));
      const config = {
        api: { baseUrl: 'https://api.example/' },
        config: { jobs: [{ endpoint: 'items', rename: { id: 'x' } }] },
      };
      const pages = await lastValueFrom(extract(config, { fetch }).pages$.pipe(toArray()));
      expect(pages.map(lines)).toEqual(['{"x":1.50,"n":0.12345678901234567890}\n']);
    });

    it('refuses a dataField that makes pages look like last ones', async () => {
      await expect(run({ dataField: '$.items[?@.kind == "new"]' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      const { pages } = await run({ dataField: '$.items[?@.kind == "new"]' }, { api: { pagination: {} } });
      expect(pages.map(({ count }) => count)).toEqual([0]);
      expect((await run({ dataField: '$.items[*]' })).pages.map(({ count }) => count)).toEqual([2, 2, 2, 1]);
    });

    it('refuses what cannot be meant', () => {
      const fault = (job: object) => (): unknown =>
        validate({
          api: { baseUrl: 'https://api.example/' },
          config: { '#key': 's3cret', jobs: [{ endpoint: 'items', ...job }] },
        });
      expect(fault({ filter: 'kind' })).toThrow('an operator');
      expect(fault({ compute: { a: { attr: '#key' } } })).toThrow('uses a secret');
      for (const meant of ['{kind}', 'item.kind', '$.kind', '{item.kind}', { items: 'kind' }, { field: 'kind' }])
        expect(fault({ compute: { a: meant } })).toThrow(
          'config.jobs[0].compute.a: would be the same in every item: expected {"item": "kind"}',
        );
      expect(fault({ compute: { a: 'No. {id} of {kind}' } })).toThrow('concat');
      expect(fault({ compute: { a: { function: 'nothing' } } })).toThrow("Illegal function 'nothing'");
      expect(fault({ rename: { a: 'c', b: 'c' } })).toThrow('names that differ');
      expect(fault({ unnest: 5 })).toThrow('the path of an array');
      expect(fault({ unnest: '$.a[*]' })).toThrow('a path of keys');
      expect(fault({ dataField: '$.a[?' })).toThrow('no JSON path');
      expect(fault({ filters: 'a==1' })).toThrow('did you mean "filter"');
    });
  });

  describe('docs/language/items.md: dates that items do not have', () => {
    const moment = (path: string) => ({ function: 'strtotime', args: [{ item: path }] });
    const dated = async (items: string, compute: object): Promise<string> => {
      const fetch = (): Promise<globalThis.Response> => Promise.resolve(new Response(items));
      const config = { api: { baseUrl: 'https://api.example/' }, config: { jobs: [{ endpoint: 'a', compute }] } };
      const pages = await lastValueFrom(extract(config, { fetch }).pages$.pipe(toArray()));
      return pages.map(lines).join('');
    };

    it('are null in any form, and no moment of 1970 or of now', async () => {
      const compute = {
        d: { function: 'date', args: ['Y-m-d', moment('at')] },
        y: { function: 'date', args: ['Y', { item: 'unix' }] },
      };
      const items = '[{"at":"2024-05-01","unix":0},{"at":null},{"at":"soon","unix":""}]';
      expect(await dated(items, compute)).toBe(
        '{"at":"2024-05-01","unix":0,"d":"2024-05-01","y":"1970"}\n' +
          '{"at":null,"d":null,"y":null}\n{"at":"soon","unix":"","d":null,"y":null}\n',
      );
    });

    it('numbers of items keep their digits', async () => {
      const n = '12345678901234567890';
      expect(await dated(`[{"n":${n}}]`, { m: { item: 'n' } })).toBe(`{"n":${n},"m":${n}}\n`);
    });
  });
});

/** Items that an application decodes, and streams of one job. */

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
    const reported = await all(rivers.events$);
    expect(reported.flatMap((event) => (event.type === 'page.extracted' ? event.page.items : []))).toEqual(typed);
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

/** Fields that a configuration names and no item has, in whole runs (docs/language/items.md#fields-that-no-item-has). */

describe('fields not found', () => {
  const ALL = [
    { id: 1, name: 'Ald', tags: ['a'] },
    { id: 2, name: 'Esk', tags: ['b'] },
    { id: 3, name: 'Wye', note: null },
  ];

  interface Given {
    readonly items?: readonly object[];
    readonly resume?: readonly Page[];
  }

  /** One item a page, and one below each. */
  async function run(job: object, { items = ALL, resume = [] }: Given = {}) {
    const events: RunEvent[] = [];
    const fetch = (input: string | URL | globalThis.Request): Promise<globalThis.Response> => {
      const url = new URL(String(input instanceof Request ? input.url : input));
      const offset = Number(url.searchParams.get('offset') ?? 0);
      const found = url.pathname === '/rivers' ? items.slice(offset, offset + 1) : offset === 0 ? [{ at: 1 }] : [];
      return Promise.resolve(new Response(JSON.stringify(found)));
    };
    const book = createProgressTracker();
    for (const { checkpoint } of resume) book.add(checkpoint);
    const pages: Page[] = [];
    const { pages$ } = extract(
      {
        api: { baseUrl: 'https://api.example/', pagination: { method: 'offset', limit: 1 } },
        config: { jobs: [{ endpoint: 'rivers', ...job }] },
      },
      { fetch, onEvent: (event) => events.push(event), resume: { startedAt: 1, progress: book.progress() } },
    );
    const error = await lastValueFrom(
      pages$.pipe(
        tap((page) => pages.push(page)),
        toArray(),
      ),
    ).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    const reported = events.flatMap((event) =>
      event.type === 'warning' && event.code === 'FIELD_NOT_FOUND' ? [event.message] : [],
    );
    const dropped = events.flatMap((event) =>
      event.type === 'warning' && event.code === 'ALL_DROPPED' ? [event.message] : [],
    );
    return { error, reported, pages, dropped };
  }

  describe('a field that no item has', () => {
    it.each([
      [{ filter: 'nane==Ald' }, 'filter[0]: no item of rivers had the field "nane": there it is an empty string.'],
      [{ unnest: 'tag' }, 'unnest: no item of rivers had the field "tag": such items are dropped.'],
    ])('leaves nothing with %j, and the run is incomplete', async (job, message) => {
      const { error, reported } = await run(job);
      expect(error).toMatchObject({
        code: 'INCOMPLETE',
        doubts: [{ code: 'FIELD_NOT_FOUND', path: 'config.jobs[0]' }],
      });
      expect((error as Error).message).toContain(`All 3 items were dropped. ${message} Did you mean`);
      expect(reported).toEqual([]);
      expect((await run({ ...job, completeness: 'warn' })).error).toBeUndefined();
      // Who does not want to be stopped is told all the same.
      const off = await run({ ...job, completeness: 'off' });
      expect([off.error, off.reported]).toEqual([undefined, [expect.stringContaining(message)]]);
    });

    it.each([
      [{ filter: 'nane!=Ald' }, '.filter[0]: no item of rivers had the field "nane": there it is an empty string.'],
      [{ filter: ['name==Ald|nane==Esk'] }, '.filter[0]: no item of rivers had the field "nane"'],
      [{ exclude: 'nane==Ald' }, '.exclude[0]: no item of rivers had the field "nane"'],
      [
        { compute: { x: { function: 'md5', args: [{ item: 'nane' }] } } },
        '.compute.x: no item of rivers had the field',
      ],
      [{ unique: ['nane'] }, '.unique: no item of rivers had the field "nane": such items are all kept.'],
      [{ rename: { nane: 'title' } }, '.rename: no item of rivers had the field "nane": nothing was renamed.'],
      [
        { children: [{ endpoint: 'below/{id}', placeholders: { id: 'id' }, recursionFilter: 'nane==Ald' }] },
        '.children[0].recursionFilter: no item of rivers had the field "nane": there it is an empty string.',
      ],
    ])('is warned of once with %j', async (job, message) => {
      const { error, reported } = await run(job);
      expect(error).toBeUndefined();
      expect(reported).toEqual([expect.stringContaining(`config.jobs[0]${message}`)]);
      expect(reported[0]).toContain("Did you mean 'name'?");
    });

    it.each([
      [{ filter: 'name==Tay' }],
      [{ unnest: 'tags' }],
      [{ exclude: 'note==x' }],
      [{ compute: { y: { item: 'note' }, z: { item: 'y' }, w: { item: '$.z' } }, filter: 'z!=1', rename: { y: 'yy' } }],
      [{ children: [{ endpoint: 'below/{id}', placeholders: { id: 'id' }, recursionFilter: 'name==Tay' }] }],
    ])('is not told of where one item has it, if only as null: %j', async (job) => {
      expect(await run(job)).toMatchObject({ error: undefined, reported: [] });
    });

    it.each([
      [{ filter: 'closed==' }, 3],
      [{ exclude: 'closed.at>1' }, 3],
      [{ rename: { closed: 'ended' } }, 3],
      [{ compute: { ended: { item: 'closed.at' } } }, 3],
      [{ unique: 'closed' }, 3],
      [{ unnest: 'closed' }, 0],
      [{ children: [{ endpoint: 'below/{id}', placeholders: { id: 'id' }, recursionFilter: 'closed==' }] }, 6],
    ])('is no mistake where the job says that items may lack it: %j', async (job, count) => {
      expect((await run(job)).reported.length + Number((await run(job)).error !== undefined)).toBe(1);
      const { error, reported, pages } = await run({ ...job, optionalFields: ['closed', 'closed.at'] });
      expect([error, reported]).toEqual([undefined, []]);
      expect(pages.reduce((sum, page) => sum + page.count, 0)).toBe(count);
    });

    it('is told of with what to do, where no other name is near', async () => {
      expect((await run({ exclude: 'closed==x' })).reported).toEqual([
        expect.stringMatching(/name it in optionalFields\.$/),
      ]);
      expect((await run({ exclude: 'closed==x', optionalFields: 'shut' })).reported).toHaveLength(1);
    });

    it('is not told of where there is no item', async () => {
      expect(await run({ filter: 'nane==Ald' }, { items: [] })).toMatchObject({ error: undefined, reported: [] });
    });

    it('counts what the pages had that are safe from an earlier run', async () => {
      // Each field stands in some of the items only.
      const job = { filter: 'note!=x|tags!=x', exclude: 'tags==none' };
      const { pages } = await run(job);
      const rest = await run(job, { resume: pages.slice(0, 2) });
      expect(rest.pages.map(({ index }) => index)).toEqual([2, 3]);
      expect(pages.slice(0, 3).map(({ checkpoint }) => checkpoint.evidence)).toMatchObject([
        { met: [1, 2], keys: ['id', 'name', 'tags'] },
        {},
        { met: [0] },
      ]);
    });
  });

  describe('a recursionFilter', () => {
    const OPEN = [
      { id: 1, name: 'Ald', open: true },
      { id: 2, name: 'Esk', open: false },
    ];
    const child = (recursionFilter: string, more: object = {}): object => ({
      children: [{ endpoint: 'below/{id}', placeholders: { id: 'id' }, recursionFilter, ...more }],
    });

    it.each([
      ['open==true', 'There, true is "1"'],
      ['name=="Ald"', 'none of 2 items of rivers passed'],
      ['name<>Ald', 'so that the child was never called'],
    ])('that no item passes is warned of once: %s', async (filter, hint) => {
      const { error, reported, dropped } = await run(child(filter), { items: OPEN });
      expect([error, reported]).toEqual([undefined, []]);
      expect(dropped).toEqual([expect.stringContaining('config.jobs[0].children[0].recursionFilter: ')]);
      expect(dropped[0]).toContain(hint);
      expect((await run(child(filter, { batch: 2 }), { items: OPEN })).dropped).toHaveLength(1);
    });

    it.each([
      ['an item passes', 'open==1', OPEN],
      ['there is no item', 'open==true', []],
    ])('is not warned of where %s', async (_, filter, items) => {
      expect((await run(child(filter), { items })).dropped).toEqual([]);
    });

    it('is not warned of twice where its field is what is wrong, and not where nothing is looked at', async () => {
      const { reported, dropped } = await run(child('nane==Ald'), { items: OPEN });
      expect([reported.length, dropped.length]).toEqual([1, 0]);
      expect((await run({ ...child('open==true'), completeness: 'off' }, { items: OPEN })).dropped).toEqual([]);
    });
  });
});
