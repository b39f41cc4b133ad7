import { entriesOf, isList, isObject } from '../../core/json/keys';
import { parseData } from '../../core/json/parse';
import type { Json, JsonObject, Reply } from '../../core/model';

/** An object beside the items of a response that may describe the pagination, and where it stands. */
export interface MetadataObject {
  /** The keys from the root. */
  readonly path: readonly string[];
  readonly object: JsonObject;
}

/** Objects in which APIs say how their pages go on. */
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
/** Keys of one object beyond this number are no description of a page. */
const MOST_KEYS = 200;

/** A key as it is compared: `@odata.nextLink`, `hydra:nextLink`, `next_link` and `nextLink` are one. */
export const plainKey = (key: string): string =>
  key
    .toLowerCase()
    .replace(/^(?:@?odata\.|(?:hydra|atom|oai|opensearch):)/, '')
    .replace(/[^a-z0-9]/g, '');

/** How messages name a place. */
export const placeText = (path: readonly string[]): string => JSON.stringify(path.join('.'));

/**
 * The objects of a response that may describe its pagination: the root, those on the way to the items, and those that are
 * called as such objects are, `meta` or `pagination` for example.
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

/** The objects that stand in headers of a response, with the name of each header. */
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
 * Where a response has arrays with items, for a person who looked for them elsewhere.
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
