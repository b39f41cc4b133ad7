/** Destinations with tables, read by somebody who is not Headwater. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parseJson, sinks } from '../../src';
import type { Destination, Json, JsonObject } from '../../src';
import { queryDuckDB } from './duckdb';
import { testDatabase } from './postgres';
import type { TestDatabase } from './postgres';
import { querySqlite, tableOfSqlite } from './sqlite';

/** An empty destination. */
export interface TablesPlace {
  readonly to: () => Destination;
  /** The rows of a table, with their columns in order; `undefined`: there is no such table. */
  readonly rows: (table: string) => Promise<readonly JsonObject[] | undefined>;
  /** The types of its columns, as the destination calls them; empty where it has none. */
  readonly types: (table: string) => Promise<Readonly<Record<string, string>>>;
  readonly drop: () => Promise<void>;
}

async function fromDuckDB(file: string, from: string): Promise<readonly JsonObject[]> {
  const columns = (await queryDuckDB(file, `DESCRIBE SELECT * FROM ${from}`)).map(([name]) => String(name));
  const all = await queryDuckDB(file, `SELECT * FROM ${from}`);
  return all.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] as Json])));
}

const typesIn = async (file: string, from: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await queryDuckDB(file, `DESCRIBE SELECT * FROM ${from}`)).map(([name, type]) => [String(name), String(type)]),
  );

const inFolder = async (): Promise<string> => mkdtemp(join(tmpdir(), 'headwater-tables-'));

export async function duckdbPlace(options: Parameters<typeof sinks.duckdb>[1] = {}): Promise<TablesPlace> {
  const folder = await inFolder();
  const file = join(folder, 'tables.duckdb');
  return {
    to: () => sinks.duckdb(file, options),
    rows: async (table) => {
      const found = `SELECT count(*) FROM duckdb_tables() WHERE table_name = '${table}'`;
      return Number((await queryDuckDB(file, found))[0]?.[0]) === 0 ? undefined : fromDuckDB(file, `"${table}"`);
    },
    types: (table) => typesIn(file, `"${table}"`),
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function sqlitePlace(options: Parameters<typeof sinks.sqlite>[1] = {}): Promise<TablesPlace> {
  const folder = await inFolder();
  const file = join(folder, 'tables.sqlite');
  return {
    to: () => sinks.sqlite(file, options),
    rows: (table) => {
      const isThere = querySqlite(file, `SELECT 1 FROM sqlite_master WHERE name = '${table}'`).length > 0;
      return Promise.resolve(isThere ? (tableOfSqlite(file, table) as readonly JsonObject[]) : undefined);
    },
    types: (table) =>
      Promise.resolve(
        Object.fromEntries(
          querySqlite(file, `SELECT name, type FROM pragma_table_info('${table}')`).map(({ name, type }) => [
            String(name),
            String(type),
          ]),
        ),
      ),
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function parquetPlace(options: Parameters<typeof sinks.parquet>[1] = {}): Promise<TablesPlace> {
  const folder = await inFolder();
  const fileOf = (table: string): string => `'${join(folder, 'out', `${table}.parquet`)}'`;
  return {
    to: () => sinks.parquet(join(folder, 'out'), options),
    rows: async (table) => {
      const [[count] = []] = await queryDuckDB(':memory:', `SELECT count(*) FROM glob(${fileOf(table)})`);
      return Number(count) === 0 ? undefined : fromDuckDB(':memory:', fileOf(table));
    },
    types: (table) => typesIn(':memory:', fileOf(table)),
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function ndjsonPlace(options: Parameters<typeof sinks.ndjson>[1] = {}): Promise<TablesPlace> {
  const folder = await inFolder();
  return {
    to: () => sinks.ndjson(join(folder, 'out'), options),
    rows: async (table) => {
      const text = await readFile(join(folder, 'out', `${table}.ndjson`), 'utf8').catch(() => undefined);
      return text?.split('\n').slice(0, -1).map((line) => parseJson(line) as JsonObject); // prettier-ignore
    },
    types: () => Promise.resolve({}),
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function csvPlace(options: Parameters<typeof sinks.csv>[1] = {}): Promise<TablesPlace> {
  const folder = await inFolder();
  return {
    to: () => sinks.csv(join(folder, 'out'), options),
    rows: async (table) => {
      const text = await readFile(join(folder, 'out', `${table}.csv`), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : (parse(text, { columns: true }));
    },
    types: () => Promise.resolve({}),
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function postgresPlace(options: Parameters<typeof sinks.postgres>[1] = {}): Promise<TablesPlace> {
  const database: TestDatabase = await testDatabase();
  const isThere = async (table: string): Promise<boolean> =>
    (await database.query(`SELECT to_regclass('"${table}"') AS found`))[0]?.['found'] !== null;
  return {
    to: () => sinks.postgres(database.url, options),
    rows: async (table) =>
      (await isThere(table)) ? ((await database.query(`SELECT * FROM "${table}"`)) as JsonObject[]) : undefined,
    types: async (table) =>
      Object.fromEntries(
        (
          await database.query(
            `SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute
             WHERE attrelid = '"${table}"'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
          )
        ).map(({ attname, type }) => [String(attname), String(type)]),
      ),
    drop: database.drop,
  };
}
