import { randomUUID } from 'node:crypto';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DurableSink, Stored } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import { withMember } from '../../core/json/literals';
import { entriesOf, merge, objectAt, objectFrom, ownValue } from '../../core/json/objects';
import { makeFolders } from '../../core/make-folders';
import type { Item, JsonObject } from '../../core/model';
import { defineSink } from '../../language/parts/sink';
import type { Warn } from '../../language/parts/sink';
import type { OutputPlan } from '../../plan/plan';
import { STRUCT, STRUCT_VERSION } from '../../tables/automatic/state';
import { createBuckets } from '../../tables/buckets';
import type { PageOfTables } from '../../tables/buckets';
import { safeName } from '../../tables/names';
import { namedColumns } from '../../tables/run-columns';
import { addsRows } from '../../tables/table';
import type { Bucket } from '../../tables/table';
import { durableSink } from '../durable';
import type { Publication } from '../durable';
import { hasLines, nameAs, oldFileOf, superseded } from '../files/old-files';
import type { Compression } from '../files/old-files';
import { codeOf } from '../files/durable-files';
import { workFolderIn } from '../files/folder-sink';
import type { Preparation } from '../files/folder-sink';
import { fileJournal } from '../journal/file-journal';
import { bytesOf, itemsOf } from '../journal/journal';
import type { JournaledPage } from '../journal/journal';
import { filePlace } from '../s3/address';
import type { BucketAddress } from '../s3/address';
import { fileSink } from '../s3/sink';
import { ownState, withFilledLists, withOwnState } from '../state';
import { checkTaken, childTablesIn, tablesOfOthers, withChildTables, withTablesOf } from './child-tables';
import type { TablesOfTypes } from './child-tables';
import { PLAIN, emptyOld, fileName, writeTables } from './files';
import type { CsvLayout } from './files';
import { csv as outline } from '../outlines';

export interface CsvOptions {
  /** The names of files, and the files beside them; default: `<table>.csv`, with the bucket if there are tables of several. */
  readonly layout?: CsvLayout;
  /**
   * True if nothing of an interrupted run is kept, and the folder contains only the files; default false. The state has to be passed to
   * `deliver`.
   */
  readonly keepsNothing?: boolean;
  /** With `keepsNothing`, an existing folder where pages wait until all have come; default: the temporary folder of the system. */
  readonly spoolFolder?: string;
  /** The compression of files; default: none. */
  readonly compress?: Compression;
  /** The folder where pages for a bucket wait; default: in `.headwater` of the current folder. */
  readonly journal?: string;
  /** True if no two rows have the same id, so that each element of an array joins to one row; default false: equal rows have equal ids. */
  readonly uniqueIds?: boolean;
}

export const csv = defineSink({
  ...outline,
  create: ({ rest }, { outputs, warn }, options: CsvOptions) => {
    const { layout = PLAIN, keepsNothing = false, journal } = options;
    const { folder, bucket } = filePlace(outline.name, rest, journal);
    const tables = { ...options, folder, bucket, layout, outputs, warn };
    // Files without a journal could not be moved into a bucket in one step.
    return keepsNothing && bucket === undefined ? csvAtOnce(tables) : csvTables(tables);
  },
});

/** The options of a sink of CSV files. */
export interface CsvTables extends Pick<CsvOptions, 'compress' | 'uniqueIds' | 'spoolFolder'> {
  /** The folder; it is created if it does not exist. */
  readonly folder: string;
  readonly layout: CsvLayout;
  /** The outputs of the runs of the configuration, by their numbers. */
  readonly outputs: readonly OutputPlan[];
  /** Receives warnings about values that the tables cannot hold unchanged. */
  readonly warn: Warn;
  /** The bucket of the files; absent: they stay in the folder. */
  readonly bucket?: BucketAddress | undefined;
}

