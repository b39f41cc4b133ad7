/** Nested items in every destination with tables, compared value by value with the items themselves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { deliver, sinks } from '../../src';
import type { Json, JsonObject } from '../../src';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { queryDuckDB } from '../support/duckdb';
import { describeWithPostgres, NEEDS, testDatabase } from '../support/postgres';
import type { TestDatabase } from '../support/postgres';

interface Tables {
  /** The address of the destination, made anew for each case. */
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

const named = async (file: string, from: string): Promise<readonly JsonObject[]> => {
  const columns = (await queryDuckDB(file, `DESCRIBE SELECT * FROM ${from}`)).map(([name]) => String(name));
  const all = await queryDuckDB(file, `SELECT * FROM ${from}`);
  return all.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] as Json])));
};

const DUCKDB: Tables = {
  to: () => join(folder, 'orders.duckdb'),
  destination: (file) => sinks.duckdb(file),
  rows: async (file, table) => {
    const [[count] = []] = await queryDuckDB(
      file,
      `SELECT count(*) FROM duckdb_tables() WHERE table_name = '${table}'`,
    );
    return Number(count) === 0 ? [] : named(file, table);
  },
};

const PARQUET: Tables = {
  to: () => join(folder, 'out'),
  destination: (out) => sinks.parquet(out),
  rows: async (out, table) => {
    const [[count] = []] = await queryDuckDB(':memory:', `SELECT count(*) FROM glob('${out}/${table}.parquet')`);
    return Number(count) === 0 ? [] : named(':memory:', `'${out}/${table}.parquet'`);
  },
};

describe.each([
  ['duckdb', DUCKDB],
  ['parquet', PARQUET],
])('linked tables in %s', (_, tables) => {
  it.each(['replace', 'append', 'merge'] as const)('hold all values of the items, in a %s of three runs', (load) =>
    comparesEach(tables, load),
  );
});

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
