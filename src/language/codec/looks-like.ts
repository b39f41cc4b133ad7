import { isBlank } from '../../core/json/blank';
import { isList, keysOf } from '../../core/json/keys';
import type { Json } from '../../core/model';
import type { Input } from './codec';
import { asObject, numericValue } from './primitives';
import { definitionOf, type Schema } from './schema';

const SWITCHES: readonly Input[] = [true, false, 0, 1, 'true', 'false', '0', '1'];

/**
 * Whether a value looks as if it were meant for a schema: less than being valid, more than having the same type. What the
 * schema takes for tolerance alone does not count.
 *
 * @example looksLike('duckdb:x', { type: 'string', pattern: '^[a-z]+:' }) // true
 */
export function looksLike(value: Json, schema: Schema): boolean {
  const { anyOf, properties, type, enum: words, pattern, items } = definitionOf(schema);
  if (anyOf !== undefined && properties === undefined)
    return anyOf.filter(({ deprecated }) => deprecated !== true).some((branch) => looksLike(value, branch));
  if (words !== undefined) return typeof value === 'string';
  const types = type === undefined || typeof type === 'string' ? [type] : type;
  return types.some((each) => {
    switch (each) {
      case 'boolean':
        return SWITCHES.includes(value);
      case 'integer':
      case 'number':
        return numericValue(value) !== undefined;
      case 'string':
        return typeof value === 'string' && (pattern === undefined || new RegExp(pattern).test(value));
      case 'array':
        return looksLikeList(value, items);
      case 'object':
      case undefined:
        return looksLikeObject(value, definitionOf(schema));
      default:
        return false;
    }
  });
}

/** One element may stand for an array of one. */
function looksLikeList(value: Json, items: Schema | undefined): boolean {
  if (!isList(value)) return items !== undefined && takesString(items) && looksLike(value, items);
  return value.length > 0 && value.every((element) => items === undefined || looksLike(element, items));
}

const takesString = ({ type, anyOf = [] }: Schema): boolean => type === 'string' || anyOf.some(takesString);

function looksLikeObject(value: Json, { properties, required = [], additionalProperties }: Schema): boolean {
  if (isList(value) || isBlank(value) || asObject(value) === undefined) return false;
  const keys = keysOf(asObject(value) ?? {});
  if (required.length > 0) return required.some((key) => keys.includes(key));
  if (properties === undefined || additionalProperties !== undefined) return true;
  return keys.some((key) => Object.hasOwn(properties, key));
}
