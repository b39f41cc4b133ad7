/** Finds the parts of a secret address that must be masked: servers repeat the path alone. */
import { percentDecode } from '../url/query';
import { isHidden, looksRandom, sensitivityOf } from './names';

const ADDRESS = /^\s*[a-z][a-z\d+.-]*:\/\//i;
/** The separators within a segment, as in `bot123456:AAEx`. */
const SEPARATORS = /[:;,=~@!$]/;
/** The longest part without digits that counts as a word. */
const LONGEST_WORD = 15;
const SHORTEST_PATH = 6;

/**
 * Returns the parts of a secret address that must not be printed alone: its user and password, its path, and the
 * segments and query values that are not usual words such as `api` or `v2`. A string that is not an address has no such
 * parts.
 *
 * @example addressParts('https://h.example/bot123456:AAETOKEN/') // ['/bot123456:AAETOKEN', 'bot123456:AAETOKEN', …]
 */
export function addressParts(secret: string): readonly string[] {
  if (!ADDRESS.test(secret) || !URL.canParse(secret)) return [];
  const { protocol, username, password, pathname, searchParams } = new URL(secret);
  const credentials = [username, password].filter((part) => part.length > 3);
  if (!/^https?:$/.test(protocol)) return both(credentials);
  const path = pathname.replace(/\/+$/, '');
  const segments = path.split('/').filter((segment) => segment !== '');
  const isUsual = segments.every((segment) => /^(?:v\d[\d.]*|[a-z_-]+)$/i.test(segment) && !isTelling(segment));
  const query = [...searchParams].flatMap(([name, value]) =>
    isTelling(value) || isHidden(value, sensitivityOf(name)) ? [value] : [],
  );
  return both([
    ...credentials,
    ...(isUsual || path.length < SHORTEST_PATH ? [] : [path]),
    ...segments.flatMap((segment) => [segment, ...segment.split(SEPARATORS)]).filter(isTelling),
    ...query,
  ]);
}

/** Returns whether a part is specific to this address, not common to addresses of others. */
const isTelling = (part: string): boolean =>
  looksRandom(part) ||
  part.length > LONGEST_WORD ||
  (part.length >= 10 && /[A-Z]/.test(part) && !/^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(part));

/** Returns parts as written in the address, and decoded. */
const both = (parts: readonly string[]): readonly string[] => [
  ...new Set(parts.flatMap((part) => [part, percentDecode(part)])),
];
