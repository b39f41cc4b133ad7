/** Checks that the statement of a user only reads the tables. */
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { FatalError } from '../../core/errors/errors';
import { entriesOf, isList, isObject } from '../../core/json/objects';
import { parseData } from '../../core/json/parse';
import type { Json } from '../../core/model';
import { optionalPackage } from '../../core/optional-package';
import { likelyMeant } from '../../language/codec/finding';
import { firstLine } from '../../sinks/duckdb/connection';
import { unquoted } from './summary';
import type { SummarySource } from './summary';

/**
 * Functions of DuckDB that change its locked settings, or that run code which no plan shows: a log that it may not write ends the whole
 * process.
 */
const CHANGING = /^(?:ENABLE|DISABLE|TRUNCATE)_\w*(?:LOG|PROFIL)|^JSON_EXECUTE_SERIALIZED_SQL$/i;

/**
 * Prepares the one statement of a string, which has to be a `SELECT`: its plan shows what would be done.
 *
 * @param user what needs DuckDB, for the message if it is missing
 * @param hintAt returns a sentence about what was probably meant by a failing statement
 * @throws FatalError QUERY_REFUSED
 */
export async function readingStatement(
  user: string,
  connection: DuckDBConnection,
  sql: string,
  hintAt: (reason: string) => Promise<string> = () => Promise.resolve(''),
): Promise<DuckDBPreparedStatement> {
  const { StatementType } = optionalPackage(user, '@duckdb/node-api');
  try {
    // DuckDB has no message for a string without a statement.
    const statements = isBlank(sql) ? { count: 0 } : await connection.extractStatements(sql);
    if (!('prepare' in statements) || statements.count !== 1)
      throw refused(`there are ${statements.count} statements, and one is run at a time`);
    const prepared = await statements.prepare(0);
    if (prepared.statementType !== StatementType.SELECT)
      throw refused(`${StatementType[prepared.statementType]} is no statement that only reads. Write a SELECT`);
    const changing = functionsIn(await planOf(connection, sql)).find((name) => CHANGING.test(name));
    if (changing !== undefined) throw refused(`${changing} does more than read`);
    return prepared;
  } catch (cause) {
    if (cause instanceof FatalError) throw cause;
    const reason = firstLine(cause);
    throw refused(reason, cause, await hintAt(reason));
  }
}

/** @param hint a sentence about what was probably meant */
export const refused = (why: string, cause?: unknown, hint = ''): FatalError =>
  new FatalError('QUERY_REFUSED', `The statement was not run: ${why.replace(/[.!]$/, '')}. ${hint}`.trimEnd(), {
    cause,
  });

const isBlank = (sql: string): boolean => sql.replace(/--[^\n]*|\/\*[^]*?\*\/|[\s;]/g, '') === '';

async function planOf(connection: DuckDBConnection, sql: string): Promise<Json> {
  const reader = await connection.runAndReadAll(`EXPLAIN (FORMAT json) ${sql}`);
  const plan = reader.getRowsJson()[0]?.[1];
  if (typeof plan !== 'string') throw refused('DuckDB does not say what it would do');
  return parseData(plan);
}

/** Returns the names of all steps of a plan, including functions. */
function functionsIn(plan: Json): readonly string[] {
  if (isList(plan)) return plan.flatMap(functionsIn);
  if (!isObject(plan)) return [];
  return entriesOf(plan).flatMap(([key, value]) =>
    (key === 'name' || key === 'Function') && typeof value === 'string' ? [value] : functionsIn(value),
  );
}

/** The tables of the data as in SQL, and a function that returns their columns, to suggest the intended name. */
export interface KnownNames {
  readonly tables: readonly string[];
  readonly columnsOf: SummarySource['columnsOf'];
}

/** The messages of DuckDB and SQLite about a missing table. They have no codes for it. */
const TABLE = /(?:^|: )(?:Table with name (.+) does not exist|Referenced table "(.+)" not found|no such table: (.+))/;
const COLUMN =
  /(?:Referenced column "(.+)" not found|have a column named "(.+)"|Column "(.+)" in [A-Z]+ list not found|no such column: (.+))/;
/** The maximum number of names that are listed if none is similar. */
const MOST_LISTED = 12;

/**
 * Returns a sentence that suggests the intended table or column, or lists the existing ones; `''` for other failures.
 *
 * @param reason the message of the database, in one line
 * @param statement whose tables have the suggested columns
 * @example await meantName('no such table: statons', 'select * from statons', known) // 'Did you mean "stations"?'
 */
export async function meantName(reason: string, statement: string, known: KnownNames): Promise<string> {
  const table = nameIn(TABLE, reason);
  if (table !== undefined) return sentence(table, 'tables', known.tables.map(unquoted));
  const column = nameIn(COLUMN, reason);
  if (column === undefined) return '';
  const named = known.tables.filter((each) => statement.toLowerCase().includes(lastPart(unquoted(each)).toLowerCase()));
  const columns = new Set<string>();
  for (const each of named.length === 0 ? known.tables : named)
    for (const { name } of await known.columnsOf(each)) columns.add(name);
  return sentence(lastPart(column), 'columns', [...columns]);
}

const nameIn = (pattern: RegExp, reason: string): string | undefined => pattern.exec(reason)?.slice(1).find(Boolean);

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

function sentence(written: string, kind: string, names: readonly string[]): string {
  const meant = likelyMeant(written, names) ?? names.find((name) => likelyMeant(written, [lastPart(name)]));
  if (meant !== undefined) return `Did you mean ${JSON.stringify(meant)}?`;
  if (names.length === 0) return `There are no ${kind}.`;
  const more = names.length > MOST_LISTED ? `, and ${names.length - MOST_LISTED} more` : '';
  return `The ${kind} are: ${names.slice(0, MOST_LISTED).join(', ')}${more}.`;
}
