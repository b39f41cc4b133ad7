/** The files of tables, and the new ones that a run makes of them. */
import { quoted } from '../../core/json/sql-name';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FatalError } from '../../core/errors/errors';
import { makeFolders } from '../../core/make-folders';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { freeName, isAmong } from '../../tables/names';
import { checkKeyTypes, checkOldKey, namesOf, withEmptyMarked } from '../../tables/schema/changes';
import type { NamedTypes } from '../../tables/schema/changes';
import type { Column, KnownColumn } from '../../tables/schema/schema';
import { describe, firstLine } from '../duckdb/connection';
import type { Database } from '../duckdb/connection';
import { checkComplete, columnsOf, duckdbDialect, queryRows } from '../duckdb/database';
import { filesIn } from '../files/folder-commit';
import type { QueryWrite } from '../loading/load-flat';
import { unmatched } from '../row-counts';
import type { CountedRows } from '../row-counts';
import { literal, pathLiteral, typeNamed } from '../sql';
import { checkKeys, findGone, isReplaced, mergedRows, replacedCounts, stage } from '../stores/merge';
import { stagedCounts, stagedRows } from '../stores/merge';
import type { GoneRows, SqlDialect, Staged } from '../stores/merge';
import type { StoredInto } from '../stores/store';
import { checkOneForm, checkPartitions, copyPartitions, nameOf, nameOfEmpty, oldFilesOf } from './partitions';
import type { OldFiles, TableForm } from './partitions';

/** The folder of tables while a run changes them. */
interface TablesPlace {
  readonly folder: string;
  readonly staging: string;
  /** The tables that earlier runs have partitioned. */
  readonly partitioned: ReadonlySet<string>;
  /** Returns whether a file is that of a table: other folders are no tables. */
  readonly isOwn: (file: string, table: string) => boolean;
  /** Returns the columns by whose values a table is partitioned; none: it is one file. */
  readonly columnsOfParts: (table: string, isOfLists: boolean) => readonly string[];
}

/** A table that rows are stored in. */
interface TableToStore {
  readonly load: QueryWrite;
  readonly form: TableForm;
  readonly old: OldFiles;
  /** The parent rows, as a source of SQL, where rows may have lost theirs; absent: none have. */
  readonly parents: string | undefined;
  /** The SQL condition that a row `old` is removed with its parent; absent: none is. */
  readonly isGone: string | undefined;
  /** The stage in which rows wait, since they are added to others, or not all of them count; absent: they need not wait. */
  readonly staged: Staged | undefined;
}

/** Returns the rows of several files as a source of SQL. The values in the names of folders are in the files as well, with their types. */
const fromFiles = (paths: readonly string[]): string | undefined =>
  paths.length === 0
    ? undefined
    : `read_parquet([${paths.map(pathLiteral).join(', ')}], hive_partitioning = false, union_by_name = true)`;

/** The tables of a folder while a run changes them: the new files are in the staging folder, and replace old ones at the commit. */
export class ParquetTables implements StoredInto<QueryWrite> {
  /** The names of old files that are removed. */
  removed: string[] = [];
  /** The tables that are partitioned then. */
  partitioned: Set<string>;
  /** The paths of all files of tables that were stored. */
  readonly #made = new Map<string, readonly string[]>();
  readonly #db: SqlDialect;
  #lists: ReadonlySet<string> = new Set();
  #gone: GoneRows = new Map();

  constructor(
    private readonly database: Database,
    private readonly place: TablesPlace,
  ) {
    this.#db = duckdbDialect(database);
    this.partitioned = new Set(place.partitioned);
  }

  /** Forgets what was stored. */
  begin(writes: readonly QueryWrite[]): void {
    this.removed = [];
    this.partitioned = new Set(this.place.partitioned);
    this.#made.clear();
    this.#lists = new Set(writes.flatMap(({ table, parent }) => (parent === undefined ? [] : [table])));
  }

