/**
 * The order of dates and times that begin with the year, as APIs write them, and of cursor values; it also moves them
 * back in time.
 */
import type { Json } from '../model';
import { compareDecimals, subtractDecimals } from './decimal';
import { isInteger, isScalar, textOf } from './scalars';

/**
 * A parsed string: seconds since the epoch by its own clock, the offset of that clock from UTC in seconds, and its
 * spelling.
 */
interface Time {
  readonly clock: number;
  readonly ahead: number;
  /** The date and the time of day, to the second. */
  readonly head: string;
  readonly point: string;
  /** The digits of a fraction of a second. */
  readonly fraction: string;
  readonly zone: string;
}

const HEAD = String.raw`\d{4}([-/])\d\d\2\d\d(?:[T ]\d\d?:\d\d(?::\d\d)?)?|\d{8}T\d{4}(?:\d\d)?`;
const FRACTION = String.raw`(?<=:\d\d:\d\d|T\d{6})([.,])(\d+)`;
const ZONE = String.raw` ?(?:Z|UTC|GMT|([+-])(\d\d)(?::?(\d\d))?)`;
const WRITTEN = new RegExp(`^(${HEAD})(?:${FRACTION})?(${ZONE})?$`, 'i');
/** Matches the year, then all other numbers of two digits. */
const NUMBERS = /^\d{4}|\d\d?/g;
const DATE_LENGTH = 10;

/**
 * Returns whether a string is a date or a time that begins with its year, as ISO 8601, PostgreSQL, Rails and BigQuery
 * write them.
 *
 * @example isTimeText('2024-05-01 10:00:00+00') // true
 */
export const isTimeText = (text: string): boolean => timeOf(text) !== undefined;

/**
 * Returns the order of two dates or times by the instant; a time without a zone is in UTC. Returns `undefined` if one
 * is not a date or a time.
 *
 * @example compareTimes('2024-05-01T00:00:00Z', '2024-05-01T01:00:00+02:00') // positive
 */
export function compareTimes(a: string, b: string): number | undefined {
  const [x, y] = [timeOf(a), timeOf(b)];
  if (x === undefined || y === undefined) return undefined;
  const seconds = x.clock - x.ahead - (y.clock - y.ahead);
  if (seconds !== 0) return seconds;
  const [left, right] = [x.fraction.replace(/0+$/, ''), y.fraction.replace(/0+$/, '')];
  return Number(left > right) - Number(left < right);
}

/**
 * Returns the seconds from an instant to a date or a time, with its fraction; a time without a zone is in UTC. Returns
 * `undefined` for any other value.
 *
 * @param instant Unix seconds
 * @example secondsAfter('2024-05-01T00:00:10.5Z', 1714521600) // 10.5
 */
export function secondsAfter(value: Json, instant: number): number | undefined {
  const time = typeof value === 'string' ? timeOf(value) : undefined;
  return time === undefined ? undefined : time.clock - time.ahead - instant + Number(`0.${time.fraction}`);
}

/**
 * Returns a date or a time moved back by a number of seconds, in its own form and zone: if that has no seconds or no
 * time of day, they are left out. Returns `undefined` for any other string.
 *
 * @example timeBefore('2024-05-01 00:00:10+00', 20) // '2024-04-30 23:59:50+00'
 */
