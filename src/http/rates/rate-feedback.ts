import { httpDate } from '../../core/headers';
import { isCount, isDecimal, isNumeric } from '../../core/json/scalars';
import type { Headers, Response } from '../../core/model';
import type { RateLimit } from '../../operators';
import type { RatePlan } from '../../plan/plan';

/** A rate that a request counts for. */
export interface CountedRate {
  readonly plan: RatePlan;
  readonly rate: RateLimit;
  /** The number of the request among those of this rate. */
  readonly request: number;
}

export const TOO_MANY_REQUESTS = 429;

/**
 * Applies the feedback of a response to a rate limit (docs/language/rate-limits.md): a 429 slows it down and pauses
 * it, for as long as the retry header asks or until the reset; the headers of the rate set the remaining number.
 *
 * @param retryHeader the lower-case name of the retry header
 * @param now milliseconds since the epoch
 * @returns the moment before which no request of this rate will start, if the response named one
 */
export function applyFeedback(
  response: Response,
  { plan, rate, request }: CountedRate,
  retryHeader: string,
  now: number,
): number | undefined {
  const { status, headers } = response;
  const { remaining: remainingName, reset: resetName } = plan.headers ?? {};
  const reset = resetMoment(valueOf(headers, resetName), now);
  const remaining = countOf(valueOf(headers, remainingName));
  const until = reset ?? (plan.rate === undefined ? undefined : now + plan.rate.seconds * 1000);
  if (remaining !== undefined && until !== undefined) rate.budget(remaining, until, request);
  if (status !== TOO_MANY_REQUESTS) return remaining === 0 ? until : undefined;
  const asked = requestedDelay(valueOf(headers, retryHeader), now / 1000);
  const end = asked === undefined ? reset : now + asked;
  rate.slowDown();
  if (end !== undefined) rate.pauseUntil(end);
  return end;
}

const FORBIDDEN = 403;

/**
 * Returns whether a response refuses the request since none is left: some APIs use the status 403 for that, and say so in the header that a
 * rate of the configuration names.
 */
export const isSpent = ({ status, headers }: Response, rates: readonly RatePlan[]): boolean =>
  status === FORBIDDEN && rates.some((plan) => countOf(valueOf(headers, plan.headers?.remaining)) === 0);

const valueOf = (headers: Headers, name: string | undefined): string | undefined =>
  name === undefined ? undefined : [headers[name.toLowerCase()] ?? []].flat()[0];

/** Returns an integer; parameters after it, which newer drafts of the header have, are ignored. */
function countOf(value: string | undefined): number | undefined {
  const digits = (value ?? '').split(/[;,]/, 1).join('').trim();
  return isCount(digits) ? Number(digits) : undefined;
}

const EPOCH_SECONDS = 1e9;
const EPOCH_MILLISECONDS = 1e12;

/**
 * Returns the moment that a reset header names (docs/language/rate-limits.md): seconds from now; above 10^9 seconds,
 * and above 10^12 milliseconds since the epoch; or an HTTP date.
 *
 * @param now milliseconds since the epoch
 * @returns milliseconds since the epoch; `undefined` if the value is unusable
 * @example resetMoment('30', 1700000000000) // 1700000030000
 */
export function resetMoment(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const number = isDecimal(value) ? Number(value) : -1;
  if (number < 0) return httpDate(value);
  const moment = number > EPOCH_MILLISECONDS ? number : number > EPOCH_SECONDS ? number * 1000 : now + number * 1000;
  return moment <= LAST_MOMENT ? moment : undefined;
}

/** The last moment that a `Date` can hold. */
const LAST_MOMENT = 8.64e15;

/**
 * The seconds before now up to which a number is a moment; a smaller number is a duration, because no server means a
 * moment of 1970.
 */
const DAY = 86_400;

/**
 * Returns the delay before a retry if the response asks for none (docs/language/retries.md#how-long-it-waits): 1, 2, 4,
 * … seconds.
 *
 * @param retry 1 for the first retry
 * @returns milliseconds
 * @example backoffDelay(3) // 4000
 */
export const backoffDelay = (retry: number): number => 2 ** (retry - 1) * 1000;

/** How a retry header is read. */
interface PauseReading {
  /** The meaning of exactly 0: no delay given, or another attempt at once. */
  readonly zero?: 'nothing' | 'at once';
  /** What becomes of a fraction of a second: it is rounded up, since a request before its time is in vain, or cut. */
  readonly fraction?: 'up' | 'cut';
}

/** The language takes 0 for nothing said, and cuts fractions (docs/language/retries.md#how-long-it-waits). */
export const BY_THE_LANGUAGE: PauseReading = { zero: 'nothing', fraction: 'cut' };

/**
 * Returns the delay that a retry header asks for (docs/language/retries.md#how-long-it-waits). It holds seconds, a Unix
 * timestamp or an RFC 1123 date; a time in the past means no delay.
 *
 * @param headerValue the retry header of the response, if it has one
 * @param nowSeconds Unix time
 * @returns milliseconds; `undefined` without the header, or if it is unusable (for example larger than any clock)
 * @example requestedDelay('30', 1700000000) // 30000
 */
export function requestedDelay(
  headerValue: string | undefined,
  nowSeconds: number,
  { zero = 'nothing', fraction = 'up' }: PauseReading = {},
): number | undefined {
  const whole = fraction === 'up' ? Math.ceil : Math.trunc;
  const asked = headerValue === undefined ? undefined : secondsAsked(headerValue, Math.floor(nowSeconds), whole);
  if (asked === undefined || (asked === 0 && zero === 'nothing')) return undefined;
  return Math.max(0, asked) * 1000;
}

/** Returns the seconds of a retry header; `undefined` if the value is unusable. */
function secondsAsked(value: string, now: number, whole: (seconds: number) => number): number | undefined {
  if (isNumeric(value)) {
    const number = whole(Number(value));
    if (!Number.isSafeInteger(number * 1000)) return undefined;
    return number < now - DAY ? number : number - now;
  }
  const date = httpDate(value);
  return date === undefined ? undefined : Math.trunc(date / 1000) - now;
}