  readonly known = async (table: string): Promise<readonly KnownColumn[]> => {
    const ask = async (sql: string): Promise<readonly unknown[]> => (await this.database.rows(sql))[0] ?? [];
    return withEmptyMarked(await this.#columns(table), (await this.#source(table)) ?? NO_FILES, ask);
  };

  readonly declared = async (table: string): Promise<NamedTypes> => {
    const source = await this.#source(table);
    return source === undefined ? [] : describe(this.database, source);
  };

  /** Files have their number of rows at their end. */
  readonly count = async (table: string): Promise<number> => this.#number('count(*)', await this.#source(table));

  readonly lastRow = async (table: string): Promise<number> => {
    const hasIds = (await this.#columns(table)).some(({ name }) => name === ROW_ID);
    return hasIds ? this.#number(`max(${quoted(ROW_ID)})`, await this.#source(table)) : 0;
  };

  readonly removeGone = async (writes: readonly QueryWrite[]): Promise<void> => {
    const sources = new Map<string, string | undefined>();
    for (const { table } of writes) sources.set(table, await this.#source(table));
    const old = { columns: this.#columns, from: (table: string) => sources.get(table) ?? NO_FILES };
    this.#gone = await findGone(this.#db, queryRows(this.database), writes, old);
  };

  /** Makes the new files of a table; of a partitioned one, only those that the rows of the run change are made again. */
  readonly store = async (load: QueryWrite, isPruned: boolean): Promise<CountedRows> => {
    const { database, partitioned } = this;
    const { folder, staging } = this.place;
    const { table, parent = '', mode, keys } = load;
    const parents = isPruned ? await this.#source(parent) : undefined;
    const form = this.#formOf(table);
    const old = await this.#oldFiles(form);
    if (load.rows > 0) checkPartitions(form, namesOf(load.columns));
    const isStaged = load.rows > 0 && (mode !== 'replace' || keys.length > 0 || parents !== undefined);
    if (isStaged) checkKeys(load);
    const staged = isStaged ? await stage(this.#db, queryRows(database), load) : undefined;
    const made = { load, form, old, parents, isGone: this.#gone.get(table), staged };
    const rewritten = await this.#filesToRewrite(made);
    const before = oldRows(pathsIn(folder, rewritten), made.isGone);
    const counted = await this.#countsOf(made, before);
    const target = join(staging, nameOf(form));
    const rows = await this.#rowsOf(made, before);
    let written: number | undefined;
    if (rows !== undefined && (load.rows > 0 || mode !== 'replace')) {
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
      const found = await this.#number('count(*)', source);
      if (found !== written) throw lossOf(form, `its files have ${found} of ${written} rows`);
    }
    // A stage was checked before.
    if (load.rows > 0 && !isStaged) await checkComplete(database, source ?? literal(target), load);
    const left = rows === undefined ? old.files : old.files.filter((file) => !rewritten.includes(file));
    const current = [...pathsIn(staging, files), ...pathsIn(folder, left)];
    this.#made.set(table, current);
    if (rows !== undefined) this.removed.push(...rewritten.filter((file) => !files.includes(file)));
    if (current.some((path) => ![staging, folder].includes(dirname(path)))) partitioned.add(table);
    else if (current.length > 0) partitioned.delete(table);
    return counted;
  };

  /** The rows without a parent were not stored. */
  readonly prune = (): Promise<void> => Promise.resolve();

  readonly #columns = async (table: string): Promise<readonly Column[]> => {
    const source = await this.#source(table);
    return source === undefined ? [] : columnsOf(this.database, source, table);
  };

  /** Returns the rows of a table by now, as a source of SQL; `undefined`: it does not exist. */
  async #source(table: string): Promise<string | undefined> {
    const made = this.#made.get(table);
    if (made !== undefined) return fromFiles(made);
    const { files } = await this.#oldFiles(this.#formOf(table));
    return readable(this.database, table, pathsIn(this.place.folder, files));
  }

  #formOf(table: string): TableForm {
    return { table, partitionBy: this.place.columnsOfParts(table, this.#lists.has(table)) };
  }

  #oldFiles(form: TableForm): Promise<OldFiles> {
    return oldFilesOf(this.place.folder, form, (file) => this.place.isOwn(file, form.table));
  }

  async #number(value: string, source: string | undefined): Promise<number> {
    if (source === undefined) return 0;
    const [[found] = []] = await this.database.rows(`SELECT ${value} FROM ${source}`);
    return Number(found ?? 0);
  }

  /**
   * Returns the counts of the rows of the run, once they are staged.
   *
   * @param from the old rows, as a source of SQL
   */
  async #countsOf({ load, staged }: TableToStore, from: string | undefined): Promise<CountedRows> {
    if (staged === undefined || load.keys.length === 0) return unmatched(load.rows);
    if (load.mode !== 'replace') {
      const columns = from === undefined ? [] : await columnsOf(this.database, from, load.table);
      return stagedCounts(this.#db, staged, from === undefined ? undefined : { from, columns });
    }
    if (from === undefined) return replacedCounts(this.#db, staged, undefined);
    const named = await describe(this.database, from);
    const columns = named.map(([name, type]) => [name, typeNamed(type) ?? type] as const);
    return replacedCounts(this.#db, staged, { from, columns });
  }

  /** Returns the old files whose rows change, or may change. */
  async #filesToRewrite({ load, staged, form, old, isGone }: TableToStore): Promise<readonly string[]> {
    const { folder } = this.place;
    const { table, partitionBy } = form;
    const { mode, columns, keys } = load;
    if (mode === 'replace') return old.files;
    checkOneForm(folder, table, old.files);
    const source = fromFiles(pathsIn(folder, old.files));
    if (staged === undefined || source === undefined) return old.files;
    const known = await columnsOf(this.database, source, table);
    await checkOldKey(table, keys, namesOf(known), async () => (await this.#number('count(*)', source)) > 0);
    if (partitionBy.length === 0 || !old.isInForm || isGone !== undefined) return old.files;
    if (known.length !== columns.length || known.some(({ type }, at) => type !== columns[at]?.type)) return old.files;
    const samePart = partitionBy
      .map((each) => this.#db.same(`old.${quoted(each)}`, `new.${quoted(each)}`))
      .join(' AND ');
    const touched = [
      `EXISTS (FROM ${staged.from} AS new WHERE ${samePart})`,
      ...(keys.length === 0 ? [] : [isReplaced(this.#db, staged)]),
    ].join(' OR ');
    const file = freeName('headwater file', isAmong(columns.map(({ name }) => name)));
    const paths = `read_parquet([${pathsIn(folder, old.files).map(pathLiteral).join(', ')}], hive_partitioning = false, filename = ${literal(file)})`;
    const found = await this.database.rows(`SELECT DISTINCT ${quoted(file)} FROM ${paths} AS old WHERE ${touched}`);
    const changed = new Set(found.map(([path]) => dirname(String(path))));
    // New files of a partition have names of old ones and may replace any of them: all of its rows are written again.
    return old.files.filter((file) => changed.has(dirname(join(folder, file))));
  }

  /**
   * Returns the rows of the new files as a query; `undefined`: nothing changes.
   *
   * @param from the old rows, as a source of SQL
   */
  async #rowsOf(
    { load, staged, parents, isGone }: TableToStore,
    from: string | undefined,
  ): Promise<string | undefined> {
    const withParents = (rows: string): string => (parents === undefined ? rows : ofParents(rows, parents));
    if (load.rows === 0) {
      if (from === undefined) return load.mode !== 'replace' || load.columns.length === 0 ? undefined : load.query;
      if (load.mode === 'replace') return `SELECT * FROM ${from} LIMIT 0`;
      return parents === undefined && isGone === undefined ? undefined : withParents(`SELECT * FROM ${from}`);
    }
    if (staged === undefined) return load.query;
    if (load.mode === 'replace' || from === undefined) return withParents(stagedRows(staged));
    const columns = await columnsOf(this.database, from, load.table);
    checkKeyTypes(load.table, load.keys, columns, load.columns);
    return withParents(mergedRows(this.#db, staged, { from, columns }));
  }
}

/** Returns the old rows that are not removed with their parents, as a source of SQL. */
function oldRows(old: readonly string[], isGone: string | undefined): string | undefined {
  const files = fromFiles(old);
  return files === undefined || isGone === undefined ? files : `(SELECT * FROM ${files} AS old WHERE NOT ${isGone})`;
}

function lossOf({ table }: TableForm, what: string): FatalError {
  const message = `The table ${JSON.stringify(table)} would lose rows: ${what}. Nothing was stored. This is a defect of Headwater: report it.`;
  return new FatalError('SINK_FAILED', message, { table });
}

/** Stands for a table that does not exist. */
const NO_FILES = '(SELECT 1 WHERE false)';

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
async function readable(database: Database, table: string, files: readonly string[]): Promise<string | undefined> {
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