export function timeBefore(text: string, seconds: number): string | undefined {
  const time = timeOf(text);
  if (time === undefined) return undefined;
  const { clock, head, point, fraction, zone } = time;
  const less = seconds * 10 ** fraction.length;
  if (!Number.isFinite(less)) return undefined;
  const unit = 10n ** BigInt(fraction.length);
  const moved = BigInt(clock) * unit + BigInt(fraction || '0') - BigInt(Math.ceil(less));
  const rest = ((moved % unit) + unit) % unit;
  const date = new Date(Number((moved - rest) / unit) * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return undefined;
  const day = [year, date.getUTCMonth() + 1, date.getUTCDate()];
  const numbers = [...day, date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].values();
  const written = head.replace(NUMBERS, ({ length }) => String(numbers.next().value ?? '').padStart(length, '0'));
  return written + point + (fraction === '' ? '' : String(rest).padStart(fraction.length, '0')) + zone;
}

/** The strings that were read last: a value of a cursor is compared with several others, one after another. */
const known = new Map<string, Time | undefined>();
const MOST_KNOWN = 256;
const LONGEST = 40;

function timeOf(text: string): Time | undefined {
  if (text.length > LONGEST) return newTimeOf(text);
  const before = known.get(text);
  if (before !== undefined || known.has(text)) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const time = newTimeOf(text);
  known.set(text, time);
  return time;
}

function newTimeOf(text: string): Time | undefined {
  const found = WRITTEN.exec(text);
  if (found === null) return undefined;
  const [, head = '', , point = '', fraction = '', zone = '', sign = '+', hours = '0', minutes = '0'] = found;
  // Text after a date alone is not a zone: it may number the records of that day.
  if (zone !== '' && head.length === DATE_LENGTH) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (head.match(NUMBERS) ?? []).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isInCalendar = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isInCalendar || hour > 24 || minute > 59 || second > 60 || Number(minutes) > 59) return undefined;
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60 : 60);
  const clock = date.getTime() / 1000 + (hour * 60 + minute) * 60 + second;
  return { clock, ahead, head, point, fraction, zone };
}

/**
 * Returns the later of two values of an ordered field: numbers, or strings of numbers, by their value; dates and times
 * by the instant (without a zone: UTC); other strings by their characters. A value without an order is ignored.
 *
 * @example furthest('2024-05-01T00:00:00Z', '2024-05-01T01:00:00+02:00') // the first: it is one hour later
 */
export function furthest(a: Json | undefined, b: Json | undefined): Json | undefined {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? b : a;
  const [x, y] = [orderedText(a), orderedText(b)];
  if (x === undefined || y === undefined) return x === undefined ? (y === undefined ? undefined : b) : a;
  return isBefore(x, y) ? b : a;
}

/** Returns whether a value is a date or a time that begins with its year. */
export const isTime = (value: Json): boolean => typeof value === 'string' && isTimeText(value);

/** Returns whether a value is part of the order of {@link furthest}. */
export const isOrdered = (value: Json): boolean => orderedText(value) !== undefined;

/**
 * Returns whether a value comes before another in the order of {@link furthest}; `false` if one of them has no order.
 */
export function isEarlier(a: Json | undefined, b: Json | undefined): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  const [x, y] = [orderedText(a), orderedText(b)];
  return x !== undefined && y !== undefined && isBefore(x, y);
}

const orderedText = (value: Json | undefined): string | undefined =>
  value === undefined || value === null || typeof value === 'boolean' || value === '' || !isScalar(value)
    ? undefined
    : textOf(value);

function isBefore(a: string, b: string): boolean {
  const order = compareDecimals(a, b) ?? compareTimes(a, b);
  return order === undefined ? a < b : order < 0;
}

/**
 * Moves a value back: a number by the amount, a date or a time by that many seconds, in its own form. Any other string
 * stays as it is.
 *
 * @example movedBack('2024-05-01T00:00:10Z', 10) // '2024-05-01T00:00:00Z'
 */
export function movedBack(value: Json, by: number): Json {
  if (by === 0) return value;
  if (typeof value === 'bigint') return Number.isInteger(by) ? value - BigInt(by) : value;
  if (typeof value === 'number') return Number(subtractDecimals(String(value), String(by)) ?? value - by);
  if (typeof value !== 'string') return value;
  if (isInteger(value) && Number.isInteger(by)) return String(BigInt(value) - BigInt(by));
  return subtractDecimals(value, String(by)) ?? timeBefore(value, by) ?? value;
}
