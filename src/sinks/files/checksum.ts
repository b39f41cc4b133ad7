/** Checksums of files that later runs trust: a changed byte must not pass for data. */
import { crc32 } from 'node:zlib';
import { isObject } from '../../core/json/objects';
import { parseData } from '../../core/json/parse';
import { stringifyJson } from '../../core/json/stringify';
import type { JsonObject } from '../../core/model';

const DIGITS = 8;
const KEY = 'checksum';
const ENDING = new RegExp(`^(.*),"${KEY}":"([0-9a-f]{${DIGITS}})"\\}$`, 's');

/**
 * The CRC-32 of bytes: quick enough for every page, and it finds every change of up to 32 bits in a row.
 *
 * @param before the checksum of what comes before, if the order counts, too
 */
export const checksum = (bytes: Uint8Array | string, before = 0): number => crc32(bytes, before);

/** A checksum as eight hexadecimal digits. */
export const digitsOf = (sum: number): string => sum.toString(16).padStart(DIGITS, '0');

/**
 * The text of an object, with a checksum of itself at its end.
 *
 * @param object has at least one key
 * @example checkedText({ run: 'r' }) // '{"run":"r","checksum":"…"}'
 */
export function checkedText(object: JsonObject): string {
  const open = stringifyJson(object).slice(0, -1);
  return `${open},"${KEY}":"${digitsOf(checksum(open))}"}`;
}

/** An object that was read, and whether its text has a checksum: those of earlier versions have none. */
export interface CheckedObject {
  readonly value: JsonObject;
  readonly isChecked: boolean;
}

/** Parses a string that holds an object and its checksum; `undefined` when it is no object, or the checksum is wrong. */
export function checkedObject(text: string): CheckedObject | undefined {
  const [, open, digits] = ENDING.exec(text) ?? [];
  const isChecked = open !== undefined;
  if (isChecked && digitsOf(checksum(open)) !== digits) return undefined;
  const value = objectIn(text);
  // Who changes the checksum itself leaves a text that does not end as it should.
  return value === undefined || (!isChecked && KEY in value) ? undefined : { value, isChecked };
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
