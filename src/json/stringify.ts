import type { Json, JsonObject } from '../model';
import { entriesOf } from './keys';

/**
 * Minified JSON text: every digit of a `bigint`, keys in the order of the text they came from (language 0.3).
 *
 * @example stringifyJson({ id: 9007199254740993n }) // '{"id":9007199254740993}'
 */
export function stringifyJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  const members = entriesOf(value as JsonObject).map(
    ([key, inner]) => `${JSON.stringify(key)}:${stringifyJson(inner)}`,
  );
  return `{${members.join(',')}}`;
}
