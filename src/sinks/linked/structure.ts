/** What runs leave in a destination of the structure of their tables, so that the next one makes the same of its items. */
import { entriesOf, isObject, ownValue } from '../../json/keys';
import { withMember } from '../../json/literals';
import type { Json, JsonObject } from '../../model';

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
