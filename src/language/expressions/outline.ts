import { entriesOf, isList, isObject, objectFrom } from '../../core/json/keys';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { nameOnly } from '../../core/url/header-text';

/**
 * A value as JSON for an error text: its shape, while strings, which may be secrets, are masked.
 *
 * @example outline({ a: 1, b: ['x'] }) // '{"a":1,"b":["***"]}'
 */
export const outline = (value: Json): string => stringifyJson(masked(value));

function masked(value: Json): Json {
  if (typeof value === 'string') return value === '' ? '' : '***';
  if (isList(value)) return value.map(masked);
  return isObject(value)
    ? objectFrom(entriesOf(value).map(([key, inner]) => [nameOnly(key), masked(inner)] as const))
    : value;
}
