import type { Json } from '../model';
import { sameDecimal } from './decimal';
import { isList, isObject, keysOf } from './keys';
import { hasLiterals, lostDigitsAt } from './literals';
import type { Holder } from './literals';

/**
 * Whether two values have the same structure, order of keys, types and values
 * (docs/language/pagination.md#equal-pages).
 */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((value, at) => sameJson(value, b[at]) && sameDigits(a, b, at));
  if (!isObject(a)) return a === b;
  if (!isObject(b)) return false;
  const keys = keysOf(a);
  const others = keysOf(b);
  return (
    keys.length === others.length &&
    keys.every((key, at) => key === others[at] && sameJson(a[key], b[key]) && sameDigits(a, b, key))
  );
}

/** Whether members that are the same number in JavaScript are the same with all of their digits. */
function sameDigits(a: Holder, b: Holder, key: string | number): boolean {
  if (!hasLiterals(a) && !hasLiterals(b)) return true;
  const [x, y] = [lostDigitsAt(a, key), lostDigitsAt(b, key)];
  return x === y || (x !== undefined && y !== undefined && sameDecimal(x, y));
}
