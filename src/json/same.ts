import type { Json } from '../model';
import { isList, isObject, keysOf } from './keys';

/** Whether two values have the same structure, order of keys, types and values (language 5.1). */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (isList(a)) return isList(b) && a.length === b.length && a.every((value, at) => sameJson(value, b[at]));
  if (!isObject(a)) return a === b;
  if (!isObject(b)) return false;
  const keys = keysOf(a);
  const others = keysOf(b);
  return keys.length === others.length && keys.every((key, at) => key === others[at] && sameJson(a[key], b[key]));
}
