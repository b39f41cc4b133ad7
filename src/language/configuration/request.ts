/** The parts of a request in a configuration: headers, body, and objects whose values may be expressions. */
import * as t from 'io-ts';
import { entriesOf, isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { isBlank, isScalar, typeName } from '../../core/json/scalars';
import type { Json, JsonObject, JsonArray } from '../../core/model';
import { withSchema, codec, expected, refine } from '../codec/codec';
import type { Codec, Input } from '../codec/codec';
import { likelyMeant } from '../codec/finding';
import type { Finding, Path } from '../codec/finding';
import { asObject, object, valueOf } from '../codec/primitives';
import { mistaken, withoutComments } from '../codec/unknown-key';
import { EXPRESSION, blank, tolerant } from '../codec/schema';
import { isTemplate } from '../expressions/syntax';

/** An object whose values may be expressions (docs/language/expressions.md); the plan compiles them. */
export const expressions: Codec<JsonObject> = withSchema(object, () =>
  tolerant({ type: 'object', additionalProperties: EXPRESSION }, { type: 'array' }, blank),
);

const FULL_NAME = 'arguments';

/**
 * Finds calls of functions whose `args` are misspelled: `concat` without arguments would silently be an empty string.
 * It searches evaluated parts only, not user attributes.
 *
 * @param part `api`, or an array of jobs
 */
export function functionNotes(part: Input, path: Path): readonly Finding[] {
  if (isList(part)) return part.flatMap((element, at) => functionNotes(element, [...path, String(at)]));
  if (!isObject(part)) return [];
  return [
    ...(typeof ownValue(part, 'function') === 'string' && !Object.hasOwn(part, 'args')
      ? misspelled(keysOf(part), path)
      : []),
    ...entriesOf(withoutComments(part)).flatMap(([key, value]) => functionNotes(value, [...path, key])),
  ];
}

const misspelled = (keys: readonly string[], path: Path): readonly Finding[] =>
  keys
    .filter((key) => key.toLowerCase() === FULL_NAME || likelyMeant(key, ['args']) !== undefined)
    .map((key) => ({ path: [...path, key], ...mistaken('has no effect: unknown key; did you mean "args"?') }));

const holdsFunction = (value: Json): boolean => {
  if (isList(value)) return value.some(holdsFunction);
  if (!isObject(value)) return false;
  return Object.hasOwn(value, 'function') || entriesOf(value).some(([, inner]) => holdsFunction(inner));
};

/**
 * Warns of functions in parameters that are arrays: these are not searched (docs/language/jobs.md#parameters), unless
 * `functionsInLists` is set.
 */
export function literalListNotes(request: Input, path: Path): readonly Finding[] {
  if (!isBlank(valueOf(request, 'functionsInLists'))) return [];
  return entriesOf(asObject(valueOf(request, 'params')) ?? {})
    .filter(([, value]) => isList(value) && holdsFunction(value))
    .map(([name]) => ({
      path: [...path, 'params', name],
      message: 'is sent as it is: functions in arrays are only evaluated with "functionsInLists": true beside params',
    }));
}

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
