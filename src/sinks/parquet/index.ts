import { quoted } from '../../core/json/sql-name';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DurableSink, Stored } from '../../core/durable-sink';
import { withMember } from '../../core/json/literals';
import { isList, ownValue } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import { requirePackage } from '../../core/optional-package';
import { defineSink } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { ROW_ID } from '../../tables/linked/places';
import { mappingsByBucket, tablesOfBuckets } from '../../tables/mapping/mapping';
import { withEmptyMarked } from '../../tables/schema/changes';
import { addsAnyRows } from '../../tables/table';
import { openDatabase } from '../duckdb/connection';
import { columnsOf, duckdbDialect, queryRows } from '../duckdb/database';
import { workFolderIn } from '../files/folder-sink';
import type { Preparation, Prepared, ReplacedRows } from '../files/folder-sink';
import { fileJournal } from '../journal/file-journal';
import { IN_FILES, loadTables } from '../loading/load';
import { listsAmong, mayLose } from '../loading/load-flat';
import { tableFailure } from '../loading/refusals';
import { linkedIn, structsIn } from '../options';
import type { StructOptions, TableOptions } from '../options';
import { findGone } from '../stores/merge';
import { filePlace } from '../s3/address';
import type { BucketAddress } from '../s3/address';
import { fileSink } from '../s3/sink';
import { structureIn, withFilledLists, withStructure } from '../state';
import { fromFiles, makeTable, readable } from './make-table';
import { parquet as outline } from '../outlines';
import { checkMappedPartitions, oldFilesOf } from './partitions';
import type { OldFiles, TableForm } from './partitions';

export const parquet = defineSink({
  ...outline,
  create: ({ rest }, { outputs, warn }, options: ParquetOptions) => {
    const { folder, bucket } = filePlace(outline.name, rest, options.journal);
    return parquetFolder(folder, outputs, { ...options, warn, bucket });
  },
});

/** The settings of the sink. */
export interface ParquetOptions extends StructOptions {
  /** The columns by whose values the rows of each table are partitioned into folders; default: none. */
  readonly partitionBy?: readonly string[];
  /** The folder where pages for a bucket wait; default: in `.headwater` of the current folder. */
  readonly journal?: string;
}

/** The place of the files. */
interface InBucket {
  /** The bucket of the files; absent: they stay in the folder. */
  readonly bucket?: BucketAddress | undefined;
}

/**
 * Returns a sink of Parquet files in a folder, one for each dataType, compressed with zstd. A commit replaces the old files; an incremental
 * run makes files of the old rows and its own.
 *
 * @param folder created if it does not exist
 * @param outputs the outputs of the runs of the configuration, by their numbers
 * @param options how objects and lists in items are stored, if the job does not say it
 * @throws FatalError from its methods: as {@link fileSink}; DESTINATION_INCOMPATIBLE when rows cannot be added to an old file;
 *   TABLE_NAME; PACKAGE_MISSING without `@duckdb/node-api`
 * @example const sink = parquetFolder('rivers', [{ incremental: false, compatLevel: 3 }]);
 */
export function parquetFolder(
  folder: string,
  outputs: readonly OutputPlan[],
  options: ParquetOptions & TableOptions<StructOptions> & InBucket = {},
): DurableSink {
  const name = options.bucket?.name ?? `parquet:${folder}`;
  const journal = fileJournal(join(workFolderIn(folder), 'journal'));
  const prepare = (preparation: Preparation): Promise<Prepared> => makeFiles(name, preparation, options);
  const check = (): void => {
    checkMappedPartitions(mappedTables(outputs).values(), options.partitionBy ?? []);
    requirePackage('parquet:', '@duckdb/node-api');
  };
  const formOf = (table: string): TableForm => ({ table, partitionBy: options.partitionBy ?? [] });
  return fileSink(options.bucket, {
    isTable: (file) => file.endsWith('.parquet'),
    isDeep: true,
    // Changes of columns are reported in any case.
    alwaysReads: true,
    ...{ name, folder, makes: 'tables', maps: true, structs: true, addsRunColumns: true },
    ...{ outputs, journal, prepare, check },
    hasRows: (table) => hasRows(folder, formOf(table)),
    isThere: async (table) => (await oldFilesOf(folder, formOf(table), () => true)).files.length > 0,
  });
}

const mappedTables = (outputs: readonly OutputPlan[]): ReturnType<typeof tablesOfBuckets> =>
  tablesOfBuckets(mappingsByBucket(outputs));

async function hasRows(folder: string, form: TableForm): Promise<boolean> {
  const { files } = await oldFilesOf(folder, form, () => true);
  if (files.length === 0) return false;
  const database = await openDatabase({ sink: 'parquet:', spill: join(workFolderIn(folder), 'spill'), threads: 1 });
  try {
    const source = await readable(
      database,
      form.table,
      files.map((file) => join(folder, file)),
    );
    return source !== undefined && (await database.rows(`SELECT 1 FROM ${source} LIMIT 1`)).length > 0;
  } finally {
    database.close();
  }
}

