import { quoted } from '../../core/json/sql-name';
import { join } from 'node:path';
import { defined } from '../../core/json/objects';
import { makeFolders } from '../../core/make-folders';
import type { JsonObject } from '../../core/model';
import type { ChosenColumn } from '../../language/parts/sink';
import { warnOfAlikeKeys } from '../../tables/schema/column-names';
import type { ColumnNames } from '../../tables/schema/column-names';
import { chosenFlat, isNestedType, warnOfUnmet } from '../../tables/schema/column-type';
import type { ChosenTypes } from '../../tables/schema/column-type';
import { hasPath } from '../../tables/schema/learned-column';
import type { Column } from '../../tables/schema/schema';
import { addsAnyRows, keyPlaceOf, withRoots } from '../../tables/table';
import { only } from '../journal/journal';
import type { PlaceOfItems } from '../journal/journal';
import { isSplit, namesIn, withMappedNames, withNames } from '../state';
import type { Learned, LearnedTable } from './learn';
import { splitItems, withSplitItems } from './linked-items';
import type { Relative, SplitItems, SplitOptions } from './linked-items';
import { loadFlat, loadOf, mayBeOverLines, modeOf } from './load-flat';
import type { FlatOptions, TableWrite, Store, QueryWrite } from './load-flat';
import { mapItems, withMappedItems } from './mapped-items';
import type { MapOptions, MappedItems } from './mapped-items';
import { nestedQueries, nullOf } from './query';
import { withUnfed } from './split-rows';
import { surveyTables } from './survey';
import type { SurveyOptions } from './survey';

export interface LoadOptions
  extends
    Omit<SurveyOptions, 'empty' | 'chosen' | 'names'>,
    Pick<SplitOptions, 'lastRow'>,
    Pick<MapOptions, 'startedAt' | 'warn'> {
  /** The structure of tables from earlier runs. */
  readonly structure: JsonObject;
  /** Returns the chosen types of mapped tables; `undefined` for others. */
  readonly chosen?: (table: string) => ChosenTypes | undefined;
  /** The tables without a page that the run replaces; absent: there are none. */
  readonly unfed?: readonly string[];
  /** Returns whether objects and lists of a dataType become columns and tables; otherwise they are JSON, unless {@link hasStructs}. */
  readonly isLinked: (dataType: string) => boolean;
  /** The dataTypes that may have objects or lists, where that is known before the pages are read; absent: it is learned. */
  readonly nested?: ReadonlySet<string>;
  /** Returns the columns that keep objects and lists as JSON, see {@link SplitOptions}; absent: those with JSON. */
  readonly jsonColumns?: SplitOptions['jsonColumns'];
  /**
   * Is called with chosen types that no item has, where the pages are some of a run; no warning says what the whole run decides. Absent:
   * they are all pages.
   */
  readonly unmet?: (columns: readonly ChosenColumn[]) => void;
}

/**
 * Stores all tables or none.
 *
 * @param loads parents before their children; it may include a table without rows whose old rows are all removed
 * @param structure the structure for the next run
 */
export type StoreTables<T, L extends TableWrite = QueryWrite> = (
  loads: readonly L[],
  structure: JsonObject,
) => Promise<T>;

/** Moves the rows of flat tables to their destination. */
export interface FlatLoader<L extends TableWrite> {
  /** Learns the columns of all tables, and passes them to `store`. */
  readonly load: <T>(options: FlatOptions, store: Store<T, L>) => Promise<T>;
  /** Returns the load of a table without rows. */
  readonly withoutRows: (load: TableWrite) => L;
  /** Returns the tables of items whose objects and lists it reads itself; absent: it reads none so. */
  readonly nested?: (options: Omit<SurveyOptions, 'chosen'>, observed: SplitItems['observed']) => Promise<readonly L[]>;
}

/** Rows in files that DuckDB reads. */
export const IN_FILES: FlatLoader<QueryWrite> = {
  load: loadFlat,
  withoutRows: (load) => {
    const nothing = load.columns.map(({ name, type }) => `${nullOf(type)} AS ${quoted(name)}`);
    const query = nothing.length === 0 ? '' : `SELECT ${nothing.join(', ')} LIMIT 0`;
    return { ...load, bytes: 0, query, filled: () => Promise.resolve(nothing.map(() => 0)) };
  },
  nested: nestedLoads,
};

/** Thrown when items turn out to contain objects or lists. */
class NestedFound extends Error {
  constructor(readonly dataTypes: readonly string[]) {
    super('Items hold objects or lists.');
  }
}

