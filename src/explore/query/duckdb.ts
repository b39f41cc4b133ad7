/** Reads loaded data by DuckDB: its own databases, and files of rows. */
import { quoted } from '../../core/json/sql-name';
import type { DuckDBConnection, DuckDBInstance, DuckDBResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { FatalError } from '../../core/errors/errors';
import { objectFrom } from '../../core/json/objects';
import type { Json } from '../../core/model';
import { optionalPackage } from '../../core/optional-package';
import { firstLine, ofOtherVersion } from '../../sinks/duckdb/connection';
import { literal, pathLiteral } from '../../sinks/sql';
import type { LoadedData, QueryResult } from './model';
import { meantName, readingStatement, refused } from './reading-statement';
import type { KnownNames } from './reading-statement';
import { summaryOf } from './summary';
import type { SummarySource } from './summary';

/** The format of a file. */
export type FileFormat = 'parquet' | 'csv' | 'ndjson';

/** A table, and the files of its rows. */
export interface TableFiles {
  readonly name: string;
  readonly format: FileFormat;
  readonly files: readonly string[];
}

const USER = 'headwater query';
/** The settings that limit a statement to the tables. */
const LOCKS = ['SET enable_external_access = false', 'SET lock_configuration = true'];

/** @throws FatalError PACKAGE_MISSING; DESTINATION_LOCKED while another process writes; DESTINATION_DAMAGED when it is no database, _INCOMPATIBLE when another version wrote it */
export async function openDuckdb(file: string): Promise<LoadedData> {
  const { DuckDBInstance: Instance } = optionalPackage(USER, '@duckdb/node-api');
  const instance = await Instance.create(file, { access_mode: 'READ_ONLY' }).catch(async (cause: unknown) => {
    throw await unopened(file, cause);
  });
  return guarded(instance, () => Promise.resolve([]));
}

/** Opens files as views with the names of their tables. */
export async function openFiles(tables: readonly TableFiles[]): Promise<LoadedData> {
  const { DuckDBInstance: Instance } = optionalPackage(USER, '@duckdb/node-api');
  const instance = await Instance.create(':memory:');
  const all = tables.flatMap(({ files }) => files);
  const paths = `SET allowed_paths = [${all.map(literal).join(', ')}]`;
  return guarded(instance, async (connection) => {
    const views: string[] = [];
    for (const table of tables)
      views.push(`CREATE VIEW ${quoted(table.name)} AS SELECT * FROM ${await readerOf(table, connection)}`);
    return [paths, ...views];
  });
}

async function readerOf({ format, files }: TableFiles, connection: DuckDBConnection): Promise<string> {
  const list = `[${files.map(pathLiteral).join(', ')}]`;
  if (format === 'parquet')
    return `read_parquet(${list}, hive_partitioning = ${files.length > 1}, union_by_name = true)`;
  // CSV files contain strings: 007 stays 007.
  if (format === 'csv') return `read_csv(${list}, header = true, all_varchar = true, union_by_name = true)`;
  return linesReader(list, connection);
}

type FirstStatements = (connection: DuckDBConnection) => Promise<readonly string[]>;

async function guarded(instance: DuckDBInstance, first: FirstStatements): Promise<LoadedData> {
  const connection = await instance.connect();
  const close = (): Promise<void> => {
    connection.closeSync();
    instance.closeSync();
    return Promise.resolve();
  };
  try {
    for (const sql of [...(await first(connection)), ...LOCKS]) await connection.run(sql);
    const tables = await tablesOf(connection);
    const source = sourceOf(connection);
    return {
      tables,
      query: (sql) => query(connection, sql, { tables, columnsOf: source.columnsOf }),
      summary: () => summaryOf(tables, source),
      close,
    };
  } catch (cause) {
    await close();
    throw new FatalError('DESTINATION_DAMAGED', `What was loaded cannot be read: ${firstLine(cause)}`, { cause });
  }
}

async function tablesOf(connection: DuckDBConnection): Promise<readonly string[]> {
  const sql =
    "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = current_database() AND table_schema NOT LIKE '\\_headwater%' ESCAPE '\\' AND table_name NOT LIKE '\\_headwater%' ESCAPE '\\' ORDER BY ALL";
  const rows = (await connection.runAndReadAll(sql)).getRows().map((row) => row.map(textIn));
  return rows.map(([schema = '', name = '']) =>
    schema === 'main' ? quoted(name) : `${quoted(schema)}.${quoted(name)}`,
  );
}

async function query(connection: DuckDBConnection, sql: string, known: KnownNames): Promise<QueryResult> {
  const prepared = await readingStatement(USER, connection, sql, (reason) => meantName(reason, sql, known));
  try {
    return resultOf(await prepared.stream());
  } catch (cause) {
    throw refused(firstLine(cause), cause);
  }
}

const resultOf = (result: DuckDBResult): QueryResult => ({
  columns: result.columnNames().map((name, at) => ({ name, type: typeName(result.columnType(at)) })),
  rows: rowsOf(result),
});

/** Returns the name of a type; DuckDB keeps JSON as strings, by an alias. */
const typeName = (type: DuckDBType): string => type.alias ?? String(type);

async function* rowsOf(result: DuckDBResult): AsyncGenerator<readonly (readonly Json[])[]> {
  try {
    for await (const rows of result.yieldRows()) yield rows.map((row) => row.map(jsonOf));
  } catch (cause) {
    throw refused(firstLine(cause), cause);
  }
}

const sourceOf = (connection: DuckDBConnection): SummarySource => ({
  columnsOf: async (table) =>
    (await connection.runAndReadAll(`DESCRIBE ${table}`))
      .getRows()
      .map((row) => row.map(textIn))
      .map(([name = '', type = '']) => ({ name: name, type: type })),
  one: async (sql) => ((await connection.runAndReadAll(sql)).getRows()[0] ?? []).map(jsonOf),
  estimate: (column) => `approx_count_distinct(${column})`,
  text: (expression) => `CAST(${expression} AS VARCHAR)`,
});

/** Returns the error for a database that cannot be opened; DuckDB has no codes for it, only sentences. */
async function unopened(file: string, cause: unknown): Promise<FatalError> {
  const [name, reason] = [JSON.stringify(file), firstLine(cause)];
  if (/Could not set lock|Conflicting lock/.test(reason))
    return new FatalError(
      'DESTINATION_LOCKED',
      `${name} is being written by another process, a run perhaps. Run the query again when it is done.`,
      { cause },
    );
  const other = await ofOtherVersion(file, name, cause);
  if (other !== undefined) return other;
  return new FatalError('DESTINATION_DAMAGED', `${name} cannot be opened as a DuckDB database: ${reason}`, { cause });
}

const textIn = (value: DuckDBValue): string => {
  const json = jsonOf(value);
  return typeof json === 'string' ? json : '';
};

/** The options for reading lines of JSON without losing digits. */
const HOW = "format = 'newline_delimited', maximum_object_size = 268435456";
/** The maximum digits of a decimal of DuckDB. */
const MOST_DIGITS = 38;
/** Matches an integer outside of strings that a double may not hold; the pattern has no look-around, which DuckDB lacks. */
const LONG_INTEGER = '(?:^|[^0-9.eE])[0-9]{16,}(?:$|[^0-9.eE])';
const STRING = '"(?:[^"\\\\]|\\\\.)*"';

interface Column {
  readonly name: string;
  readonly type: string;
}

/**
 * Returns the call of `read_json` for the rows of these files. DuckDB uses doubles for a column of large integers and other numbers, and
 * doubles lose digits of integers beyond 2^53: such a column becomes decimals if all of its numbers fit, else texts of its digits; lists
 * and objects with such integers become JSON.
 *
 * @param list the files, as a list in SQL
 */
async function linesReader(list: string, connection: DuckDBConnection): Promise<string> {
  const found = `read_json(${list}, ${HOW}, sample_size = -1, union_by_name = true)`;
  const columns = await columnsOf(found, connection);
  const doubtful = columns.filter(({ type }) => type.includes('DOUBLE'));
  if (doubtful.length === 0) return found;
  const texts = readerWith(
    list,
    doubtful.map(({ name }) => ({ name, type: 'JSON' })),
  );
  const types = new Map<string, string>();
  for (const column of doubtful) {
    const type = await typeWithoutLoss(column, texts, connection);
    if (type !== column.type) types.set(column.name, type);
  }
  if (types.size === 0) return found;
  return readerWith(
    list,
    columns.map(({ name, type }) => ({ name, type: types.get(name) ?? type })),
  );
}

const readerWith = (list: string, columns: readonly Column[]): string =>
  `read_json(${list}, ${HOW}, columns = {${columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(', ')}})`;

async function columnsOf(reader: string, connection: DuckDBConnection): Promise<readonly Column[]> {
  const rows = (await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${reader}`)).getRows();
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
}

async function typeWithoutLoss({ name, type }: Column, texts: string, connection: DuckDBConnection): Promise<string> {
  const text = `CAST(${quoted(name)} AS VARCHAR)`;
  const bare = `regexp_replace(${text}, ${literal(STRING)}, '', 'g')`;
  const loses = `coalesce(bool_or(regexp_matches(${bare}, ${literal(LONG_INTEGER)})), false)`;
  const whole = `max(length(regexp_extract(${text}, '^-?0*([0-9]+)', 1)))`;
  const fraction = `max(length(regexp_extract(${text}, '\\.([0-9]+)$', 1)))`;
  const isPlain = `bool_and(${text} = 'null' OR regexp_full_match(${text}, '-?[0-9]+([.][0-9]+)?'))`;
  const asked = `SELECT ${loses}, ${whole}, ${fraction}, ${isPlain} FROM ${texts}`;
  const [row = []] = (await connection.runAndReadAll(asked)).getRows();
  if (row[0] !== true) return type;
  if (type !== 'DOUBLE') return 'JSON';
  const [before, after] = [Number(row[1]), Number(row[2])];
  return row[3] === true && before + after <= MOST_DIGITS ? `DECIMAL(${MOST_DIGITS},${after})` : 'VARCHAR';
}

/**
 * Converts values of DuckDB to JSON without loss.
 *
 * @returns integers of any size; decimals, times, blobs and other values that JSON lacks, as texts
 */
function jsonOf(value: DuckDBValue): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if ('items' in value) return value.items.map(jsonOf);
  if (!('entries' in value)) return String(value);
  if (!isMap(value.entries))
    return objectFrom(Object.entries(value.entries).map(([key, inner]) => [key, jsonOf(inner)] as const));
  return value.entries.map(({ key, value: inner }) =>
    objectFrom([
      ['key', jsonOf(key)],
      ['value', jsonOf(inner)],
    ]),
  );
}

const isMap = (entries: object): entries is readonly { readonly key: DuckDBValue; readonly value: DuckDBValue }[] =>
  Array.isArray(entries);
