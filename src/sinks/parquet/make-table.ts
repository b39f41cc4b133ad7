/** Makes the new files of one table. */
import { quoted } from '../../core/json/sql-name';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Stored } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { makeFolders } from '../../core/make-folders';
import type { Warn } from '../../language/parts/sink';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { freeName, isAmong } from '../../tables/names';
import { checkKeyTypes, checkOldKey, namesOf, schemaChanges, warnOfSchemaChanges } from '../../tables/schema/changes';
import { describe, firstLine } from '../duckdb/connection';
import type { Database } from '../duckdb/connection';
import { checkComplete, columnsOf, duckdbDialect, queryRows } from '../duckdb/database';
import { filesIn } from '../files/folder-commit';
import type { QueryWrite } from '../loading/load-flat';
import { rowCounts, rowsOfRun, uncounted, unmatched, withoutLost } from '../row-counts';
import type { CountedRows } from '../row-counts';
import { literal, namedTypes, pathLiteral, typeNamed } from '../sql';
import { checkKeys, isReplaced, mergedRows, replacedCounts, stage, stagedCounts, stagedRows } from '../stores/merge';
import type { Staged } from '../stores/merge';
import { checkOneForm, checkPartitions, copyPartitions, nameOf, nameOfEmpty } from './partitions';
import type { OldFiles, TableForm } from './partitions';

/** The place of a table, and of its new files. */
export interface TablePlace {
  readonly folder: string;
  readonly staging: string;
  readonly form: TableForm;
  readonly old: OldFiles;
  /** The parent rows, as a source of SQL, where rows may have lost theirs; absent: none have. */
  readonly parents: string | undefined;
  /** The SQL condition that a row `old` is removed with its parent; absent: none is. */
  readonly isGone: string | undefined;
  /** Is called with columns that change. */
  readonly warn: Warn | undefined;
}

/** The result for a table. */
export interface MadeTable {
  /** The paths of all files that it then has. */
  readonly current: readonly string[];
  /** The names of old files that are removed. */
  readonly removed: readonly string[];
  /** The counts of its rows, and the changes of the columns of an existing table. */
  readonly stored: Stored;
  /** The number of rows that it had before. */
  readonly before: number;
  /** The number of all rows that it then has. */
  readonly total: number;
}

/** Returns the rows of several files as a source of SQL. The values in the names of folders are in the files as well, with their types. */
export const fromFiles = (paths: readonly string[]): string | undefined =>
  paths.length === 0
    ? undefined
    : `read_parquet([${paths.map(pathLiteral).join(', ')}], hive_partitioning = false, union_by_name = true)`;

/**
 * Makes the new files of a table in the staging folder. Of a partitioned table, only the files that the rows of the run change are made
 * again.
 *
 * @throws FatalError DESTINATION_INCOMPATIBLE, SINK_FAILED
 */
export async function makeTable(database: Database, load: QueryWrite, place: TablePlace): Promise<MadeTable> {
  const { folder, staging, form, old } = place;
  if (load.rows > 0)
    checkPartitions(
      form,
      load.columns.map(({ name }) => name),
    );
  const made = await stagedOf(database, load, place);
  const rewritten = await filesToRewrite(database, made, place);
  const counted = await countsOf(database, made, pathsIn(folder, rewritten), place);
  const target = join(staging, nameOf(form));
  const rows = await rowsOf(database, made, pathsIn(folder, rewritten), place);
  let written: number | undefined;
  if (rows !== undefined && (load.rows > 0 || load.mode !== 'replace')) {
    const options = `ROW_GROUP_SIZE ${rowGroupOf(load)}`;
    if (form.partitionBy.length === 0) await copy(database, rows, target, options);
    else written = await copyPartitions(database, rows, { target, form, columns: load.columns, options });
  } else if (rows !== undefined) {
    const empty = join(staging, nameOfEmpty(form));
    await makeFolders(dirname(empty));
    await copy(database, rows, empty);
  }
  const files = await madeIn(staging, nameOf(form));
  const taken = files.filter((file) => old.files.includes(file) && !rewritten.includes(file));
  if (taken.length > 0) throw lossOf(form, `${taken.join(', ')} would take the place of other rows`);
  const source = fromFiles(pathsIn(staging, files));
  if (written !== undefined && source !== undefined) {
    const [[found] = []] = await database.rows(`SELECT count(*) FROM ${source}`);
    if (Number(found) !== written) throw lossOf(form, `its files have ${String(found)} of ${String(written)} rows`);
  }
  // A stage was checked before.
  if (load.rows > 0 && made.staged === undefined) await checkComplete(database, source ?? literal(target), load);
  const isDone = rows !== undefined;
  const [was, is] = [fromFiles(pathsIn(folder, old.files)), source];
  const changes =
    was === undefined || is === undefined || load.rows === 0
      ? []
      : schemaChanges(await describe(database, was), await describe(database, is));
  const left = isDone ? old.files.filter((file) => !rewritten.includes(file)) : old.files;
  const current = [...pathsIn(staging, files), ...pathsIn(folder, left)];
  // Files have their number of rows at their end.
  const total = await rowsIn(database, fromFiles(current));
  const before = await rowsIn(database, was);
  const counts = rowCounts(counted, before, load.mode === 'replace' ? counted.stored : total);
  const stored = {
    ...{ name: form.table, ...rowsOfRun(counted.stored, load.rows), ...counts },
    ...(changes.length === 0 ? {} : { changes }),
  };
  // Some of the rows without a parent may belong to this run.
  const isClear =
    place.parents === undefined || (load.mode === 'replace' ? counted.stored === total : counts.removed === 0);
  return {
    ...{ current, before, total },
    removed: isDone ? rewritten.filter((file) => !files.includes(file)) : [],
    stored: isClear ? stored : load.mode === 'replace' ? withoutLost(stored, total) : { ...uncounted(stored), total },
  };
}

