import { asyncScheduler, defer, EMPTY, merge, tap } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { requestFields } from '../../errors/request-fields';
import type { Report } from '../../events';
import type { Middleware, Request, Response } from '../../model';
import { createLimiter, inFlight } from '../../operators';
import type { LimiterRule, RateLimit } from '../../operators';
import type { LimitsPlan, RatePlan } from '../../plan/http-plan';
import type { Secrets } from '../../secrets';
import { parseUrl } from '../../url/parse-url';
import { pathGlob } from '../../url/path-glob';
import { applyFeedback, TOO_MANY_REQUESTS } from './rate-feedback';
import type { CountedRate } from './rate-feedback';
import type { RunRates } from './run-rates';
import { requestLine } from '../request-line';

export interface LimitContext {
  readonly rates: RunRates;
  readonly baseUrl: string;
  /** Name of the header that says how long to wait after a 429. */
  readonly retryHeader: string;
  readonly report: Report;
  readonly secrets: Secrets;
  /** Keeps the time, also that of the rates; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

interface Limited {
  readonly plan: RatePlan;
  readonly rate: RateLimit;
  readonly matches: (request: Request, url: URL | undefined) => boolean;
}

/**
 * A pause whose end moves by less (ms) is the same one, since servers tell it in whole seconds; a shorter pause is not
 * told of.
 */
const SAME_PAUSE = 1000;

/** The two places where requests wait, as middleware of the pipeline. */
export interface Limits {
  /** Waits for the caps and the rates, and holds a place under the caps until all inside has ended. */
  readonly turns: Middleware;
  /** Waits for the rates alone: for requests inside a turn, and for logins, which a turn may wait for. */
  readonly rates: Middleware;
}

/** The limits of a plan that has none: nothing waits. */
export const UNLIMITED: Limits = { turns: (send) => send, rates: (send) => send };

const limitsAnything = ({ maxRequests, maxRequestsPerOrigin, rates }: LimitsPlan): boolean =>
  maxRequests !== undefined || maxRequestsPerOrigin !== undefined || rates.length > 0;

/**
 * Holds requests back until the caps and rates of the plan admit them (docs/extensions/rate-limits.md). A request that
 * waits for its next attempt is not in flight. What a response says of the rates counts from then on.
 *
 * @param plan what is allowed
 * @param context the rates of the run, and whom to tell
 * @example createLimits({ rates: [] }, { rates: createRunRates(), baseUrl, retryHeader: 'Retry-After', report, secrets }).turns(send)
 */
export function createLimits(plan: LimitsPlan, context: LimitContext): Limits {
  if (!limitsAnything(plan)) return UNLIMITED;
  const { report, secrets, scheduler = asyncScheduler } = context;
  const limiter = createLimiter({ scheduler });
  const retryHeader = context.retryHeader.toLowerCase();
  const announced = new WeakMap<RateLimit, number>();
  const rulesFor = rulesOf(plan, context);

  /** Whether a pause of a rate is long enough to be told of, and has not been told of before. */
  const isNews = (rate: RateLimit, until: number, now: number): boolean => {
    const isNew = until >= Math.max(now, announced.get(rate) ?? 0) + SAME_PAUSE;
    if (isNew) announced.set(rate, until);
    return isNew;
  };

  const listen = (response: Response, counted: readonly CountedRate[]): void => {
    const now = scheduler.now();
    const ends = counted.flatMap((each) => {
      const until = applyFeedback(response, each, retryHeader, now);
      return until !== undefined && isNews(each.rate, until, now) ? [until] : [];
    });
    if (ends.length === 0) return;
    const until = new Date(Math.max(...ends)).toISOString();
    const line = requestLine(response.request, secrets);
    const because =
      response.status === TOO_MANY_REQUESTS
        ? `${line} was answered with status ${TOO_MANY_REQUESTS}`
        : `the response to ${line} says that no request is left`;
    report({ type: 'requests.paused', until, because });
  };

  const middleware =
    (rulesOfRequest: (request: Request) => Rules): Middleware =>
    (send) =>
    (request) =>
      defer(() => {
        const askedAt = scheduler.now();
        const { caps, rates } = rulesOfRequest(request);
        let waits = false;
        const sent$ = defer(() => {
          const waitedMilliseconds = scheduler.now() - askedAt;
          if (waits && waitedMilliseconds > 0) {
            const fields = requestFields(request, secrets);
            const next = fields.attempt === undefined ? {} : { attempt: fields.attempt + 1 };
            report({ type: 'request.held', ...fields, ...next, waitedMilliseconds });
          }
          if (rates.length === 0) return send(request);
          const counted = rates.map(({ plan: its, rate }) => ({ plan: its, rate, request: rate.started() }));
          return send(request).pipe(tap((response) => listen(response, counted)));
        });
        const held$ = sent$.pipe(limiter.hold([...caps, ...rates.map(({ rate }) => rate)]));
        // What is admitted at once has begun when the second of these is subscribed. The clock alone may have moved on.
        const afterwards$ = defer(() => {
          waits = true;
          return EMPTY;
        });
        return merge(held$, afterwards$);
      });
  const ratesOf = (request: Request): Rules => ({ ...rulesFor(request), caps: [] });
  return { turns: middleware(rulesFor), rates: plan.rates.length === 0 ? UNLIMITED.rates : middleware(ratesOf) };
}

interface Rules {
  readonly caps: readonly LimiterRule[];
  readonly rates: readonly Limited[];
}

function rulesOf({ maxRequests, maxRequestsPerOrigin, rates }: LimitsPlan, context: LimitContext) {
  const all = maxRequests === undefined ? [] : [inFlight(maxRequests)];
  const origins = new Map<string, LimiterRule>();
  const limited = rates.map((plan) => limitedBy(plan, context));
  const capsFor = (origin: string): readonly LimiterRule[] => {
    if (maxRequestsPerOrigin === undefined) return all;
    const own = origins.get(origin) ?? inFlight(maxRequestsPerOrigin);
    origins.set(origin, own);
    return [...all, own];
  };
  const noAddress: Rules = { caps: all, rates: [] };
  return (request: Request): Rules => {
    if (maxRequestsPerOrigin === undefined && limited.length === 0) return noAddress;
    // What is no URL is refused further down.
    const url = parseUrl(request.url);
    const ownRates = limited.filter(({ matches }) => matches(request, url));
    return { caps: capsFor(url?.origin ?? ''), rates: ownRates };
  };
}

function limitedBy(plan: RatePlan, { rates, baseUrl }: LimitContext): Limited {
  const { job, path } = plan;
  const isMeant = path === undefined ? () => true : pathGlob(path);
  return {
    plan,
    rate: rates.of(plan, baseUrl),
    matches: ({ purpose }, url) =>
      (job === undefined || (purpose.kind === 'page' && purpose.job === job)) && isMeant(url?.pathname ?? ''),
  };
}
