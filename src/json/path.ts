import type { Json } from '../model';
import { isList, isObject } from './keys';
import { exactAt, memberAt } from './literals';
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
  const place = placeAt(data, path, delimiter);
  return place === undefined ? undefined : memberAt(place.holder, place.key);
}

/** As {@link valueAt}; a number that JavaScript cannot hold is the string of its digits. */
export function exactValueAt(data: Json | undefined, path: string, delimiter = '.'): Json | undefined {
  if (path === delimiter) return data;
  const place = placeAt(data, path, delimiter);
  return place === undefined ? undefined : exactAt(place.holder, place.key);
}

/**
 * The index from the start that a step of a path means in an array; `undefined` for a step that is none.
 *
 * @example indexIn(['a', 'b'], '-1') // '1'
 */
export function indexIn(list: readonly Json[], step: string): string | undefined {
  if (!isPathIndex(step)) return undefined;
  return step.startsWith('-') ? String(list.length + Number(step)) : step;
}

/** What the last step of a path leads to a member of; `undefined` when there is no such member. */
export function placeAt(
  data: Json | undefined,
  path: string,
  delimiter = '.',
): { readonly holder: Holder; readonly key: string } | undefined {
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
