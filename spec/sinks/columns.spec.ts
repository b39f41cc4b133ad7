/** Tables of objects whose keys are data: an error before anything is stored, not a table that nobody can read. */
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, destinationOf, sinks } from '../../src';
import type { Destination, Json, JsonObject } from '../../src';
import { fingerprintOf } from '../../src/language/configuration/fingerprint';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { queryDuckDB } from '../support/duckdb';
import { filesIn, load } from '../support/load';
import { NEEDS, describeWithPostgres, testDatabase } from '../support/postgres';
import { itWithSqlite, querySqlite } from '../support/sqlite';
import { newTable } from '../support/stored';

const wide = (keys: number, key = (at: number): string => `key${at}`): JsonObject =>
  Object.fromEntries(Array.from({ length: keys }, (_, at) => [key(at), at]));

describe('an object with many keys', () => {
  let server: ApiServer;
  let folder: string;
  let keys: number;
  beforeEach(async () => {
    keys = 2001;
    server = await startServer(({ url }) => json(url === '/users' ? [wide(keys)] : [{ id: 1, of: wide(keys) }]));
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const configOf = (settings: JsonObject = {}, endpoint = 'users'): Json => ({
    api: { baseUrl: server.origin },
    config: {
      jobs: [{ endpoint, dataType: 'users', ...(endpoint === 'nested' ? { responseFilter: 'of' } : {}) }],
      ...settings,
    },
  });
  const deliverTo = (to: string, config: Json, resume = false) => deliver(config, [destinationOf(to)], { resume });
  const refusal = (most: string): unknown =>
    expect.objectContaining({
      code: 'TABLE_COLUMNS',
      message: expect.stringMatching(
        new RegExp(
          `^The table "users" would get more than ${most} columns: its items have keys such as "key0", .*"key\\d+"\\..*maxColumns.*responseFilter`,
        ),
      ) as string,
    });

  it.each(['csv:out', 'parquet:out', 'duckdb:items.duckdb'])(
    '%s: an error; the limit can be raised, and the run goes on',
    async (url) => {
      const to = url.replace(':', `:${folder}/`);
      await expect(deliverTo(to, configOf())).rejects.toEqual(refusal('2,000'));
      expect((await readdir(join(folder, 'out')).catch(() => [])).filter((name) => !name.startsWith('.'))).toEqual([]);
      const { stored, resumedPages } = await deliverTo(to, configOf({ maxColumns: 2001 }), true);
      expect(stored[0]?.tables).toHaveLength(1);
      expect(resumedPages).toBe(1);
    },
  );

  it.each([['csv:out'], ['duckdb:items.duckdb']])(
    '%s: fifty times too many end as well',
    async (url) => {
      keys = 100_000;
      await expect(deliverTo(url.replace(':', `:${folder}/`), configOf())).rejects.toEqual(refusal('2,000'));
    },
    60_000,
  );

  it('one column of JSON takes any number', async () => {
    keys = 20_000;
    const { stored } = await deliverTo(`csv:${folder}/out`, configOf({}, 'nested'));
    expect(stored[0]?.tables).toEqual([newTable('users.csv', 1)]);
  });

  it('the conversion of the language has no limit', async () => {
    await load(configOf(), filesIn(folder));
    const [header = ''] = (await readFile(join(folder, 'users'), 'utf8')).split('\n', 1);
    expect(header.split(',').length).toBe(2001);
  });

  it('the limit is no part of what tells runs apart', () => {
    expect(fingerprintOf(configOf({ maxColumns: 7 }))).toBe(fingerprintOf(configOf()));
    expect(fingerprintOf({ parameters: configOf({ maxColumns: 7 }) })).toBe(fingerprintOf({ parameters: configOf() }));
    const withParameter = (maxColumns: number): Json => ({ config: { jobs: [{ params: { maxColumns } }] } });
    expect(fingerprintOf(withParameter(1))).not.toBe(fingerprintOf(withParameter(2)));
  });

  describeWithPostgres(`in PostgreSQL ${NEEDS}`, () => {
    it('has the limit of PostgreSQL, whatever the configuration says', async () => {
      const database = await testDatabase();
      try {
        await expect(deliverTo(database.url, configOf({ maxColumns: 5000 }))).rejects.toMatchObject({
          code: 'TABLE_COLUMNS',
          message: expect.stringMatching(/more than 1,600 columns.*PostgreSQL takes no more/) as string,
        });
        await expect(deliverTo(database.url, configOf({ maxColumns: 50 }))).rejects.toEqual(refusal('50'));
      } finally {
        await database.drop();
      }
    });
  });
});

/** Fields that are called like what a database calls its own: the row numbers of SQLite and DuckDB, the system columns of PostgreSQL. */

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
