/** Runs that were broken off after any page and go on: the engine's half of exactly once (docs/sinks.md#exactly-once). */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, tap, toArray } from 'rxjs';
import { deliver, extract, sinks } from '../../../src';
import type { Delivery, Destination, Json, Page, RunEvent } from '../../../src';
import { createProgressTracker } from '../../../src/run/state/progress';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { ALL_CASES, someOf } from '../../support/cases';
import { NEEDS, describeWithPostgres, testDatabase } from '../../support/postgres';
import { itWithSqlite } from '../../support/sqlite';

type Answerer = (url: URL, headers: Headers) => unknown;

/** A request in few words: its path and query, and the header that pages where there is one. */
const askedOf = ({ pathname, search }: URL, headers: Headers): string =>
  `${pathname}${search}${headers.get('x-items') ?? ''}`;

/** The API in this process; it keeps what was asked. */
function anApi(answer: Answerer) {
  const asked: string[] = [];
  const fetch = (input: string | URL | globalThis.Request, init?: RequestInit): Promise<globalThis.Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    const headers = new Headers(init?.headers);
    asked.push(askedOf(url, headers));
    const body = answer(url, headers);
    return Promise.resolve(
      body instanceof Response
        ? body
        : new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } }),
    );
  };
  return { asked, fetch };
}

const TOTAL = 7;
const numbered = (from: number, count: number): { id: number }[] =>
  Array.from({ length: Math.max(0, Math.min(count, TOTAL - from)) }, (_, at) => ({ id: from + at + 1 }));
const param = (url: URL, name: string): number => Number(url.searchParams.get(name) ?? 0);

/** Two items a page, by whatever names a page; below each item there are pages of the same kind. */
const answers: Answerer = (url, headers) => {
  const range = headers.get('x-items');
  if (range !== null) return numbered(Number(range.split('-')[0]), 2);
  if (url.searchParams.has('v[offset]')) return numbered(param(url, 'v[offset]'), 2);
  if (url.searchParams.has('offset') || url.searchParams.has('limit')) return numbered(param(url, 'offset'), 2);
  if (url.searchParams.has('page')) return numbered((param(url, 'page') - 1) * 2, 2);
  if (url.pathname.startsWith('/after')) return numbered(param(url, 'since_id'), 2);
  const at = param(url, 'at');
  const more = at + 2 < TOTAL;
  return {
    items: numbered(at, 2),
    ...(more ? { next: `${url.pathname}?at=${at + 2}`, token: at + 2 } : {}),
  };
};

const OFFSET = { method: 'offset', limit: 2 };
const WAYS: readonly (readonly [string, object, object])[] = [
  ['offset', OFFSET, { endpoint: 'items' }],
  ['offset, several at once', { ...OFFSET, parallel: 3 }, { endpoint: 'items' }],
  ['offset with a limit of items', { ...OFFSET, limitStop: { count: 5 } }, { endpoint: 'items' }],
  ['offset with a limit of pages', { ...OFFSET, forceStop: { pages: 2 } }, { endpoint: 'items' }],
  ['offset with a limit of bytes', { ...OFFSET, forceStop: { volume: 30 } }, { endpoint: 'items' }],
  ['pagenum', { method: 'pagenum', limit: 2, firstPageParams: true, limitParam: 'page_size' }, { endpoint: 'items' }],
  ['response.url', { method: 'response.url', urlKey: 'next' }, { endpoint: 'items', dataField: 'items' }],
  [
    'response.param',
    { method: 'response.param', responseParam: 'token', queryParam: 'at' },
    { endpoint: 'items', dataField: 'items' },
  ],
  ['cursor', { method: 'cursor', idKey: 'id', param: 'since_id' }, { endpoint: 'after' }],
  [
    'offset in a header, several at once',
    { ...OFFSET, offsetParam: { header: 'X-Items', template: '{from}-{to}' }, parallel: 3 },
    { endpoint: 'items' },
  ],
  [
    'offset inside a parameter',
    { ...OFFSET, offsetParam: ['v', 'offset'], limitParam: ['v', 'limit'] },
    { endpoint: 'items' },
  ],
  ['keyset', { method: 'keyset', key: 'id', param: 'since_id' }, { endpoint: 'after' }],
  [
    'keyset with a page size',
    { method: 'keyset', key: 'id', param: 'since_id', limit: 2, limitParam: 'size' },
    { endpoint: 'after' },
  ],
  // The API has more pages, and this job wants one.
  ['none', { forceStop: { pages: 1 } }, { endpoint: 'items', dataField: 'items' }],
];

