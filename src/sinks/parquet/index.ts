import { join } from 'node:path';
import type { DurableSink } from '../../core/durable-sink';
import { withMember } from '../../core/json/literals';
import { isList, ownValue } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import { requirePackage } from '../../core/optional-package';
import { defineSink } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { mappingsByBucket, tablesOfBuckets } from '../../tables/mapping/mapping';
import { addsAnyRows } from '../../tables/table';
import { openDatabase } from '../duckdb/connection';
import { workFolderIn } from '../files/folder-sink';
import type { Preparation, Prepared } from '../files/folder-sink';
import { fileJournal } from '../journal/file-journal';
import { IN_FILES } from '../loading/load';
import type { QueryWrite } from '../loading/load-flat';
import { tableFailure } from '../loading/refusals';
import type { StructOptions, TableOptions } from '../options';
import { filePlace } from '../s3/address';
import type { BucketAddress } from '../s3/address';
import { fileSink } from '../s3/sink';
import { storeRun } from '../stores/store';
import { ParquetTables } from './make-table';
import { parquet as outline } from '../outlines';
import { checkMappedPartitions, oldFilesOf } from './partitions';
import type { TableForm } from './partitions';

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

type ParquetTableOptions = ParquetOptions & TableOptions<StructOptions>;

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
  options: ParquetTableOptions & { readonly bucket?: BucketAddress | undefined } = {},
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

async function hasRows(folder: string, { table, partitionBy }: TableForm): Promise<boolean> {
  const { files } = await oldFilesOf(folder, { table, partitionBy }, () => true);
  if (files.length === 0) return false;
  const database = await openDatabase({ sink: 'parquet:', spill: join(workFolderIn(folder), 'spill'), threads: 1 });
  const place = { folder, staging: '', partitioned: new Set<string>(), isOwn: () => true };
  const tables = new ParquetTables(database, { ...place, columnsOfParts: () => partitionBy });
  return (await tables.count(table).finally(database.close)) > 0;
}

async function makeFiles(
  name: string,
  { staging, scratch, folder, isOwn, ...run }: Preparation,
  { partitionBy = [], warn, nested }: ParquetTableOptions,
): Promise<Prepared> {
  const { outputs } = run;
  // Each thread would take some 100 MB to copy lines, which one thread does faster than pages come; joins with old rows need more.
  const threads = outputs.some(addsAnyRows) ? {} : { threads: 1 };
  const database = await openDatabase({ sink: 'parquet:', spill: join(scratch, 'spill'), ...threads });
  const mapped = mappedTables(outputs);
  const partitioned = partitionedIn(run.state);
  const tables = new ParquetTables(database, {
    ...{ folder, staging, partitioned },
    isOwn: (file, table) => partitioned.has(table) || isOwn(file),
    columnsOfParts: (table, isOfLists) => (isOfLists || mapped.get(table)?.isRoot === false ? [] : partitionBy),
  });
  const failed = (write: QueryWrite) => tableFailure(name, write);
  const source = { ...run, folder: scratch, nested, structs: true, warn, failed } as const;
  try {
    return await storeRun(IN_FILES, tables, source, async (writes, storeAll) => {
      tables.begin(writes);
      const { state, ...stored } = await storeAll();
      return { ...stored, removed: tables.removed, state: withPartitioned(state, tables.partitioned) };
    });
  } finally {
    database.close();
  }
}

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
