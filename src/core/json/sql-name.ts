/** Makes names of tables and columns that SQL accepts without quotes, from any name of the API. */
import { createHash } from 'node:crypto';

/** PostgreSQL silently cuts longer names, so that two of them could become one. */
const LONGEST_BYTES = 63;
const HASH_DIGITS = 8;

/**
 * Returns a name of letters of any script, digits and `_`; each run of other characters becomes one `_`.
 *
 * @returns an empty string if nothing is left
 * @example sqlName('authors/') // 'authors'
 */
export const sqlName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_')
    .replace(/^_(?=.)|(?<=.)_$/gu, '');

/** Endings that name the format of a file, not its content. */
const FORMATS = /(?:\.(?:json|jsonl|ndjson|geojson|xml|csv|tsv|txt|xlsx|zip|gz))+$/i;

/**
 * Returns the name of the table for a dataType. That is usually the endpoint; host, query and file ending are removed
 * (docs/sinks.md#names).
 *
 * @returns a name of at most 63 bytes, made by {@link sqlName}, that does not begin with a digit
 * @example tableNameOf('orders.json?per_page=50') // 'orders'
 */
export function tableNameOf(dataType: string): string {
  const path = dataType
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '')
    .replace(FORMATS, '');
  const name = sqlName(path).replace(/^(?![\p{L}_]|$)/u, '_');
  return shortened(name === '' || name === '_' ? 'items' : name);
}

/** Returns the first hexadecimal digits of a digest. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);

/**
 * Shortens a name that is too long for PostgreSQL, and ends it with a hash.
 *
 * @example shortened('rivers') // 'rivers'
 */
export function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_BYTES) return name;
  const bytes = Buffer.from(name);
  let end = LONGEST_BYTES - HASH_DIGITS - 1;
  // The cut is not within a character: a byte of the form 10xxxxxx continues one.
  while (((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString()}_${shortHash(name)}`;
}

/**
 * Returns whether SQL accepts a name as it is: {@link sqlName} changes nothing, it is short enough, and it does not
 * begin with a digit.
 */
export const isTableName = (name: string): boolean =>
  /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.test(name) && Buffer.byteLength(name) <= LONGEST_BYTES;

/**
 * Returns a name in the quotes of SQL.
 *
 * @example quoted('a"b') // '"a""b"'
 */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
