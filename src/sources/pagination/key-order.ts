import { isList } from '../../core/json/keys';
import type { Json } from '../../core/model';

/** Dates and times as machines write them, and digits: with equal lengths and zones, they are sorted as their characters are. */
const MOMENT = /^(?:\d{4}-\d\d(?:-\d\d(?:[T ][\d:.]+)?)?|\d+)(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Whether keys go up in one place and down in another, so that the API sorts by something else. Keys whose order depends on
 * the API's alphabet are not compared; of several values that make a key, only the first is looked at.
 *
 * @param keys those of one page, in its order
 * @example isOutOfOrder([1, 3, 2]) // true
 */
export function isOutOfOrder(keys: readonly Json[]): boolean {
  const signs = keys.slice(1).map((key, at) => order(firstOf(keys[at] ?? null), firstOf(key)));
  return signs.some((sign) => sign < 0) && signs.some((sign) => sign > 0);
}

const firstOf = (key: Json): Json => (isList(key) ? (key[0] ?? null) : key);

/** 0 also for what cannot be compared. */
function order(left: Json, right: Json): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left !== 'string' || typeof right !== 'string' || left.length !== right.length) return 0;
  const [before, after] = [MOMENT.exec(left), MOMENT.exec(right)];
  if (before === null || after === null || before[1] !== after[1]) return 0;
  return left < right ? -1 : left > right ? 1 : 0;
}
