import type { Json } from '../model';
import { jsonPathOf } from './json-path';
import { isList, isObject } from './keys';
import { exactAt, keepPlaces, memberAt } from './literals';
import type { Holder } from './literals';
import { isPathIndex } from './numeric';

/**
 * The value at a path (docs/language/README.md#paths): keys joined by the delimiter; in an array, a step is the
 * zero-based index, or counts from the end: `-1` is the last element. A path equal to the delimiter is the whole value.
 *
 * @param delimiter default `.`
 * @returns `undefined` when a step is missing; a `null` element of an array counts as missing
 * @example valueAt({ a: [{ b: 1 }] }, 'a.0.b') // 1
 */
export function valueAt(data: Json | undefined, path: string, delimiter = '.'): Json | undefined {
  if (path === delimiter) return data;
  const found = foundAt(data, path, delimiter);
  if (found !== undefined) return found.list;
  const place = placeAt(data, path, delimiter);
  return place === undefined ? undefined : memberAt(place.holder, place.key);
}

/** As {@link valueAt}; a number that JavaScript cannot hold is the string of its digits. */
export function exactValueAt(data: Json | undefined, path: string, delimiter = '.'): Json | undefined {
  if (path === delimiter) return data;
  const found = foundAt(data, path, delimiter);
  if (found !== undefined) return found.list;
  const place = placeAt(data, path, delimiter);
  return place === undefined ? undefined : exactAt(place.holder, place.key);
}

/**
 * The index from the start that a step of a path means in an array; `undefined` for a step that is none.
 *
 * @example indexIn(['a', 'b'], '-1') // '1'
 */
function indexIn(list: readonly Json[], step: string): string | undefined {
  if (!isPathIndex(step)) return undefined;
  return step.startsWith('-') ? String(list.length + Number(step)) : step;
}

/**
 * What a JSON path leads to that can lead to several values: nothing, the place of the only one, or all as a list. An
 * object with a key `$` is read by that key, as ever.
 */
function foundAt(
  data: Json | undefined,
  path: string,
  delimiter: string,
): { readonly list: Json | undefined } | undefined {
  const query = queryFor(data, path, delimiter);
  if (query === undefined || data === undefined || query.isSingular) return undefined;
  const places = query.places(data);
  return places.length > 1 ? { list: keepPlaces(places) } : undefined;
}

const queryFor = (data: Json | undefined, path: string, delimiter: string) =>
  isObject(data) && path.startsWith('$.') && Object.hasOwn(data, '$') ? undefined : jsonPathOf(path, delimiter);

/** The values that a JSON path leads to; `undefined`: the path is one of keys, or leads to one value at most. */
export function valuesAt(data: Json, path: string, delimiter: string): readonly Json[] | undefined {
  const query = queryFor(data, path, delimiter);
  return query === undefined || query.isSingular ? undefined : keepPlaces(query.places(data));
}

/** What the last step of a path leads to a member of; `undefined` when there is no such member. */
export function placeAt(
  data: Json | undefined,
  path: string,
  delimiter = '.',
): { readonly holder: Holder; readonly key: string | number } | undefined {
  const query = queryFor(data, path, delimiter);
  if (query !== undefined) return data === undefined ? undefined : query.places(data)[0];
  const steps = path.split(delimiter);
  const last = steps.length - 1;
  let value = data;
  for (const [at, key] of steps.entries()) {
    const own = isList(value) ? indexIn(value, key) : isObject(value) ? key : undefined;
    if (own === undefined) return undefined;
    const holder = value as Holder;
    // A null in an array counts as missing.
    const member = memberAt(holder, own);
    if (member === undefined || (member === null && isList(holder))) return undefined;
    if (at === last) return { holder, key: own };
    value = member;
  }
  return undefined;
}
