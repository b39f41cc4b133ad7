import { entriesOf } from '../../core/json/keys';
import type { Reply } from '../../core/model';
import { integerOf } from '../pagination/integer';
import type { Paginator } from '../../language/parts/pagination/paginator';
import { SIZE_NAMES } from '../../language/parts/pagination/size-names';
import type { FoundItems } from '../items';
import { aroundItems } from '../reply-value';
import { metadataObjectsIn, plainKey } from './metadata-objects';

/**
 * Whether the API says that it went by a smaller page size than it was asked for, and gave a page of that size
 * (docs/completeness.md#totals).
 *
 * @example isCapped(reply, found, paginator) // of 50 items beside "limit": 50, where 100 were asked for
 */
export function isCapped(
  reply: Reply,
  { count, place }: Pick<FoundItems, 'count' | 'place'>,
  { pageSize }: Pick<Paginator, 'pageSize'>,
): boolean {
  return pageSize !== undefined && count < pageSize && isOfSize(reply, { count, place });
}

/**
 * This tells whether the API says of a page of so many items that it went by just this page size.
 *
 * @example isOfSize(reply, found) // of 20 items beside "limit": 20
 */
export function isOfSize(reply: Reply, { count, place }: Pick<FoundItems, 'count' | 'place'>): boolean {
  for (const { object } of metadataObjectsIn(aroundItems(reply), place.kind === 'list' ? place.path : []))
    for (const [key, value] of entriesOf(object))
      if (SIZE_NAMES.has(plainKey(key)) && Number(integerOf(value) ?? -1) === count) return true;
  return false;
}
