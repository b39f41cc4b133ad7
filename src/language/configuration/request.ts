import * as t from 'io-ts';
import { entriesOf, isList, isObject } from '../../core/json/objects';
import { isBlank, isScalar, typeName } from '../../core/json/scalars';
import type { Json, JsonArray, JsonObject } from '../../core/model';
import { codec, expected, refine } from '../codec/codec';
import type { Codec } from '../codec/codec';
import { object } from '../codec/primitives';
import { blank, tolerant } from '../codec/schema';
import { isTemplate } from '../expressions/syntax';
import { expressions } from '../values/expressions';

/** Returns whether two header names are equal, ignoring case. */
export const sameHeader = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

type IsExpression = (value: Json) => boolean;

const namesOneOf =
  (contexts: readonly string[]): IsExpression =>
  (value) =>
    isObject(value) &&
    (Object.hasOwn(value, 'function') || isTemplate(value) || contexts.includes(Object.keys(value).join()));

const badElement = (
  value: Json,
  isExpression: IsExpression,
): { readonly key: readonly string[]; readonly value: Json } | undefined => {
  if (isScalar(value) || isExpression(value)) return undefined;
  if (!isList(value)) return { key: [], value };
  const at = value.findIndex((element) => !isScalar(element) && !isExpression(element));
  return at < 0 ? undefined : { key: [String(at)], value: value[at] ?? null };
};

const headersWith = (isExpression: IsExpression): Codec<JsonObject> =>
  refine('RequestHeaders', expressions, (headers, context) => {
    const errors = entriesOf(headers).flatMap(([name, value]): t.ValidationError[] => {
      const bad = badElement(value, isExpression);
      if (bad === undefined) return [];
      const place = [name, ...bad.key].reduce((outer, key) => t.appendContext(outer, key, object), context);
      const message = `expected a string, a number, a boolean, a function, {"jinja": …}, {"attr": …} or {"time": …}, or an array of these, found type "${typeName(bad.value)}"`;
      return [{ value: bad.value, context: place, message }];
    });
    return errors.length > 0 ? t.failures(errors) : t.success(headers);
  });

/**
 * Headers of all jobs (docs/language/requests.md#headers, layer 3): each value a scalar, `null`, a function or a reference
 * (docs/language/expressions.md#places), or an array of these.
 */
export const requestHeaders: Codec<JsonObject> = headersWith(namesOneOf(['attr', 'time']));

/**
 * Headers of a job (layer 4): as the headers of all jobs, and with the values of its slices
 * (docs/language/jobs.md#windows-and-partitions).
 */
export const jobHeaders: Codec<JsonObject> = headersWith(namesOneOf(['attr', 'time', 'partition', 'window']));

type Body = JsonObject | JsonArray | undefined;

/**
 * `body` of a job (docs/language/requests.md#bodies): an object or an array. An empty object is a body; an empty array
 * is not, because tools write it for an unset value.
 */
export const body: Codec<Body> = codec<Body>(
  'Body',
  tolerant({ type: ['object', 'array'] }, blank),
  (input, context) => {
    if (isObject(input)) return t.success(input);
    if (isBlank(input)) return t.success(undefined);
    return isList(input) ? t.success(input) : expected('an object or an array, which is sent as JSON', input, context);
  },
);
