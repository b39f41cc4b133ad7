import { asyncScheduler } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { rateLimit } from '../../operators';
import type { RateLimit } from '../../operators';
import type { RatePlan } from '../../plan/http-plan';

/** The rate limits of one run, which its iterations share. */
export interface RunRates {
  /** Gives the rate limit of a plan at a base URL: always the same one for both. */
  readonly of: (plan: RatePlan, baseUrl: string) => RateLimit;
}

/**
 * Keeps the rates of a run (docs/extensions/rate-limits.md) from one iteration to the next: one that begins where another
 * has just ended must not start its window anew. Iterations at different base URLs have rates of their own.
 *
 * @param scheduler keeps the time
 * @example createRunRates().of({ rate: { requests: 10, seconds: 1 } }, 'https://api.example/')
 */
export function createRunRates(scheduler: SchedulerLike = asyncScheduler): RunRates {
  const kept = new Map<string, RateLimit>();
  return {
    of: (plan, baseUrl) => {
      const key = JSON.stringify([baseUrl, plan]);
      const rate = kept.get(key) ?? rateLimit({ ...plan.rate, scheduler });
      kept.set(key, rate);
      return rate;
    },
  };
}
