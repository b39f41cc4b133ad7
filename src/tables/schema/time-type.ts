/** Recognises the dates and times that databases store without loss. */
import { MINUS, PLUS, POINT, isDigit } from '../bytes';

export type TimeType = 'date' | 'timestamp' | 'timestamptz';

const SHORTEST = 10;
const LONGEST = 32;
/** The maximum digits of fractions of a second; databases store no more. */
const MOST_FRACTION_DIGITS = 6;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const COLON = 0x3a;
const SPACE = 0x20;
const T = 0x54;
const Z = 0x5a;
/** The value of a byte that is no digit: no sum with it is a valid time. */
const NONE = -1e6;

const scratch = new Uint8Array(LONGEST);

/**
 * Returns the type of a string that is a date or a time; `undefined` for any other string.
 *
 * @example timeTypeOf('2024-02-29T10:00:00Z') // 'timestamptz'
 */
export function timeTypeOf(text: string): TimeType | undefined {
  const { length } = text;
  if (length < SHORTEST || length > LONGEST || text[4] !== '-') return undefined;
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at);
    scratch[at] = code > 0x7f ? 0 : code;
  }
  return timeTypeAt(scratch, 0, length);
}

/** Returns the type as {@link timeTypeOf} does, for the string between two byte offsets. */
export function timeTypeAt(bytes: Uint8Array, from: number, to: number): TimeType | undefined {
  if (to - from < SHORTEST || to - from > LONGEST || !isDay(bytes, from)) return undefined;
  if (to - from === SHORTEST) return 'date';
  const zone = afterTime(bytes, from + SHORTEST, to);
  if (zone === undefined) return undefined;
  if (zone === to) return 'timestamp';
  return isZone(bytes, zone, to) ? 'timestamptz' : undefined;
}

function isDay(bytes: Uint8Array, at: number): boolean {
  if (bytes[at + 4] !== MINUS || bytes[at + 7] !== MINUS) return false;
  const year = twoDigits(bytes, at) * 100 + twoDigits(bytes, at + 2);
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const last = month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= last;
}

/** Returns the offset after hours, minutes and seconds; `undefined`: there are none. */
function afterTime(bytes: Uint8Array, at: number, to: number): number | undefined {
  if ((bytes[at] !== T && bytes[at] !== SPACE) || bytes[at + 3] !== COLON || bytes[at + 6] !== COLON) return undefined;
  const seconds = at + 9;
  const isTime = seconds <= to && isUpTo(23, bytes, at + 1) && isUpTo(59, bytes, at + 4) && isUpTo(59, bytes, at + 7);
  if (!isTime || bytes[seconds] !== POINT || seconds === to) return isTime ? seconds : undefined;
  let end = seconds + 1;
  while (end < to && isDigit(bytes[end])) end += 1;
  const digits = end - seconds - 1;
  return digits > 0 && digits <= MOST_FRACTION_DIGITS ? end : undefined;
}

function isZone(bytes: Uint8Array, at: number, to: number): boolean {
  if (bytes[at] === Z) return to === at + 1;
  if (bytes[at] !== PLUS && bytes[at] !== MINUS) return false;
  return to === at + 6 && bytes[at + 3] === COLON && isUpTo(14, bytes, at + 1) && isUpTo(59, bytes, at + 4);
}

function isUpTo(most: number, bytes: Uint8Array, at: number): boolean {
  const value = twoDigits(bytes, at);
  return value >= 0 && value <= most;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] as number;
  const units = bytes[at + 1] as number;
  return isDigit(tens) && isDigit(units) ? tens * 10 + units - 528 : NONE;
}
