import { isNumeric } from '../../core/json/numeric';
import { httpDate } from './http-date';

/**
 * The seconds before now up to which a number is a moment; a smaller number is a duration, since no server means a
 * moment of 1970.
 */
const DAY = 86_400;

/**
 * The delay before a retry when the response asks for none (docs/language/retries.md#how-long-it-waits): 1, 2, 4, …
 * seconds.
 *
 * @param retry 1 for the first retry
 * @returns milliseconds
 * @example ownPause(3) // 4000
 */
export const ownPause = (retry: number): number => 2 ** (retry - 1) * 1000;

/**
 * The delay that a retry header asks for (docs/language/retries.md#how-long-it-waits). It holds seconds, a Unix
 * timestamp or an RFC 1123 date; its fraction is cut, and a time in the past means no delay.
 *
 * @param headerValue the retry header of the response, if it has one
 * @param nowSeconds Unix time
 * @param zero what exactly 0 means: that nothing is asked for, as the language has it, or another attempt at once
 * @returns milliseconds; `undefined` without it, or when it is unusable (more than any clock counts, for one)
 * @example askedPause('30', 1700000000) // 30000
 */
export function askedPause(
  headerValue: string | undefined,
  nowSeconds: number,
  zero: 'nothing' | 'at once' = 'nothing',
): number | undefined {
  const asked = headerValue === undefined ? undefined : secondsAsked(headerValue, Math.floor(nowSeconds));
  if (asked === undefined || (asked === 0 && zero === 'nothing')) return undefined;
  return Math.max(0, asked) * 1000;
}

/** Gives the seconds of a retry header; `undefined` when the value is unusable. */
function secondsAsked(value: string, now: number): number | undefined {
  if (isNumeric(value)) {
    const number = Math.trunc(Number(value));
    if (!Number.isSafeInteger(number * 1000)) return undefined;
    return number < now - DAY ? number : number - now;
  }
  const date = httpDate(value);
  return date === undefined ? undefined : Math.trunc(date / 1000) - now;
}
