/**
 * Writes items as lines of linked tables (docs/sinks.md#objects-and-lists): one file for the items, and one for the lists at each place.
 */
import { decimalText } from '../../core/json/decimal';
import { literalAt } from '../../core/json/literals';
import { entriesOf, ownValue } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { PARENT_ROW_ID, ROW_ID } from '../../tables/linked/places';
import { plainText } from '../../tables/mapping/rows';
import { addedColumns, runColumn, withMembers } from '../../tables/run-columns';
import { addsRows, withRoots } from '../../tables/table';
import { objectIn } from '../files/checksum';
import { plainBytes } from '../files/old-files';
import { completeLines, linesAmong } from '../files/lines';
import type { PageOfItems, PagesInFiles, PlaceOfItems } from '../journal/journal';
import { pagesAt } from '../journal/reader';
import { splitItems, withSplitItems } from '../loading/linked-items';
import type { Relative } from '../loading/linked-items';
import { CELL } from '../loading/mapped-items';
import type { MappedTableOfRun } from '../loading/mapped-items';

export interface LinkingOptions extends PagesInFiles {
  readonly outputs: readonly OutputPlan[];
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  /** The structure from an earlier run. */
  readonly structure: JsonObject;
  /** Returns whether the items of a dataType become linked tables. */
  readonly isLinked: (dataType: string) => boolean;
  /** Returns the old files of a table. */
  readonly oldFiles: (table: string) => readonly string[];
}

/**
 * Splits items whose objects and lists become columns and tables.
 *
 * @returns the pages of the run, those of linked tables in their written form, and their tables
 * @example const { pages, files } = await linkItems({ ...run, structure, isLinked, oldFiles });
 */
export async function linkItems(options: LinkingOptions) {
  const { outputs, structure, isLinked, oldFiles } = options;
  const buckets = new Map<string, Set<string | undefined>>();
  for (const { dataType, run } of options.places())
    if (isLinked(dataType)) buckets.set(dataType, (buckets.get(dataType) ?? new Set()).add(outputs[run]?.bucket));
  // If earlier runs have split items, no table may replace those of their lists.
  if (buckets.size === 0 && entriesOf(structure).length === 0)
    return { pages: options.pages, others: () => options.pages(), outputs, files: [], structure };
  const dataTypes = new Set(buckets.keys());
  const lastRow = (table: string): Promise<number> => lastRowIn(oldFiles(table));
  const split = await splitItems({ ...options, dataTypes, lastRow, jsonColumns: () => Promise.resolve([]) });
  const { relatives } = split;
  const byName = new Map(relatives.map((relative) => [relative.name, relative]));
  const { pages } = withSplitItems(options, split, dataTypes);
  const roots = relatives.map(({ name, dataType }) => [name, dataType] as const);
  return {
    pages: async function* (isWanted?: (place: PlaceOfItems) => boolean) {
      for await (const page of pages(isWanted)) {
        const relative = byName.get(page.dataType);
        yield relative === undefined ? page : completed(page, relative);
      }
    },
    /** Returns the pages of other tables. */
    others: () => pages(({ dataType }) => !byName.has(dataType)),
    outputs: withRoots(outputs, roots),
    /** The files, parents before their children, including those without rows. */
    files: relatives.flatMap(({ name, dataType, parent, output }) =>
      Array.from(buckets.get(dataType) ?? [], (bucket) => ({
        ...{ table: name, bucket, incremental: addsRows(output, dataType) },
        /** The parent table; `undefined`: it is the table of the items. */
        parent,
        /** True if rows take the place of others with the same key, so that the rows of their lists are removed with these. */
        isKeyed: output.primaryKeys?.has(dataType) === true,
      })),
    ),
    /** The structure for the next run. */
    structure: split.structure,
  };
}

