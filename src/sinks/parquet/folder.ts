import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink, Stored } from '../../durable-sink';
import type { OutputPlan } from '../../plan/plan';
import { openDatabase } from '../duckdb/connection';
import type { Database } from '../duckdb/connection';
import { loadTables } from '../duckdb/load';
import type { TableLoad } from '../duckdb/load';
import { checkComplete, checkKeys, columnsOf, mergedRows, stage, stagedRows } from '../duckdb/merge';
import { tableFailure } from '../duckdb/refusals';
import { literal, pathLiteral } from '../duckdb/sql';
import { fileJournal } from '../journal/file-journal';
import { fileNameFor, safeFileName } from '../files/file-name';
import { folderSink, workFolderIn } from '../files/folder-sink';
import { requirePackage } from '../optional-package';
import type { Preparation, Prepared } from '../files/folder-sink';

/**
 * Parquet files in a folder, one a dataType, compressed with zstd. What is there when a run is committed takes the place
 * of the old files; an incremental run makes files of the old rows and its own.
 *
 * @param folder made when it is not there
 * @param outputs how each run of the configuration writes, by its number
 * @throws FatalError from its methods: as {@link folderSink}; DESTINATION_INCOMPATIBLE when rows cannot be added to an old file; TABLE_NAME; PACKAGE_MISSING without `@duckdb/node-api`
 * @example const sink = parquetFolder('rivers', [{ incremental: false, compatLevel: 3 }]);
 */
export function parquetFolder(folder: string, outputs: readonly OutputPlan[]): DurableSink {
  const name = `parquet:${folder}`;
  const journal = fileJournal(join(workFolderIn(folder), 'journal'));
  const prepare = (preparation: Preparation): Promise<Prepared> => makeFiles(name, preparation);
  const check = (): void => requirePackage('parquet:', '@duckdb/node-api');
  return folderSink({ name, folder, makes: 'tables', outputs, journal, prepare, check });
}

async function makeFiles(name: string, { places, pages, staging, folder, outputs }: Preparation): Promise<Prepared> {
  // What is left in the staging folder becomes visible: this goes first.
  const loads = join(staging, 'load');
  await mkdir(loads);
  // Each thread would take some 100 MB to copy lines, which one does faster than pages come; joins with old rows are another matter.
  const threads = outputs.some(({ incremental }) => incremental) ? {} : { threads: 1 };
  const database = await openDatabase({ sink: 'parquet:', spill: join(loads, 'spill'), ...threads });
  const oldFile = (dataType: string): string => join(folder, fileName(dataType));
  const known = async (dataType: string): ReturnType<typeof columnsOf> =>
    existsSync(oldFile(dataType)) ? columnsOf(database, fromFile(oldFile(dataType)), dataType) : [];
  try {
    const stored = await loadTables({ places, pages, folder: loads, outputs, known }, async (all) => {
      const done: Stored[] = [];
      for (const load of all) {
        const files = { made: join(staging, fileName(load.dataType)), old: oldFile(load.dataType) };
        await makeFile(database, load, files).catch(tableFailure(name, load));
        done.push({ name: load.dataType, rows: load.rows });
      }
      return done;
    });
    return { stored };
  } finally {
    database.close();
    await rm(loads, { recursive: true, force: true });
  }
}

interface Files {
  readonly made: string;
  /** The old file, which may not exist. */
  readonly old: string;
}

async function makeFile(database: Database, load: TableLoad, { made, old }: Files): Promise<void> {
  const copy = (query: string): Promise<void> =>
    database.run(
      `COPY (${query}) TO ${literal(made)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupOf(load)})`,
    );
  const isThere = existsSync(old);
  if (load.rows === 0) {
    if (!load.incremental && isThere) await copy(`SELECT * FROM ${fromFile(old)} LIMIT 0`);
  } else if (!load.incremental) {
    await copy(load.query);
    await checkComplete(database, fromFile(made), load);
  } else {
    checkKeys(load);
    await stage(database, load);
    const columns = isThere ? await columnsOf(database, fromFile(old), load.dataType) : [];
    await copy(isThere ? mergedRows(fromFile(old), columns, load) : stagedRows(load));
  }
}

/** The rows that DuckDB puts into a row group of its own accord. */
const GROUP_ROWS = 122_880;
/** The bytes of lines in a row group of a large load: DuckDB holds one as it is made. Some thousand rows still compress well. */
const GROUP_BYTES = 4 * 2 ** 20;
const LEAST_ROWS = 2048;
/** Loads up to here fit into memory as they are. */
const SMALL_BYTES = 16 * 2 ** 20;

function rowGroupOf({ rows, bytes }: TableLoad): number {
  if (bytes <= SMALL_BYTES) return GROUP_ROWS;
  return Math.min(GROUP_ROWS, Math.max(LEAST_ROWS, Math.floor((GROUP_BYTES * rows) / bytes)));
}

const fromFile = (path: string): string => `read_parquet(${pathLiteral(path)})`;

const fileName = (dataType: string): string => safeFileName(fileNameFor(`${dataType}.parquet`));
