/** Nested items in every destination with tables, compared value by value with the items themselves. */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { deliver, sinks } from '../../../src';
import type { Destination, Json, JsonObject } from '../../../src';
import { describeAlike } from '../../support/cases';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';
import { itemsOfDuckDB, queryDuckDB } from '../../support/duckdb';
import { COMPONENT, filesIn, load } from '../../support/load';
import { NEEDS, describeWithPostgres, testDatabase } from '../../support/postgres';
import type { TestDatabase } from '../../support/postgres';
import { describeWithSqlite } from '../../support/sqlite';
import { duckdbPlace, ndjsonPlace, parquetPlace, postgresPlace, sqlitePlace } from '../../support/tables';
import type { TablesPlace } from '../../support/tables';

interface Tables {
  /** The address of the destination, made again for each case. */
  readonly to: () => string;
  readonly destination: (to: string) => ReturnType<typeof sinks.duckdb>;
  /** All rows of a table; none where there is no such table. */
  readonly rows: (to: string, table: string) => Promise<readonly JsonObject[]>;
}

let folder: string;
let server: ApiServer | undefined;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-linked-'))));
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** What the API has in each run: lists within lists, scalars in lists, nulls, values that change their kind, new columns. */
const RUNS: readonly (readonly JsonObject[])[] = [
  [
    {
      id: 1,
      by: { name: 'Ann', at: { city: 'Bern' } },
      lines: [
        { sku: 'a', taxes: [1.5, 2] },
        { sku: 'a', taxes: [1.5, 2] },
      ],
    },
    { id: 2, by: null, lines: [], tags: ['x', 'x', null] },
    { id: 3, tags: 'alone', note: null },
  ],
  [
    { id: 2, by: 'nobody', lines: [{ sku: 'z', more: { deep: [true] } }], tags: [] },
    { id: 1, by: { name: 'Bo' }, lines: { sku: 'only', taxes: 7 } },
    { id: 4, amount: 2.5, note: 'new' },
    { id: 4, amount: 3.5, note: 'newer', tags: ['last'] },
  ],
  [{ id: 2 }, { id: 9, lines: [{ sku: 'q' }] }],
];

const ROW = '_row_id';
const PARENT = '_parent_row_id';
const POSITION = '_position';
const TABLES = ['orders', 'orders_lines', 'orders_lines_taxes', 'orders_lines_more_deep', 'orders_tags'];

/** The values of items by the place where they stand; lists of one where a list stands elsewhere. */
function placesOf(items: readonly JsonObject[]): readonly string[] {
  const found: string[] = [];
  const lists = new Set(['lines', 'lines.taxes', 'lines.more.deep', 'tags']);
  const visit = (value: Json, at: string, place: string): void => {
    if (value === null) return;
    if (lists.has(place)) {
      const elements = Array.isArray(value) ? (value as readonly Json[]) : [value];
      elements.forEach((element, index) => inside(element, `${at}[${index}]`, place));
    } else inside(value, at, place);
  };
  const inside = (value: Json, at: string, place: string): void => {
    if (value === null) found.push(at);
    else if (typeof value === 'object' && !Array.isArray(value))
      for (const [key, inner] of Object.entries(value))
        visit(inner, `${at}.${key}`, place === '' ? key : `${place}.${key}`);
    else found.push(`${at}=${textOf(value)}`);
  };
  for (const item of items) {
    const id = textOf(item['id']);
    for (const [key, value] of Object.entries(item)) if (key !== 'id') visit(value, `${id}.${key}`, key);
    found.push(id);
  }
  return found.sort();
}

