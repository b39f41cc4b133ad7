import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DurableSink } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { defineSink } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { addsRows, keyPlaceOf } from '../../tables/table';
import type { Warn } from '../../language/parts/sink';
import { hasLines, linesIn, oldFileOf, superseded } from '../files/old-files';
import type { Compression } from '../files/old-files';
import { fileJournal } from '../journal/file-journal';
import { extentsOf, isWholeFile } from '../loading/survey';
import { bytesOf } from '../journal/journal';
import type { ItemsOfRun, PageOfItems, PlaceOfItems } from '../journal/journal';
import { objectIn } from '../files/checksum';
import { fileNameFor, safeFileName } from '../files/durable-files';
import { workFolderIn } from '../files/folder-sink';
import type { Prepared, Preparation } from '../files/folder-sink';
import { memberNames, stampedLines } from '../../tables/run-columns';
import { linkedIn } from '../options';
import { withFilledLists, structureIn, withStructure } from '../state';
import { mapItems, withMappedItems } from '../loading/mapped-items';
import { fileSink } from '../s3/sink';
import { filePlace } from '../s3/address';
import { transient } from '../durable';
import { ndjson as outline } from '../outlines';
import type { BucketAddress } from '../s3/address';
import { runOf, withUnfed } from '../loading/split-rows';
import { linkItems, findGone } from './linked';
import { NdjsonTable } from './table';
import { ndjson as lines } from './stream';

export interface NdjsonSinkOptions {
  /** True if items on standard output have their dataType; default false. */
  readonly tag?: boolean;
  /** True if they also have the values that tables add to items, such as `parent_id`, as `extra`; default false. */
  readonly tagExtra?: boolean;
  /** The compression of files in a folder; default: none. */
  readonly compress?: Compression;
  /** The folder where pages for a bucket wait; default: in `.headwater` of the current folder. */
  readonly journal?: string;
  /** How objects and lists in items of files in a folder are stored; default: `json`, they stay unchanged. */
  readonly nested?: 'tables' | 'json';
}

const NO_TABLES =
  'nested: standard output has lines of items, and no linked tables: name a folder, such as ndjson:out, or leave "tables" out.';

/** The address of standard output. */
const STANDARD_OUTPUT = '-';

export const ndjson = defineSink({
  ...outline,
  create: ({ url, rest }, { outputs, warn }, options: NdjsonSinkOptions) => {
    const { tag = false, tagExtra = false, journal, nested } = options;
    if (rest === STANDARD_OUTPUT) {
      if (nested === 'tables') throw new FatalError('CONFIG_INVALID', NO_TABLES);
      return transient(url, lines(process.stdout, { tag, tagExtra }));
    }
    const { folder, bucket } = filePlace(outline.name, rest, journal);
    return ndjsonFolder(folder, outputs, { ...options, warn, bucket });
  },
});

/** The options beside the folder. */
export interface FolderOptions extends Pick<NdjsonSinkOptions, 'compress' | 'nested'> {
  /** Is called with files that stay although they are no tables of the run. */
  readonly warn?: Warn;
  /** The bucket of the files; absent: they stay in the folder. */
  readonly bucket?: BucketAddress | undefined;
}

/**
 * Returns a sink of items as lines of JSON in the spelling of the API, with one file `<table>.ndjson` for each table; if there are tables
 * of several buckets, `<bucket>.<table>.ndjson`. Files are replaced, or added to if the run is incremental: with a key, a line replaces an
 * older one. The columns of a key are at the top level of items.
 *
 * @param folder created if it does not exist; pages wait in `.headwater` inside it
 * @param outputs the outputs of the runs of the configuration, by their numbers
 * @throws FatalError from its methods: as {@link fileSink}, and from `commit` TABLE_NAME for a table that cannot name a file,
 *   and DESTINATION_INCOMPATIBLE for a primary key with a column that no line has
 * @example const sink = ndjsonFolder('out', [plan.output]); const { unfinished } = await sink.open();
 */
