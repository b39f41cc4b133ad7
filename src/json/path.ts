import type { Json } from '../model';
import { isList, isObject, ownValue } from './keys';

/**
 * The value at a path (specification 2, language 0.4): keys joined by the delimiter; in a list, a step is the zero-based
 * index. A path equal to the delimiter is the whole value.
 *
 * @param delimiter default `.`
 * @returns `undefined` when a step is missing; a `null` element of a list counts as missing
 * @example valueAt({ a: [{ b: 1 }] }, 'a.0.b') // 1
 */
export function valueAt(data: Json | undefined, path: string, delimiter = '.'): Json | undefined {
  if (path === delimiter) return data;
  let value = data;
  for (const step of path.split(delimiter)) {
    if (isList(value)) value = /^(0|[1-9]\d*)$/.test(step) ? (value[Number(step)] ?? undefined) : undefined;
    else if (isObject(value)) value = ownValue(value, step);
    else return undefined;
  }
  return value;
}
