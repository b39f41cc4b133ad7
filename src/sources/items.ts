import { FatalError } from '../errors';
import { isBlankData } from '../json/blank';
import { entriesOf, isList, isObject, ownValue } from '../json/keys';
import { valueAt } from '../json/path';
import { stringifyJson } from '../json/stringify';
import type { Item, Json, Page, Reply } from '../model';
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
  const { items: found, warning } = findItems(selector, reply.data, endpoint);
  const items = filter === undefined ? found : found.map(filter);
  return {
    count: items.length,
    items,
    lines: (before = '', after = '') =>
      Buffer.from(items.map((item) => `${before}${stringifyJson(item)}${after}\n`).join('')),
    ...(warning === undefined ? {} : { warning }),
  };
}

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
  return selector.path === undefined
    ? detect(data, endpoint)
    : select(valueAt(data, selector.path, selector.delimiter), selector.path);
}

function select(value: Json | undefined, path: string): Selected {
  if (value === undefined || isBlankData(value)) return noData(path);
  return { items: isList(value) ? value : [value] };
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
