import { entriesOf, isList, isObject, keysOf, ownValue } from '../../core/json/keys';
import { withoutComments } from '../codec/comments';
import type { Input } from '../codec/codec';
import type { Finding, Path } from '../codec/finding';
import { likelyMeant } from '../codec/suggest';
import { mistaken } from '../codec/unknown-key';

const FULL_NAME = 'arguments';

/**
 * Finds calls of functions whose `args` are misspelled: `concat` without arguments is an empty string, in silence. Only in what
 * is evaluated, so not among user attributes.
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