const child = (endpoint: string, children: object[] = []) => ({
  endpoint,
  dataType: endpoint.split('/')[0],
  placeholders: { id: 'id' },
  children,
});

/** Of each way, the plain job; and one with children and children of these. */
const withChildren = (job: object): object => ({
  ...job,
  children: [
    { ...child('a/{id}'), recursionFilter: 'id!=2' },
    child('b/{id}', [{ ...child('c/{2:up}/{id}'), placeholders: { '2:up': 'id', id: 'id' } }]),
  ],
});

const textOf = ({ job, index, checkpoint, lines, extra }: Page): string =>
  JSON.stringify([job.id, checkpoint.call, index, Buffer.from(lines()).toString(), [...extra], checkpoint.pages]);
const addressOf = ({ reply }: Page): string => {
  const { url, headers } = reply.response.request;
  return askedOf(new URL(url), new Headers(headers));
};

/** The children of this API page by other names. */
const isByKey = (name: string): boolean => /^(cursor|keyset)/.test(name);

describe('a run that goes on', () => {
  const jobs = WAYS.flatMap(([name, pagination, job]) => [
    { name, pagination, job, flow: {} },
    {
      name: `${name}, second job`,
      pagination,
      job: [{ endpoint: isByKey(name) ? 'after/first' : 'first', dataField: isByKey(name) ? '' : '.' }, job],
      flow: {},
    },
    ...(isByKey(name)
      ? []
      : [
          { name: `${name}, with children`, pagination, job: withChildren(job), flow: {} },
          {
            name: `${name}, with children at once`,
            pagination,
            job: { ...withChildren(job), concurrency: 3 },
            flow: {},
          },
        ]),
  ]);

  it.each(someOf(jobs, 4))('after any page, with $name: gives the rest, and asks for nothing again', async (world) => {
    const config = {
      api: { baseUrl: 'https://api.example/', pagination: world.pagination },
      config: { ...world.flow, jobs: [world.job].flat() },
    };
    const pagesOf = async (progress = createProgressTracker().progress(), startedAt = 1) => {
      const { asked, fetch } = anApi(answers);
      const { pages$ } = extract(config, { fetch, resume: { startedAt, progress } });
      return { asked, pages: await lastValueFrom(pages$.pipe(toArray())) };
    };
    const all = await pagesOf();
    expect(all.pages.length).toBeGreaterThan(0);
    const wanted = all.pages.map(textOf);
    const step = Math.max(1, Math.floor(all.pages.length / (ALL_CASES ? 12 : 3)));
    for (let cut = 0; cut <= all.pages.length; cut += step) {
      const book = createProgressTracker();
      const safe = all.pages.slice(0, cut);
      for (const { checkpoint } of safe) book.add(checkpoint);
      const rest = await pagesOf(book.progress());
      expect([...wanted.slice(0, cut), ...rest.pages.map(textOf)]).toEqual(wanted);
      const known = new Set(safe.map(addressOf));
      expect(rest.asked.filter((address) => known.has(address))).toEqual([]);
      expect(all.pages.every(({ checkpoint }, at) => book.has(checkpoint) === at < cut)).toBe(true);
    }
  });

  it('does not take for new what equals the last page before the break', async () => {
    const config = {
      api: {
        baseUrl: 'https://api.example/',
        pagination: { method: 'response.param', responseParam: 'token', queryParam: 'at' },
      },
      config: { completeness: 'off', jobs: [{ endpoint: 'items', dataField: 'items' }] },
    };
    const { fetch } = anApi(() => ({ items: [1, 2], token: 'same' }));
    const [first] = await lastValueFrom(extract(config, { fetch }).pages$.pipe(toArray()));
    const book = createProgressTracker();
    if (first !== undefined) book.add(first.checkpoint);
    const events: RunEvent[] = [];
    const { pages$ } = extract(config, {
      fetch,
      resume: { startedAt: 1, progress: book.progress() },
      onEvent: (event) => events.push(event),
    });
    expect(await lastValueFrom(pages$.pipe(toArray()))).toEqual([]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'PAGINATION_NOT_ADVANCING' }));
  });

  it('begins a job again, and says so, where the API does not know the place any more', async () => {
    const config = {
      api: { baseUrl: 'https://api.example/', pagination: { method: 'response.url', urlKey: 'next' } },
      config: { jobs: [{ endpoint: 'items', dataField: 'items' }] },
    };
    const whole = await lastValueFrom(extract(config, { fetch: anApi(answers).fetch }).pages$.pipe(toArray()));
    const book = createProgressTracker();
    for (const { checkpoint } of whole.slice(0, 2)) book.add(checkpoint);
    let isFirst = true;
    const { fetch } = anApi((url) => {
      if (!isFirst) return answers(url, new Headers());
      isFirst = false;
      return new Response('{"error":"scroll expired"}', { status: 404 });
    });
    const warnings: string[] = [];
    const { pages$ } = extract(config, {
      fetch,
      resume: { startedAt: 1, progress: book.progress() },
      onEvent: (event) => {
        if (event.type === 'warning') warnings.push(event.code);
      },
    });
    const pages = await lastValueFrom(pages$.pipe(toArray()));
    expect(pages.map(textOf)).toEqual(whole.map(textOf));
    expect(warnings).toEqual(['JOB_RESTARTED']);
  });

  it('calls the children of a job that starts over once more, those that were over as well', async () => {
    const config = {
      api: { baseUrl: 'https://api.example/', pagination: { method: 'response.url', urlKey: 'next' } },
      config: {
        jobs: [
          {
            endpoint: 'items',
            dataField: 'items',
            children: [{ endpoint: 'items/{id}', placeholders: { id: 'id' }, dataField: 'items' }],
          },
        ],
      },
    };
    const nested: Answerer = (url, headers) =>
      url.pathname === '/items' ? answers(url, headers) : { items: [{ of: url.pathname }] };
    const whole = await lastValueFrom(extract(config, { fetch: anApi(nested).fetch }).pages$.pipe(toArray()));
    const book = createProgressTracker();
    // Two pages of the parent, and all but the last child of the second one.
    for (const { checkpoint } of whole.slice(0, 5)) book.add(checkpoint);
    let isFirst = true;
    const { fetch } = anApi((url, headers) => {
      if (!isFirst || url.pathname !== '/items') return nested(url, headers);
      isFirst = false;
      return new Response('{"error":"scroll expired"}', { status: 404 });
    });
    const { pages$ } = extract(config, { fetch, resume: { startedAt: 1, progress: book.progress() } });
    const pages = (await lastValueFrom(pages$.pipe(toArray()))).map(textOf);
    // The last child of the second page comes before the request that is answered with 404.
    expect(pages.slice(1)).toEqual(whole.map(textOf));
  });

  it('starts at the time at which it began', async () => {
    const config = {
      api: { baseUrl: 'https://api.example/', pagination: { forceStop: { pages: 1 } } },
      config: { jobs: [{ endpoint: 'items', dataField: 'items', params: { to: { time: 'currentStart' } } }] },
    };
    const { asked, fetch } = anApi(answers);
    const resume = { startedAt: 1234567, progress: new Map() };
    await lastValueFrom(extract(config, { fetch, resume }).pages$.pipe(tap(), toArray()));
    expect(asked).toEqual(['/items?to=1234567']);
  });
});

