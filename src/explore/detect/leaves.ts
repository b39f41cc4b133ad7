import { entriesOf, isList, isObject } from '../../core/json/keys';
import { isScalar } from '../../core/json/text';
import type { Json, JsonScalar } from '../../core/model';

/** A scalar that a response has beside its items. */
export interface Leaf {
  readonly keys: readonly string[];
  readonly value: JsonScalar;
}

/** What a response says about itself stands near its root. */
const DEEPEST = 6;
/** More values than these beside the items are data, and no signs. */
const MOST = 2_000;

/**
 * The scalars of a response that stand in no array and not below `items`: what it says about itself.
 *
 * @param items the keys that lead to the items
 * @example leavesAround({ data: [1], meta: { next: 'x' } }, ['data']) // [{ keys: ['meta', 'next'], value: 'x' }]
 */
export function leavesAround(data: Json | undefined, items: readonly string[]): readonly Leaf[] {
  const found: Leaf[] = [];
  const visit = (value: Json, keys: readonly string[]): void => {
    if (found.length >= MOST) return;
    if (isScalar(value)) found.push({ keys, value });
    else if (isObject(value) && keys.length < DEEPEST && !(items.length > 0 && isAt(keys, items)))
      for (const [key, inner] of entriesOf(value)) visit(inner, [...keys, key]);
  };
  if (data !== undefined && !isList(data)) visit(data, []);
  return found.filter(({ keys }) => keys.length > 0);
}

const isAt = (keys: readonly string[], place: readonly string[]): boolean =>
  keys.length === place.length && keys.every((key, at) => key === place[at]);

/** A name without case and separators: `nextPageToken`, `next_page_token` and `next-page-token` are one. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
