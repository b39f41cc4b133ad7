import { isList, isObject } from '../json/keys';
import type { Json } from '../model';

/** Eighteen digits, leading zeros not counted: programs that write a DOUBLE use 17 at most. */
const MANY_DIGITS = /[1-9](?:\.?\d){17}/;
const RUN = 18;

/** Whether a text of JSON may have numbers with more digits than DuckDB keeps in JSON. */
export const mayHaveManyDigits = (text: string): boolean => MANY_DIGITS.test(text);

/** Whether a value has numbers that are no integers of less than 2^53. */
export function hasFraction(value: Json): boolean {
  if (typeof value === 'number') return !Number.isSafeInteger(value);
  return isList(value) ? value.some(hasFraction) : isObject(value) && Object.values(value).some(hasFraction);
}

/**
 * Whether the JSON at a place in bytes, which `JSON.parse` reads without loss, has fractions and may have many digits. So
 * many digits in a row have one at every eighteenth byte: few bytes are looked at.
 *
 * @example hasManyDigits(Buffer.from('[0.1234567890123456789]'), 0, 23) // true
 */
export function hasManyDigits(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from + RUN - 1; at < to; at += RUN)
    if (isOfNumber(bytes[at]) && mayHaveManyDigits(bytes.toString('latin1', at - RUN, Math.min(to, at + RUN))))
      return hasFraction(JSON.parse(bytes.toString('utf8', from, to)) as Json);
  return false;
}

const isOfNumber = (byte: number | undefined): boolean =>
  byte === 0x2e || (byte !== undefined && byte >= 0x30 && byte <= 0x39);
