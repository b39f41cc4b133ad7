import type { JsonObject } from '../../model';
import { splitItems, withSplitItems } from '../linked/split-items';
import type { Relative, SplitOptions } from '../linked/split-items';
import { isSplit } from '../linked/structure';
import type { LearnedTable } from './learn';
import { loadFlat } from './load-flat';
import type { Learned, TableLoad } from './load-flat';
import type { SurveyOptions } from './survey';

export interface LoadOptions extends Omit<SurveyOptions, 'empty'>, Pick<SplitOptions, 'lastRow'> {
  /** What earlier runs have left of the structure of tables. */
  readonly structure: JsonObject;
  /** Whether objects and lists of a dataType become columns and tables; else they are JSON. */
  readonly isLinked: (dataType: string) => boolean;
}

/**
 * Stores all tables or none.
 *
 * @param loads parents come before their children; a table whose rows all go may be among them, with no rows
 * @param structure what the next run has to know
 */
export type StoreTables<T> = (loads: readonly TableLoad[], structure: JsonObject) => Promise<T>;

/** Thrown where items turn out to hold objects or lists. */
class NestedFound extends Error {
  constructor(readonly dataTypes: readonly string[]) {
    super('Items hold objects or lists.');
  }
}

/**
 * Learns the columns of all tables from their pages, and gives the rows to `store`; items that hold objects or lists are
 * split first.
 *
 * @param store is called again when it has failed over columns or lines that may not have been right
 */
export async function loadTables<T>(options: LoadOptions, store: StoreTables<T>): Promise<T> {
  const { structure, isLinked } = options;
  const dataTypes = new Set<string>();
  for await (const { dataType } of options.places())
    if (isLinked(dataType) && isSplit(structure, dataType)) dataTypes.add(dataType);
  for (;;)
    try {
      return await loadSplit(options, dataTypes, store);
    } catch (error) {
      if (!(error instanceof NestedFound)) throw error;
      for (const dataType of error.dataTypes) dataTypes.add(dataType);
    }
}

/** @param dataTypes those whose items are split */
async function loadSplit<T>(options: LoadOptions, dataTypes: ReadonlySet<string>, store: StoreTables<T>): Promise<T> {
  const { isLinked } = options;
  const jsonColumns = async (table: string): Promise<readonly string[]> => {
    const incremental = options.outputs.some((output) => output.incremental);
    return incremental
      ? (await options.known(table)).filter(({ type }) => type === 'json').map(({ name }) => name)
      : [];
  };
  const split = await splitItems({ ...options, dataTypes, jsonColumns });
  const { relatives, structure } = split;
  const known = new Map(relatives.map((relative) => [relative.name, relative]));
  const check = (learned: Learned): void => {
    const nested = [...learned].flatMap(([dataType, table]) =>
      isLinked(dataType) && !known.has(dataType) && isNested(table) ? [dataType] : [],
    );
    if (nested.length > 0) throw new NestedFound(nested);
  };
  const empty = (table: string): readonly string[] => known.get(table)?.empty ?? [];
  return loadFlat({ ...options, ...withSplitItems(options, split, dataTypes), empty, check }, (loads) => {
    const byName = new Map(loads.map((load) => [load.dataType, load]));
    const alone = loads.filter(({ dataType }) => !known.has(dataType));
    const related = relatives.map((relative) => ({
      ...(byName.get(relative.name) ?? withoutRows(relative)),
      ...(relative.parent === undefined ? {} : { parent: relative.parent }),
    }));
    return store([...alone, ...related], structure);
  });
}

const isNested = ({ schema }: LearnedTable): boolean =>
  schema.columns().some(({ type }, at) => type === 'json' && (schema.facts()[at]?.filled ?? 0) > 0);

const withoutRows = ({ name, output }: Relative): TableLoad => ({
  ...{ dataType: name, incremental: output.incremental, keys: [], rows: 0, bytes: 0, columns: [], query: '' },
  filled: () => Promise.resolve([]),
});