/** A text, number or boolean as a text. */
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** The same, read from the tables. */
function placesIn(rows: Readonly<Record<string, readonly JsonObject[]>>): readonly string[] {
  const found: string[] = [];
  const children = (table: string, id: Json): readonly JsonObject[] =>
    id === null ? [] : (rows[table] ?? []).filter((row) => row[PARENT] === id);
  const add = (at: string, value: Json | undefined): void => {
    if (value !== null && value !== undefined) found.push(`${at}=${textOf(value)}`);
  };
  for (const order of rows['orders'] ?? []) {
    const id = textOf(order['id']);
    const row = order[ROW] ?? null;
    found.push(id);
    add(`${id}.by`, order['by']);
    add(`${id}.by.name`, order['by_name']);
    add(`${id}.by.at.city`, order['by_at_city']);
    for (const name of ['amount', 'note']) add(`${id}.${name}`, order[name]);
    for (const line of children('orders_lines', row)) {
      const at = `${id}.lines[${textOf(line[POSITION])}]`;
      add(`${at}.sku`, line['sku']);
      for (const tax of children('orders_lines_taxes', line[ROW] ?? null))
        add(`${at}.taxes[${textOf(tax[POSITION])}]`, tax['value']);
      for (const deep of children('orders_lines_more_deep', line[ROW] ?? null))
        add(`${at}.more.deep[${textOf(deep[POSITION])}]`, deep['value']);
    }
    for (const tag of children('orders_tags', row)) {
      const at = `${id}.tags[${textOf(tag[POSITION])}]`;
      if (tag['value'] === null) found.push(at);
      else add(at, tag['value']);
    }
  }
  return found.sort();
}

const LOADS = {
  replace: { config: {}, job: {}, left: (runs: typeof RUNS) => runs.at(-1) ?? [] },
  append: { config: { incrementalOutput: true }, job: {}, left: (runs: typeof RUNS) => runs.flat() },
  merge: {
    config: { incrementalOutput: true },
    job: { primaryKey: ['id'] },
    left: (runs: typeof RUNS) => [...new Map(runs.flat().map((item) => [item['id'], item])).values()],
  },
};

async function comparesEach({ to, destination, rows }: Tables, load: keyof typeof LOADS): Promise<void> {
  const { config, job, left } = LOADS[load];
  let run = 0;
  server = await startServer(() => json([...(RUNS[run] ?? [])]));
  const address = to();
  for (; run < RUNS.length; run += 1) {
    await deliver({ api: { baseUrl: server.origin }, config: { ...config, jobs: [{ endpoint: 'orders', ...job }] } }, [
      destination(address),
    ]);
    const found = Object.fromEntries(
      await Promise.all(TABLES.map(async (table) => [table, await rows(address, table)] as const)),
    );
    expect(placesIn(found)).toEqual(placesOf(left(RUNS.slice(0, run + 1))));
    for (const [child, parent] of BELONGS)
      expect(idsOf(found[parent], ROW)).toEqual(expect.arrayContaining(idsOf(found[child], PARENT)));
    for (const table of Object.values(found).filter((some) => some.some((row) => row[ROW] !== null))) {
      const ids = table.flatMap((row) => (row[ROW] === undefined || row[ROW] === null ? [] : [row[ROW]]));
      expect(new Set(ids).size).toBe(ids.length);
    }
  }
}

/** Which table the rows of a table belong to. */
const BELONGS = [
  ['orders_lines', 'orders'],
  ['orders_tags', 'orders'],
  ['orders_lines_taxes', 'orders_lines'],
  ['orders_lines_more_deep', 'orders_lines'],
] as const;

const idsOf = (rows: readonly JsonObject[] = [], column: string): readonly unknown[] => rows.map((row) => row[column]);

const DUCKDB: Tables = {
  to: () => join(folder, 'orders.duckdb'),
  destination: (file) => sinks.duckdb(file),
  rows: async (file, table) => {
    const [[count] = []] = await queryDuckDB(
      file,
      `SELECT count(*) FROM duckdb_tables() WHERE table_name = '${table}'`,
    );
    return Number(count) === 0 ? [] : itemsOfDuckDB(file, `FROM ${table}`);
  },
};

const PARQUET: Tables = {
  to: () => join(folder, 'out'),
  destination: (out) => sinks.parquet(out),
  rows: async (out, table) => {
    const [[count] = []] = await queryDuckDB(':memory:', `SELECT count(*) FROM glob('${out}/${table}.parquet')`);
    return Number(count) === 0 ? [] : itemsOfDuckDB(':memory:', `FROM '${out}/${table}.parquet'`);
  },
};

const inThreeRuns = (tables: Tables): void =>
  it.each(['replace', 'append', 'merge'] as const)('hold all values of the items, in a %s of three runs', (load) =>
    comparesEach(tables, load),
  );
describe('linked tables in DuckDB', () => inThreeRuns(DUCKDB));
describeAlike('linked tables in Parquet', () => inThreeRuns(PARQUET));

