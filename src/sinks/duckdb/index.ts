import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNativeError } from 'node:util/types';
import { requirePackage } from '../../core/optional-package';
import { defineSink } from '../../language/parts/sink';
import { makeFolder } from '../files/durable-files';
import { IN_FILES } from '../loading/load';
import type { QueryWrite } from '../loading/load-flat';
import type { StructOptions } from '../options';
import { inTransaction } from '../sql';
import { sqlStoreBy } from '../stores/sql-store';
import { storeSinkBy } from '../stores/store';
import type { TableStore } from '../stores/store';
import { MOST_MEGABYTES, THREADS, makeDatabase, openDatabase } from './connection';
import type { Database } from './connection';
import { duckdbDatabase, queryRows } from './database';
import { duckdb as outline } from '../outlines';

/**
 * The sink of the tables of a DuckDB database, one for each dataType, in its schema `main`. A commit is one transaction with all rows and a
 * receipt in the schema `_headwater`. Until then pages wait in the folder `<file>.headwater`, and others can read the database. The file is
 * made by the first commit.
 *
 * @throws FatalError from its methods: DESTINATION_LOCKED while another process has the database open; DESTINATION_ADDRESS,
 *   DESTINATION_DAMAGED or DESTINATION_INCOMPATIBLE when it cannot be used; SINK_FAILED when it does not accept the rows;
 *   PACKAGE_MISSING without `@duckdb/node-api`. A commit can be repeated.
 */
export const duckdb = defineSink({
  ...outline,
  create: ({ rest: file }, { outputs, warn }, { nested }: StructOptions) => {
    const folder = `${file}.headwater`;
    return storeSinkBy(IN_FILES, {
      ...{ name: `duckdb:${file}`, database: 'DuckDB', folder, outputs, nested, warn, structs: true },
      exists: () => existsSync(file),
      open: () => openStore(file, join(folder, 'load')),
      prepare: async () => {
        requirePackage('duckdb:', '@duckdb/node-api');
        await makeFolder(dirname(file));
      },
    });
  },
});

async function openStore(file: string, loads: string): Promise<TableStore<QueryWrite>> {
  const place = { sink: 'duckdb:', file, spill: join(loads, 'spill') };
  if (!existsSync(file)) await makeDatabase({ ...place, draft: join(loads, 'new.duckdb') });
  const database = await openDatabase(place);
  return sqlStoreBy(
    {
      ...(await duckdbDatabase(database)),
      transaction: async (writes, work) => {
        const result = await withMemoryFor(database, writes, () => inTransaction(database.run, work));
        // Committed data stays in the write-ahead log if the file cannot store it yet.
        await database.run('CHECKPOINT').catch(() => undefined);
        return result;
      },
      close: () => {
        database.close();
        return Promise.resolve();
      },
    },
    queryRows(database),
  );
}

/**
 * The megabytes for each thread with which rows of a usual width are stored as quickly as with more. DuckDB keeps all memory that it may
 * use, so the limit decides how large a long run becomes.
 */
const USUAL_MEGABYTES = 96;

/** The number of rows that DuckDB compresses together. */
const GROUP_ROWS = 122_880;

/** A group of rows takes less than this many times the bytes of its lines while it is compressed. */
const TIMES_LINES = 3;

/** The megabytes of the blocks of each column, however short its values are. */
const MEGABYTES_PER_COLUMN = 2;

/**
 * Stores tables with as little memory as is enough for full speed, and again with the maximum of a load if that was too little.
 *
 * @param work stores all or nothing
 */
export async function withMemoryFor<T>(
  database: Database,
  loads: readonly QueryWrite[],
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

/** Returns the megabytes for a table. Rows with keys are held in hash tables of unknown size. */
function megabytesFor({ mode, keys, bytes, rows, columns }: QueryWrite): number {
  if (mode !== 'replace' || keys.length > 0) return MOST_MEGABYTES;
  const group = rows === 0 ? 0 : (TIMES_LINES * GROUP_ROWS * bytes) / rows / 1e6;
  return Math.ceil(Math.max(group, MEGABYTES_PER_COLUMN * columns.length));
}

const limit = (database: Database, megabytes: number): Promise<void> =>
  database.run(`SET memory_limit = '${megabytes}MB'`);

const isOutOfMemory = (error: unknown): boolean =>
  isNativeError(error) && (error.message.includes('Out of Memory') || isOutOfMemory(error.cause));
