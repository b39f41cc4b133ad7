import { FatalError } from '../core/errors/errors';
import { isBlankData } from '../core/json/scalars';
import { entriesOf, isList, isObject, ownValue } from '../core/json/objects';
import { parseList } from '../core/json/parse';
import { placeAt, valueAt, valuesAt } from '../core/json/path';
import { keepLiterals, literalAt, noteLiterals } from '../core/json/literals';
import { stringifyAt, stringifyJson } from '../core/json/stringify';
import type { Item, Json, Page, RawItems, Reply } from '../core/model';
import type { ItemSelector } from '../plan/plan';

/** The items of a response as its page has them, with the warnings about them. */
export interface FoundItems extends Pick<Page, 'count' | 'items' | 'lines'> {
  readonly warning?: string;
  readonly place: FoundPlace;
  /** A digest of the items, where they were found in bytes, as in {@link RawItems.print}. */
  readonly print?: () => string;
  /** The whole page, if items that had come before were left out of it: pages are compared as the API sent them. */
  readonly whole?: FoundItems;
}

/**
 * What was at the place of the items: an array; a single value, which counts as one item; a blank value; nothing, or a response that is no
 * object and no array; or the response was empty.
 */
export type FoundPlace =
  | { readonly kind: 'list' | 'value'; readonly path: readonly string[] }
  | { readonly kind: 'blank'; readonly isNull: boolean }
  | { readonly kind: 'missing' }
  | { readonly kind: 'empty' };

/**
 * Returns the items of a response (docs/language/responses.md#where-the-items-are): the array at `dataField`, or the only array of the
 * response. Items that were found in its bytes are parsed when they are read.
 *
 * @param filter changes each item, which parses all of them
 * @throws FatalError API_SHAPE when there are several arrays to choose from, or nothing that could hold items
 */
export function itemsOf(
  selector: ItemSelector,
  reply: Reply,
  endpoint: string,
  filter?: (item: Item) => Item,
): FoundItems {
  const { raw } = reply;
  if (raw !== undefined && filter === undefined)
    return {
      count: raw.count,
      place: { kind: 'list', path: raw.path },
      print: raw.print,
      get items() {
        return parsed(valueAtKeys(reply.data, raw.path));
      },
      lines: (before = '', after = '', room) => raw.lines(before, after, room),
    };
  const {
    items: found,
    warning,
    place,
  } = raw === undefined
    ? findItems(selector, reply.data, endpoint)
    : { items: asSpelled(raw), warning: undefined, place: { kind: 'list', path: raw.path } as const };
  const items = filter === undefined ? found : keepLiterals(found, found.map(filter));
  return {
    count: items.length,
    items,
    place,
    lines: (before = '', after = '') =>
      Buffer.from(items.map((_, at) => `${before}${stringifyAt(items, at)}${after}\n`).join('')),
    ...(warning === undefined ? {} : { warning }),
  };
}

/** A page without items. */
export const NOTHING_FOUND: FoundItems = {
  count: 0,
  items: [],
  lines: () => Buffer.alloc(0),
  place: { kind: 'list', path: [] },
};

/**
 * Returns a page without some of its items, by their indexes. Bytes stay bytes: only the end of each line is looked for, since JSON has
 * line ends only between tokens.
 */
export function withoutItems(found: FoundItems, dropped: readonly number[]): FoundItems {
  if (dropped.length === 0) return found;
  const isLeft = (at: number): boolean => !dropped.includes(at);
  const { place, warning } = found;
  return {
    count: found.count - dropped.length,
    place,
    whole: found,
    get items() {
      return keepLiteralsOf(found.items, isLeft);
    },
    lines: (before, after, scratch) => linesLeft(found.lines(before, after, scratch), isLeft),
    ...(warning === undefined ? {} : { warning }),
  };
}

/** Returns the remaining elements, with the spelling of their numbers. */
function keepLiteralsOf(items: readonly Item[], isLeft: (at: number) => boolean): readonly Item[] {
  const left = items.flatMap((item, at) => (isLeft(at) ? [{ item, literal: literalAt(items, at) }] : []));
  const spelled = left.flatMap(({ literal }, at) => (literal === undefined ? [] : [[String(at), literal] as const]));
  const kept = left.map(({ item }) => item);
  if (spelled.length > 0) noteLiterals(kept, new Map(spelled));
  return kept;
}