describeWithPostgres(`linked tables in PostgreSQL ${NEEDS}`, () => {
  let database: TestDatabase;
  let client: Client;
  beforeEach(async () => {
    database = await testDatabase();
    client = new Client(database.url);
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  it.each(['replace', 'append', 'merge'] as const)('hold all values of the items, in a %s of three runs', (load) =>
    comparesEach(
      {
        to: () => database.url,
        destination: (url) => sinks.postgres(url),
        rows: async (_, table) => {
          const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [table]);
          if (rows[0]?.found === null) return [];
          return (await client.query<JsonObject>(`SELECT * FROM ${table}`)).rows;
        },
      },
      load,
    ),
  );
});

/** Lists that items have only in later runs: their rows go with the rows that they belong to (docs/sinks.md#objects-and-lists). */

const merge = (to: Destination, body: string): Promise<unknown> =>
  deliver(
    {
      api: { baseUrl: 'https://api.test/' },
      config: { jobs: [{ endpoint: 'orders', primaryKey: 'id', load: 'merge' }] },
    },
    [to],
    { fetch: () => Promise.resolve(new Response(body)) },
  );

async function prunes(create: () => Promise<TablesPlace>): Promise<void> {
  const place = await create();
  try {
    for (const body of ['{"id":1}', '{"id":2,"lines":[{"n":1}]}', '{"id":2,"lines":[{"n":9}]}'])
      await merge(place.to(), `[${body}]`);
    expect(((await place.rows('orders')) ?? []).map(({ id }) => Number(id)).sort()).toEqual([1, 2]);
    expect(((await place.rows('orders_lines')) ?? []).map(({ n }) => Number(n))).toEqual([9]);
  } finally {
    await place.drop();
  }
}

const TITLE = 'lists that come after items without any';

describe(TITLE, () => {
  it.each([
    ['duckdb', () => duckdbPlace()],
    ['parquet', () => parquetPlace()],
    ['ndjson', () => ndjsonPlace({ nested: 'tables' })],
  ])('go with their items in %s', (_, create) => prunes(create));
});

describeWithPostgres(`${TITLE}, in PostgreSQL ${NEEDS}`, () => {
  it('go with their items', () => prunes(() => postgresPlace()));
});

describeWithSqlite(`${TITLE}, in SQLite`, () => {
  it('go with their items', () => prunes(() => sqlitePlace()));
});

describe('a folder above a destination that is named like a column and a value', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-hive-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each(['items without lists', 'items with lists'])('changes no value of %s', async (kind) => {
    const above = join(folder, 'country=CH', 'id=007');
    const list = kind === 'items with lists' ? ',"l":[{"country":"FR"}]' : '';
    const body = `[{"id":1,"country":"DE"${list}},{"id":2,"country":"FR"${list}}]`;
    const file = join(folder, 'country=CH', 'x.duckdb');
    await merge(sinks.duckdb(file), body);
    await merge(sinks.parquet(above), body);
    const wanted = [
      [1, 'DE'],
      [2, 'FR'],
    ];
    const read = async (from: string, database = ':memory:'): Promise<unknown> =>
      queryDuckDB(database, `SELECT id, country FROM ${from} ORDER BY id`);
    expect(await read('orders', file)).toEqual(wanted);
    expect(await read(`read_parquet('${join(above, 'orders.parquet')}', hive_partitioning = false)`)).toEqual(wanted);
  });
});

