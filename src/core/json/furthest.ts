import type { Json } from '../model';
import { compareDecimals, subtractDecimals } from './decimal';
import { isInteger } from './numeric';
import { isScalar, textOf } from './text';
import { compareTimes, isTimeText, timeBefore } from './time';

/**
 * The later of two values of an ordered field: numbers, or strings of numbers, by their value; dates and times by the instant
 * (without a zone: UTC); other strings by their characters. What has no order is passed over.
 *
 * @example furthest('2024-05-01T00:00:00Z', '2024-05-01T01:00:00+02:00') // the first: it is one hour later
 */
export function furthest(a: Json | undefined, b: Json | undefined): Json | undefined {
  const [x, y] = [orderedText(a), orderedText(b)];
  if (x === undefined || y === undefined) return x === undefined ? (y === undefined ? undefined : b) : a;
  return isBefore(x, y) ? b : a;
}

/** This tells whether a value is a date or a time that begins with its year. */
export const isTime = (value: Json): boolean => typeof value === 'string' && isTimeText(value);

/** Tells whether a value has a place in the order of {@link furthest}. */
export const isOrdered = (value: Json): boolean => orderedText(value) !== undefined;

/** Tells whether a value comes before another in the order of {@link furthest}; `false` where one has no place in it. */
export function isEarlier(a: Json | undefined, b: Json | undefined): boolean {
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
 * A value moved back: a number by so much, a date or a time by so many seconds, in the form in which it was written. A string
 * that is neither stays.
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
