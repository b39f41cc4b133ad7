/** Reads the database file of a run, without access to any other file. */
import { stat } from 'node:fs/promises';
import { FatalError } from '..';
import { optionalPackage } from '../core/optional-package';
import { readingStatement } from '../explore/query/reading-statement';
import { RefusedRequest } from './replies';
import type { Rows, TableFacts } from './wire';

/** See {@link databaseOf}. */
export interface Database {
  readonly tables: () => Promise<readonly TableFacts[]>;
  /** Returns a summary of the values of each column. */
  readonly profile: (schema: string, table: string) => Promise<Rows>;
  readonly query: (sql: string) => Promise<Rows>;
  /** Returns the runs that were committed to it, the last one first. */
  readonly runs: () => Promise<Rows>;
}

const MOST_ROWS = 1_000;
const MOST_CHARACTERS = 4_000_000;
const MOST_CHARACTERS_OF_VALUE = 20_000;
const MOST_MILLISECONDS = 15_000;
const NOTHING: Rows = { columns: [], rows: [], isCut: false };
/**
 * The settings of the database. The file may be open with other settings in this process, and DuckDB has one set of them for each file, so
 * queries run one after another.
 */
const SETTINGS = {
  ...{ access_mode: 'READ_ONLY', enable_external_access: 'false', memory_limit: '1GB', threads: '2' },
  // Data that does not fit into memory is written beside the database meanwhile.
  max_temp_directory_size: '1GB',
};

/**
 * Returns the database in a file, which is open only during queries; without the file, there are no tables.
 *
 * @example await databaseOf('items.duckdb').query('SELECT count(*) FROM items')
 */
export function databaseOf(file: string): Database {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (sql: string): Promise<Rows> => {
    const next = last.then(async () => ((await isThere(file)) ? ask(file, sql) : NOTHING));
    last = next.catch(() => undefined);
    return next;
  };
  return {
    tables: async () => {
      const { rows } = await inTurn(TABLES);
      return rows.map(([schema, name, count, columns]) => ({
        schema: String(schema),
        name: String(name),
        rows: Number(count),
        columns: Number(columns),
      }));
    },
    profile: (schema, table) => {
      const all = `(SUMMARIZE ${quoted(schema)}.${quoted(table)})`;
      // The estimate may be larger than the table.
      return inTurn(`SELECT * REPLACE (least(approx_unique, "count") AS approx_unique) FROM ${all}`);
    },
    query: (sql) => inTurn(sql),
    runs: async () => {
      const { rows } = await inTurn(
        "SELECT count(*) FROM duckdb_tables() WHERE schema_name = '_headwater' AND table_name = 'runs'",
      );
      return Number(rows[0]?.[0] ?? 0) === 0 ? NOTHING : inTurn(RUNS);
    },
  };
}

const TABLES =
  'SELECT schema_name, table_name, estimated_size, column_count FROM duckdb_tables() ' +
  "WHERE NOT internal AND schema_name <> '_headwater' ORDER BY 1, 2";
const RUNS = 'SELECT * FROM "_headwater"."runs" ORDER BY started_at DESC LIMIT 200';

async function ask(file: string, sql: string): Promise<Rows> {
  const { DuckDBInstance } = optionalPackage('studio', '@duckdb/node-api');
  const instance = await DuckDBInstance.create(file, SETTINGS).catch(refuse);
  const connection = await instance.connect();
  const late = setTimeout(() => connection.interrupt(), MOST_MILLISECONDS);
  try {
    await connection.run('SET lock_configuration = true');
    const statement = await readingStatement('studio', connection, sql);
    const reader = await statement.streamAndReadUntil(MOST_ROWS + 1);
    const types = reader.columnTypes();
    const columns = reader.columnNames().map((name, at) => ({ name, type: String(types[at]) }));
    const rows = bounded(reader.getRowsJson());
    return { columns, rows, isCut: !reader.done || rows.length < reader.currentRowCount };
  } catch (error) {
    return refuse(error);
  } finally {
    clearTimeout(late);
    connection.closeSync();
    instance.closeSync();
  }
}

function bounded(rows: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] {
  let characters = 0;
  const shown = rows.slice(0, MOST_ROWS).map((row) => row.map(cut));
  const end = shown.findIndex((row) => (characters += JSON.stringify(row).length) > MOST_CHARACTERS);
  return end === -1 ? shown : shown.slice(0, end);
}

/** Cuts a string to its beginning, which is enough to show. */
const cut = (value: unknown): unknown =>
  typeof value === 'string' && value.length > MOST_CHARACTERS_OF_VALUE
    ? `${value.slice(0, MOST_CHARACTERS_OF_VALUE)}… (${value.length.toLocaleString('en')} characters)`
    : value;

function refuse(error: unknown): never {
  // The whole message of DuckDB, with the place in the statement.
  const told = error instanceof FatalError && error.cause instanceof Error ? error.cause : error;
  const message = (told instanceof Error ? told.message : String(told)).replace(
    /^(?:Error|Failed to extract statements): /,
    '',
  );
  if (message.includes('INTERRUPT')) {
    const remedy = `it took more than ${MOST_MILLISECONDS / 1000} seconds. Ask for less, for example with LIMIT.`;
    throw new RefusedRequest(422, 'QUERY_FAILED', `The query was stopped: ${remedy}`);
  }
  throw new RefusedRequest(422, 'QUERY_FAILED', message.slice(0, 1_000));
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
