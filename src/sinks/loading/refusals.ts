/** Errors for data that DuckDB refuses. */
import { FatalError, HeadwaterError } from '../../core/errors/errors';
import { firstLine } from '../duckdb/connection';
import type { LearnedLoad } from './load-flat';

/**
 * Adds the table to an error.
 *
 * @throws FatalError SINK_FAILED, or the error itself if it is already one for users
 */
export const tableFailure =
  (sink: string, { dataType }: LearnedLoad) =>
  (cause: unknown): never => {
    if (cause instanceof HeadwaterError) throw cause;
    const what = `The table ${JSON.stringify(dataType)} could not be stored in ${sink}: ${firstLine(cause)}`;
    throw new FatalError('SINK_FAILED', `${what}. ${KEPT}`, { cause, table: dataType });
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
export function checkNames(loads: readonly LearnedLoad[], database = 'DuckDB'): void {
  const names = new Map<string, string>();
  for (const { dataType } of loads) {
    if (dataType === '' || dataType.includes('\0'))
      throw new FatalError('TABLE_NAME', `A table cannot be named ${JSON.stringify(dataType)}. ${REMEDY}`, {
        table: dataType,
      });
    const other = names.get(dataType.toLowerCase());
    if (other !== undefined) {
      const both = `${JSON.stringify(other)} and ${JSON.stringify(dataType)}`;
      throw new FatalError('TABLE_NAME', `${database} does not tell the tables ${both} from each other. ${REMEDY}`, {
        table: dataType,
      });
    }
    names.set(dataType.toLowerCase(), dataType);
  }
}

const REMEDY = 'Give the job another dataType.';