export function ndjsonFolder(folder: string, outputs: readonly OutputPlan[], options: FolderOptions = {}): DurableSink {
  // Lines are passed on unchanged, whether they are plain or not.
  const journal = fileJournal(join(workFolderIn(folder), 'journal'), { judges: false });
  const oldFile = (table: string): string | undefined =>
    oldFileOf(folder, fileIn(outputs, table, bucketOf(outputs, table)));
  return fileSink(options.bucket, {
    name: `ndjson:${folder}`,
    isTable: (name) => /\.ndjson(\.gz)?$/.test(name),
    folder,
    makes: 'tables',
    maps: true,
    addsRunColumns: true,
    outputs,
    journal,
    prepare: (run) => prepare(run, options),
    hasRows: (table) => hasLines(oldFile(table), 1),
    isThere: (table) => oldFile(table) !== undefined,
  });
}

async function prepare(run: Preparation, { compress, warn, nested = 'json' }: FolderOptions): Promise<Prepared> {
  const { staging, scratch, folder, isWhole, manifest, isOwn, state } = run;
  const mapped = await mapItems({ ...run, folder: scratch, startedAt: manifest.startedAt, warn });
  const mappedTables = mapped?.tables ?? [];
  const fileOf = (table: string, bucket: string | undefined): string => fileIn(run.outputs, table, bucket);
  const isMapped = new Set(mappedTables.map(({ name }) => name));
  const isNested = linkedIn(run.outputs, { nested });
  const isLinked = (table: string): boolean => !isMapped.has(table) && isNested(table);
  const unmapped = { ...(mapped === undefined ? run : withMappedItems(run, mapped)), outputs: (mapped ?? run).outputs };
  const unfed = run.unfed.filter(isNested);
  const source = { ...unmapped, ...(await withUnfed({ ...unmapped, folder: scratch, unfed })) };
  const linked = await linkItems({
    ...{ ...source, folder: scratch, structure: structureIn(state), isLinked },
    oldFiles: (table) =>
      [...new Set(run.outputs.map(({ bucket }) => fileOf(table, bucket)))]
        .map((file) => oldFileOf(folder, file))
        .filter((file) => file !== undefined),
  });
  const { outputs, files } = linked;
  const ofLists = new Map(files.map(({ table, parent }) => [table, parent !== undefined] as const));
  const hasRun = manifest.runColumns === true;
  const names = hasRun ? memberNames(await membersIn(linked.others)) : [];
  const gone = await findGone(mappedTables, ({ name, output }) => oldFileOf(folder, fileOf(name, output.bucket)));
  const tables = new Map<string, NdjsonTable>();
  const tableOf = (name: string, bucket: string | undefined): NdjsonTable => {
    const file = fileOf(name, bucket);
    const known = tables.get(file);
    if (known !== undefined) return known;
    const table = new NdjsonTable({
      ...{ folder, isWhole, staging, file, compress, hasRun, isGone: gone.get(name) },
      ...{ isLinked: ofLists.has(name), isOfLists: ofLists.get(name) === true },
      ...mannerOf(name, bucket, outputs),
    });
    tables.set(file, table);
    return table;
  };
  try {
    for (const { name, output } of mappedTables) await tableOf(name, output.bucket).begin();
    for (const table of run.unfed) if (!isNested(table)) await tableOf(table, bucketOf(outputs, table)).begin();
    for (const { table, bucket, parent, incremental, isKeyed } of files) {
      const isThere = oldFileOf(folder, fileOf(table, bucket)) !== undefined;
      if (parent === undefined ? !incremental : isThere && (!incremental || isKeyed))
        await tableOf(table, bucket).begin();
    }
    const tableAt = ({ run: at, dataType }: ItemsOfRun): NdjsonTable => tableOf(dataType, outputs[at]?.bucket);
    const asTheyAre = (place: PlaceOfItems): NdjsonTable | undefined =>
      place.stamp === undefined && !isLinked(place.dataType) ? tableAt(place) : undefined;
    const adopted = new Set<NdjsonTable>();
    for (const [table, extent] of extentsOf(source.places(), asTheyAre))
      if ((await isWholeFile(extent)) && (await table.adopt(extent.first.path, extent.rows))) adopted.add(table);
    for await (const page of linked.pages((place) => !adopted.has(tableAt(place)))) {
      const { count, lines, stamp, extra } = page;
      const stamped = stamp === undefined ? lines : stampedLines(lines, stamp, names);
      const table = tableAt(page);
      for (const name of extra.keys()) table.extra.add(name);
      await table.add(stamped, count);
    }
  } finally {
    for (const table of tables.values()) await table.close();
  }
  // The files that follow may need its space.
  await rm(scratch, { recursive: true });
  for (const table of tables.values()) await table.merge();
  for (const { table, bucket, parent, isKeyed } of files)
    if (parent !== undefined && isKeyed) await tableOf(table, bucket).keepOf(tableOf(parent, bucket));
  for (const table of tables.values()) await table.finish();
  const all = [...tables.values()];
  const made = all.filter(({ isMade }) => isMade);
  const ofMapped = mappedTables.map(({ name, output: { bucket }, link }) => ({
    table: name,
    bucket,
    parent: link?.parent,
  }));
  const lists = [...files, ...ofMapped].flatMap(({ table, bucket, parent }) =>
    parent === undefined ? [] : [{ table, parent, rows: tableOf(table, bucket).stored.rows ?? 0 }],
  );
  const replaced = made.flatMap(({ options, name, oldFile, stored: { total = 0 } }) =>
    options.incremental || oldFile === undefined ? [] : [{ name, after: total, before: () => linesIn(oldFile) }],
  );
  return {
    stored: all.filter(({ isShown }) => isShown).map(({ stored }) => stored),
    replaced,
    state: withFilledLists(withStructure(state, linked.structure), lists),
    removed: superseded(new Map(made.map(({ name, isGrown }) => [name, isGrown ? 'grown' : 'replaced'])), {
      ...{ folder, isOwn, warn },
    }),
  };
}

