import { isObject, keysOf } from '../../core/json/keys';
import type { Item } from '../../core/model';
import { plainKey } from './metadata-objects';

const ID_KEYS: ReadonlySet<string> = new Set(['id', 'uuid', 'guid', 'key', 'objectid']);

/**
 * This tells whether an item has an id: items without one may be equal and yet be several.
 *
 * @example hasId({ id: 1 }) // true
 */
export const hasId = (item: Item): boolean => isObject(item) && keysOf(item).some((key) => ID_KEYS.has(plainKey(key)));
