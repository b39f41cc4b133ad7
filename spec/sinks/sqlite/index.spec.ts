/** Tables of an SQLite database (docs/sinks.md). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../../src';
import { openSqlite } from '../../../src/sinks/sqlite/driver';
import { describeWithSqlite, querySqlite, tableOfSqlite } from '../../support/sqlite';

describeWithSqlite('sqlite', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-spec-'));
    file = join(folder, 'x.sqlite');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a configuration against an API that answers with this body. */
  const run = (body: string, config: object = {}, job: object = {}, options: object = {}) =>
    deliver(
      { api: { baseUrl: 'http://api.test' }, config: { jobs: [{ endpoint: 'orders', ...job }], ...config } },
      [sinks.sqlite(file, options)],
      { fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': 'application/json' } })) },
    );
  const rows = (table = 'orders') => tableOfSqlite(file, table);
  const typesOf = (table = 'orders'): unknown =>
    Object.fromEntries(
      querySqlite(file, `SELECT name, type FROM pragma_table_info('${table}')`).map(({ name, type }) => [name, type]),
    );
  const adds = { incrementalOutput: true };
  const keyed = { primaryKey: ['id'] };

  it('has a type and a value for everything that an API writes, with all digits', async () => {
    await run(
      `[{"b":true,"i":1.0,"big":9007199254740993,"d":0.30000000000000004,"dec":12345678901234567.250,"huge":1234567890123456789012345678901234567890,
        "date":"2024-02-29","at":"2024-02-29T10:00:00Z","t":"x","j":{"a":[1,1.50]},"mixed":1,"none":null},
        {"b":false,"i":-0,"big":-1,"d":1e300,"dec":1,"huge":1,"t":"\\ud800","mixed":"y"}]`,
      {},
      { nested: 'json' },
    );
    expect(typesOf()).toEqual({
      ...{ b: 'INTEGER', i: 'INTEGER', big: 'INTEGER', d: 'REAL', dec: 'TEXT', huge: 'TEXT', date: 'TEXT', at: 'TEXT' },
      ...{ t: 'TEXT', j: 'TEXT', mixed: 'TEXT', none: 'TEXT' },
    });
    expect(querySqlite(file, `SELECT *, CAST(big AS TEXT) AS big FROM orders`)).toEqual([
      {
        ...{ b: 1, i: 1, big: '9007199254740993', d: 0.30000000000000004, dec: '12345678901234567.25' },
        ...{ huge: '1234567890123456789012345678901234567890', date: '2024-02-29', at: '2024-02-29T10:00:00Z' },
        ...{ t: 'x', j: '{"a":[1,1.50]}', mixed: '1', none: null },
      },
      {
        ...{ b: 0, i: 0, big: '-1', d: 1e300, dec: '1', huge: '1', date: null, at: null },
        ...{ t: '\ufffd', j: null, mixed: 'y', none: null },
      },
    ]);
    expect(querySqlite(file, `SELECT strict FROM pragma_table_list('orders')`)).toEqual([{ strict: 1 }]);
  });

  it('links tables for lists, and removes the rows of lists with those that are replaced', async () => {
    const orders = (id: number, ...skus: string[]): object => ({ id, lines: skus.map((sku) => ({ sku })) });
    await run(JSON.stringify([orders(1, 'a', 'b'), orders(2, 'c')]), adds, keyed);
    await run(JSON.stringify([orders(1, 'z')]), adds, keyed);
    expect(rows()).toEqual([
      { _row_id: 2, id: 2 },
      { _row_id: 3, id: 1 },
    ]);
    expect(rows('orders_lines')).toEqual([
      { _row_id: 3, _parent_row_id: 2, _position: 0, sku: 'c' },
      { _row_id: 4, _parent_row_id: 3, _position: 0, sku: 'z' },
    ]);
  });

  it('replaces tables, and leaves indexes of others where columns stay', async () => {
    await run('[{"id":1,"a":"x"}]');
    querySqliteWrite('CREATE INDEX mine ON orders (a)');
    await run('[{"id":2,"a":"y"}]');
    expect(rows()).toEqual([{ id: 2, a: 'y' }]);
    expect(querySqlite(file, `SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'orders'`)).toEqual([
      { name: 'mine' },
    ]);
    await run('[{"id":"three"}]');
    expect(rows()).toEqual([{ id: 'three' }]);
    await run('[]');
    expect(rows()).toEqual([]);
  });
  const querySqliteWrite = (sql: string): void => {
    const connection = openSqlite(file);
    connection.exec(sql);
    connection.close();
  };

  it('adds columns and widens types, and no value changes', async () => {
    await run('[{"id":1,"b":true,"i":7,"d":0.1,"when":"2024-01-01","big":9007199254740993}]', adds);
    await run('[{"id":2,"b":"no","i":0.5,"d":"x","when":"later","big":1.5,"new":true}]', adds);
    expect(rows()).toEqual([
      { id: 1, b: 'true', i: 7, d: '0.1', when: '2024-01-01', big: '9007199254740993', new: null },
      { id: 2, b: 'no', i: 0.5, d: 'x', when: 'later', big: '1.5', new: 1 },
    ]);
    await run('[{"id":3,"new":"text"}]', adds);
    expect(rows().map((row) => row['new'])).toEqual([null, 'true', 'text']);
  });

  it('puts a whole row in the place of the one with its key; the last one counts, and rows without a key stay', async () => {
    await run('[{"id":1,"a":"old","b":"x"},{"id":null,"a":"p"}]', adds, keyed);
    await run('[{"id":1,"a":"first"},{"id":1,"a":"last"},{"id":null,"a":"q"}]', adds, keyed);
    expect(rows()).toEqual([
      { id: null, a: 'p', b: null },
      { id: 1, a: 'last', b: null },
      { id: null, a: 'q', b: null },
    ]);
  });

  it('finds a key in a column that has got a wider type', async () => {
    await run('[{"id":1,"a":"number"}]', adds, keyed);
    await run('[{"id":"1","a":"text"},{"id":"x","a":"new"}]', adds, keyed);
    expect(rows()).toEqual([
      { id: '1', a: 'text' },
      { id: 'x', a: 'new' },
    ]);
  });

  it('keeps other tables, and the receipt in the file itself', async () => {
    querySqliteWrite('CREATE TABLE mine (x)');
    await run('[{"id":1}]');
    expect(querySqlite(file, 'SELECT count(*) AS n FROM mine')).toEqual([{ n: 0 }]);
    expect(querySqlite(file, 'SELECT count(*) AS n FROM _headwater')).toEqual([{ n: 1 }]);
    const sink = sinks.sqlite(file)([]);
    expect(await sink.open()).toMatchObject({ finished: expect.any(String) as string });
    await sink.close();
  });

  it.each([
    [
      'a file that is no database',
      () => writeFileSync(file, 'no database, but long enough to look at'.repeat(99)),
      'DESTINATION_INCOMPATIBLE',
    ],
    ['a folder', () => (file = folder), 'DESTINATION_ADDRESS'],
    [
      'a table with columns of other types',
      () => querySqliteWrite('CREATE TABLE orders (id BLOB)'),
      'DESTINATION_INCOMPATIBLE',
    ],
  ])('refuses %s', async (_, prepare, code) => {
    prepare();
    await expect(run('[{"id":1}]', adds)).rejects.toMatchObject({ code });
  });

  it.each(['sqlite_x', '_headwater'])('refuses a table %s', async (tableName) => {
    await expect(run('[{"id":1}]', {}, { tableName })).rejects.toMatchObject({ code: 'TABLE_NAME' });
  });

  it('stores nothing where one table cannot be stored', async () => {
    await run('[{"id":1}]');
    querySqliteWrite(`CREATE TRIGGER stop BEFORE INSERT ON orders BEGIN SELECT RAISE(ABORT, 'not today'); END`);
    const before = readFileSync(file);
    await expect(run('[{"id":2}]')).rejects.toMatchObject({
      code: 'SINK_FAILED',
      table: 'orders',
      message: expect.stringContaining('not today') as string,
    });
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('waits for nobody for ever: a file that another one writes is locked', async () => {
    await run('[{"id":1}]');
    const other = openSqlite(file);
    other.exec('BEGIN EXCLUSIVE');
    try {
      await expect(run('[{"id":2}]')).rejects.toMatchObject({ code: 'DESTINATION_LOCKED' });
    } finally {
      other.exec('ROLLBACK');
      other.close();
    }
  });

  it('has objects and lists as JSON where that is said', async () => {
    await run('[{"id":1,"tags":["a"]}]', {}, {}, { nested: 'json' });
    expect(rows()).toEqual([{ id: 1, tags: '["a"]' }]);
  });
});
