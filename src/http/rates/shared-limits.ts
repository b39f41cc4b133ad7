import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { createLimiter, inFlight, rateLimit } from '../../operators';
import type { Limiter, LimiterRule, RateLimit } from '../../operators';
import type { RatePlan } from '../../plan/http-plan';

/** The queue, the rates and the caps that several sessions share. */
export interface SharedLimits {
  /** The queue of all who wait. */
  readonly limiter: Limiter;
  /** Keeps the time of the queue and of the rates. */
  readonly scheduler: SchedulerLike;
  /** Gives the rate limit of a plan at a base URL: always the same one for both. */
  readonly rateOf: (plan: RatePlan, baseUrl: string) => RateLimit;
  /** Gives the cap of so many requests in flight to a place: always the same one for both. */
  readonly capOf: (most: number, place: string) => LimiterRule;
}

/**
 * Keeps what limits the requests of several sessions (docs/extensions/rate-limits.md): those of the iterations of a run, so
 * that one which begins where another has just ended does not start its window anew, or those of all runs of a client.
 * Iterations at different base URLs have rates of their own.
 *
 * @param scheduler keeps the time
 * @example createSharedLimits().rateOf({ rate: { requests: 10, seconds: 1 } }, 'https://api.example/')
 */
export function createSharedLimits(scheduler: SchedulerLike = asyncScheduler): SharedLimits {
  const rates = new Map<string, RateLimit>();
  const caps = new Map<string, LimiterRule>();
  return {
    limiter: createLimiter({ scheduler }),
    scheduler,
    rateOf: (plan, baseUrl) =>
      kept(rates, JSON.stringify([baseUrl, plan]), () => rateLimit({ ...plan.rate, scheduler })),
    capOf: (most, place) => kept(caps, `${most} ${place}`, () => inFlight(most)),
  };
}

function kept<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}
