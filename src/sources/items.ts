import { FatalError } from '../core/errors/errors';
import { hashOfText } from '../core/json/raw-items';
import { isBlank, isBlankData } from '../core/json/scalars';
import { entriesOf, isList, isObject, keysOf, ownValue } from '../core/json/objects';
import { parseList } from '../core/json/parse';
import { keysAt, namesTo, placeAt, valueAt, valuesAt } from '../core/json/path';
import { keepLiterals, literalAt, noteLiterals } from '../core/json/literals';
import { stringifyAt, stringifyJson } from '../core/json/stringify';
import type { Item, Json, JsonObject, Page, RawItems, Reply, ScratchBuffer } from '../core/model';
import type { ItemSelector } from '../plan/plan';
import { rowsOf } from './rows';
import { isAboutPages, listsIn } from './completeness/said';
import { LISTS, hasId, isErrorList, isMessage, namesErrors, plainKey } from './completeness/words';

/** The items of a response as its page has them, with the warnings about them. */
export interface FoundItems extends Pick<Page, 'count' | 'items' | 'lines'> {
  readonly warning?: string;
  readonly place: FoundPlace;
  /** A digest of the items, where they were found in bytes, as in {@link RawItems.print}. */
  readonly print?: () => string;
  /** Returns numbers that differ where the ids of the items do; `undefined` where an item has none. */
  readonly ids: () => readonly number[] | undefined;
  /** The values of the key of {@link ItemSelector}, where the items were found in bytes, as in {@link RawItems.values}. */
  readonly values?: () => readonly Json[] | undefined;
  /** The whole page, if items that had come before were left out of it: pages are compared as the API sent them. */
  readonly whole?: FoundItems;
}

/**
 * What was at the place of the items: an array; a single value, which counts as one item; a blank value; a sentence in place of items; nothing,
 * or a response that is no object and no array; or the response was empty.
 */
export type FoundPlace =
  | { readonly kind: 'list' | 'value'; readonly path: readonly string[] }
  | { readonly kind: 'blank' | 'text'; readonly value: Json }
  | { readonly kind: 'missing' }
  | { readonly kind: 'empty' };

/**
 * What other responses of the job had (docs/completeness.md#a-single-object): a single object then is a list of one. Absent where a response is
 * read by the language alone.
 */
export interface OtherLists {
  /** True if an earlier page of the call had a list. */
  readonly inCall: boolean;
  /** Where calls of the job had their list. */
  readonly path?: readonly string[];
}

/**
 * Returns the items of a response (docs/language/responses.md#where-the-items-are): the array at `dataField`, or the only array of the
 * response. Items that were found in its bytes are parsed when they are read.
 *
 * @param filter changes each item, which parses all of them
 * @param others what other responses of the job had
 * @throws FatalError API_SHAPE when there are several arrays to choose from, or nothing that could hold items
 */
export function itemsOf(
  selector: ItemSelector,
  reply: Reply,
  endpoint: string,
  filter?: (item: Item) => Item,
  others?: OtherLists,
): FoundItems {
  const raw = reply.raw === undefined || isOtherwise(selector, reply.raw, others) ? undefined : reply.raw;
  if (raw !== undefined && filter === undefined) return new ItemsInBytes(reply, raw);
  const {
    items: found,
    warning,
    place,
  } = raw === undefined
    ? findItems(selector, reply.data, endpoint, others)
    : { items: asSpelled(raw), warning: undefined, place: { kind: 'list', path: raw.path } as const };
  const items = filter === undefined ? found : keepLiterals(found, found.map(filter));
  return {
    count: items.length,
    items,
    place,
    ids: () => idsOf(items),
    lines: (before = '', after = '') =>
      Buffer.from(items.map((_, at) => `${before}${stringifyAt(items, at)}${after}\n`).join('')),
    ...(warning === undefined ? {} : { warning }),
  };
}

/** Items that were found in the bytes of a response. */
class ItemsInBytes implements FoundItems {
  readonly count: number;
  readonly place: FoundPlace;

  readonly #reply: Reply;
  readonly #raw: RawItems;

  constructor(reply: Reply, raw: RawItems) {
    this.#reply = reply;
    this.#raw = raw;
    this.count = raw.count;
    this.place = { kind: 'list', path: raw.path };
  }

