/** Tables of an SQLite database (docs/sinks.md). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../../src';
import type { Json, JsonObject } from '../../../src';
import { openSqlite } from '../../../src/sinks/sqlite/driver';
import { describeWithSqlite, querySqlite, tableOfSqlite } from '../../support/sqlite';
import { sqlitePlace } from '../../support/tables';
import type { TablesPlace } from '../../support/tables';

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

  it('has an integer that no double is as a text, where its column gets other numbers', async () => {
    await run('[{"id":1,"big":9007199254740993}]', adds);
    await run('[{"id":2,"big":1.5}]', adds);
    expect(rows()).toEqual([
      { id: 1, big: '9007199254740993' },
      { id: 2, big: '1.5' },
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
});

/** Rows of mapped child tables in SQLite go with their parents, whatever the type of the key (docs/language/mappings.md#child-tables). */

describeWithSqlite('rows of child tables in sqlite', () => {
  let place: TablesPlace;
  beforeEach(async () => (place = await sqlitePlace()));
  afterEach(() => place.drop());

  const load = (mappings: JsonObject, body: string) =>
    deliver(
      {
        api: { baseUrl: 'https://api.test/' },
        config: { jobs: [{ endpoint: 'boxes' }], mappings, incrementalOutput: true },
      },
      [place.to()],
      { fetch: () => Promise.resolve(new Response(body)) },
    );
  const keyed = (destination: string, type?: string): Json => ({
    mapping: { destination, primaryKey: true, ...(type === undefined ? {} : { type }) },
  });
  /** Boxes with bags with tags: the key of each table is `key`. */
  const boxesOf = (key: JsonObject): JsonObject => ({
    boxes: {
      ...key,
      bags: {
        type: 'table',
        destination: 'bag',
        parentKey: { destination: 'box', primaryKey: true },
        tableMapping: { tags: { type: 'table', destination: 'tag', tableMapping: { '.': 'name' } } },
      },
    },
  });
  const namesOf = async (): Promise<readonly Json[]> =>
    ((await place.rows('tag')) ?? []).map((row) => row['name'] as Json);

  it.each([
    ['integers', '5', '6'],
    ['integers of 64 bits', '9007199254740993', '9007199254740992'],
    ['doubles', '0.30000000000000004', '0.3'],
    ['decimals', '12345678901234567.250', '12345678901234567.5'],
    ['booleans', 'true', 'false'],
    ['dates', '"2024-02-29"', '"2024-03-01"'],
    ['times', '"2024-02-29T10:00:00Z"', '"2024-02-29T11:00:00Z"'],
    ['strings', '"a,\\"b\\""', '"c"'],
    ['strings beside numbers', '"x"', '1.10'],
  ])('go with a key of %s, at two depths', async (_, one, other) => {
    const mappings = boxesOf({ id: keyed('id') });
    const box = (id: string, tag: string): string => `{"id":${id},"bags":[{"tags":["${tag}"]}]}`;
    await load(mappings, `[${box(one, 'goes')},${box(other, 'stays')}]`);
    await load(mappings, `[${box(one, 'new')}]`);
    expect(await namesOf()).toEqual(['stays', 'new']);
    await load(mappings, `[{"id":${other},"bags":[]}]`);
    expect(await namesOf()).toEqual(['new']);
  });

  it('go with a key of several columns, which are as the language writes them', async () => {
    const mappings = boxesOf({ id: keyed('id'), at: keyed('at'), is: keyed('is') });
    const box = (id: number, tag: string): JsonObject => ({ id, at: '2024-02-29', is: true, bags: [{ tags: [tag] }] });
    await load(mappings, JSON.stringify([box(1, 'goes'), box(2, 'stays')]));
    await load(mappings, JSON.stringify([box(1, 'new')]));
    expect(await namesOf()).toEqual(['stays', 'new']);
  });

  it('have the types that a mapping chooses, and are found by them', async () => {
    const mappings = boxesOf({ id: keyed('id', 'decimal(12,2)') });
    await load(mappings, '[{"id":"1.10","bags":[{"tags":["goes"]}]},{"id":2,"bags":[{"tags":["stays"]}]}]');
    expect(await place.rows('boxes')).toEqual([{ id: '1.1' }, { id: '2' }]);
    expect((await place.rows('bag'))?.map((row) => row['box'])).toEqual(['1.1', '2']);
    await load(mappings, '[{"id":1.1,"bags":[{"tags":["new"]}]}]');
    expect(await namesOf()).toEqual(['stays', 'new']);
    await expect(load(mappings, '[{"id":0.125,"bags":[]}]')).rejects.toMatchObject({ code: 'COLUMN_TYPE' });
  });

  it('refuse a key of several columns that cannot be made again', async () => {
    const ofBags = {
      id: keyed('id'),
      share: keyed('share'),
      tags: { type: 'table', destination: 'tag', tableMapping: { '.': 'name' } },
    };
    const mappings = {
      boxes: { id: keyed('id'), bags: { type: 'table', destination: 'bag', tableMapping: ofBags } },
    };
    const body = '[{"id":1,"bags":[{"id":1,"share":0.5,"tags":["a"]}]}]';
    await load(mappings, body);
    await expect(load(mappings, body)).rejects.toMatchObject({ code: 'DESTINATION_INCOMPATIBLE', table: 'bag' });
    expect(await namesOf()).toEqual(['a']);
  });
});
