import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink, Stored } from '../../durable-sink';
import type { OutputPlan } from '../../plan/plan';
import { openDatabase } from '../duckdb/connection';
import type { Database } from '../duckdb/connection';
import { loadTables } from '../duckdb/load';
import type { TableLoad } from '../duckdb/load-flat';
import { checkComplete, checkKeys, columnsOf, mergedRows, stage, stagedRows } from '../duckdb/merge';
import { tableFailure } from '../duckdb/refusals';
import { literal, pathLiteral, quoted } from '../duckdb/sql';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { fileJournal } from '../journal/file-journal';
import { fileNameFor, safeFileName } from '../files/file-name';
import { folderSink, workFolderIn } from '../files/folder-sink';
import { linkedIn } from '../linked/nesting';
import type { NestingOptions } from '../linked/nesting';
import { structureIn, withStructure } from '../linked/structure';
import { requirePackage } from '../optional-package';
import type { Preparation, Prepared } from '../files/folder-sink';

/**
 * Parquet files in a folder, one a dataType, compressed with zstd. What is there when a run is committed takes the place
 * of the old files; an incremental run makes files of the old rows and its own.
 *
 * @param folder made when it is not there
 * @param outputs how each run of the configuration writes, by its number
 * @param options what becomes of objects and lists in items, where the job does not say it
 * @throws FatalError from its methods: as {@link folderSink}; DESTINATION_INCOMPATIBLE when rows cannot be added to an old file; TABLE_NAME; PACKAGE_MISSING without `@duckdb/node-api`
 * @example const sink = parquetFolder('rivers', [{ incremental: false, compatLevel: 3 }]);
 */
export function parquetFolder(
  folder: string,
  outputs: readonly OutputPlan[],
  options: NestingOptions = {},
): DurableSink {
  const name = `parquet:${folder}`;
  const journal = fileJournal(join(workFolderIn(folder), 'journal'));
  const prepare = (preparation: Preparation): Promise<Prepared> =>
    makeFiles(name, preparation, linkedIn(outputs, options));
  const check = (): void => requirePackage('parquet:', '@duckdb/node-api');
  return folderSink({ name, folder, makes: 'tables', outputs, journal, prepare, check });
}

async function makeFiles(
  name: string,
  { places, pages, staging, folder, outputs, state }: Preparation,
  isLinked: (dataType: string) => boolean,
): Promise<Prepared> {
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
    const lastRow = async (table: string): Promise<number> => {
      if (!(await known(table)).some((column) => column.name === ROW_ID)) return 0;
      const [[last] = []] = await database.rows(`SELECT max(${quoted(ROW_ID)}) FROM ${fromFile(oldFile(table))}`);
      return Number(last ?? 0);
    };
    const source = { places, pages, folder: loads, outputs, known, lastRow };
    return await loadTables({ ...source, structure: structureIn(state), isLinked }, async (all, structure) => {
      const stored: Stored[] = [];
      for (const load of all) {
        const filesOf = (table: string): Files => ({ made: join(staging, fileName(table)), old: oldFile(table) });
        const parent = load.parent === undefined ? undefined : filesOf(load.parent);
        await makeFile(database, load, filesOf(load.dataType), parent).catch(tableFailure(name, load));
        if (parent === undefined || load.rows > 0) stored.push({ name: load.dataType, rows: load.rows });
      }
      return { stored, state: withStructure(state, structure) };
    });
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

/** @param parent the files of the table whose rows its rows belong to, if there is one */
async function makeFile(
  database: Database,
  load: TableLoad,
  { made, old }: Files,
  parent: Files | undefined,
): Promise<void> {
  const copy = (query: string): Promise<void> =>
    database.run(
      `COPY (${query}) TO ${literal(made)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupOf(load)})`,
    );
  const isThere = existsSync(old);
  if (load.rows === 0) {
    if (!isThere) return;
    if (!load.incremental) await copy(`SELECT * FROM ${fromFile(old)} LIMIT 0`);
    else if (parent !== undefined) await copy(ofParents(`SELECT * FROM ${fromFile(old)}`, parent));
  } else if (!load.incremental) {
    await copy(load.query);
    await checkComplete(database, fromFile(made), load);
  } else {
    checkKeys(load);
    await stage(database, load);
    const columns = isThere ? await columnsOf(database, fromFile(old), load.dataType) : [];
    const rows = isThere ? mergedRows(fromFile(old), columns, load) : stagedRows(load);
    await copy(parent === undefined ? rows : ofParents(rows, parent));
  }
}

/** The rows of a query that belong to rows which are there. */
function ofParents(rows: string, { made, old }: Files): string {
  const parents = `${fromFile(existsSync(made) ? made : old)} AS parent`;
  const isSame = `parent.${quoted(ROW_ID)} = child.${quoted(PARENT_ROW_ID)}`;
  return `SELECT * FROM (${rows}) AS child WHERE EXISTS (SELECT 1 FROM ${parents} WHERE ${isSame})`;
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
