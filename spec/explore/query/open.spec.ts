import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { openData } from '../../../src';
import type { Json } from '../../../src';
import { openSqlite } from '../../../src/sinks/sqlite/driver';
import { runToEnd } from '../../support/command';
import { makeOfFormat } from '../../support/duckdb';
import { itWithSqlite } from '../../support/sqlite';

describe('openData', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'query-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const asked = async (path: string, sql: string): Promise<(readonly Json[])[]> => {
    const data = await openData(path);
    try {
      const found: (readonly Json[])[] = [];
      for await (const rows of (await data.query(sql)).rows) found.push(...rows);
      return found;
    } finally {
      await data.close();
    }
  };
  it('has files of one name, such as CSV and Parquet of two runs, as tables with the whole of theirs', async () => {
    writeFileSync(join(folder, 'books.csv'), 'id\n1\n');
    writeFileSync(join(folder, 'books.ndjson'), '{"id":2}\n');
    writeFileSync(join(folder, 'ships.csv'), 'id\n3\n');
    expect(
      await asked(folder, 'select id from "books.csv" union all select id from "books.ndjson" order by 1'),
    ).toHaveLength(2);
    expect(await asked(folder, 'select id from ships')).toHaveLength(1);
  });

  const duckdb = async (): Promise<string> => {
    const file = join(folder, 'items.duckdb');
    const instance = await DuckDBInstance.create(file);
    const connection = await instance.connect();
    await connection.run(
      "CREATE TABLE orders AS SELECT * FROM (VALUES (9007199254740993::BIGINT, 12345678901234567.25::DECIMAL(38,2), 'a', {'x': [1, NULL]}), (2, 1.5, NULL, NULL)) t(id, price, name, nested)",
    );
    connection.closeSync();
    instance.closeSync();
    return file;
  };

  it('reads a DuckDB file without loss', async () => {
    expect(await asked(await duckdb(), 'SELECT * FROM orders ORDER BY id DESC')).toEqual([
      [9007199254740993n, '12345678901234567.25', 'a', { x: [1, null] }],
      [2, '1.50', null, null],
    ]);
  });

  it('reads a folder of files, each a table by its name, and one file', async () => {
    writeFileSync(join(folder, 'codes.csv'), 'code,name\n007,x\n008,\n');
    writeFileSync(join(folder, 'rivers.ndjson'), '{"id":1,"name":"Alder"}\n{"id":2}\n');
    const data = await openData(folder);
    expect(data.tables).toEqual(['"codes"', '"rivers"']);
    await data.close();
    expect(await asked(folder, "SELECT code, r.name FROM codes JOIN rivers r ON r.id = 1 WHERE code = '007'")).toEqual([
      ['007', 'Alder'],
    ]);
    expect(await asked(join(folder, 'rivers.ndjson'), 'SELECT count(*) FROM rivers')).toEqual([[2]]);
  });

  it.each([
    ["COPY (SELECT 1) TO 'out.csv'", 'disabled by configuration'],
    ["COPY (SELECT 1) TO 'codes.csv'", 'disabled by configuration'],
    ["ATTACH 'other.duckdb'", 'ATTACH'],
    ['INSTALL httpfs', 'LOAD'],
    ['SET enable_external_access = true', 'SET'],
    ['CREATE TABLE t AS SELECT 1', 'CREATE'],
    ["EXPLAIN ANALYZE COPY (SELECT 1) TO 'out.csv'", 'disabled by configuration'],
    ['SELECT 1; SELECT 2', '2 statements'],
    ["SELECT * FROM read_csv('/etc/passwd')", 'disabled by configuration'],
    ["SELECT * FROM read_text('/etc/passwd')", 'disabled by configuration'],
    ["SELECT * FROM glob('/etc/*')", 'disabled by configuration'],
    ["SELECT * FROM '/etc/passwd'", 'does not exist'],
    ['SELECT nothing', 'nothing'],
    [' -- nothing', '0 statements'],
    ["SELECT * FROM enable_logging(storage = 'file', storage_path = 'log')", 'ENABLE_LOGGING'],
    ["SELECT 1 WHERE EXISTS (FROM Enable_Logging(storage = 'file', storage_path = 'log'))", 'ENABLE_LOGGING'],
    ["SELECT * FROM query('FROM enable_' || 'logging(storage = ''file'', storage_path = ''log'')')", 'ENABLE_LOGGING'],
    [
      "FROM json_execute_serialized_sql(json_serialize_sql('FROM enable_logging(storage = ''file'', storage_path = ''log'')'))",
      'JSON_EXECUTE_SERIALIZED_SQL',
    ],
  ])('refuses %s', async (sql, why) => {
    writeFileSync(join(folder, 'codes.csv'), 'code\n007\n');
    const before = readdirSync(folder);
    const file = await duckdb();
    for (const path of [join(folder, 'codes.csv'), file]) {
      await expect(asked(path, sql)).rejects.toMatchObject({
        code: 'QUERY_REFUSED',
        message: expect.stringContaining(why) as string,
      });
    }
    expect(readdirSync(folder).sort()).toEqual([...before, 'items.duckdb'].sort());
  });

  it.each<[string, readonly string[], string, readonly Json[]]>([
    [
      'numbers with a point',
      ['9007199254740993', '1.25', 'null'],
      'DECIMAL(38,2)',
      ['9007199254740993.00', '1.25', null],
    ],
    [
      'integers beyond 64 bits',
      ['123456789012345678901234567890123456789', '7'],
      'VARCHAR',
      ['123456789012345678901234567890123456789', '7'],
    ],
    ['numbers with an exponent', ['-9007199254740993', '2.5e30'], 'VARCHAR', ['-9007199254740993', '2.5e+30']],
    [
      'such integers in objects',
      ['{"n":9007199254740993,"name":"x"}', '{"n":0.5}'],
      'JSON',
      ['{"n":9007199254740993,"name":"x"}', '{"n":0.5}'],
    ],
    ['no such integer', ['0.30000000000000004', '1'], 'DOUBLE', [0.30000000000000004, 1]],
    [
      'such digits in a text alone',
      ['{"n":0.5,"name":"9007199254740993"}'],
      'STRUCT("n" DOUBLE, "name" VARCHAR)',
      [{ n: 0.5, name: '9007199254740993' }],
    ],
  ])('keeps the digits of integers in lines of JSON: %s', async (_, cells, type, values) => {
    writeFileSync(join(folder, 'rivers.ndjson'), cells.map((cell, at) => `{"place":${at},"x":${cell}}\n`).join(''));
    const data = await openData(folder);
    const { columns } = await data.query('SELECT x FROM rivers');
    await data.close();
    expect(columns).toEqual([{ name: 'x', type }]);
    expect(await asked(folder, 'SELECT x FROM rivers ORDER BY place')).toEqual(values.map((value) => [value]));
  });

  itWithSqlite('gives columns of equal names apart, and their names where there is no row', async () => {
    const file = join(folder, 'items.sqlite');
    const connection = openSqlite(file);
    connection.exec('CREATE TABLE a (id INTEGER); CREATE TABLE b (id INTEGER); INSERT INTO a VALUES (1)');
    connection.exec('INSERT INTO b VALUES (2)');
    connection.close();
    expect(await asked(file, 'SELECT a.id, b.id, 3 AS "1" FROM a, b;')).toEqual([[1, 2, 3]]);
    const data = await openData(file);
    const { columns } = await data.query('SELECT a.id, b.id FROM a, b WHERE false');
    await data.close();
    expect(columns.map(({ name }) => name)).toEqual(['id', 'id']);
  });

  itWithSqlite('reads an SQLite file without loss, and nothing else', async () => {
    const file = join(folder, 'items.sqlite');
    const connection = openSqlite(file);
    connection.exec(
      "CREATE TABLE orders (id INTEGER, name TEXT); INSERT INTO orders VALUES (9007199254740993, 'a'), (2, NULL)",
    );
    connection.close();
    expect(await asked(file, '-- all\nSELECT * FROM orders')).toEqual([
      [9007199254740993n, 'a'],
      [2, null],
    ]);
    for (const sql of [
      "ATTACH 'other.sqlite' AS o",
      "VACUUM INTO 'out.sqlite'",
      'DELETE FROM orders',
      'PRAGMA query_only = OFF',
      '/* SELECT */ DROP TABLE orders',
      'WITH x AS (SELECT 1) DELETE FROM orders',
      'SELECT nothing',
    ])
      await expect(asked(file, sql)).rejects.toMatchObject({ code: 'QUERY_REFUSED' });
    expect(readdirSync(folder)).toEqual(['items.sqlite']);
    const data = await openData(file);
    expect(await data.summary()).toMatchObject([
      {
        table: 'orders',
        rows: 2,
        columns: [
          { name: 'id', distinct: 2, least: '2', most: '9007199254740993' },
          { name: 'name', nulls: 1 },
        ],
      },
    ]);
    await data.close();
  });

  const reasons = async (path: string, ...statements: readonly string[]): Promise<readonly string[]> =>
    Promise.all(
      statements.map(async (sql) => {
        const message = await asked(path, sql).then(
          () => '',
          (error: unknown) => (error instanceof Error ? error.message : ''),
        );
        return message.replace(/^The statement was not run: .*?\. /, '');
      }),
    );
  const MISSPELLED = [
    'SELECT * FROM oders',
    'SELECT pirce FROM orders',
    'SELECT o.naem FROM orders o',
    'SELECT ordesr.id FROM orders',
    'SELECT * FROM things',
    'SELECT what FROM orders',
  ];
  const MEANT = [
    'Did you mean "orders"?',
    'Did you mean "price"?',
    'Did you mean "name"?',
    'Did you mean "orders"?',
    'The tables are: orders.',
  ];

  it('tells which table or column of DuckDB a misspelled name was meant to be, or which there are', async () => {
    expect(await reasons(await duckdb(), ...MISSPELLED)).toEqual([
      ...MEANT,
      'The columns are: id, price, name, nested.',
    ]);
    const wide = join(folder, 'wide.csv');
    writeFileSync(wide, `${Array.from({ length: 20 }, (_, at) => `column_${at}`).join(',')}\n`);
    expect((await reasons(wide, 'SELECT what FROM wide'))[0]).toMatch(/, column_11, and 8 more\.$/);
  });

  itWithSqlite('tells the same of SQLite', async () => {
    const file = join(folder, 'items.sqlite');
    const connection = openSqlite(file);
    connection.exec('CREATE TABLE orders (id INTEGER, price REAL, name TEXT)');
    connection.close();
    const found = await reasons(file, ...MISSPELLED);
    expect([...found.slice(0, 3), ...found.slice(4)]).toEqual([
      ...MEANT.slice(0, 3),
      ...MEANT.slice(4),
      'The columns are: id, price, name.',
    ]);
  });

  it('says clearly that a run is writing', async () => {
    const file = await duckdb();
    const script = `require(${JSON.stringify(require.resolve('@duckdb/node-api'))}).DuckDBInstance.create(${JSON.stringify(file)}).then((instance) => { console.log('open'); setInterval(() => instance, 1000); })`;
    // The instance closes the file where nothing refers to it.
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      await expect(openData(file)).rejects.toMatchObject({
        code: 'DESTINATION_LOCKED',
        message: `${JSON.stringify(file)} is being written by another process, a run perhaps. Run the query again when it is done.`,
      });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  it('counts what is in each column', async () => {
    const data = await openData(await duckdb());
    const [orders] = await data.summary();
    await data.close();
    expect(orders).toMatchObject({ table: 'orders', rows: 2 });
    expect(orders?.columns[0]).toEqual({
      ...{ name: 'id', type: 'BIGINT', count: 2, nulls: 0, distinct: 2, isEstimate: false },
      ...{ least: '2', most: '9007199254740993' },
    });
    expect(orders?.columns[2]).toMatchObject({ name: 'name', nulls: 1, distinct: 1 });
  });

  it('sums up the others where a view cannot be read', async () => {
    const file = await duckdb();
    writeFileSync(join(folder, 'codes.csv'), 'code\n007\n');
    const instance = await DuckDBInstance.create(file);
    const connection = await instance.connect();
    await connection.run(`CREATE VIEW codes AS SELECT * FROM read_csv('${join(folder, 'codes.csv')}')`);
    connection.closeSync();
    instance.closeSync();
    const data = await openData(file);
    const [codes, orders] = await data.summary();
    await data.close();
    expect(codes).toEqual({ table: 'codes', rows: 0, columns: [], unreadable: expect.any(String) as string });
    expect(codes?.unreadable).toMatch(/disabled/);
    expect(orders).toMatchObject({ table: 'orders', rows: 2 });
    const { status, stdout } = await runToEnd(['query', file, '--summary']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^codes: cannot be read: /);
  });

  it('says that a newer DuckDB wrote the file', async () => {
    const file = join(folder, 'newer.duckdb');
    await makeOfFormat(file, 999n, 'v9.8.7');
    await expect(openData(file)).rejects.toMatchObject({
      code: 'DESTINATION_INCOMPATIBLE',
      message: expect.stringContaining('was written by DuckDB v9.8.7, which is newer') as string,
    });
    await makeOfFormat(join(folder, 'older.duckdb'), 1n, '');
    await expect(openData(join(folder, 'older.duckdb'))).rejects.toMatchObject({
      code: 'DESTINATION_INCOMPATIBLE',
      message: expect.stringContaining('was written by another DuckDB, which is older') as string,
    });
  });

  it('says what is not there, and what is no database', async () => {
    await expect(openData(join(folder, 'none'))).rejects.toMatchObject({ code: 'DESTINATION_ADDRESS' });
    await expect(openData(folder)).rejects.toMatchObject({ code: 'DESTINATION_ADDRESS' });
    // A run that was broken off leaves such a file.
    writeFileSync(join(folder, 'items.sqlite'), '');
    await expect(openData(join(folder, 'items.sqlite'))).rejects.toThrow('is empty: no run has stored anything there');
    writeFileSync(join(folder, 'x.duckdb'), 'no database at all, but long enough to look at'.repeat(100));
    await expect(openData(join(folder, 'x.duckdb'))).rejects.toMatchObject({ code: 'DESTINATION_DAMAGED' });
  });
});