const bucketOf = (outputs: readonly OutputPlan[], table: string): string | undefined =>
  outputs[runOf(outputs, table)]?.bucket;

/** Returns the name of the file of a table; it begins with the bucket if there are tables of several. */
function fileIn(outputs: readonly OutputPlan[], table: string, bucket: string | undefined): string {
  const isOne = outputs.every((output) => output.bucket === outputs[0]?.bucket);
  return safeFileName(fileNameFor(`${isOne || bucket === undefined ? '' : `${bucket}.`}${table}.ndjson`));
}

/** Returns whether any item has a member with the beginning of a column name of the run. */
async function membersIn(pages: () => AsyncIterable<PageOfItems>): Promise<(name: string) => boolean> {
  const found = new Set<string>();
  for await (const page of pages()) {
    const bytes = bytesOf(page);
    // Most items have none, and are not parsed for it; an escape in a key is even rarer.
    if (!memberNames(() => false).some((name) => bytes.includes(`"${name}`)) && !bytes.includes('\\u00')) continue;
    for (const line of bytes.toString('utf8').trimEnd().split('\n'))
      for (const key of Object.keys(objectIn(line) ?? {})) if (key.startsWith('_')) found.add(key);
  }
  return (name) => found.has(name);
}

/** Returns how the lines of a table are written. Runs of the same bucket share their tables, and the last of them decides. */
function mannerOf(table: string, bucket: string | undefined, outputs: readonly OutputPlan[]) {
  const sharing = outputs.filter((output) => output.bucket === bucket);
  const keyed = sharing.findLast(({ primaryKeys }) => primaryKeys?.has(table));
  const last = sharing.at(-1);
  return {
    incremental: last !== undefined && addsRows(last, table),
    key: keyed?.primaryKeys?.get(table) ?? [],
    keyPlace: keyPlaceOf(keyed ?? {}, table),
  };
}
