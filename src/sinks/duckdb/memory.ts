/** The memory of DuckDB: what it may take it keeps, so the limit says how large a long run becomes. */
import { isNativeError } from 'node:util/types';
import { MOST_MEGABYTES, THREADS } from './connection';
import type { Database } from './connection';
import type { TableLoad } from './load-flat';

/** Megabytes with which rows of a usual width are stored as quickly as with more, for each thread. */
const USUAL_MEGABYTES = 96;

/** The rows that DuckDB compresses together. */
const GROUP_ROWS = 122_880;

/** A group of rows takes less than so many times the bytes of its lines while it is compressed. */
const TIMES_LINES = 3;

/** Columns have blocks of their own, however short their values are. */
const MEGABYTES_PER_COLUMN = 2;

/**
 * Stores tables with as little memory as they can be stored with quickly, and again with all that a load may take if that was too little.
 *
 * @param work stores all or nothing
 */
export async function withMemoryFor<T>(
  database: Database,
  loads: readonly TableLoad[],
  work: () => Promise<T>,
): Promise<T> {
  const megabytes = Math.max(USUAL_MEGABYTES * THREADS, ...loads.map(megabytesFor));
  if (megabytes >= MOST_MEGABYTES) return work();
  await limit(database, megabytes);
  try {
    return await work();
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    await limit(database, MOST_MEGABYTES);
    return work();
  }
}

/** Rows that are merged with others are held in hash tables: nobody knows how many. */
function megabytesFor({ incremental, bytes, rows, columns }: TableLoad): number {
  if (incremental) return MOST_MEGABYTES;
  const group = rows === 0 ? 0 : (TIMES_LINES * GROUP_ROWS * bytes) / rows / 1e6;
  return Math.ceil(Math.max(group, MEGABYTES_PER_COLUMN * columns.length));
}

const limit = (database: Database, megabytes: number): Promise<void> =>
  database.run(`SET memory_limit = '${megabytes}MB'`);

const isOutOfMemory = (error: unknown): boolean =>
  isNativeError(error) && (error.message.includes('Out of Memory') || isOutOfMemory(error.cause));
