/** Reads loaded data in an SQLite database. */
import { quoted } from '../../core/json/sql-name';
import type { Json } from '../../core/model';
import { openToRead } from '../../sinks/sqlite/driver';
import type { Connection, Statement } from '../../sinks/sqlite/driver';
import { meantName, refused } from './reading-statement';
import type { KnownNames } from './reading-statement';
import type { LoadedData, QueryResult } from './model';
import { summaryOf } from './summary';
import type { SummarySource } from './summary';

/** Matches the beginning of a statement that only reads; comments may come before it. */
const READS = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[^]*?\*\/)*(?:select|with|values)\b/i;
/** The number of rows that are returned at a time. */
const AT_ONCE = 1_000;

/** @throws FatalError PACKAGE_MISSING; DESTINATION_LOCKED, _DAMAGED or _INCOMPATIBLE */
export function openSqliteData(file: string): LoadedData {
  const connection = openToRead(file);
  const sql =
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_headwater%' ESCAPE '\\' ORDER BY name";
  const tables = connection
    .prepare(sql)
    .all()
    .map(({ name }) => quoted(String(name)));
  const source: SummarySource = {
    columnsOf: async (table) => {
      const found = connection.prepare(`SELECT name, type FROM pragma_table_info(${table.replaceAll('"', "'")})`).all();
      return Promise.resolve(found.map(({ name, type }) => ({ name: String(name), type: String(type) })));
    },
    one: async (statement) => Promise.resolve(numbered(connection, statement)),
    text: (expression) => `CAST(${expression} AS TEXT)`,
  };
  return {
    tables,
    query: (statement) => query(connection, statement, { tables, columnsOf: source.columnsOf }),
    summary: () => summaryOf(tables, source),
    close: async () => {
      connection.close();
      return Promise.resolve();
    },
  };
}

/** Returns rows with unique names: columns of equal names would be one. */
function numbered(connection: Connection, statement: string): readonly Json[] {
  const [row = {}] = connection.prepare(statement).all();
  return Object.values(row).map(asJson);
}

async function query(connection: Connection, sql: string, known: KnownNames): Promise<QueryResult> {
  if (!READS.test(sql)) throw refused('this is no statement that only reads. Write a SELECT');
  try {
    const { names, rows } = columnsApart(connection, sql);
    return { columns: names.map((name) => ({ name, type: '' })), rows: inParts(rows.map((row) => row.map(asJson))) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw refused(reason, cause, await meantName(reason, sql, known));
  }
}

interface Columns {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Returns the columns separately: in an object, only the last of equal names would be left. */
function columnsApart(connection: Connection, sql: string): Columns {
  const statement = connection.prepare(sql);
  // Before 22.16 rows are objects; SQLite itself renames equal columns of a subquery, as "id" and "id:1".
  if (statement.columns === undefined) return columnsOfObjects(connection.prepare(`SELECT * FROM (${inner(sql)}\n)`));
  const names = statement.columns().map(({ name }) => name);
  statement.setReturnArrays?.(true);
  statement.raw?.(true);
  return { names, rows: allOf(statement).map((row) => Object.values(row)) };
}

function columnsOfObjects(statement: Statement): Columns {
  const rows = allOf(statement);
  const names = Object.keys(rows[0] ?? {});
  return { names, rows: rows.map((row) => names.map((name) => row[name])) };
}

const inner = (sql: string): string => sql.replace(/[;\s]+$/, '');

const allOf = (statement: Statement): ReturnType<Statement['all']> => {
  statement.setReadBigInts?.(true);
  statement.safeIntegers?.(true);
  return statement.all();
};

// eslint-disable-next-line @typescript-eslint/require-await -- the rows are there already; results of DuckDB are not
async function* inParts(rows: readonly (readonly Json[])[]): AsyncGenerator<readonly (readonly Json[])[]> {
  for (let from = 0; from < rows.length; from += AT_ONCE) yield rows.slice(from, from + AT_ONCE);
}

function asJson(value: unknown): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}
