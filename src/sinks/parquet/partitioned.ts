/** Which tables of a folder lie in partitions, from run to run: a run may not touch all of them, and folders of others are no tables. */
import { isList, ownValue } from '../../core/json/keys';
import { withMember } from '../../core/json/literals';
import type { JsonObject } from '../../core/model';

const KEY = 'headwater.partitioned';

/** The names of tables that runs have put into partitions. */
export function partitionedIn(state: JsonObject): ReadonlySet<string> {
  const tables = ownValue(state, KEY);
  return new Set(isList(tables) ? tables.filter((name) => typeof name === 'string') : []);
}

/** A state that keeps them. */
export const withPartitioned = (state: JsonObject, tables: ReadonlySet<string>): JsonObject =>
  tables.size === 0 && ownValue(state, KEY) === undefined ? state : withMember(state, KEY, [...tables].sort());