/** The rows of a run for one table. */
interface Rows {
  readonly load: QueryWrite;
  /** The stage in which they wait, since they are added to others, or not all of them count; absent: they need not wait. */
  readonly staged?: Staged;
}

async function stagedOf(database: Database, load: QueryWrite, { parents }: TablePlace): Promise<Rows> {
  const { mode, keys, rows } = load;
  if (rows === 0 || (mode === 'replace' && keys.length === 0 && parents === undefined)) return { load };
  checkKeys(load);
  return { load, staged: await stage(duckdbDialect(database), queryRows(database), load) };
}

const rowsIn = async (database: Database, source: string | undefined): Promise<number> =>
  source === undefined ? 0 : Number((await database.rows(`SELECT count(*) FROM ${source}`))[0]?.[0]);

/** Returns the counts of the rows of the run, once they are staged. */
async function countsOf(
  database: Database,
  { load, staged }: Rows,
  old: readonly string[],
  place: TablePlace,
): Promise<CountedRows> {
  if (staged === undefined || load.keys.length === 0) return unmatched(load.rows);
  const from = oldRows(old, place);
  const db = duckdbDialect(database);
  if (load.mode === 'replace') {
    const named = from === undefined ? undefined : await describe(database, from);
    const columns = named?.map(([name, type]) => [name, typeNamed(type) ?? type] as const);
    return replacedCounts(db, staged, from === undefined || columns === undefined ? undefined : { from, columns });
  }
  const columns = from === undefined ? [] : await columnsOf(database, from, load.table);
  return stagedCounts(db, staged, from === undefined ? undefined : { from, columns });
}

/** Returns the old rows that are not removed with their parents, as a source of SQL. */
function oldRows(old: readonly string[], { isGone }: TablePlace): string | undefined {
  const files = fromFiles(old);
  return files === undefined || isGone === undefined ? files : `(SELECT * FROM ${files} AS old WHERE NOT ${isGone})`;
}

function lossOf({ table }: TableForm, what: string): FatalError {
  const message = `The table ${JSON.stringify(table)} would lose rows: ${what}. Nothing was stored. This is a defect of Headwater: report it.`;
  return new FatalError('SINK_FAILED', message, { table });
}

