import { OF_ITEMS, recursionFilter } from '../recursion-filter';
import type { Operation } from './cell';

const compiled = (conditions: string): ReturnType<typeof recursionFilter> => recursionFilter(conditions, OF_ITEMS);

/** `filter` (docs/language/items.md#filter-and-exclude): keeps what meets all conditions. */
export function kept(conditions: readonly string[]): Operation {
  const tests = conditions.map(compiled);
  return (cell) => (tests.every((isMet) => isMet(cell.item)) ? [cell] : []);
}

/** `exclude` (docs/language/items.md#filter-and-exclude): drops what meets any condition. */
export function excluded(conditions: readonly string[]): Operation {
  const tests = conditions.map(compiled);
  return (cell) => (tests.some((isMet) => isMet(cell.item)) ? [] : [cell]);
}
