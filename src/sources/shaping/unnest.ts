import { FatalError } from '../../core/errors/errors';
import { isList, isObject, keysOf, ownValue } from '../../core/json/keys';
import { memberAt, objectOf } from '../../core/json/literals';
import type { Field, Holder } from '../../core/json/literals';
import { placeAt } from '../../core/json/path';
import { isBlankData } from '../../core/json/blank';
import type { Json, JsonObject } from '../../core/model';
import type { Unnest } from '../../language/configuration/jobs/shaping';
import { objectIn } from './cell';
import type { Operation } from './cell';

/** The name of an element that is no object. */
const VALUE = 'value';

/**
 * `unnest` (docs/language/items.md#unnest): an item for each element of an array, with the other fields of the item. A
 * value that is no array counts as its only element; a blank one has none.
 *
 * @throws FatalError API_SHAPE from the operation, where names meet
 */
export const unnested =
  ({ path: place, prefix }: Unnest, path: string): Operation =>
  (cell) => {
    const item = objectIn(cell, 'unnest', path);
    const found = placeAt(item, place);
    if (found === undefined) return [];
    const value = memberAt(found.holder, found.key);
    if (value === undefined || isBlankData(value)) return [];
    const others = fieldsOf(without(item, place.split('.')), prefix);
    const elements = isList(value) ? value.map((_, at) => [value, at] as const) : [[found.holder, found.key] as const];
    return elements.map(([holder, key]) => ({ item: joined(others, holder, key, path) }));
  };

const fieldsOf = (object: JsonObject, prefix: string): readonly Field[] =>
  keysOf(object).map((from) => ({ key: `${prefix}${from}`, holder: object, from }));

function joined(others: readonly Field[], holder: Holder, key: string | number, path: string): Json {
  const element = memberAt(holder, key);
  const own: readonly Field[] = isObject(element) ? fieldsOf(element, '') : [{ key: VALUE, holder, from: key }];
  const names = new Set(own.map((field) => field.key));
  const both = others.find((field) => names.has(field.key));
  if (both !== undefined)
    throw new FatalError(
      'API_SHAPE',
      `${path}.unnest: it would give an item two fields with the name '${both.key}': set another "prefix".`,
    );
  return objectOf([...others, ...own]);
}

/** The object without what a path leads to. */
function without(object: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const fields = keysOf(object).map((from) => ({ key: from, holder: object, from }));
  const inner = ownValue(object, key);
  if (rest.length === 0 || !isObject(inner)) return objectOf(fields.filter((field) => field.key !== key));
  const holder = { [key]: without(inner, rest) };
  return objectOf(fields.map((field) => (field.key === key ? { ...field, holder } : field)));
}
