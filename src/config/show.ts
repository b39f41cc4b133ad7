import type { Json } from '../model';
import { typeName } from '../json/text';
import { Secrets } from '../secrets';
import type { Path } from './finding';

const LONGEST = 60;

/** Whether the place holds a value that must never be printed: a key that starts with `#`, or anything below one. */
export const isSecretPlace = (path: Path): boolean => path.some((key) => key.startsWith('#'));

/**
 * A found value for an error text. Lists and objects, which may hold secrets, and secrets themselves are named by type.
 *
 * @example shown('ofset', ['api', 'pagination', 'method']) // '"ofset"'
 */
export function shown(value: Json | undefined, path: Path): string {
  const type = typeName(value);
  if (type === 'nothing' || type === 'null') return type;
  if (typeof value === 'object') return type === 'list' ? 'a list' : 'an object';
  if (isSecretPlace(path)) return `a ${type} (secret, not shown)`;
  const text = typeof value === 'string' ? JSON.stringify(new Secrets().mask(value)) : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
