import { entriesOf, isList, isObject, ownValue } from '../../core/json/objects';
import { parseData } from '../../core/json/parse';
import { isInteger } from '../../core/json/scalars';
import type { Json, JsonObject, Reply } from '../../core/model';
import type { TotalPlace } from '../../language/configuration/jobs/completeness';
import type { Paginator } from '../../language/parts/pagination/paginator';
import { SIZE_NAMES } from '../../language/parts/pagination/place';
import type { FoundItems } from '../items';
import { aroundItems, integerOf, totalPlaceText, totalValue } from '../reply-value';

/** An object beside the items of a response that may describe the pagination, and its path. */
export interface MetadataObject {
  /** The keys from the root. */
  readonly path: readonly string[];
  readonly object: JsonObject;
}

/** Objects in which APIs describe their pagination. */
const HOLDERS: ReadonlySet<string> = new Set([
  ...[
    'meta',
    'metadata',
    'pagination',
    'paging',
    'pager',
    'page',
    'pageinfo',
    'pages',
    'links',
    'link',
    'next',
    'cursor',
  ],
  ...['cursors', 'responsemetadata', 'resultinfo', 'resultset', 'info', 'navigation', 'hits', 'result', 'results'],
  ...['response', 'data', 'additionaldata', 'view', 'paginator', 'paginatorinfo', 'paginationinfo', 'paginginfo'],
  'resumptiontoken',
]);

const DEEPEST = 4;
/** An object with more keys than this does not describe a page. */
const MOST_KEYS = 200;

/** Returns the normal form of a key: `@odata.nextLink`, `hydra:nextLink`, `next_link` and `nextLink` are one. */
export const plainKey = (key: string): string =>
  key
    .toLowerCase()
    .replace(/^(?:@?odata\.|(?:hydra|atom|oai|opensearch):)/, '')
    .replace(/[^a-z0-9]/g, '');

/** Returns a path as messages show it. */
export const placeText = (path: readonly string[]): string => JSON.stringify(path.join('.'));

/**
 * Returns the objects of a response that may describe its pagination: the root, those on the way to the items, and those with a usual name
 * such as `meta` or `pagination`.
 *
 * @param path the keys that lead to the items
 * @example [...metadataObjectsIn({ meta: { total: 9 }, items: [] }, ['items'])] // the root, and the object at "meta"
 */
export function* metadataObjectsIn(data: Json | undefined, path: readonly string[]): Generator<MetadataObject> {
  if (isObject(data)) yield* placesBelow({ path: [], object: data }, path);
}

function* placesBelow(place: MetadataObject, path: readonly string[]): Generator<MetadataObject> {
  yield place;
  if (place.path.length >= DEEPEST) return;
  for (const [key, value] of entriesOf(place.object).slice(0, MOST_KEYS)) {
    const isOnTheWay = key === path[0];
    if (!isObject(value) || !(isOnTheWay || HOLDERS.has(plainKey(key)))) continue;
    yield* placesBelow({ path: [...place.path, key], object: value }, isOnTheWay ? path.slice(1) : []);
  }
}

/** Headers in which APIs describe their pages as a JSON object. */
const OBJECT_HEADERS: readonly string[] = ['x-pagination', 'pagination'];

/** Returns the objects in headers of a response, with the name of each header. */
export function* headerObjects({ response: { headers } }: Reply): Generator<readonly [string, JsonObject]> {
  for (const name of OBJECT_HEADERS) {
    const text = [headers[name] ?? []].flat()[0] ?? '';
    if (!text.startsWith('{')) continue;
    const data = parsed(text);
    if (isObject(data)) yield [name, data];
  }
}

function parsed(text: string): Json | undefined {
  try {
    return parseData(text);
  } catch {
    // A header that only looks like JSON describes nothing.
    return undefined;
  }
}

/**
 * Returns where a response has arrays with items, for a user who expected them elsewhere.
 *
 * @returns paths, at most {@link MOST_LISTS}
 * @example listsIn({ data: { rows: [1] }, errors: [] }) // ['data.rows']
 */
export function listsIn(data: Json | undefined): readonly string[] {
  const found: string[] = [];
  const look = (value: Json | undefined, path: readonly string[]): void => {
    if (found.length >= MOST_LISTS) return;
    if (isList(value)) {
      if (value.length > 0) found.push(path.length === 0 ? '.' : path.join('.'));
    } else if (isObject(value) && path.length < DEEPEST)
      for (const [key, inner] of entriesOf(value).slice(0, MOST_KEYS)) look(inner, [...path, key]);
  };
  look(data, []);
  return found;
}

const MOST_LISTS = 5;

/** A number of items that the API reports, and where it reports it. */
export interface Total {
  readonly value: number;
  /** Where the total was found, in words for the user. */
  readonly where: string;
  /** True if there may be more items than the total. */
  readonly isAtLeast?: boolean;
}

/** Keys at which some APIs report the total number of items, and others the number on the current page. */
const MAY_BE_OF_PAGE: readonly string[] = ['recordcount', 'itemcount', 'resultcount', 'rowcount', 'found', 'count'];
/** Keys at which APIs report the total number of items, the most reliable first. */
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

/** Returns the rank of a key as a name of a total, the most reliable first; negative if it is none. */
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

/** Returns the total at the place that the configuration names; `undefined` if there is no number. */
export function declaredTotal(reply: Reply, place: TotalPlace): Total | undefined {
  const value = countOf(totalValue(reply, place));
  return value === undefined ? undefined : { value, where: totalPlaceText(place) };
}

/**
 * Returns the total at one of the usual places of a response: in its body beside the items, or in a header.
 *
 * @param path the keys that lead to the items
 * @param count the number of items of this page: a `count` of the same value is not a total
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

/** Elasticsearch writes this beside the number of hits at which it stops counting. */
const LEAST = 'gte';

/** Elasticsearch writes `{"value": 10, "relation": "eq"}`; with any other relation than these the value is no total. */
function inner(value: Json): Json | undefined {
  if (!isObject(value)) return value;
  const relation = ownValue(value, 'relation');
  return relation === undefined || relation === 'eq' || relation === LEAST ? ownValue(value, 'value') : undefined;
}

/** Returns a number of items: an integer from 0. A sum of money is no such number. */
function countOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number' ? !Number.isInteger(value) : typeof value === 'string' && !isInteger(value))
    return undefined;
  const count = Number(integerOf(value) ?? -1);
  return count >= 0 && Number.isSafeInteger(count) ? count : undefined;
}

/**
 * Returns whether the API says that it used a smaller page size than requested, and sent a page of that size (docs/completeness.md#totals).
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
 * Returns whether the API says that it used exactly the number of items of a page as the page size.
 *
 * @example isOfSize(reply, found) // of 20 items beside "limit": 20
 */
export function isOfSize(reply: Reply, { count, place }: Pick<FoundItems, 'count' | 'place'>): boolean {
  for (const { object } of metadataObjectsIn(aroundItems(reply), place.kind === 'list' ? place.path : []))
    for (const [key, value] of entriesOf(object))
      if (SIZE_NAMES.has(plainKey(key)) && Number(integerOf(value) ?? -1) === count) return true;
  return false;
}
