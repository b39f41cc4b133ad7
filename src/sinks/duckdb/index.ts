import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isNativeError } from 'node:util/types';
import type { DurableSink, Stored, TableStand } from '../../core/durable-sink';
import type { JsonObject } from '../../core/model';
import { requirePackage } from '../../core/optional-package';
import { defineSink } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { durableSink } from '../durable';
import type { Publication } from '../durable';
import { fileFailure, makeFolder } from '../files/durable-files';
import { fileJournal } from '../journal/file-journal';
import { loadTables } from '../loading/load';
import { listsAmong, mayLose } from '../loading/load-flat';
import type { TableLoad } from '../loading/load-flat';
import { checkNames, databaseFailure, tableFailure } from '../loading/refusals';
import { linkedIn, structsIn } from '../options';
import type { StructOptions, TableOptions } from '../options';
import { structureIn, withFilledLists, withStructure } from '../state';
import { MOST_MEGABYTES, THREADS, inTransaction, makeDatabase, openDatabase } from './connection';
import type { Database } from './connection';
import { outline } from './outline';
import { duckdbTables } from './tables';
import type { DuckDBTables } from './tables';

export const duckdb = defineSink({
  ...outline,
  create: ({ rest: file }, { outputs, warn }, options: StructOptions) =>
    duckdbSink(file, outputs, { ...options, warn }),
});

/**
 * Returns a sink of the tables of a DuckDB database, one for each dataType, in its schema `main`. A commit is one transaction with all rows
 * and a receipt in the schema `_headwater`. Until then pages wait in the folder `<file>.headwater`, and others can read the database.
 *
 * @param file the database, made by the first commit
 * @param outputs the outputs of the runs of the configuration, by their numbers: tables are replaced, or rows are added; then a row
 *   replaces one with the same primary key
 * @param options how objects and lists in items are stored, if the job does not say it
 * @throws FatalError from its methods: DESTINATION_LOCKED while another process has the database open; DESTINATION_ADDRESS,
 *   DESTINATION_DAMAGED or DESTINATION_INCOMPATIBLE when it cannot be used; SINK_FAILED when it does not accept the rows;
 *   PACKAGE_MISSING without `@duckdb/node-api`. A commit can be repeated.
 * @example const sink = duckdbSink('rivers.duckdb', [{ incremental: false, compatLevel: 3 }]);
 */
export function duckdbSink(
  file: string,
  outputs: readonly OutputPlan[],
  options: TableOptions<StructOptions> = {},
): DurableSink {
  const name = `duckdb:${file}`;
  const work = `${file}.headwater`;
  const loads = join(work, 'load');
  const journal = fileJournal(work);

  const withDatabase = async <T>(use: (tables: DuckDBTables) => Promise<T>): Promise<T> => {
    const place = { sink: 'duckdb:', file, spill: join(loads, 'spill') };
    if (!existsSync(file)) await makeDatabase({ ...place, draft: join(loads, 'new.duckdb') });
    const database = await openDatabase(place);
    try {
      return await use(await duckdbTables(database, options.warn));
    } finally {
      database.close();
    }
  };
  const store = ({ manifest, state, record, unfed, checkRows }: Publication): Promise<readonly Stored[]> =>
    withDatabase(async (tables) => {
      const storeAll = async (all: readonly TableLoad[], structure: JsonObject): Promise<readonly Stored[]> => {
        checkNames(all);
        const storeTables = async (): Promise<readonly Stored[]> => {
          const stored: Stored[] = [];
          const replaced = checkRows === undefined ? [] : all.filter(({ incremental }) => !incremental);
          const before: number[] = [];
          for (const { dataType } of replaced) before.push(await tables.count(dataType));
          const gone = await tables.gone(all);
          for (const load of all) stored.push(await tables.store(load, gone).catch(tableFailure(name, load)));
          const hasLost = new Set<string>();
          for (const [at, load] of all.entries()) {
            const told = stored[at];
            if (told === undefined) continue;
            const left = mayLose(load, hasLost) ? await tables.prune(load, told) : told;
            stored[at] = left;
            if ((left.repeated ?? 0) > 0) hasLost.add(load.dataType);
          }
          for (const [at, { dataType }] of replaced.entries())
            checkRows?.(dataType, before[at] ?? 0, await tables.count(dataType));
          const shown = stored.filter(({ rows }, at) => all[at]?.parent === undefined || rows !== 0);
          await tables.sign(
            { run: manifest.id, state: withFilledLists(withStructure(state, structure), listsAmong(all)) },
            record(shown),
          );
          return shown;
        };
        return withMemoryFor(tables.database, all, () => inTransaction(tables.database, storeTables));
      };
      const { places, pages } = journal;
      const { known, lastRow } = tables;
      const stored = await loadTables(
        {
          ...{ places, pages, folder: loads, outputs, known, lastRow, unfed },
          structure: structureIn(state),
          isLinked: linkedIn(outputs, options),
          hasStructs: structsIn(outputs, options),
          startedAt: manifest.startedAt,
          ...(options.warn === undefined ? {} : { warn: options.warn }),
        },
        storeAll,
      );
      // Committed data stays in the write-ahead log if the file cannot store it yet.
      await tables.database.run('CHECKPOINT').catch(() => undefined);
      return stored;
    });

  const standOf = async (table: string): Promise<TableStand> =>
    existsSync(file) ? withDatabase((tables) => tables.standOf(table)) : 'gone';

  return durableSink({
    name,
    makes: 'tables',
    maps: true,
    structs: true,
    addsRunColumns: true,
    journal,
    prepare: async () => {
      requirePackage('duckdb:', '@duckdb/node-api');
      await makeFolder(dirname(file));
    },
    receipt: async () => {
      await rm(loads, { recursive: true, force: true });
      return existsSync(file) ? withDatabase(({ receipt }) => receipt()) : undefined;
    },
    recordOf: async (run) => (existsSync(file) ? withDatabase(({ recordOf }) => recordOf(run)) : undefined),
    hasRows: async (table) => (await standOf(table)) === 'filled',
    standOf,
    publish: async (run) => {
      try {
        await makeFolder(loads);
        return await store(run);
      } catch (cause) {
        throw databaseFailure(name, fileFailure(loads, cause));
      } finally {
        await rm(loads, { recursive: true, force: true });
      }
    },
    close: async () => {
      // The folder stays while pages wait in it.
      await rmdir(work).catch(() => undefined);
    },
  });
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

/** Returns the megabytes for a table. Rows with keys are held in hash tables of unknown size. */
function megabytesFor({ incremental, keys, bytes, rows, columns }: TableLoad): number {
  if (incremental || keys.length > 0) return MOST_MEGABYTES;
  const group = rows === 0 ? 0 : (TIMES_LINES * GROUP_ROWS * bytes) / rows / 1e6;
  return Math.ceil(Math.max(group, MEGABYTES_PER_COLUMN * columns.length));
}

const limit = (database: Database, megabytes: number): Promise<void> =>
  database.run(`SET memory_limit = '${megabytes}MB'`);

const isOutOfMemory = (error: unknown): boolean =>
  isNativeError(error) && (error.message.includes('Out of Memory') || isOutOfMemory(error.cause));
