/** Errors for data that DuckDB refuses. */
import { FatalError, HeadwaterError } from '../../core/errors/errors';
import { firstLine } from '../duckdb/connection';
import type { TableWrite } from './load-flat';

/**
 * Adds the table to an error.
 *
 * @throws FatalError SINK_FAILED, or the error itself if it is already one for users
 */
export const tableFailure =
  (sink: string, { table }: TableWrite) =>
  (cause: unknown): never => {
    if (cause instanceof HeadwaterError) throw cause;
    const what = `The table ${JSON.stringify(table)} could not be stored in ${sink}: ${firstLine(cause)}`;
    throw new FatalError('SINK_FAILED', `${what}. ${KEPT}`, { cause, table });
  };

/** Returns the error for a refusal of DuckDB that belongs to no table. Errors of other kinds stay unchanged. */
export function databaseFailure(sink: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || cause.name !== 'Error') return cause;
  const message = `${sink} could not be written: ${firstLine(cause)}. ${KEPT}`;
  return new FatalError('SINK_FAILED', message, { cause });
}

const KEPT = 'Nothing was stored. The pages are kept: set that right, then let the run go on with --resume.';

/**
 * Refuses two tables whose names differ only in case, which these databases ignore: one would replace the other.
 *
 * @throws FatalError TABLE_NAME
 */
export function checkNames(loads: readonly TableWrite[], database = 'DuckDB'): void {
  const names = new Map<string, string>();
  for (const { table } of loads) {
    if (table === '' || table.includes('\0'))
      throw new FatalError('TABLE_NAME', `A table cannot be named ${JSON.stringify(table)}. ${REMEDY}`, {
        table,
      });
    const other = names.get(table.toLowerCase());
    if (other !== undefined) {
      const both = `${JSON.stringify(other)} and ${JSON.stringify(table)}`;
      throw new FatalError('TABLE_NAME', `${database} does not distinguish the tables ${both}. ${REMEDY}`, {
        table,
      });
    }
    names.set(table.toLowerCase(), table);
  }
}

const REMEDY = 'Give the job another dataType.';
