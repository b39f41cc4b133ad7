/** Lists that items have only in later runs: their rows go with the rows that they belong to (docs/sinks.md#objects-and-lists). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../src';
import type { Destination } from '../../src';
import { queryDuckDB } from '../support/duckdb';
import { describeWithPostgres, NEEDS } from '../support/postgres';
import { describeWithSqlite } from '../support/sqlite';
import { duckdbPlace, ndjsonPlace, parquetPlace, postgresPlace, sqlitePlace } from '../support/tables';
import type { TablesPlace } from '../support/tables';

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
