import { isNestedType } from '../../tables/schema/column-type';
import { addsAnyRows, addsRows, withRoots } from '../../tables/loads';
import type { JsonObject } from '../../core/model';
import { withUnfed } from '../unfed';
import { splitItems, withSplitItems } from '../linked/split-items';
import type { Relative, SplitOptions } from '../linked/family';
import type { SplitItems } from '../linked/split-items';
import { isSplit, namesIn, withMappedNames, withNames } from '../linked/structure';
import { mapItems } from '../mapped/map-items';
import type { MapOptions } from '../mapped/map-items';
import { withMappedItems } from '../mapped/with-mapped-items';
import type { LearnedTable } from './learn';
import { loadFlat, mayBeOverLines } from './load-flat';
import type { FlatOptions, Learned, LearnedLoad, Store, TableLoad } from './load-flat';
import { nestedLoads } from './load-nested';
import { withMappedLoads } from './mapped-loads';
import { chosenFlat, warnOfUnmet } from '../../tables/schema/chosen-type';
import type { ChosenTypes } from '../../tables/schema/chosen-type';
import type { ColumnNames } from '../../tables/schema/column-names';
import { nullOf } from './convert';
import { quoted } from './sql';
import { hasPath } from '../../tables/schema/learned-nested';
import type { SurveyOptions } from './survey';
import type { ChosenColumn } from '../../language/parts/output-plan';

export interface LoadOptions
  extends
    Omit<SurveyOptions, 'empty' | 'chosen' | 'names'>,
    Pick<SplitOptions, 'lastRow'>,
    Pick<MapOptions, 'startedAt' | 'warn'> {
  /** What earlier runs have left of the structure of tables. */
  readonly structure: JsonObject;
  /** The chosen types of mapped tables; `undefined` for others. */
  readonly chosen?: (table: string) => ChosenTypes | undefined;
  /** The tables that the run replaces although no page is theirs; absent: there are none. */
  readonly unfed?: readonly string[];
  /** Whether objects and lists of a dataType become columns and tables; else they are JSON, unless {@link hasStructs}. */
  readonly isLinked: (dataType: string) => boolean;
}

/**
 * Stores all tables or none.
 *
 * @param loads parents come before their children; a table whose rows all go may be among them, with no rows
 * @param structure what the next run has to know
 */
export type StoreTables<T, L extends LearnedLoad = TableLoad> = (
  loads: readonly L[],
  structure: JsonObject,
) => Promise<T>;

/** How rows of flat tables are brought to their destination. */
export interface FlatLoader<L extends LearnedLoad> {
  /** Learns the columns of all tables, and gives them to `store`. */
  readonly load: <T>(options: FlatOptions, store: Store<T, L>) => Promise<T>;
  /** A table that gets no rows. */
  readonly withoutRows: (load: LearnedLoad) => L;
  /** The tables of items that it reads with the objects and lists in them; absent: it reads none so. */
  readonly nested?: (options: Omit<SurveyOptions, 'chosen'>, observed: SplitItems['observed']) => Promise<readonly L[]>;
}

/** Rows in files that DuckDB reads. */
const IN_FILES: FlatLoader<TableLoad> = {
  load: loadFlat,
  withoutRows: (load) => {
    const nothing = load.columns.map(({ name, type }) => `${nullOf(type)} AS ${quoted(name)}`);
    const query = nothing.length === 0 ? '' : `SELECT ${nothing.join(', ')} LIMIT 0`;
    return { ...load, bytes: 0, query, filled: () => Promise.resolve(nothing.map(() => 0)) };
  },
  nested: nestedLoads,
};

/** Thrown where items turn out to hold objects or lists. */
class NestedFound extends Error {
  constructor(readonly dataTypes: readonly string[]) {
    super('Items hold objects or lists.');
  }
}

/**
 * Learns the columns of all tables from their pages, and gives the rows to `store`; items with a mapping are mapped, and items
 * that hold objects or lists are split first.
 *
 * @param store is called again when it has failed over columns or lines that may not have been right
 */
