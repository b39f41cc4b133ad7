/** Destinations with tables, read by somebody who is not Headwater. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { parseJson, sinks } from '../../src';
import type { Destination, JsonObject } from '../../src';
import { itemsOfDuckDB, queryDuckDB } from './duckdb';
import { testDatabase } from './postgres';
import type { TestDatabase } from './postgres';
import { querySqlite, tableOfSqlite } from './sqlite';

/** An empty destination. */
export interface TablesPlace {
  /** The folder or the file of the destination, or its URL. */
  readonly at: string;
  readonly to: () => Destination;
  /** The rows of a table, with their columns in order; `undefined`: there is no such table. */
  readonly rows: (table: string) => Promise<readonly JsonObject[] | undefined>;
  /** The types of its columns, as the destination calls them; empty where it has none. */
  readonly types: (table: string) => Promise<Readonly<Record<string, string>>>;
  readonly drop: () => Promise<void>;
}

const fromDuckDB = (file: string, from: string): Promise<readonly JsonObject[]> =>
  itemsOfDuckDB(file, `SELECT * FROM ${from}`);

const typesIn = async (file: string, from: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await queryDuckDB(file, `DESCRIBE SELECT * FROM ${from}`)).map(([name, type]) => [String(name), String(type)]),
  );

/** Names and texts in SQL, whatever is in them. */
const name = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const inFolder = async (): Promise<string> => mkdtemp(join(tmpdir(), 'headwater-tables-'));

/** The text of the file of a table, which may be compressed; `undefined`: there is none. */
async function textOf(file: string, compress: string | undefined): Promise<string | undefined> {
  const bytes = await readFile(compress === undefined ? file : `${file}.gz`).catch(() => undefined);
  return (compress === undefined || bytes === undefined ? bytes : gunzipSync(bytes))?.toString();
}

/** The rows of a file of lines. */
export const lineRows = (text: string): readonly JsonObject[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => parseJson(line) as JsonObject);
/** The rows of a file of CSV. */
export const csvRows = (text: string): readonly JsonObject[] => parse(text, { columns: true });
/** The rows of Parquet files. */
export const parquetRows = (path: string): Promise<readonly JsonObject[]> =>
  fromDuckDB(':memory:', `read_parquet(${literal(path)})`);

export async function duckdbPlace(options: Parameters<typeof sinks.duckdb>[1] = {}): Promise<TablesPlace> {
  const folder = await inFolder();
  const file = join(folder, 'tables.duckdb');
  return {
    at: file,
    to: () => sinks.duckdb(file, options),
    rows: async (table) => {
      if (!existsSync(file)) return undefined;
      const found = `SELECT count(*) FROM duckdb_tables() WHERE table_name = ${literal(table)}`;
      return Number((await queryDuckDB(file, found))[0]?.[0]) === 0 ? undefined : fromDuckDB(file, name(table));
    },
    types: (table) => typesIn(file, name(table)),
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function sqlitePlace(options: Parameters<typeof sinks.sqlite>[1] = {}): Promise<TablesPlace> {
  const folder = await inFolder();
  const file = join(folder, 'tables.sqlite');
  return {
    at: file,
    to: () => sinks.sqlite(file, options),
    rows: (table) => {
      const isThere = querySqlite(file, `SELECT 1 FROM sqlite_master WHERE name = ${literal(table)}`).length > 0;
      return Promise.resolve(isThere ? (tableOfSqlite(file, table) as readonly JsonObject[]) : undefined);
    },
    types: (table) =>
      Promise.resolve(
        Object.fromEntries(
          querySqlite(file, `SELECT name, type FROM pragma_table_info(${literal(table)})`).map(({ name, type }) => [
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
  const below = options.partitionBy === undefined ? '' : '/**/*';
  const fileOf = (table: string): string => literal(join(folder, 'out', `${table}${below}.parquet`));
  return {
    at: join(folder, 'out'),
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
    at: join(folder, 'out'),
    to: () => sinks.ndjson(join(folder, 'out'), options),
    rows: async (table) => {
      const text = await textOf(join(folder, 'out', `${table}.ndjson`), options.compress);
      return text === undefined ? undefined : lineRows(text);
    },
    types: () => Promise.resolve({}),
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function csvPlace(options: Parameters<typeof sinks.csv>[1] = {}): Promise<TablesPlace> {
  const folder = await inFolder();
  return {
    at: join(folder, 'out'),
    to: () => sinks.csv(join(folder, 'out'), options),
    rows: async (table) => {
      const text = await textOf(join(folder, 'out', `${table}.csv`), options.compress);
      return text === undefined ? undefined : csvRows(text);
    },
    types: () => Promise.resolve({}),
    drop: () => rm(folder, { recursive: true, force: true }),
  };
}

/** @param inside a database that stays, in which the place is a schema of its own; default: a database for the place alone */
export async function postgresPlace(
  options: Parameters<typeof sinks.postgres>[1] = {},
  inside?: TestDatabase,
): Promise<TablesPlace & { readonly query: TestDatabase['query'] }> {
  const database: TestDatabase = inside ?? (await testDatabase());
  const schema = inside === undefined ? 'public' : `place${(schemas += 1)}`;
  const at = inside === undefined ? database.url : `${database.url}?schema=${schema}`;
  const named = (table: string): string => `${schema}.${name(table)}`;
  const isThere = async (table: string): Promise<boolean> =>
    (await database.query(`SELECT to_regclass(${literal(named(table))}) AS found`))[0]?.['found'] !== null;
  return {
    at,
    to: () => sinks.postgres(at, options),
    rows: async (table) =>
      (await isThere(table)) ? ((await database.query(`SELECT * FROM ${named(table)}`)) as JsonObject[]) : undefined,
    types: async (table) =>
      Object.fromEntries(
        (
          await database.query(
            `SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute
             WHERE attrelid = ${literal(named(table))}::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
          )
        ).map(({ attname, type }) => [String(attname), String(type)]),
      ),
    query: (sql) => database.query(sql.replaceAll('PLACE', schema)),
    drop: inside === undefined ? database.drop : () => Promise.resolve(),
  };
}

let schemas = 0;