/** Returns a page of rows with the values that its job adds as members at their end. */
function completed(page: PageOfItems, { names }: Relative): PageOfItems {
  const { run, dataType, count, lines, extra } = page;
  const added = addedColumns(page);
  if (added.size === 0) return page;
  const members = Array.from(added, ([name, value]) => {
    const json = runColumn(name)?.type === 'integer' ? value : JSON.stringify(value);
    return `${JSON.stringify(names.added?.get(name) ?? name)}:${json}`;
  });
  return { run, dataType, count, extra, lines: withMembers(lines, members) };
}

/** The id of a row of a linked table is its first member. */
const ID = new RegExp(`^\\{"${ROW_ID}":(\\d+)`);

function idIn(line: Buffer): number | undefined {
  const [, id] = ID.exec(line.toString('latin1', 0, 40)) ?? [];
  if (id !== undefined) return Number(id);
  const found = objectIn(line.toString('utf8'))?.[ROW_ID];
  return typeof found === 'number' ? found : undefined;
}

async function lastRowIn(files: readonly string[]): Promise<number> {
  let last = 0;
  const bytes = async function* (file: string): AsyncGenerator<Buffer> {
    yield* plainBytes(file);
    // An editor may have cut off the end of the last line.
    yield Buffer.from('\n');
  };
  for (const file of files)
    for await (const { line } of linesAmong(bytes(file))) last = Math.max(last, idIn(line) ?? 0);
  return last;
}

/** Returns a function that finds the lines of a child table without a line in the parent table. Keeps a number for each parent line. */
export async function isOrphan(parent: string): Promise<IsGone> {
  const ids = new Set<number>();
  for await (const { line } of completeLines(parent)) {
    const id = idIn(line);
    if (id !== undefined) ids.add(id);
  }
  return (line) => {
    const id = objectIn(line)?.[PARENT_ROW_ID];
    return typeof id !== 'number' || !ids.has(id);
  };
}

/** Returns whether a line of the old file of a table is removed. */
export type IsGone = (line: string) => boolean;

/**
 * Finds the child lines of mapped tables that belong to replaced lines, at any depth (docs/language/mappings.md#child-tables). It keeps a
 * string for each key of a parent that came.
 *
 * @param tables parents before their children
 * @param oldFile returns the path of the old file of a table; `undefined`: there is none
 * @returns the lines to remove, by table; tables without any are not in it
 */
export async function findGone(
  tables: readonly MappedTableOfRun[],
  oldFile: (table: MappedTableOfRun) => string | undefined,
): Promise<ReadonlyMap<string, IsGone>> {
  const gone = new Map<string, IsGone>();
  const files = new Map<string, string | undefined>();
  for (const table of tables) if (addsRows(table.output, table.name)) files.set(table.name, oldFile(table));
  for (const { name, link, links } of tables) {
    if (link === undefined || files.get(name) === undefined) continue;
    const keys = new Set<string>();
    for await (const { lines } of pagesAt(links))
      for (const line of Buffer.from(lines).toString('utf8').split('\n').slice(0, -1))
        add(keys, keyIn(objectIn(line), [CELL]));
    const isParentGone = gone.get(link.parent);
    if (isParentGone !== undefined)
      for await (const { line } of linesAmong(plainBytes(files.get(link.parent) ?? '')))
        if (isParentGone(line.toString('utf8'))) add(keys, keyIn(objectIn(line.toString('utf8')), link.of));
    if (keys.size > 0) gone.set(name, (line) => keys.has(keyIn(objectIn(line), [link.column]) ?? ''));
  }
  return gone;
}

const add = (keys: Set<string>, key: string | undefined): void => {
  if (key !== undefined) keys.add(key);
};

/** Returns the link value of the child lines of a line; `undefined`: there is none. */
function keyIn(item: JsonObject | undefined, of: readonly string[]): string | undefined {
  if (item === undefined) return undefined;
  const [only] = of;
  if (only === undefined || of.length > 1)
    return JSON.stringify(of.map((key) => plainText({ holder: item, key })).join(','));
  const value = ownValue(item, only);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return decimalText(literalAt(item, only) ?? String(value));
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
