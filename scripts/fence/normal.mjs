/** Makes what differs from run to run the same: ports, folders, ids, times, nonces and signatures. */
import { createHash } from 'node:crypto';

const READABLE_ROWS = 40;

const RULES = [
  // Ids of runs and of requests.
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uuid>'],
  // The time that a run took, at the end of its summary.
  [/, (?:\d+ min )?\d+(?:\.\d+)? s\./g, ', <time>.'],
  // Delays of retries have a share of chance.
  [/retrying in [\d.]+ seconds/g, 'retrying in <time> seconds'],
  // Times of the run; those of the cases lie in the years before 2025.
  [/\b20(?:2[5-9]|[3-9]\d)-\d\d-\d\d[T ]\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?/g, '<time>'],
  // JSON Web Tokens: the claims have times. Before digests, which their signatures look like.
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jwt>'],
  // Digests of addresses, by which states tell jobs apart: the port is in them.
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, '<digest>'],
  // OAuth 1.0.
  [/oauth_nonce="[^"]*"/g, 'oauth_nonce="<nonce>"'],
  [/oauth_timestamp="[^"]*"/g, 'oauth_timestamp="<time>"'],
  [/oauth_signature="[^"]*"/g, 'oauth_signature="<signature>"'],
  // Versions, so that a release does not change each recording.
  [/("headwater_version":\s*)"[^"]*"/g, '$1"<version>"'],
];

const sortedKeys = (value) => {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, member]) => [key, sortedKeys(member)]),
  );
};

/** `aliases` are pairs of what stands there and what is written in its place. */
const normalText = (text, aliases) =>
  RULES.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    aliases.reduce((result, [found, alias]) => result.replaceAll(found, alias), text),
  );

export const normal = (value, aliases) => {
  const walk = (part) => {
    if (typeof part === 'string') return normalText(part, aliases);
    if (Array.isArray(part)) return part.map(walk);
    if (part === null || typeof part !== 'object') return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [normalText(key, aliases), walk(member)]));
  };
  return sortedKeys(walk(value));
};

/** Many rows are a digest, with the first and the last of them to be read. */
export const digested = (rows) => {
  if (rows.length <= READABLE_ROWS) return rows;
  const sha256 = createHash('sha256')
    .update(rows.map((row) => JSON.stringify(row)).join('\n'))
    .digest('hex');
  return { count: rows.length, first: rows[0], last: rows.at(-1), sha256 };
};
