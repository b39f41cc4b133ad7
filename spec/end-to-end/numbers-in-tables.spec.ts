/** Numbers, and texts that look like numbers, cell by cell (docs/sinks.md, "Numbers"): in items, objects, lists and mappings. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../src';
import type { Destination, JsonObject } from '../../src';
import { queryDuckDB } from '../support/duckdb';
import { describeWithPostgres, NEEDS, testDatabase } from '../support/postgres';

/** A value as the API writes it, and as it is in a table, in CSV and in lines. */
const DIGITS = '1234567890123456789012345678901234567890';
const VALUES = [
  { api: '1234567890.12345678', table: '1234567890.12345678', csv: '1234567890.12345678' },
  { api: '12345678901234567.25', table: '12345678901234567.25', csv: '12345678901234567.25' },
  { api: DIGITS, table: DIGITS, csv: DIGITS },
  { api: '9007199254740993.0', table: '9007199254740993', csv: '9007199254740993' },
  { api: '9007199254740993e0', table: '9007199254740993', csv: '9007199254740993' },
  { api: '"007"', table: '007', csv: '007' },
  { api: '"1e5"', table: '1e5', csv: '1e5' },
  { api: '"1234567890.12345678"', table: '1234567890.12345678', csv: '1234567890.12345678' },
] as const;

const members = VALUES.map(({ api }, at) => `"n${at}":${api}`).join(',');
const body = `[{"id":1,"big":1e300,${members},"o":{${members}},"l":[{${members}}]}]`;
const names = VALUES.map((_, at) => `n${at}`);
const columns = Object.fromEntries(names.map((name) => [name, name]));
const mappings = {
  items: {
    big: 'big',
    ...columns,
    ...Object.fromEntries(names.map((name) => [`o.${name}`, `o_${name}`])),
    l: { type: 'table', destination: 'items_l', parentKey: { disable: true }, tableMapping: columns },
  },
};

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'headwater-numbers-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const load = (to: Destination, config: JsonObject): Promise<unknown> =>
  deliver({ api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'items' }], ...config } }, [to], {
    fetch: () => Promise.resolve(new Response(body)),
  });

const CONFIGS = [
  ['automatic', {}],
  ['mapped', { mappings }],
] as const;
const inItems = [...names, ...names.map((name) => `o_${name}`)];
const expected = VALUES.map(({ table }) => table);

describe.each(CONFIGS)('values in %s tables', (kind, config) => {
  it.each(['duckdb', 'parquet'])('%s', async (name) => {
    const isFile = name === 'parquet';
    const file = isFile ? ':memory:' : join(folder, 'n.duckdb');
    await load(isFile ? sinks.parquet(folder) : sinks.duckdb(file), config);
    const from = (table: string): string => (isFile ? `'${join(folder, `${table}.parquet`)}'` : table);
    const texts = (of: readonly string[]): string => of.map((column) => `CAST(${column} AS VARCHAR)`).join(', ');
    expect(await queryDuckDB(file, `SELECT ${texts(inItems)} FROM ${from('items')}`)).toEqual([
      [...expected, ...expected],
    ]);
    expect(await queryDuckDB(file, `SELECT ${texts(names)} FROM ${from('items_l')}`)).toEqual([expected]);
    expect(await queryDuckDB(file, `SELECT big FROM ${from('items')}`)).toEqual([[1e300]]);
  });

  it('csv', async () => {
    await load(sinks.csv(folder), config);
    const lines = async (table: string): Promise<readonly string[]> =>
      (await readFile(join(folder, `${table}.csv`), 'utf8')).split('\n');
    const cells = VALUES.map(({ csv }) => `"${csv}"`).join();
    expect((await lines('items'))[1]).toContain(`"1.0E+300",${cells},${cells}`);
    expect((await lines('items_l'))[1]).toContain(cells);
  });

  it('ndjson', async () => {
    await load(sinks.ndjson(folder), config);
    const [item] = (await readFile(join(folder, 'items.ndjson'), 'utf8')).split('\n');
    expect(item).toContain(`"big":1e300,${members}`);
    const list = kind === 'mapped' ? await readFile(join(folder, 'items_l.ndjson'), 'utf8') : item;
    expect(list).toContain(`{${members}}`);
  });
});

describeWithPostgres(`values in PostgreSQL ${NEEDS}`, () => {
  it.each(CONFIGS)('%s', async (_, config) => {
    const database = await testDatabase();
    try {
      await load(sinks.postgres(database.url), config);
      const texts = (of: readonly string[]): string => of.map((column) => `${column}::text`).join(', ');
      const [row = {}] = await database.query(`SELECT ${texts(inItems)}, big::text AS big FROM items`);
      expect(Object.values(row)).toEqual([...expected, ...expected, '1e+300']);
      const [element = {}] = await database.query(`SELECT ${texts(names)} FROM items_l`);
      expect(Object.values(element)).toEqual(expected);
    } finally {
      await database.drop();
    }
  });
});
