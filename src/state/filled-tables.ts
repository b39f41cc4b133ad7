/** Which tables of a destination runs have put rows into, so that a table which has lost them is noticed. */
import { isObject, keysOf, objectFrom, ownValue } from '../json/keys';
import { withMember } from '../json/literals';
import type { JsonObject } from '../model';

const KEY = 'headwater.filled';

/** The tables, by their dataTypes, as a destination keeps them. */
export function filledIn(all: JsonObject): ReadonlySet<string> {
  const tables = ownValue(all, KEY);
  return new Set(isObject(tables) ? keysOf(tables) : []);
}

/**
 * All that a destination keeps, with tables that have got rows.
 *
 * @example withFilled({}, ['items']) // { 'headwater.filled': { items: true } }
 */
export function withFilled(all: JsonObject, tables: Iterable<string>): JsonObject {
  const known = filledIn(all);
  const filled = new Set([...known, ...tables]);
  if (filled.size === known.size) return all;
  return withMember(all, KEY, objectFrom(Array.from(filled, (table) => [table, true] as const)));
}
