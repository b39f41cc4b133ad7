/** Old files that DuckDB can read. */
import { FatalError } from '../../core/errors/errors';
import { describe, firstLine } from '../duckdb/connection';
import type { Database } from '../duckdb/connection';
import { fromFiles } from './make-table';

/**
 * The rows of several files as a source of SQL; `undefined`: there are none.
 *
 * @throws FatalError DESTINATION_DAMAGED with the name of a file that is not Parquet, or is no longer
 * @example await readable(database, 'orders', ['out/orders.parquet'])
 */
export async function readable(
  database: Database,
  table: string,
  files: readonly string[],
): Promise<string | undefined> {
  const source = fromFiles(files);
  if (source === undefined) return undefined;
  try {
    await describe(database, source);
    return source;
  } catch (cause) {
    // Each may be as it should be: then it is their columns that do not fit together.
    for (const file of files) await check(database, table, file);
    throw cause;
  }
}

async function check(database: Database, table: string, file: string): Promise<void> {
  try {
    await describe(database, fromFiles([file]) ?? '');
  } catch (cause) {
    const message = `${JSON.stringify(file)} cannot be read (${firstLine(cause)}). Restore the file, or move it away.`;
    throw new FatalError('DESTINATION_DAMAGED', message, { cause, table });
  }
}