/** Returns the old files whose rows change, or may change. */
async function filesToRewrite(
  database: Database,
  { load, staged }: Rows,
  place: TablePlace,
): Promise<readonly string[]> {
  const { folder, form, old, isGone } = place;
  const { table, partitionBy } = form;
  const { rows, mode, columns, keys } = load;
  if (mode === 'replace') return old.files;
  checkOneForm(folder, table, old.files);
  if (rows === 0 || staged === undefined) return old.files;
  const source = fromFiles(pathsIn(folder, old.files));
  if (source === undefined) return old.files;
  const known = await columnsOf(database, source, table);
  await checkOldKey(table, keys, namesOf(known), async () => (await rowsIn(database, source)) > 0);
  if (partitionBy.length === 0 || !old.isInForm || isGone !== undefined) return old.files;
  if (known.length !== columns.length || known.some(({ type }, at) => type !== columns[at]?.type)) return old.files;
  const db = duckdbDialect(database);
  const samePart = partitionBy.map((each) => db.same(`old.${quoted(each)}`, `new.${quoted(each)}`)).join(' AND ');
  const touched = [
    `EXISTS (FROM ${staged.from} AS new WHERE ${samePart})`,
    ...(keys.length === 0 ? [] : [isReplaced(db, staged)]),
  ].join(' OR ');
  const file = freeName('headwater file', isAmong(columns.map(({ name }) => name)));
  const paths = `read_parquet([${pathsIn(folder, old.files).map(pathLiteral).join(', ')}], hive_partitioning = false, filename = ${literal(file)})`;
  const found = await database.rows(`SELECT DISTINCT ${quoted(file)} FROM ${paths} AS old WHERE ${touched}`);
  const changed = new Set(found.map(([path]) => dirname(String(path))));
  // New files of a partition have names of old ones and may replace any of them: all of its rows are written again.
  return old.files.filter((file) => changed.has(dirname(join(folder, file))));
}

/** Returns the rows of the new files as a query; `undefined`: nothing changes. */
async function rowsOf(
  database: Database,
  { load, staged }: Rows,
  old: readonly string[],
  place: TablePlace,
): Promise<string | undefined> {
  const { parents, isGone, warn } = place;
  const source = oldRows(old, place);
  if (load.rows === 0) {
    if (source === undefined) return load.mode !== 'replace' || load.columns.length === 0 ? undefined : load.query;
    if (load.mode === 'replace') return `SELECT * FROM ${source} LIMIT 0`;
    if (parents !== undefined) return ofParents(`SELECT * FROM ${source}`, parents);
    return isGone === undefined ? undefined : `SELECT * FROM ${source}`;
  }
  if (load.mode === 'replace' || staged === undefined) {
    const rows = staged === undefined ? load.query : stagedRows(staged);
    return parents === undefined ? rows : ofParents(rows, parents);
  }
  const columns = source === undefined ? [] : await columnsOf(database, source, load.table);
  warnOfSchemaChanges(load.table, namedTypes(columns), namedTypes(load.columns), warn);
  if (source !== undefined) checkKeyTypes(load.table, load.keys, columns, load.columns);
  const rows =
    source === undefined ? stagedRows(staged) : mergedRows(duckdbDialect(database), staged, { from: source, columns });
  return parents === undefined ? rows : ofParents(rows, parents);
}

const copy = (database: Database, query: string, path: string, more = ''): Promise<void> =>
  database.run(
    `COPY (${query}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd${more === '' ? '' : `, ${more}`})`,
  );

/** Returns the names of the new files of a table: one, or those in its folder. */
async function madeIn(staging: string, name: string): Promise<readonly string[]> {
  const path = join(staging, name);
  if (!existsSync(path)) return [];
  return !isFolder(path) ? [name] : (await filesIn(path)).map((file) => `${name}/${file}`);
}

const isFolder = (path: string): boolean => statSync(path).isDirectory();

const pathsIn = (folder: string, files: readonly string[]): readonly string[] =>
  files.map((file) => join(folder, file));

/** Returns the rows of a query whose parent rows exist. */
function ofParents(rows: string, parents: string): string {
  const isSame = `parent.${quoted(ROW_ID)} = child.${quoted(PARENT_ROW_ID)}`;
  return `SELECT * FROM (${rows}) AS child WHERE EXISTS (SELECT 1 FROM ${parents} AS parent WHERE ${isSame})`;
}

/** The default number of rows of a row group of DuckDB. */
const GROUP_ROWS = 122_880;
/** The bytes of lines in a row group of a large load, which DuckDB holds in memory. Some thousand rows still compress well. */
const GROUP_BYTES = 4 * 2 ** 20;
const LEAST_ROWS = 2048;
/** Loads up to this size fit into memory unchanged. */
const SMALL_BYTES = 16 * 2 ** 20;

function rowGroupOf({ rows, bytes }: QueryWrite): number {
  if (bytes <= SMALL_BYTES) return GROUP_ROWS;
  return Math.min(GROUP_ROWS, Math.max(LEAST_ROWS, Math.floor((GROUP_BYTES * rows) / bytes)));
}

/**
 * Returns the rows of several files as a source of SQL; `undefined`: there are none.
 *
 * @throws FatalError DESTINATION_DAMAGED with the name of a file that is not, or no longer, Parquet
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
    // Each file alone may be valid: then their columns do not fit together.
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