/** A process that ended right behind its commit: to go on with that run, nothing is left to do (docs/sinks.md#exactly-once). */

let server: ApiServer;
let folder: string;
beforeEach(async () => {
  server = await startServer(() => json([{ id: 1 }, { id: 2 }]));
  folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});
const config = (endpoint = 'items'): Json => ({
  api: { baseUrl: server.origin },
  config: { jobs: [{ endpoint, load: 'append' }] },
});

/** The destination, with a look at it when it has committed and is not closed yet. */
const seenAtCommit =
  (to: Destination, look: () => Promise<unknown>): Destination =>
  (...given) => {
    const sink = to(...given);
    return {
      ...sink,
      commit: async (...last) => {
        const stored = await sink.commit(...last);
        await look();
        return stored;
      },
    };
  };
async function resumed(to: readonly Destination[], endpoint = 'items') {
  const before = server.requests.length;
  const skipped: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'run.skipped') skipped.push(event.runId);
  };
  const reported: Delivery[] = [];
  const onCommitted = (delivery: Delivery): void => void reported.push(delivery);
  const delivery = await deliver(config(endpoint), to, { resume: true, onEvent, onCommitted });
  expect(reported).toEqual([delivery]);
  return { ...delivery, skipped, requests: server.requests.length - before };
}
/** A folder as a process leaves it that is killed; its lock goes with it. */
const copy = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, filter: (path) => !/\block[^/]*$/.test(path) });
const OVER = { alreadyCommitted: true, requests: 0 };
const NEW = { alreadyCommitted: false, requests: 1 };