async function makeFiles(
  name: string,
  { places, pages, staging, folder, outputs, state, isOwn, unfed, manifest: { startedAt } }: Preparation,
  { partitionBy = [], warn, ...nesting }: ParquetOptions & TableOptions<StructOptions>,
): Promise<Prepared> {
  // Everything in the staging folder becomes visible, so this is removed first.
  const loads = join(staging, 'load');
  await mkdir(loads);
  // Each thread would take some 100 MB to copy lines, which one thread does faster than pages come; joins with old rows need more.
  const threads = outputs.some(addsAnyRows) ? {} : { threads: 1 };
  const database = await openDatabase({ sink: 'parquet:', spill: join(loads, 'spill'), ...threads });
  const partitioned = new Set(partitionedIn(state));
  const mapped = mappedTables(outputs);
  const oldOf = (form: TableForm): Promise<OldFiles> =>
    oldFilesOf(folder, form, (file) => partitioned.has(form.table) || isOwn(file));
  // If no rows are added, the form does not matter.
  const sourceOf = async (table: string): Promise<string | undefined> => {
    const { files } = await oldOf({ table, partitionBy });
    return readable(
      database,
      table,
      files.map((file) => join(folder, file)),
    );
  };
  const known = async (table: string): ReturnType<typeof columnsOf> => {
    const source = await sourceOf(table);
    return source === undefined ? [] : columnsOf(database, source, table);
  };
  try {
    const lastRow = async (table: string): Promise<number> => {
      const source = await sourceOf(table);
      if (source === undefined || !(await known(table)).some((column) => column.name === ROW_ID)) return 0;
      const [[last] = []] = await database.rows(`SELECT max(${quoted(ROW_ID)}) FROM ${source}`);
      return Number(last ?? 0);
    };
    const source = {
      ...{ places, pages, folder: loads, outputs, startedAt, unfed, warn, structure: structureIn(state) },
      ...{ isLinked: linkedIn(outputs, nesting), hasStructs: structsIn(outputs, nesting) },
      known: async (table: string) =>
        withEmptyMarked(
          await known(table),
          (await sourceOf(table)) ?? NO_FILES,
          async (sql) => (await database.rows(sql))[0] ?? [],
        ),
      lastRow,
    };
    return await loadTables(IN_FILES, source, async (all, structure) => {
      const stored: Stored[] = [];
      const removed: string[] = [];
      const replaced: ReplacedRows[] = [];
      const current = new Map<string, string | undefined>();
      const sources = new Map<string, string>();
      for (const { table } of all) sources.set(table, (await sourceOf(table)) ?? NO_FILES);
      const old = { columns: known, from: (table: string) => sources.get(table) ?? NO_FILES };
      const gone = await findGone(duckdbDialect(database), queryRows(database), all, old);
      const hasLost = new Set<string>();
      for (const load of all) {
        const isRoot = load.parent === undefined && mapped.get(load.table)?.isRoot !== false;
        const form = { table: load.table, partitionBy: isRoot ? partitionBy : [] };
        const parents = mayLose(load, hasLost) ? current.get(load.parent ?? '') : undefined;
        const isGone = gone.get(load.table);
        const place = { folder, staging, form, old: await oldOf(form), parents, isGone, warn };
        const made = await makeTable(database, load, place).catch(tableFailure(name, load));
        removed.push(...made.removed);
        if (load.mode === 'replace') replaced.push({ name: load.table, before: made.before, after: made.total });
        current.set(load.table, fromFiles(made.current));
        if (made.current.some((path) => ![staging, folder].includes(dirname(path)))) partitioned.add(load.table);
        else if (made.current.length > 0) partitioned.delete(load.table);
        if ((made.stored.repeated ?? 0) > 0) hasLost.add(load.table);
        if (load.parent === undefined || load.rows > 0) stored.push(made.stored);
      }
      const left = withFilledLists(withStructure(state, structure), listsAmong(all));
      return { stored, replaced, removed, state: withPartitioned(left, partitioned) };
    });
  } finally {
    database.close();
    await rm(loads, { recursive: true, force: true });
  }
}

/** Stands for a table that does not exist. */
const NO_FILES = '(SELECT 1 WHERE false)';

/**
 * The key for the tables of a folder that are partitioned, across runs: a run may not change all of them, and other folders are no tables.
 */
const KEY = 'headwater.partitioned';

/** Returns the names of tables that runs have partitioned. */
function partitionedIn(state: JsonObject): ReadonlySet<string> {
  const tables = ownValue(state, KEY);
  return new Set(isList(tables) ? tables.filter((name) => typeof name === 'string') : []);
}

/** Returns a state that keeps them. */
const withPartitioned = (state: JsonObject, tables: ReadonlySet<string>): JsonObject =>
  tables.size === 0 && ownValue(state, KEY) === undefined ? state : withMember(state, KEY, [...tables].sort());
