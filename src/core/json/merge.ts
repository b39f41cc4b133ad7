import type { Json, JsonObject } from '../model';
import { entriesOf, isList, isObject, objectFrom } from './keys';

/**
 * Lays `over` on `under` (docs/language/requests.md#default-parameters): objects merge key by key, arrays index by
 * index; other values replace.
 */
export function merge(under: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(entriesOf(under));
  for (const [key, value] of entriesOf(over)) merged.set(key, mergeValues(merged.get(key), value));
  return objectFrom(merged);
}

function mergeValues(under: Json | undefined, over: Json): Json {
  if (isObject(under) && isObject(over)) return merge(under, over);
  if (isList(under) && isList(over))
    return [...over.map((value, at) => mergeValues(under[at], value)), ...under.slice(over.length)];
  return over;
}
