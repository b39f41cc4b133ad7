import type { TotalPlace } from '../../language/configuration/jobs/completeness';
import { ownValue, entriesOf, isObject } from '../../core/json/keys';
import { isInteger } from '../../core/json/numeric';
import type { Json, Reply } from '../../core/model';
import { integerOf } from '../pagination/integer';
import { aroundItems } from '../reply-value';
import { totalPlaceText, totalValue } from '../total-value';
import { headerObjects, metadataObjectsIn, placeText, plainKey } from './metadata-objects';

/** How many items the API says that there are, and where it says so. */
export interface Total {
  readonly value: number;
  /** Where the total was found, in words for a person. */
  readonly where: string;
  /** Whether there may be more than so many. */
  readonly isAtLeast?: boolean;
}

/** Keys at which APIs say how many items there are in all, and others how many the page at hand has. */
const MAY_BE_OF_PAGE: readonly string[] = ['recordcount', 'itemcount', 'resultcount', 'rowcount', 'found', 'count'];
/** Keys at which APIs say how many items there are in all; the most telling first. */
const TOTAL_KEYS: readonly string[] = [
  ...['totalcount', 'totalitems', 'totalresults', 'totalrecords', 'totalelements', 'totalrows', 'totalentries'],
  ...[
    'totalhits',
    'totalsize',
    'totalnumber',
    'totalfound',
    'numfound',
    'nbhits',
    'recordstotal',
    'counttotal',
    'completelistsize',
    'total',
  ],
  ...MAY_BE_OF_PAGE,
];
/** Other names of a number of items, such as `matching_rows` or `filtered_table_rows_count`. */
const TOTAL_NAME =
  /^(all|filtered|grand|matching|overall|total)[a-z]*(count|entries|hits|items|number|records|results|rows|size)$/;

/** The lower, the more telling; negative: no name of a total. */
function rankOf(key: string): number {
  const known = TOTAL_KEYS.indexOf(key);
  return known < 0 && TOTAL_NAME.test(key) ? TOTAL_KEYS.length : known;
}

const TOTAL_HEADERS: readonly string[] = [
  'x-total-count',
  'x-total',
  'total-count',
  'x-wp-total',
  'x-pagination-total-count',
  'content-range',
];

/** The total at the place that the configuration names; `undefined` when there is no number. */
export function declaredTotal(reply: Reply, place: TotalPlace): Total | undefined {
  const value = countOf(totalValue(reply, place));
  return value === undefined ? undefined : { value, where: totalPlaceText(place) };
}

/**
 * The total that a response gives at one of the usual places, in its body beside the items or in a header.
 *
 * @param path the keys that lead to the items
 * @param count of the items of this page: a `count` of as many is not that of all
 * @example usualTotal(reply, ['items'], 100) // { value: 20030, where: '"meta.total"' }
 */
export function usualTotal(reply: Reply, path: readonly string[], count: number): Total | undefined {
  for (const header of TOTAL_HEADERS) {
    const total = declaredTotal(reply, { header });
    if (total !== undefined) return total;
  }
  const candidates: (Total & { readonly rank: number })[] = [];
  for (const { path: place, object } of metadataObjectsIn(aroundItems(reply), path))
    for (const [key, written] of entriesOf(object)) {
      const rank = rankOf(plainKey(key));
      const value = rank < 0 ? undefined : countOf(inner(written));
      if (value === undefined || (MAY_BE_OF_PAGE.includes(plainKey(key)) && value === count)) continue;
      const isAtLeast = isObject(written) && ownValue(written, 'relation') === LEAST;
      candidates.push({ value, rank, where: placeText([...place, key]), ...(isAtLeast ? { isAtLeast } : {}) });
    }
  for (const [header, object] of headerObjects(reply))
    for (const [key, written] of entriesOf(object)) {
      const rank = rankOf(plainKey(key));
      const value = rank < 0 ? undefined : countOf(written);
      if (value !== undefined) candidates.push({ value, rank, where: `the header ${header}` });
    }
  const [first] = candidates.sort((a, b) => a.rank - b.rank);
  if (first === undefined) return undefined;
  const { value, where, isAtLeast } = first;
  return { value, where, ...(isAtLeast === undefined ? {} : { isAtLeast }) };
}

/** Elasticsearch writes so of the number of hits at which it ends to count. */
const LEAST = 'gte';

/** Elasticsearch writes `{"value": 10, "relation": "eq"}`; with other relations than these it is none. */
function inner(value: Json): Json | undefined {
  if (!isObject(value)) return value;
  const relation = ownValue(value, 'relation');
  return relation === undefined || relation === 'eq' || relation === LEAST ? ownValue(value, 'value') : undefined;
}

/** A number of items: an integer from 0. A sum of money is none. */
function countOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number' ? !Number.isInteger(value) : typeof value === 'string' && !isInteger(value))
    return undefined;
  const count = Number(integerOf(value) ?? -1);
  return count >= 0 && Number.isSafeInteger(count) ? count : undefined;
}
