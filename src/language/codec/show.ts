import type { Json } from '../../core/model';
import { typeName } from '../../core/json/text';
import type { Path } from './finding';

/** Longer numbers are rather keys than counts. */
const LONGEST_NUMBER = 15;

/** Whether the place holds a value that must never be printed: a key that starts with `#`, or anything below one. */
export const isSecretPlace = (path: Path): boolean => path.some((key) => key.startsWith('#'));

/**
 * A found value for an error text. Only short numbers and booleans are printed: a string may be a secret wherever it
 * stands, since people misspell keys and mistake places. Where a few words are expected, `oneOf` shows a similar one.
 *
 * @example shown('ofset', ['api', 'pagination']) // 'a string of 5 characters'
 */
export function shown(value: Json | undefined, path: Path): string {
  const type = typeName(value);
  if (type === 'nothing' || type === 'null') return type;
  if (typeof value === 'object') return type === 'array' ? 'an array' : 'an object';
  if (isSecretPlace(path)) return `a ${type} (secret, not shown)`;
  if (typeof value !== 'string') {
    const text = String(value);
    return text.length > LONGEST_NUMBER ? `a ${type} of ${text.length} characters` : text;
  }
  return value === ''
    ? 'an empty string'
    : `a string of ${value.length} ${value.length === 1 ? 'character' : 'characters'}`;
}