  get items(): readonly Item[] {
    return parsed(valueAtKeys(this.#reply.data, this.#raw.path));
  }

  print(): string {
    return this.#raw.print();
  }

  ids(): readonly number[] | undefined {
    return this.#raw.ids();
  }

  values(): readonly Json[] | undefined {
    return this.#raw.values();
  }

  lines(before = '', after = '', room?: ScratchBuffer): Uint8Array {
    return this.#raw.lines(before, after, room);
  }
}

function idsOf(items: readonly Item[]): readonly number[] | undefined {
  const ids = items.flatMap((item) => (isObject(item) ? (idOf(item) ?? []) : []));
  return ids.length === items.length ? ids.map(hashOfText) : undefined;
}

function idOf(item: JsonObject): string | undefined {
  const id = ownValue(item, 'id');
  return id === undefined ? undefined : stringifyJson(id);
}

/** Returns whether a list that was found in the bytes of a response is not its items, or has none in it, which the parsed response shows. */
function isOtherwise({ path }: ItemSelector, raw: RawItems, others: OtherLists | undefined): boolean {
  if (others === undefined) return false;
  if (others.inCall && raw.bytes(0).length <= LONGEST_BLANK) return true;
  const [key] = raw.path;
  if (path !== undefined || key === undefined) return false;
  if (namesErrors(key)) return true;
  if (others.path !== undefined) return others.path.join() !== raw.path.join();
  const around = raw.around();
  return isObject(around) && isOneItem(around, [key]);
}

const LONGEST_BLANK = 'null'.length;

/** A page without items. */
export const NOTHING_FOUND: FoundItems = {
  count: 0,
  items: [],
  ids: () => undefined,
  lines: () => Buffer.alloc(0),
  place: { kind: 'list', path: [] },
};

/**
 * Returns a page without some of its items, by their indexes. Bytes stay bytes: only the end of each line is looked for, since JSON has
 * line ends only between tokens.
 */
export function withoutItems(found: FoundItems, dropped: readonly number[]): FoundItems {
  if (dropped.length === 0) return found;
  const left = new ItemsLeft(found, dropped);
  return found.warning === undefined ? left : Object.assign(left, { warning: found.warning });
}

class ItemsLeft implements FoundItems {
  readonly count: number;
  readonly place: FoundPlace;

  constructor(
    readonly whole: FoundItems,
    private readonly dropped: readonly number[],
  ) {
    this.count = whole.count - dropped.length;
    this.place = whole.place;
  }

  get items(): readonly Item[] {
    return keepLiteralsOf(this.whole.items, this.#isLeft);
  }

  ids(): readonly number[] | undefined {
    return this.whole.ids()?.filter((_, at) => this.#isLeft(at));
  }

  lines(before?: string, after?: string, scratch?: ScratchBuffer): Uint8Array {
    return linesLeft(this.whole.lines(before, after, scratch), this.#isLeft);
  }

  readonly #isLeft = (at: number): boolean => !this.dropped.includes(at);
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
export function findItems(
  selector: ItemSelector,
  data: Json | undefined,
  endpoint: string,
  others?: OtherLists,
): Selected {
  if (data === undefined) return { items: [], place: { kind: 'empty' } };
  const selected =
    selector.path === undefined
      ? detect(data, endpoint, others)
      : select(data, selector.path, selector.delimiter, others);
  if (selector.rows === undefined || selected.items.length === 0) return selected;
  const path = selected.place.kind === 'list' || selected.place.kind === 'value' ? selected.place.path : [];
  return { items: rowsOf(selected.items, data, selector.rows, selector.delimiter), place: { kind: 'list', path } };
}

function select(data: Json, path: string, delimiter: string, others: OtherLists | undefined): Selected {
  const several = valuesAt(data, path, delimiter);
  if (several !== undefined) {
    const place = { kind: 'list', path: namesTo(data, path, delimiter) } as const;
    return several.length === 0 ? noData(path, place) : { items: several, place };
  }
  const value = valueAt(data, path, delimiter);
  const keys = keysAt(data, path, delimiter) ?? path.split(delimiter);
  if (value === undefined) return noData(path, { kind: 'missing' });
  if (isList(value)) return ofList(value, path, keys, others);
  const other = noItem(value, others, true);
  if (isBlankData(value) || other !== undefined) return noData(path, other ?? { kind: 'blank', value });
  const holder = placeAt(data, path, delimiter);
  const literal = holder === undefined ? undefined : literalAt(holder.holder, holder.key);
  const items = [value];
  if (literal !== undefined) noteLiterals(items, new Map([['0', literal]]));
  return { items, place: { kind: 'value', path: keys } };
}

function ofList(
  list: readonly Json[],
  name: string,
  path: readonly string[],
  others: OtherLists | undefined,
): Selected {
  const place: FoundPlace = { kind: 'list', path };
  if (list.length === 0) return noData(name, place);
  // Behind pages of items, a list of nothing has none.
  if (others?.inCall === true && list.every(isNothing)) return noData(name, { kind: 'blank', value: list });
  return { items: list, place };
}

const isNothing = (item: Json): boolean => item === null || (isObject(item) && keysOf(item).length === 0);

/**
 * Returns what a value that is no list is, unless it is an item: nothing, or a sentence in place of items.
 *
 * @param isNamed true if the configuration names the place: what stands there is an item, unless other responses had lists there
 */
function noItem(value: Json, others: OtherLists | undefined, isNamed: boolean): FoundPlace | undefined {
  if (others === undefined) return undefined;
  if (isBlank(value)) return { kind: 'blank', value };
  const mayTell = others.inCall || others.path !== undefined || !isNamed;
  return mayTell && (isMessage(value) || (others.inCall && typeof value === 'string'))
    ? { kind: 'text', value }
    : undefined;
}

function detect(data: Json, endpoint: string, others: OtherLists | undefined): Selected {
  if (isList(data)) {
    // The language has no warning for a response that is an empty list.
    const { items, place } = ofList(data, '.', [], others);
    return { items, place };
  }
  // An API that is asked for errors, and has them, has no error.
  const isAsked = isObject(data) && keysOf(data).some((key) => namesErrors(key) && endsWith(endpoint, key));
  const other = (others?.inCall === true || isObject(data)) && !isAsked ? noItem(data, others, false) : undefined;
  if (other !== undefined) return isObject(data) ? notDetected(endpoint) : { items: [], place: other };
  if (!isObject(data))
    throw new FatalError(
      'API_SHAPE',
      `Unknown response from API: expected an object or an array, found ${stringifyJson(data)}. ` +
        `Set 'dataField' if this value is the data. (endpoint: ${endpoint})`,
    );
  const lists = entriesOf(data).flatMap(([key, value]) => (isList(value) ? [{ key, value }] : []));
  // What has nothing but errors in place of a list is no item, unless it has an id.
  const areErrors = lists.length > 0 && lists.every(({ key }) => isErrorList(data, key));
  if (others !== undefined && areErrors && !isAsked && !hasId(data)) return notDetected(endpoint);
  const [known] = others?.path ?? [];
  if (known !== undefined) return select(data, known, NO_DELIMITER, others);
  const keys = lists.map(({ key }) => key);
  // Where others are lists themselves, what is in an object is no list of items.
  const isOther = others?.path !== undefined && !hasId(data) && listsIn(data).length > 0;
  const isItem = !isOther && (others?.path !== undefined || isOneItem(data, keys));
  if (others !== undefined && isItem && !isAboutPages(data))
    return { items: [data], place: { kind: 'value', path: [] } };
  if (isOther) return notDetected(endpoint);
  if (lists.length > 1)
    throw new FatalError(
      'API_SHAPE',
      "More than one array found in response! Use 'dataField' parameter to specify a key to the data array. " +
        `(endpoint: ${endpoint}, arrays in response root: ${keys.join(', ')})`,
    );
  const [list] = lists;
  if (list === undefined) return notDetected(endpoint);
  return ofList(list.value, list.key, [list.key], others);
}

/** Returns whether a key is the last segment of a path. */
const endsWith = (endpoint: string, key: string): boolean =>
  plainKey((endpoint.split(/[?#]/, 1)[0] ?? '').split('/').at(-1) ?? '') === plainKey(key);

/** No key has it: the key of a list stands for itself. */
const NO_DELIMITER = '\0';

/**
 * Returns whether a response that no other one explains is one item: it has no list of objects, wherever, or it has an id of its own and no
 * list with a usual name.
 */
function isOneItem(data: JsonObject, lists: readonly string[]): boolean {
  return hasId(data)
    ? !lists.some((key) => LISTS.has(plainKey(key)))
    : lists.length === 0 && listsIn(data).length === 0;
}

const notDetected = (endpoint: string): Selected => ({
  items: [],
  place: { kind: 'missing' },
  warning: `No data array found in response! (endpoint: ${endpoint})`,
});

const noData = (path: string, place: FoundPlace): Selected => ({
  items: [],
  place,
  warning: `dataField ${path} contains no data!`,
});
