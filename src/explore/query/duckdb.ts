/** Loaded data by DuckDB: its own databases, and files of rows. */
import type { DuckDBConnection, DuckDBInstance, DuckDBResult, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { FatalError } from '../../core/errors/errors';
import type { Json } from '../../core/model';
import { optionalPackage } from '../../core/optional-package';
import { firstLine } from '../../sinks/duckdb/connection';
import { literal, pathLiteral, quoted } from '../../sinks/duckdb/sql';
import type { TableFiles } from './files';
import { meantName } from './misspelled';
import type { KnownNames } from './misspelled';
import type { LoadedData, QueryResult } from './model';
import { readingStatement, refused } from './reading-statement';
import { summaryOf } from './summary';
import type { SummarySource } from './summary';
import { jsonOf } from './values';
import { linesReader } from './lines';

const USER = 'headwater query';
/** The locks that keep a statement from everything but the tables. */
const LOCKS = ['SET enable_external_access = false', 'SET lock_configuration = true'];

/** @throws FatalError PACKAGE_MISSING; DESTINATION_LOCKED while another process writes; DESTINATION_DAMAGED when it is no database */
export async function openDuckdb(file: string): Promise<LoadedData> {
  const { DuckDBInstance: Instance } = optionalPackage(USER, '@duckdb/node-api');
  const instance = await Instance.create(file, { access_mode: 'READ_ONLY' }).catch((cause: unknown) => {
    throw unopened(file, cause);
  });
  return guarded(instance, () => Promise.resolve([]));
}

/** Views of files, each called as its table. */
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
  // Texts are what such files have: 007 stays 007.
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

/** DuckDB keeps JSON as strings, by a type of another name. */
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

/** DuckDB has no codes for these, only sentences. */
function unopened(file: string, cause: unknown): FatalError {
  const [name, reason] = [JSON.stringify(file), firstLine(cause)];
  if (/Could not set lock|Conflicting lock/.test(reason))
    return new FatalError(
      'DESTINATION_LOCKED',
      `${name} is being written by another process, a run perhaps. Ask again when it is done.`,
      { cause },
    );
  return new FatalError('DESTINATION_DAMAGED', `${name} cannot be opened as a DuckDB database: ${reason}`, { cause });
}

const textIn = (value: DuckDBValue): string => {
  const json = jsonOf(value);
  return typeof json === 'string' ? json : '';
};