/**
 * Returns a sink of linked tables (docs/language/tables.md) as CSV files in a folder: by mappings, or by the automatic conversion. Pages
 * wait in `.headwater` inside the folder.
 *
 * @throws FatalError from its methods: as {@link fileSink} and `createBuckets`
 * @example csvTables({ folder: 'out', layout: PLAIN, outputs, warn })
 */
export function csvTables(tables: CsvTables): DurableSink {
  const { folder, layout, outputs, bucket } = tables;
  const named = new Set(outputs.map(({ bucket: of }) => of));
  /** If there are tables of several buckets, the names of their files begin with the bucket. */
  const prefixes = Array.from(named, (of) => (named.size > 1 && of !== undefined ? `${of}.` : ''));
  const oldFile = (table: string): string | undefined => {
    const names = prefixes.map((prefix) => `${prefix}${safeName(table)}${layout.suffix}`);
    return names.map((name) => oldFileOf(folder, name)).find((file) => file !== undefined);
  };
  let kept: JsonObject = {};
  return fileSink(bucket, {
    isTable: (file) => file.endsWith(layout.suffix) || file.endsWith(nameAs(layout.suffix, 'gzip')),
    // A table without rows keeps the header of its old file.
    alwaysReads: true,
    name: `csv:${folder}`,
    folder,
    makes: 'linked-tables',
    addsRunColumns: true,
    outputs,
    journal: fileJournal(join(workFolderIn(folder), 'journal')),
    hasRows: (table) => hasLines(oldFile(table), 2),
    isThere: (table) => oldFile(table) !== undefined,
    prepare: async ({ state: all, staging, scratch, ...given }) => {
      const { fingerprint } = given.manifest;
      const isAdded = (type: string): boolean => outputs.some((output) => addsRows(output, type));
      const state = stateOfFolder(all, fingerprint, isAdded);
      const known = childTablesIn(all);
      const others = tablesOfOthers(known, outputs);
      const check = (made: readonly Bucket[]): void =>
        checkTaken(made, others, {
          outputs,
          oldFile: (of, table) => oldFileOf(folder, fileName(of, table, layout, made.length > 1)),
        });
      const run = { ...given, state, known, check, staging: () => Promise.resolve(staging), spoolFolder: scratch };
      const { buckets, types, ...made } = await makeTables(tables, run);
      kept = merge(state, made.state);
      const lists = buckets.flatMap((each) =>
        each.tables.flatMap(({ name, link, count }) =>
          link === undefined ? [] : [{ table: name, parent: link.parent, rows: count }],
        ),
      );
      const left = withOwnState(withFilledLists(all, lists), fingerprint, kept);
      return {
        ...made,
        state: withChildTables(withStructureOf(left, fingerprint, kept, types), withTablesOf(known, buckets, others)),
      };
    },
    kept: () => kept,
  });
}

/** The pages of a run, and what is known of the tables before it. */
interface Making extends Pick<Preparation, 'pages' | 'manifest' | 'state' | 'unfed' | 'isOwn'> {
  /** Returns the folder for new files, once it is known that there are any. */
  readonly staging: () => Promise<string>;
  /** An existing folder where rows wait. */
  readonly spoolFolder: string;
  readonly known: TablesOfTypes;
  /** Refuses tables that may not be stored; absent: all may, and have any number of columns, as the language says. */
  readonly check?: (made: readonly Bucket[]) => void;
}

