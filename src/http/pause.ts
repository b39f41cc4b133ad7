import { httpDate } from './http-date';

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
/** A number that is less than this before now is a duration: no server means a moment of 1970. */
const DAY = 86_400;

/**
 * The pause before a retry (language 2.7). The retry header holds seconds, a Unix timestamp or an RFC 1123 date; its
 * fraction is cut, and a time in the past means no pause. Without it, or when it is unusable (more than any clock counts,
 * for one) or yields exactly 0, the pause is 1, 2, 4, … seconds.
 *
 * @param retry 1 for the first retry
 * @param headerValue the retry header of the response, if it has one
 * @param nowSeconds Unix time
 * @returns milliseconds
 * @example pauseBefore(3, undefined, 1700000000) // 4000
 * @example pauseBefore(1, '30', 1700000000) // 30000
 */
export function pauseBefore(retry: number, headerValue: string | undefined, nowSeconds: number): number {
  return askedPause(headerValue, nowSeconds) ?? 2 ** (retry - 1) * 1000;
}

/**
 * The pause that a retry header asks for; `undefined` when it is unusable or asks for none.
 *
 * @returns milliseconds
 */
export function askedPause(headerValue: string | undefined, nowSeconds: number): number | undefined {
  const asked = headerValue === undefined ? 0 : secondsAsked(headerValue, Math.floor(nowSeconds));
  return asked === 0 ? undefined : Math.max(0, asked) * 1000;
}

/** 0 when the value is unusable. */
function secondsAsked(value: string, now: number): number {
  if (NUMBER.test(value)) {
    const number = Math.trunc(Number(value));
    if (!Number.isSafeInteger(number * 1000)) return 0;
    return number < now - DAY ? number : number - now;
  }
  const date = httpDate(value);
  return date === undefined ? 0 : Math.trunc(date / 1000) - now;
}
