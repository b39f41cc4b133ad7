import type { JsonObject } from '../../../src';
import type { DestinationOfCells } from './destinations';
import { LOADS } from './model';
import type { LoadName } from './model';

/** What reads all of a {@link World}: pages by links, an empty one among them, children, items that are no objects. */
export function configOf(
  baseUrl: string,
  { nestedJson, structs, linked }: DestinationOfCells,
  load: LoadName,
): { api: JsonObject; config: JsonObject } {
  const nested =
    nestedJson === true
      ? { nested: 'json' }
      : structs === true
        ? { nested: 'struct' }
        : linked === true
          ? { nested: 'tables' }
          : {};
  const children = [
    {
      ...nested,
      ...{ endpoint: 'orders/{id}/notes', dataType: 'notes', dataField: 'items', placeholders: { id: 'id' } },
      ...{ recursionFilter: 'id<6', userData: { seen: 'by, us' } },
    },
  ];
  const jobs = [
    { endpoint: 'orders', dataField: 'items', children, ...nested },
    { endpoint: 'plain', dataField: 'items', ...nested },
  ];
  return {
    api: { baseUrl, pagination: { method: 'response.url', urlKey: 'next' } },
    config: { ...LOADS[load], userData: { source: 'the "API", one' }, jobs },
  };
}
