import { entriesOf, isList, isObject, keysOf, ownValue } from '../../core/json/objects';
import { isBlank } from '../../core/json/scalars';
import type { Json, JsonObject } from '../../core/model';
import { withSchema } from '../codec/codec';
import type { Codec, Input } from '../codec/codec';
import { likelyMeant } from '../codec/finding';
import type { Finding, Path } from '../codec/finding';
import { asObject, object, valueOf } from '../codec/primitives';
import { EXPRESSION, blank, tolerant } from '../codec/schema';
import { mistaken, withoutComments } from '../codec/unknown-key';

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
