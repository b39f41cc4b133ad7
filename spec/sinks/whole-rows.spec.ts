/** A row with the key of an old one takes its place, whole: the same in every destination with tables. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DurableSink } from '../../src/core/durable-sink';
import type { Item } from '../../src/core/model';
import { duckdbSink as duckdb } from '../../src/sinks/duckdb';
import { parquetFolder } from '../../src/sinks/parquet';
import { postgresSink as postgres } from '../../src/sinks/postgres';
import { sqliteSink } from '../../src/sinks/sqlite';
import { queryDuckDB } from '../support/duckdb';
import { aHead, at, describeWithPostgres, keyed, NEEDS, tablePage, testDatabase } from '../support/postgres';
import type { TestDatabase } from '../support/postgres';
import { describeWithSqlite, querySqlite } from '../support/sqlite';

interface Place {
  readonly open: () => DurableSink;
  /** `id`, `a` and `b` of all rows, in the order of `id`. */
  readonly rows: () => Promise<readonly (readonly unknown[])[]>;
}

let runs = 0;
async function load(sink: DurableSink, items: readonly Item[]): Promise<void> {
  await sink.open();
  await sink.begin(aHead(`whole ${(runs += 1)}`));
  await sink.write({ ...tablePage('user', items), checkpoint: at([0, 0], 1) });
  await sink.commit({});
  await sink.close();
}

/** What every destination with tables and keys has to do. */
function replacesWholeRows(place: () => Place): void {
  it('what the new row does not have becomes NULL, also where no row of the run has it', async () => {
    const { open, rows } = place();
    await load(open(), [
      { id: 1, a: 'x', b: 'old' },
      { id: 2, a: 'y', b: 'stays' },
    ]);
    await load(open(), [
      { id: 1, a: 'z' },
      { id: 3, a: 'new' },
    ]);
    expect(await rows()).toEqual([
      [1, 'z', null],
      [2, 'y', 'stays'],
      [3, 'new', null],
    ]);
  });

  it('where other rows of the run have it, and where the new row has nothing but its key', async () => {
    const { open, rows } = place();
    await load(open(), [
      { id: 1, a: 'x', b: 'old' },
      { id: 2, a: 'y', b: 'old' },
    ]);
    await load(open(), [{ id: 2 }, { id: 1, b: 'new' }]);
    expect(await rows()).toEqual([
      [1, null, 'new'],
      [2, null, null],
    ]);
  });

  it('where all rows of the run have nothing but their keys', async () => {
    const { open, rows } = place();
    await load(open(), [{ id: 1, a: 'x', b: 'old' }]);
    await load(open(), [{ id: 1 }]);
    expect(await rows()).toEqual([[1, null, null]]);
  });
}

/** What destinations do where a key may be null. */
function keepsRowsWithoutKey(place: () => Place): void {
  it('rows with nothing in the key all stay', async () => {
    const { open, rows } = place();
    await load(open(), [{ id: 1, a: 'x', b: 'b' }, { id: null, a: 'p' }, { a: 'q' }, { id: 1, a: 'y' }]);
    const sorted = async () => (await rows()).map(([id, a]) => `${String(id)} ${String(a)}`).sort();
    expect(await sorted()).toEqual(['1 y', 'null p', 'null q']);
    await load(open(), [
      { id: null, a: 'r' },
      { id: 1, a: 'z' },
    ]);
    expect(await sorted()).toEqual(['1 z', 'null p', 'null q', 'null r']);
  });
}

const output = keyed('user', 'id');

describe('whole rows', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'headwater-whole-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const query = (file: string, from: string) => queryDuckDB(file, `SELECT id, a, b FROM ${from} ORDER BY id`);

  describe('duckdb', () => {
    const place = (): Place => {
      const file = join(folder, 'x.duckdb');
      return { open: () => duckdb(file, [output]), rows: () => query(file, '"user"') };
    };
    replacesWholeRows(place);
    keepsRowsWithoutKey(place);
  });

  describeWithSqlite('sqlite', () => {
    const place = (): Place => {
      const file = join(folder, 'x.sqlite');
      const rows = () => querySqlite(file, 'SELECT id, a, b FROM user ORDER BY id').map(({ id, a, b }) => [id, a, b]);
      return { open: () => sqliteSink(file, [output]), rows: () => Promise.resolve(rows()) };
    };
    replacesWholeRows(place);
    keepsRowsWithoutKey(place);
  });

  describe('parquet', () => {
    const place = (): Place => ({
      open: () => parquetFolder(folder, [output]),
      rows: () => query(':memory:', `'${join(folder, 'user.parquet')}'`),
    });
    replacesWholeRows(place);
    keepsRowsWithoutKey(place);
  });
});

describeWithPostgres(`whole rows: postgres ${NEEDS}`, () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());
  const inSchema = (schema: string, prepared = ''): Place => ({
    open: () => {
      const sink = postgres(`${database.url}?schema=${schema}`, [output]);
      const open: DurableSink['open'] = async () => {
        if (prepared !== '') await database.query(`CREATE SCHEMA IF NOT EXISTS ${schema}; ${prepared}`);
        return sink.open();
      };
      return { ...sink, open };
    },
    rows: async () =>
      (await database.query(`SELECT id, a, b FROM ${schema}."user" ORDER BY id`)).map(({ id, a, b }) => [id, a, b]),
  });

  describe('its own tables', () => replacesWholeRows(() => inSchema(`w${(runs += 1)}`)));

  describe('a table without an index', () =>
    replacesWholeRows(() => {
      const schema = `w${(runs += 1)}`;
      return inSchema(schema, `CREATE TABLE IF NOT EXISTS ${schema}."user" (id int, a text, b text)`);
    }));

  it('columns of somebody else become their defaults, and numbers that the table gives stay', async () => {
    const schema = `w${(runs += 1)}`;
    const columns =
      "id int PRIMARY KEY, a text, b text, row serial, n int GENERATED ALWAYS AS IDENTITY, twice int GENERATED ALWAYS AS (id * 2) STORED, seen text DEFAULT 'now', note text";
    const { open } = inSchema(schema, `CREATE TABLE IF NOT EXISTS ${schema}."user" (${columns})`);
    await load(open(), [
      { id: 1, a: 'x' },
      { id: 2, a: 'y' },
    ]);
    await database.query(`UPDATE ${schema}."user" SET seen = 'then', note = 'mine'`);
    await load(open(), [{ id: 1, b: 'z' }]);
    expect(await database.query(`SELECT * FROM ${schema}."user" ORDER BY id`)).toEqual([
      { id: 1, a: null, b: 'z', row: 1, n: 1, twice: 2, seen: 'now', note: null },
      { id: 2, a: 'y', b: null, row: 2, n: 2, twice: 4, seen: 'then', note: 'mine' },
    ]);
  });
});
