/** Fields that are called like what a database calls its own: the row numbers of SQLite and DuckDB, the system columns of PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../src';
import type { Destination, JsonObject } from '../../src';
import { queryDuckDB } from '../support/duckdb';
import { describeWithPostgres, NEEDS, testDatabase } from '../support/postgres';
import { itWithSqlite, querySqlite } from '../support/sqlite';

const TAKEN = ['rowid', 'RowId', 'oid', '_rowid_', 'rowid of stage', 'row of stage', 'headwater file', 'filename'];

/** Items of which the later ones have the lower values, so that whoever takes a field for a number of rows keeps the wrong ones. */
const itemsWith = (names: readonly string[]): readonly JsonObject[] =>
  [9, 7, 5].flatMap((value, at) =>
    [1, 2].map((id) => ({ id, version: at, ...Object.fromEntries(names.map((name) => [name, value])) })),
  );

/** Runs an API of these items twice: rows are merged by their key, first into no table and then into one with rows. */
async function merge(
  destination: () => Destination,
  items: readonly JsonObject[],
  further: readonly JsonObject[] = items,
): Promise<void> {
  for (const body of [items, further]) {
    const fetch = (): Promise<Response> =>
      Promise.resolve(new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } }));
    const job = { endpoint: 'user', load: 'merge', primaryKey: ['id'] };
    await deliver({ api: { baseUrl: 'http://api.test' }, config: { jobs: [job] } }, [destination()], { fetch });
  }
}

describe('fields that are called like the columns that a database has itself', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'));
    file = join(folder, 'x');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  // Databases do not tell `rowid` from `RowId`: of each of these sets one is enough, and all together are, too.
  const sets = [...TAKEN.map((name) => [name]), TAKEN];
  const last = [
    [1, 2],
    [2, 2],
  ];

  it.each(sets)('leave the last row of each key in DuckDB: %s', async (...names) => {
    await merge(() => sinks.duckdb(file), itemsWith(names));
    expect(await queryDuckDB(file, 'SELECT id, version FROM "user" ORDER BY id')).toEqual(last);
  });

  it.each(sets)('leave the last row of each key in Parquet: %s', async (...names) => {
    await merge(() => sinks.parquet(file), itemsWith(names));
    const from = `read_parquet('${join(file, 'user.parquet')}')`;
    expect(await queryDuckDB(':memory:', `SELECT id, version FROM ${from} ORDER BY id`)).toEqual(last);
  });

  it('leave the last row of each key in Parquet files of partitions', async () => {
    await merge(() => sinks.parquet(file, { partitionBy: ['version'] }), itemsWith(TAKEN));
    const from = `read_parquet('${join(file, 'user', '*', '*.parquet')}', hive_partitioning = false)`;
    expect(await queryDuckDB(':memory:', `SELECT id, version FROM ${from} ORDER BY id`)).toEqual(last);
  });

  describe('in SQLite', () => {
    itWithSqlite.each(sets)('leave the last row of each key: %s', async (...names) => {
      await merge(() => sinks.sqlite(file), itemsWith(names));
      expect(querySqlite(file, 'SELECT id, version FROM user ORDER BY id')).toEqual([
        { id: 1, version: 2 },
        { id: 2, version: 2 },
      ]);
    });

    itWithSqlite('leave rows in their order where a column gets a wider type', async () => {
      const items = itemsWith(['rowid', 'oid']);
      await merge(() => sinks.sqlite(file), items, [{ id: 3, version: 'x' }]);
      expect(querySqlite(file, 'SELECT id FROM user ORDER BY _rowid_').map(({ id }) => id)).toEqual([1, 2, 3]);
    });
  });
});

describeWithPostgres(`fields that are called like the system columns of PostgreSQL ${NEEDS}`, () => {
  it('are stored, and the last row of each key is left', async () => {
    const database = await testDatabase();
    try {
      const names = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid', 'oid', 'row', 'row_', 'target', 'excluded'];
      await merge(() => sinks.postgres(database.url), itemsWith(names));
      const rows = await database.query('SELECT * FROM "user" ORDER BY id');
      expect(rows.map(({ id, version }) => [id, version])).toEqual([
        [1, 2],
        [2, 2],
      ]);
      expect(rows.map((row) => Object.values(row).filter((value) => value === 5))).toEqual([
        names.map(() => 5),
        names.map(() => 5),
      ]);
    } finally {
      await database.drop();
    }
  });
});
