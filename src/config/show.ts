import type { Json } from '../model';
import { typeName } from '../json/text';
import { Secrets } from '../secrets';
import type { Path } from './finding';

const LONGEST = 60;
const ADDRESSES: readonly (string | undefined)[] = ['baseUrl', 'endpoint'];
/** A refused address may be one because of its password: all before the last `@` may belong to it. */
const BEFORE_HOST = /^([a-z][a-z0-9+.-]*:\/\/)?.*@/is;

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
  const text = typeof value === 'string' ? JSON.stringify(withoutUserinfo(value, path)) : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const withoutUserinfo = (text: string, path: Path): string =>
  new Secrets().mask(ADDRESSES.includes(path.at(-1)) ? text.replace(BEFORE_HOST, '$1***@') : text);