/** Makes the files of all tables of a run in the staging folder. */
async function makeTables({ folder, layout, outputs, warn, compress, uniqueIds = false }: CsvTables, run: Making) {
  const { isOwn, known, check, spoolFolder, state, manifest } = run;
  const pages = async function* (): AsyncGenerator<PageOfTables> {
    for await (const page of run.pages()) yield new PageInLines(page);
  };
  const buckets = createBuckets({
    ...{ outputs, spoolFolder, state, startedAt: manifest.startedAt, limitsColumns: check !== undefined },
    ...{ pages, uniqueIn: uniqueIds ? manifest.id : undefined },
    warn: (message) => warn('TABLE_STRUCTURE', message),
    missing: (place) => warn('MAPPED_PATH_MISSING', `${place}: no item of this run has it. Correct the path.`),
  });
  try {
    const types = new Set<string>(run.unfed);
    if (!layout.manifests) await buckets.learn();
    for await (const page of pages()) {
      types.add(page.dataType);
      await buckets.add(page);
    }
    const made = await buckets.finish();
    check?.(made);
    const places = { staging: await run.staging(), old: folder, layout, compress, warn };
    const written = await writeTables(made, known, places);
    const emptied = await emptyOld(types, known, outputs, places);
    const files = new Map([...written.files, ...emptied.files]);
    return {
      ...{ buckets: made, types, files, stored: written.stored, state: buckets.state() },
      replaced: [...written.replaced, ...emptied.replaced],
      // Without a suffix, any name may belong to another table.
      removed: layout.suffix === '' ? [] : superseded(files, { folder, isOwn, warn }),
    };
  } finally {
    await buckets.close();
  }
}

/** A page whose items are parsed when they are first read. */
class PageInLines implements PageOfTables {
  readonly run: number;
  readonly dataType: string;
  readonly extra: PageOfTables['extra'];
  readonly lines: Buffer;
  readonly isPlain: boolean;
  #items: readonly Item[] | undefined;

  constructor(page: JournaledPage) {
    this.run = page.run;
    this.dataType = page.dataType;
    this.extra = namedColumns(page);
    this.lines = bytesOf(page);
    this.isPlain = page.isPlain === true;
  }