/**
 * Learns the columns of all tables from their pages, and passes the rows to `store`; items with a mapping are mapped, and items with
 * objects or lists are split first.
 *
 * @param flat moves the rows to the destination
 * @param store is called again when it has failed because of columns or lines that may have been wrong
 */
export async function loadTables<T, L extends TableWrite>(
  flat: FlatLoader<L>,
  options: LoadOptions,
  store: StoreTables<T, L>,
): Promise<T> {
  const mapped = await mapItems(options);
  if (mapped === undefined) return loadUnmapped(flat, options, store);
  const names = new Set(mapped.tables.map(({ name }) => name));
  const isLinked = (dataType: string): boolean => !names.has(dataType) && options.isLinked(dataType);
  const types = new Map(mapped.tables.map((table) => [table.name, table.types]));
  const chosen = (table: string): ChosenTypes | undefined => types.get(table);
  const unfed = options.unfed?.filter((table) => !names.has(table)) ?? [];
  const pages = withMappedItems(options, mapped);
  const structure = withMappedNames(options.structure, names);
  const source = { ...options, ...pages, outputs: mapped.outputs, isLinked, chosen, unfed, structure };
  return loadUnmapped(flat, source, (loads, next) => store(withMappedLoads(loads, mapped, flat.withoutRows), next));
}

async function loadUnmapped<T, L extends TableWrite>(
  flat: FlatLoader<L>,
  run: LoadOptions,
  store: StoreTables<T, L>,
): Promise<T> {
  const options = { ...run, ...(await withUnfed(run)) };
  const { structure, isLinked } = options;
  const dataTypes = new Set<string>();
  for (const { dataType } of options.places())
    if (isLinked(dataType) && (isSplit(structure, dataType) || run.nested?.has(dataType) === true))
      dataTypes.add(dataType);
  for (;;)
    try {
      return await loadSplit(flat, options, dataTypes, store);
    } catch (error) {
      if (!(error instanceof NestedFound)) throw error;
      for (const dataType of error.dataTypes) dataTypes.add(dataType);
    }
}

/**
 * @param dataTypes the dataTypes whose items are split
 * @param observes whether the loader may read such items itself
 */
async function loadSplit<T, L extends TableWrite>(
  loader: FlatLoader<L>,
  options: LoadOptions,
  dataTypes: ReadonlySet<string>,
  store: StoreTables<T, L>,
  observes = loader.nested !== undefined,
): Promise<T> {
  const { isLinked } = options;
  const jsonColumns = async (table: string): Promise<readonly string[]> => {
    return options.outputs.some(addsAnyRows)
      ? (await options.known(table)).filter(({ type }) => type === 'json' || isNestedType(type)).map(({ name }) => name)
      : [];
  };
  const split = await splitItems({ jsonColumns, ...options, dataTypes, observes });
  const { relatives } = split;
  const chosenOf = (table: string): ReadonlyMap<string, ChosenColumn> =>
    options.outputs.find(({ columnTypes }) => columnTypes?.has(table))?.columnTypes?.get(table) ?? new Map();
  let isWarned = false;
  const warnOnce = (alone: readonly TableWrite[], flat: readonly TableWrite[]): void => {
    if (isWarned) return;
    isWarned = true;
    const unmet = flat.flatMap(({ table, columns, rows, names }) =>
      Array.from(chosenOf(table)).flatMap(([path, column]) =>
        rows === 0 || columns.some(({ name }) => name === path) || isWithin(names, path) ? [] : [column],
      ),
    );
    if (options.unmet !== undefined) {
      options.unmet([...split.unmet, ...unmet]);
      return;
    }
    for (const { table, alike = [] } of alone) warnOfAlikeKeys(table, alike, options.warn);
    for (const { name, alike } of relatives) warnOfAlikeKeys(name, alike, options.warn);
    warnOfUnmet([...split.unmet, ...unmet], options.warn);
  };
  const known = new Map(relatives.map((relative) => [relative.name, relative]));
  const check = (learned: Learned): void => {
    const nested = [...learned].flatMap(([dataType, table]) =>
      isLinked(dataType) && !known.has(dataType) && isNested(table) ? [dataType] : [],
    );
    if (nested.length > 0) throw new NestedFound(nested);
  };
  const empty = (table: string): readonly string[] => known.get(table)?.empty ?? [];
  const optional = (table: string): readonly string[] => known.get(table)?.nested ?? [];
  const roots = relatives.map(({ name, dataType }) => [name, dataType] as const);
  const outputs = withRoots(options.outputs, roots);
  const chosen = (table: string): ChosenTypes =>
    known.get(table)?.types ?? options.chosen?.(table) ?? chosenFlat(chosenOf(table));
  /** Returns whether a table is mapped: its columns have names of the configuration. */
  const isMapped = (table: string): boolean => options.chosen?.(table) !== undefined;
  const names = (table: string): ColumnNames =>
    known.get(table)?.names ?? (isMapped(table) ? {} : namesIn(options.structure, table));
  const source = {
    ...options,
    ...withSplitItems(options, split, dataTypes),
    outputs,
    empty,
    optional,
    check,
    chosen,
    names,
  };
  const nested = (await loader.nested?.({ ...options, outputs }, split.observed)) ?? [];
  const stored = loader.load(source, (loads) => {
    const byName = new Map([...loads, ...nested].map((load) => [load.table, load]));
    const alone = loads.filter(({ table }) => !known.has(table));
    const flat = alone.filter(({ table }) => !isMapped(table));
    warnOnce(alone, flat);
    const related = relatives.map((relative) => ({
      ...(byName.get(relative.name) ?? loader.withoutRows(withoutRows(relative))),
      isLinked: true as const,
      ...(relative.parent === undefined ? {} : { parent: relative.parent }),
    }));
    return store([...alone, ...related], flat.reduce(withNamesOf, split.structure));
  });
  return stored.catch((error: unknown) => {
    if (nested.length === 0 || error instanceof NestedFound || !mayBeOverLines(error)) throw error;
    return loadSplit(loader, options, dataTypes, store, false);
  });
}