const LINE_END = 0x0a;

/** Moves the remaining lines together, in place. */
function linesLeft(lines: Uint8Array, isLeft: (at: number) => boolean): Uint8Array {
  let end = 0;
  let from = 0;
  for (let at = 0; from < lines.length; at += 1) {
    const to = lines.indexOf(LINE_END, from) + 1;
    if (isLeft(at)) {
      lines.copyWithin(end, from, to);
      end += to - from;
    }
    from = to;
  }
  return lines.subarray(0, end);
}

/** Parses the items and keeps the spelling of their numbers, for code that serializes them again. */
const asSpelled = (raw: RawItems): readonly Item[] =>
  parseList(Buffer.from(raw.lines('', '')).toString('utf8').split('\n').slice(0, -1), 'spelling');

const valueAtKeys = (data: Json | undefined, keys: readonly string[]): Json | undefined =>
  keys.reduce<Json | undefined>((value, key) => (isObject(value) ? ownValue(value, key) : undefined), data);

const parsed = (list: Json | undefined): readonly Item[] => (isList(list) ? list : []);

/** The result of {@link findItems}. */
interface Selected extends Pick<FoundItems, 'items' | 'warning' | 'place'> {
  readonly items: readonly Item[];
}

/**
 * Returns the items in the parsed body.
 *
 * @param data `undefined` for an empty one
 * @throws FatalError API_SHAPE
 * @example findItems({ path: 'items', delimiter: '.' }, { items: [1] }, 'users').items // [1]
 */
export function findItems(selector: ItemSelector, data: Json | undefined, endpoint: string): Selected {
  if (data === undefined) return { items: [], place: { kind: 'empty' } };
  return selector.path === undefined ? detect(data, endpoint) : select(data, selector.path, selector.delimiter);
}

function select(data: Json, path: string, delimiter: string): Selected {
  const several = valuesAt(data, path, delimiter);
  if (several !== undefined)
    return several.length === 0
      ? noData(path, { kind: 'list', path: [] })
      : { items: several, place: { kind: 'list', path: [] } };
  const value = valueAt(data, path, delimiter);
  const keys = path === delimiter ? [] : path.split(delimiter);
  if (value === undefined) return noData(path, { kind: 'missing' });
  if (isList(value))
    return value.length === 0
      ? noData(path, { kind: 'list', path: keys })
      : { items: value, place: { kind: 'list', path: keys } };
  if (isBlankData(value)) return noData(path, { kind: 'blank', isNull: value === null });
  const holder = placeAt(data, path, delimiter);
  const literal = holder === undefined ? undefined : literalAt(holder.holder, holder.key);
  const items = [value];
  if (literal !== undefined) noteLiterals(items, new Map([['0', literal]]));
  return { items, place: { kind: 'value', path: keys } };
}

function detect(data: Json, endpoint: string): Selected {
  if (isList(data)) return { items: data, place: { kind: 'list', path: [] } };
  if (!isObject(data))
    throw new FatalError(
      'API_SHAPE',
      `Unknown response from API: expected an object or an array, found ${stringifyJson(data)}. ` +
        `Set 'dataField' if this value is the data. (endpoint: ${endpoint})`,
    );
  const lists = entriesOf(data).flatMap(([key, value]) => (isList(value) ? [{ key, value }] : []));
  if (lists.length > 1)
    throw new FatalError(
      'API_SHAPE',
      "More than one array found in response! Use 'dataField' parameter to specify a key to the data array. " +
        `(endpoint: ${endpoint}, arrays in response root: ${lists.map(({ key }) => key).join(', ')})`,
    );
  const [list] = lists;
  if (list === undefined)
    return {
      items: [],
      place: { kind: 'missing' },
      warning: `No data array found in response! (endpoint: ${endpoint})`,
    };
  const place: FoundPlace = { kind: 'list', path: [list.key] };
  return list.value.length === 0 ? noData(list.key, place) : { items: list.value, place };
}

const noData = (path: string, place: FoundPlace): Selected => ({
  items: [],
  place,
  warning: `dataField ${path} contains no data!`,
});
