import { recursionFilter } from '../recursion-filter';
import type { Operation } from './cell';

/** `filter` (docs/language/items.md#filter-and-exclude): keeps what meets all conditions. */
export function kept(conditions: readonly string[]): Operation {
  const tests = conditions.map(recursionFilter);
  return (cell) => (tests.every((test) => test(cell.item)) ? [cell] : []);
}

/** `exclude` (docs/language/items.md#filter-and-exclude): drops what meets any condition. */
export function excluded(conditions: readonly string[]): Operation {
  const tests = conditions.map(recursionFilter);
  return (cell) => (tests.some((test) => test(cell.item)) ? [] : [cell]);
}
