import { FatalError } from '../errors';
import { isBlankData } from '../json/blank';
import { entriesOf, isList, isObject, ownValue } from '../json/keys';
import { parseList } from '../json/parse';
import { placeAt, valueAt } from '../json/path';
import { keepLiterals, literalAt, noteLiterals } from '../json/literals';
import { stringifyAt, stringifyJson } from '../json/stringify';
import type { Item, Json, Page, RawItems, Reply } from '../model';
import type { ItemSelector } from '../plan/plan';

/** The items of a response, as its page has them, and what a person should know about them. */
export interface Found extends Pick<Page, 'count' | 'items' | 'lines'> {
  readonly warning?: string;
}

/**
 * The items of a response (specification 4.2 rule 6 and 4.3.1 rule 6, language 6.3): the list at `dataField`, or the only
 * list of the response. Those that were found in its bytes are parsed when somebody reads them.
 *
 * @param filter changes each item; then they are all parsed
 * @throws FatalError API_SHAPE when there are several lists to choose from, or nothing that could hold items
 */
export function itemsOf(selector: ItemSelector, reply: Reply, endpoint: string, filter?: (item: Item) => Item): Found {
  const { raw } = reply;
  if (raw !== undefined && filter === undefined)
    return {
      count: raw.count,
      get items() {
        return parsed(valueAtKeys(reply.data, raw.path));
      },
      lines: (before = '', after = '', room) => raw.lines(before, after, room),
    };
  const { items: found, warning } =
    raw === undefined ? findItems(selector, reply.data, endpoint) : { items: asSpelled(raw), warning: undefined };
  const items = filter === undefined ? found : keepLiterals(found, found.map(filter));
  return {
    count: items.length,
    items,
    lines: (before = '', after = '') =>
      Buffer.from(items.map((_, at) => `${before}${stringifyAt(items, at)}${after}\n`).join('')),
    ...(warning === undefined ? {} : { warning }),
  };
}

/** Whoever writes items anew needs to know how their numbers are spelled. */
const asSpelled = (raw: RawItems): readonly Item[] =>
  parseList(Buffer.from(raw.lines('', '')).toString('utf8').split('\n').slice(0, -1), 'spelling');

const valueAtKeys = (data: Json | undefined, keys: readonly string[]): Json | undefined =>
  keys.reduce<Json | undefined>((value, key) => (isObject(value) ? ownValue(value, key) : undefined), data);

const parsed = (list: Json | undefined): readonly Item[] => (isList(list) ? list : []);

/** What {@link findItems} found. */
interface Selected {
  readonly items: readonly Item[];
  readonly warning?: string;
}

/**
 * Finds the items in the parsed body.
 *
 * @param data `undefined` for an empty one
 * @throws FatalError API_SHAPE
 * @example findItems({ path: 'items', delimiter: '.' }, { items: [1] }, 'users') // { items: [1] }
 */
export function findItems(selector: ItemSelector, data: Json | undefined, endpoint: string): Selected {
  if (data === undefined) return { items: [] };
  return selector.path === undefined ? detect(data, endpoint) : select(data, selector.path, selector.delimiter);
}

function select(data: Json, path: string, delimiter: string): Selected {
  const value = valueAt(data, path, delimiter);
  if (value === undefined || isBlankData(value)) return noData(path);
  if (isList(value)) return { items: value };
  const place = placeAt(data, path, delimiter);
  const literal = place === undefined ? undefined : literalAt(place.holder, place.key);
  const items = [value];
  if (literal !== undefined) noteLiterals(items, new Map([['0', literal]]));
  return { items };
}

function detect(data: Json, endpoint: string): Selected {
  if (isList(data)) return { items: data };
  if (!isObject(data))
    throw new FatalError(
      'API_SHAPE',
      `Unknown response from API: expected an object or a list, found ${stringifyJson(data)}. ` +
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
  if (list === undefined) return { items: [], warning: `No data array found in response! (endpoint: ${endpoint})` };
  return list.value.length === 0 ? noData(list.key) : { items: list.value };
}

const noData = (path: string): Selected => ({ items: [], warning: `dataField ${path} contains no data!` });
