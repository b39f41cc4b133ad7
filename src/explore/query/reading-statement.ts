/** The statement of a person, if it does nothing but read the tables. */
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { FatalError } from '../../core/errors/errors';
import { entriesOf, isList, isObject } from '../../core/json/keys';
import { parseData } from '../../core/json/parse';
import type { Json } from '../../core/model';
import { optionalPackage } from '../../core/optional-package';
import { firstLine } from '../../sinks/duckdb/connection';

/**
 * Functions of DuckDB that change its settings although these are locked, or that run what no plan tells: a log that it may not write
 * ends the whole process.
 */
const CHANGING = /^(?:ENABLE|DISABLE|TRUNCATE)_\w*(?:LOG|PROFIL)|^JSON_EXECUTE_SERIALIZED_SQL$/i;

/**
 * This function prepares the one statement of a string, which has to be a `SELECT`, whatever it is hidden in: the plan says what would be done.
 *
 * @param user who needs DuckDB, for the message where it is missing
 * @param hintAt the sentence that tells what may have been meant by a statement that fails so
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
    // What has no statement at all fails in DuckDB without words.
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

/** @param hint a sentence that tells what may have been meant */
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

/** The names of all steps of a plan, those of functions among them. */
function functionsIn(plan: Json): readonly string[] {
  if (isList(plan)) return plan.flatMap(functionsIn);
  if (!isObject(plan)) return [];
  return entriesOf(plan).flatMap(([key, value]) =>
    (key === 'name' || key === 'Function') && typeof value === 'string' ? [value] : functionsIn(value),
  );
}
