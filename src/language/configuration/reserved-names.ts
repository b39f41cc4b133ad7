import { isList, keysOf } from '../../core/json/objects';
import { isBlank } from '../../core/json/scalars';
import type { Json } from '../../core/model';
import type { Input } from '../codec/codec';
import { likelyMeant } from '../codec/finding';
import { asObject, numericValue } from '../codec/primitives';
import { propertiesSchema } from '../codec/record';
import { mistaken } from '../codec/unknown-key';
import type { Fields } from '../codec/record';
import type { UnknownKeyPolicy } from '../codec/unknown-key';
import { definitionOf } from '../codec/schema';
import type { Schema } from '../codec/schema';

/** The places of a key of the language, and the form of its value. */
export interface Home {
  readonly places: readonly string[];
  readonly schema: Schema;
}

/** The places of all keys of the language by their names. */
export type Homes = ReadonlyMap<string, Home>;

/** Returns the name of the place, for messages. */
export const placeText = ({ places }: Home): string => places.join(', or to ');

const SWITCHES: readonly Input[] = [true, false, 0, 1, 'true', 'false', '0', '1'];

/**
 * Returns whether a value seems to be meant for a schema: less than being valid, more than having the same type. Input
 * that the schema accepts only for tolerance does not count.
 *
 * @example looksLike('duckdb:x', { type: 'string', pattern: '^[a-z]+:' }) // true
 */
function looksLike(value: Json, schema: Schema): boolean {
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

/** Returns whether a value fits an array; one element may stand for an array of one. */
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

/**
 * Returns the policy for keys of `config`. Keys that are not reserved are user attributes, of any name. A key is a
 * mistake only if it resembles a reserved key in name and in content, or another part of the language, and no
 * expression reads it.
 *
 * @param reserved the keys of `config`
 * @param homes where the other keys of the language belong
 * @param isReferenced whether an attribute of this name is read anywhere
 */
export const reservedMisspelled = (
  reserved: Fields,
  homes: () => Homes,
  isReferenced: (name: string) => boolean,
): UnknownKeyPolicy => {
  let known: Readonly<Record<string, Schema>> | undefined;
  return (key, value) => {
    if (value === undefined) return undefined;
    known ??= propertiesSchema(reserved);
    const message = complaint(key, value, known, homes);
    return message === undefined || isReferenced(key) ? undefined : mistaken(message);
  };
};

function complaint(
  key: string,
  value: Json,
  known: Readonly<Record<string, Schema>>,
  homes: () => Homes,
): string | undefined {
  const meant = likelyMeant(key, Object.keys(known));
  const schema = meant === undefined ? undefined : known[meant];
  if (schema !== undefined && looksLike(value, schema)) return `is only a user attribute; did you mean "${meant}"?`;
  // A switch is only recognised if it is switched on: `"cache": true`.
  const isSwitch = value === true;
  const home = isSwitch || (typeof value === 'object' && value !== null) ? homes().get(key) : undefined;
  if (home === undefined || !(isSwitch || isSection(home.schema)) || !looksLike(value, home.schema)) return undefined;
  return `has no effect here, but as a user attribute; it belongs to ${placeText(home)}`;
}

/** Returns whether a schema describes an object of known keys, or an array of these: a section of the language. */
function isSection(schema: Schema): boolean {
  const { anyOf, properties, items } = definitionOf(schema);
  if (properties !== undefined) return true;
  return items === undefined ? (anyOf ?? []).some(isSection) : isSection(items);
}
