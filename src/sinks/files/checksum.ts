/** Checksums of files that later runs rely on, to detect changed bytes. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isObject } from '../../core/json/objects';
import { parseData } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { JsonObject } from '../../core/model';

const DIGITS = 8;
const KEY = 'checksum';
const ENDING = new RegExp(`^(.*),"${KEY}":"([0-9a-f]{${DIGITS}})"\\}$`, 's');

/**
 * Returns the CRC-32 of bytes: it is quick enough for every page, and detects every change of up to 32 bits in a row.
 *
 * @param before the checksum of the bytes before, if the order counts as well
 */
export const checksum = (bytes: Uint8Array | string, before = 0): number => crc32(bytes, before);

/** Returns a digest of a text for names: short, and in practice unique. */
export const shortDigest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Returns a checksum as eight hexadecimal digits. */
export const digitsOf = (sum: number): string => sum.toString(16).padStart(DIGITS, '0');

/**
 * Returns the text of an object, with its checksum at the end.
 *
 * @param object has at least one key
 * @example checkedText({ run: 'r' }) // '{"run":"r","checksum":"…"}'
 */
export function checkedText(object: JsonObject): string {
  const open = stringifyJson(object).slice(0, -1);
  return `${open},"${KEY}":"${digitsOf(checksum(open))}"}`;
}

/** Returns the object in a string of {@link checkedText}; `undefined` for another string, and one that was changed. */
export function checkedObject(text: string): JsonObject | undefined {
  const [, open, digits] = ENDING.exec(text) ?? [];
  return open === undefined || digitsOf(checksum(open)) !== digits ? undefined : objectIn(`${open}}`);
}

/** Parses a string that holds a JSON object; `undefined` when it holds none. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseData(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
