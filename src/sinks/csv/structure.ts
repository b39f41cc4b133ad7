/** The structure of automatic tables (docs/language/tables.md#columns) that a folder itself keeps: it belongs to its files. */
import { entriesOf, isObject, objectFrom, ownValue } from '../../core/json/keys';
import { withMember } from '../../core/json/literals';
import type { JsonObject } from '../../core/model';
import { ownState, withOwnState } from '../by-configuration';
import { STRUCT, STRUCT_VERSION } from '../../tables/automatic/state';

const KEY = 'headwater.csv';
/** What the files have, whichever configuration made them. */
const TABLES = 'tables';
const NAMES: ReadonlySet<string> = new Set([STRUCT, STRUCT_VERSION]);

/**
 * What the last run of a configuration left in all that a folder keeps, with the structure of the tables in this folder: the common
 * state of several destinations tells of another one's. Of a table that rows are added to, it is what the last run of any
 * configuration left: its columns belong to the file.
 *
 * @param isAdded whether rows are added to those that the table of a dataType has
 * @example stateOfFolder(all, fingerprint, (dataType) => addsRows(output, dataType))
 */
export function stateOfFolder(
  all: JsonObject,
  fingerprint: string,
  isAdded: (dataType: string) => boolean,
): JsonObject {
  const common = ownState(all, fingerprint);
  const own = ownState(objectAt(all, KEY), fingerprint);
  const state =
    ownValue(own, STRUCT) === undefined
      ? common
      : objectFrom([...entriesOf(common).filter(([key]) => !NAMES.has(key)), ...entriesOf(own)]);
  const ofFiles = objectAt(objectAt(all, KEY), TABLES);
  const added = entriesOf(objectAt(ofFiles, 'data')).filter(([key]) => isAdded(typeIn(key)));
  if (added.length === 0 || !isCurrent(state)) return state;
  const struct = objectAt(state, STRUCT);
  const known = {
    data: objectFrom([...entriesOf(objectAt(struct, 'data')), ...added]),
    parent_aliases: withAliases(objectAt(struct, 'parent_aliases'), ofFiles),
  };
  return withMember(withMember(state, STRUCT, known), STRUCT_VERSION, 3);
}

/**
 * All that a folder keeps, with the structure that the tables of a run left.
 *
 * @param types the dataTypes that the run had
 */
export function withStructureOf(
  all: JsonObject,
  fingerprint: string,
  state: JsonObject,
  types: ReadonlySet<string>,
): JsonObject {
  const kept = objectAt(all, KEY);
  const own = withOwnState(kept, fingerprint, objectFrom(entriesOf(state).filter(([key]) => NAMES.has(key))));
  if (!isCurrent(state)) return withMember(all, KEY, own);
  const ofFiles = objectAt(kept, TABLES);
  const struct = objectAt(state, STRUCT);
  const made = entriesOf(objectAt(struct, 'data')).filter(([key]) => types.has(typeIn(key)));
  const tables = {
    data: objectFrom([...entriesOf(objectAt(ofFiles, 'data')), ...made]),
    parent_aliases: withAliases(objectAt(ofFiles, 'parent_aliases'), struct),
  };
  return withMember(all, KEY, withMember(own, TABLES, tables));
}

/** The structure of the legacy tables has no names of columns. */
function isCurrent(state: JsonObject): boolean {
  const version = ownValue(state, STRUCT_VERSION);
  return version === undefined || Number(version) === 3;
}

/** The names of columns that gave way to keys. */
const withAliases = (aliases: JsonObject, of: JsonObject): JsonObject =>
  objectFrom([...entriesOf(aliases), ...entriesOf(objectAt(of, 'parent_aliases'))]);

/** Structures have a prefix before the names of dataTypes. */
const typeIn = (key: string): string => key.slice(1);

function objectAt(object: JsonObject, key: string): JsonObject {
  const value = ownValue(object, key);
  return isObject(value) ? value : {};
}
