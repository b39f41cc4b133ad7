import type { Job, RunConfiguration } from '../config/configuration';
import type { LimitsPlan, RatePlan } from './plan';

/** What limits the requests of a run (docs/extensions/rate-limits.md). */
export function limitsOf({ api: { http }, settings }: RunConfiguration): LimitsPlan {
  const { maxRequests, maxRequestsPerOrigin, rateLimit } = http;
  return {
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...(maxRequestsPerOrigin === undefined ? {} : { maxRequestsPerOrigin }),
    rates: [...rateLimit, ...settings.jobs.flatMap(jobRates)],
  };
}

/** Those of a job and its children. A job is known by its id: equal jobs at several places count together. */
const jobRates = ({ id, rateLimit, children }: Job): readonly RatePlan[] => [
  ...rateLimit.map((limit) => ({ ...limit, job: id })),
  ...children.flatMap(jobRates),
];
