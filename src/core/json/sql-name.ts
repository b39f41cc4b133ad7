/** Names of tables and columns that SQL takes without quotes, whatever the API calls things. */
import { createHash } from 'node:crypto';

/** PostgreSQL silently cuts longer names, so that two of them could become one. */
const LONGEST_BYTES = 63;
const HASH_DIGITS = 8;

/**
 * A name of letters of any script, digits and `_`; what does not fit becomes one `_`.
 *
 * @returns an empty string where nothing is left
 * @example sqlName('authors/') // 'authors'
 */
export const sqlName = (name: string): string =>
  name
    .toWellFormed()
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '_')
    .replace(/^_(?=.)|(?<=.)_$/gu, '');

/** Endings that say how a file is written, and not what is in it. */
const FORMATS = /(?:\.(?:json|jsonl|ndjson|geojson|xml|csv|tsv|txt|xlsx|zip|gz))+$/i;

/**
 * The name of the table of a dataType, which mostly is an endpoint as it is written: without the host, the query and the ending of a
 * file (docs/sinks.md#names).
 *
 * @returns a name of at most 63 bytes, as {@link sqlName} makes it, that begins with no digit
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

/** The first hexadecimal digits of a digest. */
export const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);

/**
 * A name that is too long for PostgreSQL ends with a hash instead.
 *
 * @example shortened('rivers') // 'rivers'
 */
export function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_BYTES) return name;
  const bytes = Buffer.from(name);
  let end = LONGEST_BYTES - HASH_DIGITS - 1;
  // Not within a character: a byte of the form 10xxxxxx goes on with one.
  while (((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString()}_${shortHash(name)}`;
}

/** Tells whether SQL takes a name as it is: {@link sqlName} changes nothing, it is short enough, and it begins with no digit. */
export const isTableName = (name: string): boolean =>
  /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.test(name) && Buffer.byteLength(name) <= LONGEST_BYTES;
