import { FatalError } from '../errors';
import { isBlankData } from '../json/blank';
import { entriesOf, isList, isObject } from '../json/keys';
import { valueAt } from '../json/path';
import { stringifyJson } from '../json/stringify';
import type { Item, Json } from '../model';
import type { ItemSelector } from '../plan/plan';

/** The items of a response, and what a person should know about them. */
export interface Found {
  readonly items: readonly Item[];
  readonly warning?: string;
}

/**
 * Finds the items of a response (specification 4.2 rule 6 and 4.3.1 rule 6, language 6.3): the list at `dataField`, or
 * the only list of the response.
 *
 * @param data the parsed body; `undefined` for an empty one
 * @throws FatalError API_SHAPE when there are several lists to choose from, or nothing that could hold items
 * @example findItems({ path: 'items', delimiter: '.' }, { items: [1] }, 'users') // { items: [1] }
 */
export function findItems(selector: ItemSelector, data: Json | undefined, endpoint: string): Found {
  if (data === undefined) return { items: [] };
  return selector.path === undefined
    ? detect(data, endpoint)
    : select(valueAt(data, selector.path, selector.delimiter), selector.path);
}

function select(value: Json | undefined, path: string): Found {
  if (value === undefined || isBlankData(value)) return noData(path);
  return { items: isList(value) ? value : [value] };
}

function detect(data: Json, endpoint: string): Found {
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

const noData = (path: string): Found => ({ items: [], warning: `dataField ${path} contains no data!` });
