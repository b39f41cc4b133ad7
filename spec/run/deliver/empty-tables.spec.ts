/** Tables that a run replaces, and has no rows for (docs/sinks.md#tables-without-rows). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { deliver, destinationOf } from '../../../src';
import type { DeliverOptions, Json } from '../../../src';
import { queryDuckDB } from '../../support/duckdb';
import { describeWithPostgres, NEEDS, testDatabase } from '../../support/postgres';
import type { TestDatabase } from '../../support/postgres';
import { tableRuns } from '../../support/table-runs';
import { describeWithSqlite, tableOfSqlite } from '../../support/sqlite';

/** A destination, and how many rows a table of it has; `undefined`: there is no such table. */
interface Place {
  readonly url: string;
  readonly rows: (table: string) => Promise<number | undefined>;
}

const lines = (file: string, header: number): number | undefined => {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text.split('\n').length - 1 - header;
};

const FILES: readonly (readonly [string, (folder: string) => Place])[] = [
  ['ndjson', (out) => ({ url: `ndjson:${out}`, rows: (table) => Promise.resolve(lines(`${out}/${table}.ndjson`, 0)) })],
  ['csv', (out) => ({ url: `csv:${out}`, rows: (table) => Promise.resolve(lines(`${out}/${table}.csv`, 1)) })],
  [
    'csv, compressed',
    (out) => ({
      url: `csv:${out}?compress=gzip`,
      rows: (table) => Promise.resolve(lines(`${out}/${table}.csv.gz`, 1)),
    }),
  ],
  [
    'parquet',
    (out) => ({
      url: `parquet:${out}`,
      rows: async (table) => {
        const file = `${out}/${table}.parquet`;
        if (!existsSync(file)) return undefined;
        return Number((await queryDuckDB(':memory:', `SELECT count(*) FROM read_parquet('${file}')`))[0]?.[0]);
      },
    }),
  ],
  [
    'duckdb',
    (out) => ({
      url: `duckdb:${out}.duckdb`,
      rows: async (table) => {
        const file = `${out}.duckdb`;
        const there = await queryDuckDB(file, `SELECT 1 FROM duckdb_tables() WHERE table_name = '${table}'`);
        if (there.length === 0) return undefined;
        return Number((await queryDuckDB(file, `SELECT count(*) FROM "${table}"`))[0]?.[0]);
      },
    }),
  ],
];

const api = tableRuns();
const { configOf } = api;
const run = (place: Place, config: Json, options: DeliverOptions = {}) =>
  deliver(config, [destinationOf(place.url)], options);

const ORDERS: Json = [
  {
    endpoint: 'orders',
    dataField: 'items',
    children: [{ endpoint: 'orders/{id}/notes', dataType: 'notes', placeholders: { id: 'id' }, dataField: 'items' }],
  },
];
const full = (): void => {
  api.answers = { '/orders': { items: [{ id: 7 }] }, '/orders/7/notes': { items: [{ text: 'a' }, { text: 'b' }] } };
};

function emptiesTables(place: () => Place): void {
  it('replaces the rows of a child job that no parent calls for', async () => {
    full();
    await run(place(), configOf(ORDERS));
    expect(await place().rows('notes')).toBe(2);
    api.answers = { '/orders': { items: [] } };
    await run(place(), configOf(ORDERS));
    expect([await place().rows('orders'), await place().rows('notes')]).toEqual([0, 0]);
  });

  it('leaves them where rows are added', async () => {
    full();
    const adding = configOf(ORDERS, { load: 'append' });
    await run(place(), adding);
    api.answers = { '/orders': { items: [] } };
    await run(place(), adding);
    expect([await place().rows('orders'), await place().rows('notes')]).toEqual([1, 2]);
  });

  it('refuses to replace rows by none where no response had a value at the place of the items', async () => {
    full();
    await run(place(), configOf(ORDERS));
    api.answers = { '/orders': { items: [{ id: 7 }] }, '/orders/7/notes': { moved: true } };
    await expect(run(place(), configOf(ORDERS))).rejects.toMatchObject({
      code: 'TABLE_EMPTIED',
      table: 'notes',
      message: expect.stringContaining('--resume --allow-empty') as string,
    });
    expect(await place().rows('notes')).toBe(2);
    const requests = api.server.requests.length;
    await run(place(), configOf(ORDERS), { resume: true, allowEmpty: true });
    expect(api.server.requests.length).toBe(requests);
    expect([await place().rows('orders'), await place().rows('notes')]).toEqual([1, 0]);
    // There is nothing to lose any more.
    await run(place(), configOf(ORDERS));
    expect(await place().rows('notes')).toBe(0);
  });
}

