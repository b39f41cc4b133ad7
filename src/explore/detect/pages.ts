import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';

/** What a second list of items is beside the first. */
export type Comparison = 'other' | 'shifted' | 'same' | 'overlapping' | 'empty';

/**
 * Compares the items of two responses.
 *
 * @example comparePages([1, 2, 3], [2, 3, 4]) // 'shifted'
 */
export function comparePages(first: readonly Json[], second: readonly Json[]): Comparison {
  const [before, after] = [first.map(stringifyJson), second.map(stringifyJson)];
  if (after.length === 0) return 'empty';
  if (isBeginning(before, after)) return 'same';
  const moved = before.slice(1);
  if (moved.length > 0 && isBeginning(moved, after)) return 'shifted';
  const known = new Set(before);
  return after.some((item) => known.has(item)) ? 'overlapping' : 'other';
}

/** Whether one list goes on as the other begins. */
function isBeginning(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  return length > 0 && one.slice(0, length).every((item, at) => item === other[at]);
}
