/** What runs leave in a destination of the structure of their tables, so that the next one makes the same of its items. */
import { entriesOf, isObject, objectFrom, ownValue } from '../../core/json/keys';
import { withMember } from '../../core/json/literals';
import type { Json, JsonObject } from '../../core/model';
import { VALUE } from '../../tables/linked/places';
import type { ColumnNames } from '../../tables/schema/column-names';

const KEY = 'headwater.tables';

/** @returns by dataType what `SplitItems.structure` was */
export function structureIn(state: JsonObject): JsonObject {
  const structure = ownValue(state, KEY);
  return isObject(structure) ? structure : {};
}

export const withStructure = (state: JsonObject, structure: JsonObject): JsonObject =>
  entriesOf(structure).length === 0 ? state : withMember(state, KEY, structure);

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