describe.each(FILES)('tables without rows: %s', (kind, place) => {
  emptiesTables(() => place(join(api.folder, 'out')));

  // Lines have their lists in them.
  if (kind !== 'ndjson')
    it('replaces the rows of lists that no item has any more', async () => {
      const at = place(join(api.folder, 'out'));
      api.answers = { '/orders': [{ id: 7, lines: [{ sku: 'a', taxes: [1, 2] }] }] };
      const config = configOf([{ endpoint: 'orders' }, { endpoint: 'orders_other' }]);
      await run(at, config);
      expect(await at.rows('orders_lines')).toBe(1);
      api.answers = { '/orders': [{ id: 8 }], '/orders_other': [{ id: 1 }] };
      await run(at, config);
      expect([await at.rows('orders'), await at.rows('orders_lines'), await at.rows('orders_lines_taxes')]).toEqual([
        1, 0, 0,
      ]);
      await run(at, configOf([{ endpoint: 'orders' }]));
      expect(await at.rows('orders_other')).toBe(1);
    });
});

describeWithSqlite('tables without rows: sqlite', () => {
  emptiesTables(() => {
    const file = join(api.folder, 'out.sqlite');
    return { url: `sqlite:${file}`, rows: (table) => Promise.resolve(tableOfSqlite(file, table).length) };
  });
});

describeWithPostgres(`tables without rows: postgres ${NEEDS}`, () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase();
  });
  afterEach(() => database.drop());
  emptiesTables(() => ({
    url: database.url,
    rows: async (table) => Number((await database.query(`SELECT count(*) AS n FROM "${table}"`))[0]?.['n']),
  }));
});

describe('responses without a body', () => {
  const file = (): string => join(api.folder, 'out', 'orders.csv');
  const load = (body: string | null, status: number, type: string, job: Json = { endpoint: 'orders' }) => {
    const headers = { 'content-type': type };
    return deliver(
      { api: { baseUrl: 'http://api.test' }, config: { jobs: [job] } },
      [destinationOf(`csv:${join(api.folder, 'out')}`)],
      { fetch: () => Promise.resolve(new Response(body, { status, headers })) },
    );
  };
  const JSON_TYPE = 'application/json';

  it.each<[string, string, string, Json]>([
    ['JSON', '', JSON_TYPE, { endpoint: 'orders' }],
    ['JSON at dataField', '', JSON_TYPE, { endpoint: 'orders', dataField: '.' }],
    ['white space', '\n \n', JSON_TYPE, { endpoint: 'orders' }],
    ['CSV', '', 'text/csv', { endpoint: 'orders', format: 'csv' }],
    ['streamed CSV', '\n', 'text/csv', { endpoint: 'orders', format: 'csv', stream: true }],
  ])('and with a status of 200 do not empty a table: %s', async (_, body, type, job) => {
    const isCsv = type === 'text/csv';
    await load(isCsv ? 'id\n1\n' : '[{"id":1}]', 200, type, job);
    await expect(load(body, 200, type, job)).rejects.toMatchObject({ code: 'TABLE_EMPTIED', table: 'orders' });
    expect(lines(file(), 1)).toBe(1);
  });

  it('and with a status of 204 empty it', async () => {
    await load('[{"id":1}]', 200, JSON_TYPE);
    await load(null, 204, JSON_TYPE);
    expect(lines(file(), 1)).toBe(0);
  });

  it('make no table, and are no error where there is none', async () => {
    await load('', 200, JSON_TYPE);
    expect(existsSync(file())).toBe(false);
  });
});