describe('deliver, into CSV files at one go', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const sink = () => filesIn(join(folder, 'out'), COMPONENT, folder);
  const run = (config: object, state: JsonObject = {}): Promise<JsonObject> =>
    load({ api: { baseUrl: server.origin }, ...config }, sink(), { state });
  const table = (name: string): Promise<string> => readFile(join(folder, 'out', name), 'utf8');

  it('stores items as linked tables, and gives the state for the next run', async () => {
    server = await startServer({
      '/boats': json([
        { id: 1, crew: [{ n: 'Ann' }] },
        { id: 2, owner: null },
      ]),
    });
    const before = Math.floor(Date.now() / 1000);
    const state = await run({ config: { jobs: [{ endpoint: 'boats' }] } }, { mine: { kept: true } });
    expect((await table('boats')).replace(/[0-9a-f]{32}/g, '#')).toBe(
      '"id","crew","owner"\n"1","boats_#",""\n"2","",""\n',
    );
    expect((await table('boats_crew')).replace(/[0-9a-f]{32}/g, '#')).toBe('"n","JSON_parentId"\n"Ann","boats_#"\n');
    expect(state).toMatchObject({ mine: { kept: true }, 'json_parser.structVersion': 3 });
    const { time } = state as { time: { previousStart: number } };
    expect(time.previousStart).toBeGreaterThanOrEqual(before);
    expect(await readdir(folder)).toEqual(['out']);
  });

  it('language 7.1: previousStart of the state reaches the requests', async () => {
    server = await startServer(() => json([]));
    const params = { since: { time: 'previousStart' } };
    await run({ config: { jobs: [{ endpoint: 'a', params }] } }, { time: { previousStart: 1500000000 } });
    expect(server.requests[0]?.url).toBe('/a?since=1500000000');
  });

  it('language 0.5: nothing is stored, and no row is left waiting, when a job fails', async () => {
    server = await startServer({ '/a': json([{ id: 1 }]), '/b': json({ error: 'no' }, 404) });
    await expect(run({ config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] } })).rejects.toMatchObject({
      code: 'API_STATUS',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('language 1.5: iterations of one bucket share tables, other buckets have their own', async () => {
    server = await startServer(({ url }: ReceivedRequest) => json([{ url }]));
    await run({
      config: {
        outputBucket: 'one',
        incrementalOutput: true,
        jobs: [{ endpoint: 'a', dataType: 't', params: { p: { attr: 'p' } } }],
        p: 0,
      },
      iterations: [{ p: 1 }, { p: 2, outputBucket: 'two' }, { p: 3, incrementalOutput: false }],
    });
    expect(await table('one.t')).toBe('"url"\n"/a?p=1"\n"/a?p=3"\n');
    expect(await table('two.t')).toBe('"url"\n"/a?p=2"\n');
    expect(await table('one.t.manifest')).toBe('{"destination":"in.c-one.t","incremental":false}');
    expect(await table('two.t.manifest')).toBe('{"destination":"in.c-two.t","incremental":true}');
  });

  it('language 1.5: each iteration logs in again, with its own attributes', async () => {
    server = await startServer(({ url }: ReceivedRequest) => json(url.startsWith('/login') ? { token: url } : []));
    await load(
      {
        api: {
          baseUrl: server.origin,
          authentication: {
            type: 'login',
            loginRequest: { endpoint: 'login', params: { user: { attr: 'user' } } },
            apiRequest: { headers: { 'x-token': 'token' } },
          },
        },
        config: { jobs: [{ endpoint: 'a' }] },
        iterations: [{ user: 'ann' }, { user: 'bo' }],
      },
      sink(),
    );
    expect(server.requests.map(({ url, headers }) => [url, headers['x-token']])).toEqual([
      ['/login?user=ann', undefined],
      ['/a', '/login?user=ann'],
      ['/login?user=bo', undefined],
      ['/a', '/login?user=bo'],
    ]);
  });

  it('language 8.12: a job with a mapping makes no automatic tables, its children follow their own data type', async () => {
    server = await startServer(({ url }: ReceivedRequest) =>
      json(url === '/boats' ? [{ id: 1, x: 2 }] : [{ n: 'Ann' }]),
    );
    const children = [{ endpoint: 'boats/{id}', dataType: 'crew', placeholders: { id: 'id' } }];
    const state = await run({
      config: { mappings: { boats: { id: 'boat' } }, jobs: [{ endpoint: 'boats', children }] },
    });
    expect(await table('boats')).toBe('"boat"\n"1"\n');
    expect(await table('crew')).toBe('"n","parent_id"\n"Ann","1"\n');
    expect(Object.keys(state)).toEqual(['time']);
  });

  it('gives the next run how far jobs have come', async () => {
    server = await startServer(() => json([{ id: 3 }, { id: 7 }]));
    const config = { config: { jobs: [{ id: 'b', endpoint: 'boats', incremental: { field: 'id', param: 'after' } }] } };
    await run(config, await run(config));
    expect(server.requests.map(({ url }) => url)).toEqual(['/boats', '/boats?after=7']);
  });
});
