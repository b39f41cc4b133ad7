/** Which tables of a destination runs have put rows into, so that a table which has lost them is noticed. */
import { entriesOf, isObject, objectFrom, ownValue } from '../core/json/keys';
import { withMember } from '../core/json/literals';
import type { Json, JsonObject } from '../core/model';

const KEY = 'headwater.filled';

/** A table of lists in items, or a child table of a mapping. */
export interface ListTable {
  readonly table: string;
  /** The table whose rows its rows belong to. */
  readonly parent: string;
  /** How many rows it got. */
  readonly rows: number;
}

/** Tables by their names; those of lists with the table whose rows theirs belong to. */
export type FilledTables = ReadonlyMap<string, string | undefined>;

/** The tables as a destination keeps them. */
export function filledIn(all: JsonObject): FilledTables {
  const tables = ownValue(all, KEY);
  return new Map(
    (isObject(tables) ? entriesOf(tables) : []).map(([table, parent]) => [
      table,
      typeof parent === 'string' ? parent : undefined,
    ]),
  );
}

/** The tables of lists below a table. */
export function listsOf(filled: FilledTables, table: string): readonly string[] {
  const lists = new Set<string>();
  const addBelow = (above: string): void => {
    for (const [list, parent] of filled)
      if (parent === above && list !== table && !lists.has(list)) {
        lists.add(list);
        addBelow(list);
      }
  };
  addBelow(table);
  return [...lists];
}

/**
 * All that a destination keeps, with tables of items that have got rows.
 *
 * @param lost tables that were found to be gone: nobody misses them again
 * @example withFilled({}, ['items']) // { 'headwater.filled': { items: true } }
 */
export function withFilled(
  all: JsonObject,
  tables: Iterable<string>,
  lost: ReadonlySet<string> = new Set(),
): JsonObject {
  const left = entriesIn(all).filter(([table]) => !lost.has(table));
  return withEntries(all, [...left, ...Array.from(tables, (table) => [table, true] as const)]);
}

/** The same, with tables of lists; a destination knows them when it has made them. */
export function withFilledLists(all: JsonObject, lists: readonly ListTable[]): JsonObject {
  const known = entriesIn(all);
  const ofItems = new Set(known.flatMap(([table, parent]) => (parent === true ? [table] : [])));
  const filled = lists.filter(({ table, rows }) => rows > 0 && !ofItems.has(table));
  return withEntries(all, [...known, ...filled.map(({ table, parent }) => [table, parent] as const)]);
}

type Entry = readonly [table: string, parent: Json];

const entriesIn = (all: JsonObject): readonly Entry[] => {
  const tables = ownValue(all, KEY);
  return isObject(tables) ? entriesOf(tables) : [];
};

const withEntries = (all: JsonObject, entries: readonly Entry[]): JsonObject =>
  entries.length === 0 && ownValue(all, KEY) === undefined ? all : withMember(all, KEY, objectFrom(new Map(entries)));
