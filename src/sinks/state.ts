/** The states of runs in a destination that several configurations may share. */
import { withMember } from '../core/json/literals';
import {
  defined,
  entriesOf,
  isObject,
  objectAt,
  objectFrom,
  ownValue,
  stringAt,
  valueBelow,
} from '../core/json/objects';
import type { Json, JsonObject } from '../core/model';
import { configurationIn } from '../language/configuration/fingerprint';
import { VALUE } from '../tables/linked/places';
import type { ColumnNames } from '../tables/schema/column-names';

const CONFIGURATIONS = 'headwater.configurations';
/** The maximum number of configurations that are kept, the latest ones: each change of a configuration makes another one. */
const MOST = 50;

/**
 * Returns the state after the last run of a configuration. The states of other configurations would make this one ask for too little.
 *
 * @param fingerprint the fingerprint of the configuration
 * @example ownState({ 'headwater.configurations': { abc: { a: 1 } } }, 'abc') // { a: 1 }
 */
export const ownState = (all: JsonObject, fingerprint: string): JsonObject =>
  objectAt(statesIn(all), configurationIn(fingerprint));

/** Returns the states after the last runs of other configurations. */
export const otherStates = (all: JsonObject, fingerprint: string): readonly JsonObject[] =>
  entriesOf(statesIn(all)).flatMap(([key, state]) =>
    key !== configurationIn(fingerprint) && isObject(state) ? [state] : [],
  );

/** Returns the whole state, updated with the state after the last run of this configuration. */
export function withOwnState(all: JsonObject, fingerprint: string, own: JsonObject): JsonObject {
  const configuration = configurationIn(fingerprint);
  const others = entriesOf(statesIn(all)).filter(([key]) => key !== configuration);
  const kept = objectFrom([...others.slice(1 - MOST), [configuration, own]]);
  return objectFrom([...entriesOf(all), [CONFIGURATIONS, kept]]);
}

const statesIn = (all: JsonObject): JsonObject => objectAt(all, CONFIGURATIONS);

/** The key for the structure of the tables of a destination, so that the next run makes the same tables of its items. */
const STRUCTURE = 'headwater.tables';

/** @returns the value of `SplitItems.structure` by dataType */
export const structureIn = (state: JsonObject): JsonObject => objectAt(state, STRUCTURE);

export const withStructure = (state: JsonObject, structure: JsonObject): JsonObject =>
  entriesOf(structure).length === 0 ? state : withMember(state, STRUCTURE, structure);

const membersOf = (value: Json | undefined, key: string): readonly Json[] =>
  entriesOf(objectAt(value, key)).map(([, member]) => member);

/** Returns whether items of a dataType were split in an earlier run. */
export function isSplit(structure: JsonObject, dataType: string): boolean {
  const table = objectAt(structure, dataType);
  const found = [ownValue(table, 'value'), ...membersOf(table, 'members')];
  return found.some((member) => isObject(member) && ('object' in member || 'list' in member));
}

/** Returns how many tables of lists the items of a dataType have. */
export const listsIn = (structure: JsonObject, dataType: string): number => listsBelow(ownValue(structure, dataType));

function listsBelow(value: Json | undefined): number {
  if (!isObject(value)) return 0;
  const list = ownValue(value, 'list');
  const below = [...membersOf(value, 'members'), ...membersOf(value, 'object'), ownValue(value, 'value'), list];
  return below.reduce((sum: number, member) => sum + listsBelow(member), list === undefined ? 0 : 1);
}

/** Returns a structure in which some tables are replaced by those of another one: removed tables, or tables that are made again. */
export const withTablesOf = (structure: JsonObject, other: JsonObject, dataTypes: ReadonlySet<string>): JsonObject =>
  objectFrom(
    entriesOf(structure).flatMap(([dataType, table]) => {
      const kept = dataTypes.has(dataType) ? ownValue(other, dataType) : table;
      return kept === undefined ? [] : [[dataType, kept] as const];
    }),
  );

/** Returns the members that the columns of a table belong to since earlier runs; empty for tables that no run has filled. */
export function namesIn(structure: JsonObject, dataType: string): ColumnNames {
  const table = objectAt(structure, dataType);
  const [members, added] = [ownValue(table, 'members'), ownValue(table, 'added')];
  const columns = isObject(members) && {
    keys: textsOf(members, (member) => valueBelow(member, 'column')),
    places: new Map(entriesOf(members).flatMap(([key, member]) => (isObject(member) ? [[key, member] as const] : []))),
  };
  return { ...columns, ...(isObject(added) && { added: textsOf(added, (column) => column) }) };
}

const textsOf = (object: JsonObject, textOf: (value: Json) => Json | undefined): ReadonlyMap<string, string> =>
  new Map(
    entriesOf(object).flatMap(([key, value]) => {
      const text = textOf(value);
      return typeof text === 'string' ? [[key, text] as const] : [];
    }),
  );