export const loadTables = <T>(options: LoadOptions, store: StoreTables<T>): Promise<T> =>
  loadTablesBy(IN_FILES, options, store);

/** The same, for a destination that takes rows in another way. */
export async function loadTablesBy<T, L extends LearnedLoad>(
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

async function loadUnmapped<T, L extends LearnedLoad>(
  flat: FlatLoader<L>,
  run: LoadOptions,
  store: StoreTables<T, L>,
): Promise<T> {
  const options = { ...run, ...(await withUnfed(run)) };
  const { structure, isLinked } = options;
  const dataTypes = new Set<string>();
  for await (const { dataType } of options.places())
    if (isLinked(dataType) && isSplit(structure, dataType)) dataTypes.add(dataType);
  for (;;)
    try {
      return await loadSplit(flat, options, dataTypes, store);
    } catch (error) {
      if (!(error instanceof NestedFound)) throw error;
      for (const dataType of error.dataTypes) dataTypes.add(dataType);
    }
}

/**
 * @param dataTypes those whose items are split
 * @param observes whether the loader may read such items itself
 */
async function loadSplit<T, L extends LearnedLoad>(
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
  const split = await splitItems({ ...options, dataTypes, jsonColumns, observes });
  const { relatives } = split;
  const chosenOf = (table: string): ReadonlyMap<string, ChosenColumn> =>
    options.outputs.find(({ columnTypes }) => columnTypes?.has(table))?.columnTypes?.get(table) ?? new Map();
  let isTold = false;
  const tell = (flat: readonly LearnedLoad[]): void => {
    if (isTold) return;
    isTold = true;
    const unmet = flat.flatMap(({ dataType, columns, rows, names }) =>
      Array.from(chosenOf(dataType)).flatMap(([path, column]) =>
        rows === 0 || columns.some(({ name }) => name === path) || isWithin(names, path) ? [] : [column],
      ),
    );
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
  const roots = relatives.map(({ name, dataType }) => [name, dataType] as const);
  const outputs = withRoots(options.outputs, roots);
  const chosen = (table: string): ChosenTypes =>
    known.get(table)?.types ?? options.chosen?.(table) ?? chosenFlat(chosenOf(table));
  /** The columns of mapped tables have names of the configuration. */
  const isMapped = (table: string): boolean => options.chosen?.(table) !== undefined;
  const names = (table: string): ColumnNames =>
    known.get(table)?.names ?? (isMapped(table) ? {} : namesIn(options.structure, table));
  const source = { ...options, ...withSplitItems(options, split, dataTypes), outputs, empty, check, chosen, names };
  const nested = (await loader.nested?.({ ...options, outputs }, split.observed)) ?? [];
  const stored = loader.load(source, (loads) => {
    const byName = new Map([...loads, ...nested].map((load) => [load.dataType, load]));
    const alone = loads.filter(({ dataType }) => !known.has(dataType));
    const flat = alone.filter(({ dataType }) => !isMapped(dataType));
    tell(flat);
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

/** Whether anything has come at a path that leads into objects and lists. */
const isWithin = ({ places = new Map() }: ColumnNames = {}, path: string): boolean =>
  Array.from(places).some(([key, place]) => path.startsWith(`${key}.`) && hasPath(place, path.slice(key.length + 1)));

const isNested = ({ schema }: LearnedTable): boolean =>
  schema.columns().some(({ type }, at) => {
    const { filled = 0, isNested = false } = schema.facts()[at] ?? {};
    return isNested || (type === 'json' && filled > 0);
  });

/** A table without rows may be one of an earlier version, of which nothing is known yet. */
const withNamesOf = (structure: JsonObject, { dataType, rows, names }: LearnedLoad): JsonObject =>
  rows === 0 || names === undefined ? structure : withNames(structure, dataType, names);

const withoutRows = ({ name, dataType, output }: Relative): LearnedLoad => ({
  ...{ dataType: name, incremental: addsRows(output, dataType), keys: [], rows: 0, columns: [] },
});
