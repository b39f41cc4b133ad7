/** What runs left in a destination that several configurations may share. */
import { withMember } from '../core/json/literals';
import { entriesOf, isObject, objectFrom, ownValue } from '../core/json/objects';
import type { Json, JsonObject } from '../core/model';
import { configurationIn } from '../language/configuration/fingerprint';
import { VALUE } from '../tables/linked/places';
import type { ColumnNames } from '../tables/schema/column-names';

const CONFIGURATIONS = 'headwater.configurations';
/** The maximum number of configurations that are kept, the latest ones: what a change asks for makes another. */
const MOST = 50;

/**
 * What the last run of a configuration left. What runs of others left would make this one ask for too little.
 *
 * @param fingerprint the fingerprint of the configuration
 * @example ownState({ 'headwater.configurations': { abc: { a: 1 } } }, 'abc') // { a: 1 }
 */
export function ownState(all: JsonObject, fingerprint: string): JsonObject {
  const own = ownValue(statesIn(all), configurationIn(fingerprint));
  return isObject(own) ? own : {};
}

/** What the last runs of other configurations left. */
export const otherStates = (all: JsonObject, fingerprint: string): readonly JsonObject[] =>
  entriesOf(statesIn(all)).flatMap(([key, state]) =>
    key !== configurationIn(fingerprint) && isObject(state) ? [state] : [],
  );

/** All that is known, with what the last run of this configuration left. */
export function withOwnState(all: JsonObject, fingerprint: string, own: JsonObject): JsonObject {
  const configuration = configurationIn(fingerprint);
  const others = entriesOf(statesIn(all)).filter(([key]) => key !== configuration);
  const kept: readonly (readonly [string, Json])[] = [...others.slice(1 - MOST), [configuration, own]];
  return objectFrom(new Map<string, Json>(entriesOf(all)).set(CONFIGURATIONS, objectFrom(kept)));
}

/** This tells whether the last run in a destination was one of this configuration. */
export const isLatest = (all: JsonObject, fingerprint: string): boolean =>
  entriesOf(statesIn(all)).at(-1)?.[0] === configurationIn(fingerprint);

function statesIn(all: JsonObject): JsonObject {
  const states = ownValue(all, CONFIGURATIONS);
  return isObject(states) ? states : {};
}

/** What runs leave in a destination of the structure of their tables, so that the next one makes the same of its items. */

const STRUCTURE = 'headwater.tables';

/** @returns by dataType what `SplitItems.structure` was */
export function structureIn(state: JsonObject): JsonObject {
  const structure = ownValue(state, STRUCTURE);
  return isObject(structure) ? structure : {};
}

export const withStructure = (state: JsonObject, structure: JsonObject): JsonObject =>
  entriesOf(structure).length === 0 ? state : withMember(state, STRUCTURE, structure);

/** Whether items of a dataType were split in an earlier run. */
export const isSplit = (structure: JsonObject, dataType: string): boolean => hasPlaces(ownValue(structure, dataType));

function hasPlaces(table: Json | undefined): boolean {
  if (table === undefined || !isObject(table)) return false;
  const members = ownValue(table, 'members');
  const found = [
    ownValue(table, 'value'),
    ...(isObject(members) ? entriesOf(members).map(([, member]) => member) : []),
  ];
  return found.some((member) => isObject(member) && ('object' in member || 'list' in member));
}

/** How many tables of lists the items of a dataType have. */
export const listsIn = (structure: JsonObject, dataType: string): number => listsBelow(ownValue(structure, dataType));

function listsBelow(value: Json | undefined): number {
  if (value === undefined || !isObject(value)) return 0;
  const members = ['members', 'object'].flatMap((key) => {
    const found = ownValue(value, key);
    return found !== undefined && isObject(found) ? entriesOf(found).map(([, member]) => member) : [];
  });
  const list = ownValue(value, 'list');
  const own = [...members, ownValue(value, 'value') ?? null].reduce(
    (sum: number, member) => sum + listsBelow(member),
    0,
  );
  return list === undefined ? own : own + 1 + listsBelow(list);
}

/** A structure in which tables are as another one has them: for those that are gone, or made anew. */
export const withTablesOf = (structure: JsonObject, other: JsonObject, dataTypes: ReadonlySet<string>): JsonObject =>
  objectFrom(
    entriesOf(structure).flatMap(([dataType, table]) => {
      const kept = dataTypes.has(dataType) ? ownValue(other, dataType) : table;
      return kept === undefined ? [] : [[dataType, kept] as const];
    }),
  );

/** What the columns of a table belong to since earlier runs; nothing is known of tables that none has filled. */
export function namesIn(structure: JsonObject, dataType: string): ColumnNames {
  const table = ownValue(structure, dataType);
  if (!isObject(table)) return {};
  const [members, added] = [ownValue(table, 'members'), ownValue(table, 'added')];
  return {
    ...(isObject(members)
      ? {
          keys: textsOf(members, (member) => isObject(member) && ownValue(member, 'column')),
          places: new Map(
            entriesOf(members).flatMap(([key, member]) => (isObject(member) ? [[key, member] as const] : [])),
          ),
        }
      : {}),
    ...(isObject(added) ? { added: textsOf(added, (column) => column) } : {}),
  };
}

const textsOf = (object: JsonObject, textOf: (value: Json) => Json | undefined): ReadonlyMap<string, string> =>
  new Map(
    entriesOf(object).flatMap(([key, value]) => {
      const text = textOf(value);
      return typeof text === 'string' ? [[key, text] as const] : [];
    }),
  );

/** The structure with the columns of a table that was not split, in the form of one that was: what is known of lists stays. */
export function withNames(
  structure: JsonObject,
  dataType: string,
  { keys, added, places }: Required<ColumnNames>,
): JsonObject {
  const table = objectAt(structure, dataType);
  const members = new Map(entriesOf(objectAt(table, 'members')));
  for (const [key, column] of keys) {
    const member = members.get(key) ?? {};
    // Items that are no objects stand in this column, too: which of them it was made for shows when they are split.
    if (key !== VALUE || column !== VALUE)
      members.set(key, withMember(withPlace(member, places.get(key)), 'column', column));
  }
  const known = withMember(withMember(table, 'members', objectFrom(members)), 'added', objectFrom(added));
  return withMember(structure, dataType, known);
}

/**
 * The structure with the names of mapped tables: no list gets one of them, in this run or a later one. What earlier runs knew of
 * lists in items that are mapped now goes.
 */
export const withMappedNames = (structure: JsonObject, tables: Iterable<string>): JsonObject =>
  [...tables].reduce((kept, table) => withMember(kept, table, {}), structure);

const withPlace = (member: Json, place: JsonObject = {}): JsonObject =>
  entriesOf(place).reduce((all, [name, value]) => withMember(all, name, value), isObject(member) ? member : {});

const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = ownValue(object, key);
  return isObject(value) ? value : {};
};

/** Which tables of a destination runs have put rows into, so that a table which has lost them is noticed. */

const FILLED = 'headwater.filled';

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
  const tables = ownValue(all, FILLED);
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
  const tables = ownValue(all, FILLED);
  return isObject(tables) ? entriesOf(tables) : [];
};

const withEntries = (all: JsonObject, entries: readonly Entry[]): JsonObject =>
  entries.length === 0 && ownValue(all, FILLED) === undefined
    ? all
    : withMember(all, FILLED, objectFrom(new Map(entries)));