  get items(): readonly Item[] {
    return (this.#items ??= itemsOf(this));
  }
}

/**
 * Returns a sink of linked tables as CSV files, made of a run in one go: pages wait in a folder that goes with the run, and only the files are
 * in the folder. They are made in a folder beside it and moved when all are complete, so that a failure leaves the old files in place.
 *
 * @param csv.spoolFolder an existing folder where rows wait until all have come; default: the system folder for temporary files
 * @throws FatalError from its methods: DESTINATION_ADDRESS when the folder cannot be made; TABLE_NAME; as `createBuckets`
 * @example csvAtOnce({ folder: 'out', layout: PLAIN, outputs, warn })
 */
export function csvAtOnce(tables: CsvTables): DurableSink {
  const { folder, layout, spoolFolder = tmpdir() } = tables;
  const work = join(spoolFolder, `headwater-${randomUUID()}`);
  const journal = fileJournal(join(work, 'journal'));
  let [before, kept]: readonly [JsonObject, JsonObject] = [{}, {}];
  const publish = async ({ manifest }: Publication): Promise<readonly Stored[]> => {
    let place: string | undefined;
    const staging = async (): Promise<string> => {
      await makeFolders(folder).catch((cause: unknown): never => {
        throw folderFailure(folder, cause);
      });
      return (place = await mkdtemp(join(folder, '.headwater-')));
    };
    try {
      const nothing = { known: new Map(), unfed: [], isOwn: () => false };
      const run = { ...nothing, manifest, state: before, pages: journal.pages, staging, spoolFolder: work };
      const made = await makeTables(tables, run);
      for (const file of made.files.keys()) await rename(join(place ?? folder, file), join(folder, file));
      for (const file of made.removed) await rm(join(folder, file));
      kept = made.state;
      return made.stored;
    } finally {
      if (place !== undefined) await rm(place, { recursive: true, force: true });
    }
  };
  const sink = durableSink({
    ...{ name: `csv:${folder}`, makes: 'linked-tables', journal, publish },
    receipt: () => Promise.resolve(undefined),
    kept: () => kept,
    close: () => rm(work, { recursive: true, force: true }),
  });
  return {
    ...sink,
    keepsNothing: true,
    ...(layout.manifests ? { isLoadedByOthers: true } : {}),
    begin: (manifest, state = {}) => {
      before = state;
      return sink.begin(manifest);
    },
  };
}

function folderFailure(folder: string, cause: unknown): FatalError {
  const code = codeOf(cause);
  const isFile = code === 'EEXIST' || code === 'ENOTDIR';
  const reason = isFile ? 'a file is in its place' : `it cannot be made (${String(code)})`;
  const message = `Tables cannot be stored in the folder ${JSON.stringify(folder)}: ${reason}. Name another folder.`;
  return new FatalError('DESTINATION_ADDRESS', message, { cause });
}

/** The key for the structure of automatic tables (docs/language/tables.md#columns) that a folder keeps, since it belongs to its files. */
const KEY = 'headwater.csv';
/** The key for the tables of the files, whichever configuration made them. */
const TABLES = 'tables';
const NAMES: ReadonlySet<string> = new Set([STRUCT, STRUCT_VERSION]);

/**
 * Returns the state after the last run of a configuration, from the whole state of a folder, with the structure of the tables in this
 * folder: the common state of several destinations describes another one. For a table that rows are added to, it is the structure after the
 * last run of any configuration, since its columns belong to the file.
 *
 * @param isAdded whether rows are added to the table of a dataType
 * @example stateOfFolder(all, fingerprint, (dataType) => addsRows(output, dataType))
 */
function stateOfFolder(all: JsonObject, fingerprint: string, isAdded: (dataType: string) => boolean): JsonObject {
  const common = ownState(all, fingerprint);
  const own = ownState(objectAt(all, KEY), fingerprint);
  const state =
    ownValue(own, STRUCT) === undefined
      ? common
      : objectFrom([...entriesOf(common).filter(([key]) => !NAMES.has(key)), ...entriesOf(own)]);
  const ofFiles = objectAt(objectAt(all, KEY), TABLES);
  const hasAdded = entriesOf(objectAt(ofFiles, 'data')).some(([key]) => isAdded(typeIn(key)));
  if (!hasAdded || !isCurrent(state)) return state;
  const known = withTables(objectAt(state, STRUCT), ofFiles, isAdded);
  return withMember(withMember(state, STRUCT, known), STRUCT_VERSION, 3);
}

/**
 * Returns the whole state of a folder, with the structure of the tables after a run.
 *
 * @param types the dataTypes of the run
 */
function withStructureOf(
  all: JsonObject,
  fingerprint: string,
  state: JsonObject,
  types: ReadonlySet<string>,
): JsonObject {
  const kept = objectAt(all, KEY);
  const own = withOwnState(kept, fingerprint, objectFrom(entriesOf(state).filter(([key]) => NAMES.has(key))));
  if (!isCurrent(state)) return withMember(all, KEY, own);
  const tables = withTables(objectAt(kept, TABLES), objectAt(state, STRUCT), (type) => types.has(type));
  return withMember(all, KEY, withMember(own, TABLES, tables));
}

/** Returns a structure with some tables of another one, and the names of its columns that were renamed because of keys. */
const withTables = (struct: JsonObject, other: JsonObject, isWanted: (dataType: string) => boolean): JsonObject => ({
  data: objectFrom([
    ...entriesOf(objectAt(struct, 'data')),
    ...entriesOf(objectAt(other, 'data')).filter(([key]) => isWanted(typeIn(key))),
  ]),
  parent_aliases: objectFrom([struct, other].flatMap((each) => entriesOf(objectAt(each, 'parent_aliases')))),
});

/** Returns whether a structure has names of columns; the structure of the legacy tables has none. */
function isCurrent(state: JsonObject): boolean {
  const version = ownValue(state, STRUCT_VERSION);
  return version === undefined || Number(version) === 3;
}

/** Returns the dataType in a key, after the prefix of structures. */
const typeIn = (key: string): string => key.slice(1);
