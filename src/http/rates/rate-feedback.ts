import { isCount } from '../../core/json/numeric';
import type { Headers, Response } from '../../core/model';
import type { RateLimit } from '../../operators';
import type { RatePlan } from '../../plan/http-plan';
import { askedPause } from './pause';
import { resetMoment } from './reset-moment';

/** A rate that a request counts for. */
export interface CountedRate {
  readonly plan: RatePlan;
  readonly rate: RateLimit;
  /** The number of the request among those of this rate. */
  readonly request: number;
}

export const TOO_MANY_REQUESTS = 429;

/**
 * Applies the feedback of a response to a rate limit (docs/extensions/rate-limits.md): a 429 slows it down and pauses it, for as long
 * as the retry header asks or until the reset; the headers of the rate set what is left.
 *
 * @param retryHeader lower-case name
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
  const asked = askedPause(valueOf(headers, retryHeader), now / 1000);
  const end = asked === undefined ? reset : now + asked;
  rate.slowDown();
  if (end !== undefined) rate.pauseUntil(end);
  return end;
}

const valueOf = (headers: Headers, name: string | undefined): string | undefined =>
  name === undefined ? undefined : [headers[name.toLowerCase()] ?? []].flat()[0];

/** An integer; the parameters that newer drafts of the header have after it do not matter. */
function countOf(value: string | undefined): number | undefined {
  const digits = (value ?? '').split(/[;,]/, 1).join('').trim();
  return isCount(digits) ? Number(digits) : undefined;
}