/** Returns the structure with the columns of a table that was not split, in the form of one that was; the structure of lists stays. */
export function withNames(
  structure: JsonObject,
  dataType: string,
  { keys, added, places }: Required<ColumnNames>,
): JsonObject {
  const table = objectAt(structure, dataType);
  const members = new Map(entriesOf(objectAt(table, 'members')));
  for (const [key, column] of keys) {
    const member = members.get(key) ?? {};
    // Items that are no objects are in this column as well: which of them it was made for shows when they are split.
    if (key !== VALUE || column !== VALUE)
      members.set(key, withMember(withPlace(member, places.get(key)), 'column', column));
  }
  const known = withMember(withMember(table, 'members', objectFrom(members)), 'added', objectFrom(added));
  return withMember(structure, dataType, known);
}

/**
 * Returns the structure with the names of mapped tables: no list gets one of them, in this run or a later one. The structure of lists in
 * items that are now mapped is removed.
 */
export const withMappedNames = (structure: JsonObject, tables: Iterable<string>): JsonObject =>
  [...tables].reduce((kept, table) => withMember(kept, table, {}), structure);

const withPlace = (member: Json, place: JsonObject = {}): JsonObject =>
  entriesOf(place).reduce((all, [name, value]) => withMember(all, name, value), isObject(member) ? member : {});

/** The key for the tables of a destination that runs have filled, so that lost rows are detected. */
const FILLED = 'headwater.filled';

/** A table of lists in items, or a child table of a mapping. */
export interface ListTable {
  readonly table: string;
  /** The parent table. */
  readonly parent: string;
  /** The number of its rows. */
  readonly rows: number;
}

/** Tables by their names; tables of lists with their parent table. */
export type FilledTables = ReadonlyMap<string, string | undefined>;

/** Returns the filled tables in the state of a destination. */
export const filledIn = (all: JsonObject): FilledTables =>
  new Map(entriesIn(all).map(([table, parent]) => [table, typeof parent === 'string' ? parent : undefined]));

/** Returns the tables of lists below a table. */
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
 * Returns the whole state of a destination, with tables of items that have got rows.
 *
 * @param lost tables that are gone, which are not missed again
 * @example withFilled({}, ['items']) // { 'headwater.filled': { items: true } }
 */
export function withFilled(
  all: JsonObject,
  tables: Iterable<string>,
  lost: ReadonlySet<string> = new Set(),
): JsonObject {
  const left = entriesIn(all).filter(([table]) => !lost.has(table));
  return withEntries(all, [...left, ...Array.from(tables, (table): Entry => [table, true])]);
}

/** Returns the same, with tables of lists; a destination knows them when it has made them. */
export function withFilledLists(all: JsonObject, lists: readonly ListTable[]): JsonObject {
  const known = entriesIn(all);
  const ofItems = new Set(known.flatMap(([table, parent]) => (parent === true ? [table] : [])));
  const filled = lists.filter(({ table, rows }) => rows > 0 && !ofItems.has(table));
  return withEntries(all, [...known, ...filled.map(({ table, parent }) => [table, parent] as const)]);
}

type Entry = readonly [table: string, parent: Json];

const entriesIn = (all: JsonObject): readonly Entry[] => entriesOf(objectAt(all, FILLED));

const withEntries = (all: JsonObject, entries: readonly Entry[]): JsonObject =>
  entries.length === 0 && ownValue(all, FILLED) === undefined
    ? all
    : withMember(all, FILLED, objectFrom(new Map(entries)));

/** The key for the configurations that fill the tables of a destination, by table. */
const OWNERS = 'headwater.owners';

/** The configuration that fills a table: the last one that replaced its rows, or else the first that stored any. */
export interface TableOwner {
  /** The digest of what it asks for: {@link configurationIn}. */
  readonly asked: string;
  /** Its name; absent: it has none. */
  readonly name?: string;
}

/** Returns the configuration that fills a table, if it is known. */
export function ownerOf(all: JsonObject, table: string): TableOwner | undefined {
  const owner = objectAt(objectAt(all, OWNERS), table);
  const [asked, name] = [stringAt(owner, 'asked'), stringAt(owner, 'name')];
  return asked === undefined ? undefined : defined({ asked, name });
}

/**
 * Returns the whole state of a destination, with the owner of tables of a run.
 *
 * @param tables the tables, and whether the run replaces their rows: rows that are added do not change the owner
 */
export function withOwner(
  all: JsonObject,
  tables: Iterable<{ readonly table: string; readonly isReplaced: boolean }>,
  owner: TableOwner,
): JsonObject {
  const owners = new Map(entriesOf(objectAt(all, OWNERS)));
  for (const { table, isReplaced } of tables) if (isReplaced || !owners.has(table)) owners.set(table, { ...owner });
  return owners.size === 0 ? all : withMember(all, OWNERS, objectFrom(owners));
}