/** Returns whether there was a value at a path that leads into objects and lists. */
const isWithin = ({ places = new Map() }: ColumnNames = {}, path: string): boolean =>
  Array.from(places).some(([key, place]) => path.startsWith(`${key}.`) && hasPath(place, path.slice(key.length + 1)));

const isNested = ({ schema }: LearnedTable): boolean =>
  schema.learned().some(({ columnType, filled, isNested }) => isNested || (columnType === 'json' && filled > 0));

/** A table without rows may come from an earlier version, with an unknown structure. */
const withNamesOf = (structure: JsonObject, { table, rows, names }: TableWrite): JsonObject =>
  rows === 0 || names === undefined ? structure : withNames(structure, table, names);

const withoutRows = (
  { name, dataType = name, output }: Pick<Relative, 'name' | 'output'> & Partial<Relative>,
  keys: readonly string[] = [],
  columns: readonly Column[] = [],
): TableWrite => {
  const keyPlace = keyPlaceOf(output, name);
  return { table: name, mode: modeOf(output, dataType, keys), keys, keyPlace, rows: 0, columns };
};

/**
 * Returns the rows of linked tables that DuckDB makes itself from items with objects and lists, without a file in between.
 *
 * @param options.folder an existing folder for temporary files, which the caller removes
 */
async function nestedLoads(
  options: Omit<SurveyOptions, 'chosen'>,
  observed: SplitItems['observed'],
): Promise<readonly QueryWrite[]> {
  if (observed.length === 0) return [];
  const items = new Map(observed.map((root) => [root.name, root]));
  const folder = join(options.folder, 'nested');
  await makeFolders(folder);
  const places = (): Iterable<PlaceOfItems> => only(options.places(), ({ dataType }) => items.has(dataType));
  const surveyed = await surveyTables({ ...options, places, folder });
  return surveyed.flatMap((lines) => {
    const root = items.get(lines.dataType);
    return (root === undefined ? [] : nestedQueries(root, lines)).map(({ name, observed: { rows, schema }, query }) =>
      loadOf({ ...lines, dataType: name, rows }, schema, query),
    );
  });
}

/** Adds the properties of mapped tables to the loads of a run, including tables without rows. Parents come first. */
function withMappedLoads<L extends TableWrite>(
  loads: readonly L[],
  { tables }: MappedItems,
  emptied: (load: TableWrite) => L,
): readonly L[] {
  const byName = new Map(loads.map((load) => [load.table, load]));
  const names = new Set(tables.map(({ name }) => name));
  const mapped = tables.map((table): L => {
    const { name, link, links, primaryKey, types } = table;
    // The types of columns without values are unknown.
    const columns = table.columns.map((column): Column => ({ name: column, type: types.get(column) ?? 'text' }));
    const write = byName.get(name) ?? emptied(withoutRows(table, primaryKey, columns));
    return link === undefined ? write : { ...write, link: { ...link, ...defined({ file: links[0]?.path }) } };
  });
  return [...loads.filter(({ table }) => !names.has(table)), ...mapped];
}
