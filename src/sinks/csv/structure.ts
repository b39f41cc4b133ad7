/** The structure of automatic tables (docs/language/tables.md#columns) that a folder itself keeps: it belongs to its files. */
import { entriesOf, isObject, objectFrom, ownValue } from '../../json/keys';
import { withMember } from '../../json/literals';
import type { JsonObject } from '../../model';
import { ownState, withOwnState } from '../../state/by-configuration';
import { STRUCT, STRUCT_VERSION } from '../../tables/automatic/state';

const KEY = 'headwater.csv';
const NAMES: ReadonlySet<string> = new Set([STRUCT, STRUCT_VERSION]);

/**
 * What the last run of a configuration left in all that a folder keeps, with the structure of the tables in this folder: the common
 * state of several destinations tells of another one's.
 *
 * @example stateOfFolder(all, fingerprint)
 */
export function stateOfFolder(all: JsonObject, fingerprint: string): JsonObject {
  const common = ownState(all, fingerprint);
  const own = ownState(keptIn(all), fingerprint);
  return ownValue(own, STRUCT) === undefined
    ? common
    : objectFrom([...entriesOf(common).filter(([key]) => !NAMES.has(key)), ...entriesOf(own)]);
}

/** All that a folder keeps, with the structure that the tables of a run left. */
export const withStructureOf = (all: JsonObject, fingerprint: string, state: JsonObject): JsonObject =>
  withMember(
    all,
    KEY,
    withOwnState(keptIn(all), fingerprint, objectFrom(entriesOf(state).filter(([key]) => NAMES.has(key)))),
  );

function keptIn(all: JsonObject): JsonObject {
  const kept = ownValue(all, KEY);
  return isObject(kept) ? kept : {};
}