const FILES: readonly (readonly [string, (place: string) => Destination])[] = [
  ['duckdb', (place) => sinks.duckdb(join(place, 'o.duckdb'))],
  ['csv', (place) => sinks.csv(join(place, 'out'))],
  ['ndjson', (place) => sinks.ndjson(join(place, 'out'))],
  ['parquet', (place) => sinks.parquet(join(place, 'out'))],
];
const SQLITE: (typeof FILES)[number] = ['sqlite', (place) => sinks.sqlite(join(place, 'o.sqlite'))];

/** What a process leaves that ends behind the commit, and what goes on from there. */
async function endsBehindCommit(of: (place: string) => Destination): Promise<void> {
  const [first, left] = [join(folder, 'first'), join(folder, 'left')];
  const { runId, state, stored, outcome } = await deliver(config(), [seenAtCommit(of(first), () => copy(first, left))]);
  const tables = stored.flatMap((each) => each.tables);
  expect(tables).toMatchObject([{ rows: expect.any(Number) as number }]);
  expect(await resumed([of(left)])).toMatchObject({
    ...{ ...OVER, runId, skipped: [runId], state, outcome },
    stored: [{ tables }],
  });
  // That has been told now, as has the end of the run that came to its own.
  expect(await resumed([of(left)])).toMatchObject(NEW);
  expect(await resumed([of(first)])).toMatchObject(NEW);
}

describe('--resume after a commit that nobody was told of', () => {
  it.each(FILES)('says so, and loads nothing twice: %s', (_, of) => endsBehindCommit(of));
  itWithSqlite('says so, and loads nothing twice: sqlite', () => endsBehindCommit(SQLITE[1]));

  it.each(FILES)('calls onCommitted until it has come to its end: %s', async (_, of) => {
    const to = [of(join(folder, 'first'))];
    const dying = { resume: true, onCommitted: (): Promise<void> => Promise.reject(new Error('dead')) };
    await expect(deliver(config(), to, dying)).rejects.toThrow('dead');
    const before = server.requests.length;
    await expect(deliver(config(), to, dying)).rejects.toThrow('dead');
    expect(server.requests).toHaveLength(before);
    expect(await resumed(to)).toMatchObject(OVER);
    expect(await resumed(to)).toMatchObject(NEW);
  });

  it('says so of several destinations that all have it', async () => {
    const both = (place: string): Destination[] => FILES.slice(0, 2).map(([, of]) => of(join(folder, place)));
    const look = (): Promise<void> => copy(join(folder, 'first'), join(folder, 'left'));
    await deliver(
      config(),
      both('first').map((to) => seenAtCommit(to, look)),
    );
    expect(await resumed(both('left'))).toMatchObject(OVER);
  });

  it('begins a new run without --resume, and of another configuration', async () => {
    const [first, left] = [join(folder, 'first'), join(folder, 'left')];
    const of = (place: string): Destination => sinks.csv(join(place, 'out'));
    await deliver(config(), [
      seenAtCommit(of(first), async () => {
        await copy(first, left);
        await copy(first, join(folder, 'other'));
      }),
    ]);
    expect(await resumed([of(join(folder, 'other'))], 'others')).toMatchObject(NEW);
    expect(await deliver(config(), [of(left)])).toMatchObject({ alreadyCommitted: false });
  });
});

describeWithPostgres(`--resume after a commit that nobody was told of, in PostgreSQL ${NEEDS}`, () => {
  it('says so, and loads nothing twice', async () => {
    const database = await testDatabase();
    try {
      const to = sinks.postgres(database.url);
      let head: unknown;
      let table = '';
      const { runId } = await deliver(config(), [
        seenAtCommit(to, async () => {
          const [found = {}] = await database.query(
            "SELECT schemaname FROM pg_tables WHERE tablename = 'destinations' AND schemaname LIKE '%headwater%'",
          );
          table = `"${String(found['schemaname'])}".destinations`;
          head = (await database.query(`SELECT head FROM ${table}`))[0]?.['head'];
        }),
      ]);
      expect(typeof head).toBe('string');
      expect(await database.query(`SELECT head FROM ${table}`)).toEqual([{ head: null }]);
      await database.query(`UPDATE ${table} SET head = '${String(head).replaceAll("'", "''")}'`);
      expect(await resumed([to])).toMatchObject({ ...OVER, runId });
      expect(await resumed([to])).toMatchObject(NEW);
    } finally {
      await database.drop();
    }
  });
});
