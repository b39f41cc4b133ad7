import { EMPTY, asyncScheduler, defer, merge, tap } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { RetryableError } from '../../core/errors/errors';
import { requestFields } from '../../core/events';
import type { Report } from '../../core/events';
import type { Middleware, Purpose, Request, Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { parseUrl, pathGlob } from '../../core/url/address';
import { createLimiter, inFlight, rateLimit } from '../../operators';
import type { AdaptiveLimit, Limiter, LimiterRule, RateLimit } from '../../operators';
import type { LimitsPlan, RatePlan } from '../../plan/plan';
import { requestLine } from '../masking';
import { TOO_MANY_REQUESTS, applyFeedback } from './rate-feedback';
import type { CountedRate } from './rate-feedback';
import { NOTHING_TUNED } from './request-tuning';
import type { RequestTuning, TunedRules } from './request-tuning';

export interface LimitContext {
  readonly shared: SharedLimits;
  /** The tunings in addition to the plan: the rules of all levels. */
  readonly tuned?: readonly RequestTuning[];
  readonly baseUrl: string;
  /** The name of the header with the delay after a 429. */
  readonly retryHeader: string;
  readonly report: Report;
  readonly secrets: Secrets;
}

interface Limited {
  readonly plan: RatePlan;
  readonly rate: RateLimit;
  readonly matches: (request: Request, url: URL | undefined) => boolean;
}

/**
 * The tolerance in ms for equal pauses, because servers give their end in whole seconds; a shorter pause is not
 * reported.
 */
const SAME_PAUSE = 1000;

/** The two points at which requests wait, as middleware of the pipeline. */
export interface Limits {
  /** Waits for the caps and the rates, and holds a place under the caps until everything inside has ended. */
  readonly turns: Middleware;
  /** Waits for the rates alone: for requests inside a turn, and for logins, which a turn may wait for. */
  readonly rates: Middleware;
  /** Returns whether no request has to wait now. The result may change at any time. */
  readonly isIdle: () => boolean;
}

/** The limits of a plan without any: nothing waits. */
export const UNLIMITED: Limits = { turns: (send) => send, rates: (send) => send, isIdle: () => true };

const limitsAnything = ({ maxRequests, maxRequestsPerOrigin, rates }: LimitsPlan): boolean =>
  maxRequests !== undefined || maxRequestsPerOrigin !== undefined || rates.length > 0;

/**
 * Holds requests back until the caps and rates of the plan admit them (docs/language/rate-limits.md). A request that
 * waits for its next attempt is not in flight. Rates that a response reports apply from then on.
 *
 * @param plan the allowed caps and rates
 * @param context the limits shared with other sessions, the tunings, and the receiver of events
 * @example createLimits({ rates: [] }, { shared: createSharedLimits(), baseUrl, retryHeader: 'Retry-After', report, secrets }).turns(send)
 */
export function createLimits(plan: LimitsPlan, context: LimitContext): Limits {
  const { report, secrets, tuned = [] } = context;
  const isLimited = limitsAnything(plan);
  if (!isLimited && tuned.length === 0) return UNLIMITED;
  const { limiter, scheduler } = context.shared;
  const retryHeader = context.retryHeader.toLowerCase();
  const announced = new WeakMap<RateLimit, number>();
  const rulesFor = rulesOf(plan, context);

  /** Returns whether a pause of a rate is long enough to be reported, and has not been reported before. */
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
        const { caps, rates, pacing, adaptive } = rulesOfRequest(request);
        let waits = false;
        const sent$ = defer(() => {
          const waitedMilliseconds = scheduler.now() - askedAt;
          if (waits && waitedMilliseconds > 0) {
            const fields = requestFields(request, secrets);
            const next = fields.attempt === undefined ? {} : { attempt: fields.attempt + 1 };
            report({ type: 'request.held', ...fields, ...next, waitedMilliseconds });
          }
          if (rates.length === 0 && adaptive.length === 0) return send(request);
          const counted = rates.map(({ plan: its, rate }) => ({ plan: its, rate, request: rate.started() }));
          const startedAt = scheduler.now();
          return send(request).pipe(
            tap({
              next: (response) => {
                listen(response, counted);
                judge(adaptive, isRefusal(response), startedAt);
              },
              error: (error) => {
                if (isTimeout(error)) judge(adaptive, true, startedAt);
              },
            }),
          );
        });
        const rules = [...caps, ...pacing, ...adaptive, ...rates.map(({ rate }) => rate)];
        const held$ = sent$.pipe(limiter.hold(rules, { priority: priorityIn(tuned, request.purpose) }));
        // Work that is admitted at once has started when the second of these is subscribed to. Only the clock may have
        // advanced.
        const afterwards$ = defer(() => {
          waits = true;
          return EMPTY;
        });
        return merge(held$, afterwards$);
      });
  const judge = (adaptive: readonly AdaptiveLimit[], isRefused: boolean, startedAt: number): void => {
    const now = scheduler.now();
    for (const each of adaptive)
      if (isRefused) each.refused(startedAt, now);
      else each.answered(now - startedAt);
  };

  const ratesOf = (request: Request): Rules => ({ ...rulesFor(request), caps: [], adaptive: [] });
  return {
    turns: middleware(rulesFor),
    rates: plan.rates.length === 0 && tuned.length === 0 ? UNLIMITED.rates : middleware(ratesOf),
    isIdle: () => !isLimited && !tuned.some(({ isActive }) => isActive()),
  };
}

/** Returns the priority. The last tuning is the closest one: an extraction's precedes its client's. */
const priorityIn = (tuned: readonly RequestTuning[], purpose: Purpose): number =>
  tuned.reduce<number | undefined>((outer, { priorityOf }) => priorityOf(purpose) ?? outer, undefined) ?? 0;

/** The statuses of an overloaded API. */
const OVERLOADED: ReadonlySet<number> = new Set([TOO_MANY_REQUESTS, 503]);
const isRefusal = ({ status }: Response): boolean => OVERLOADED.has(status);
const isTimeout = (error: unknown): boolean => error instanceof RetryableError && error.code === 'NETWORK_TIMEOUT';

/** The rules that one request waits for. */
interface Rules extends TunedRules {
  readonly rates: readonly Limited[];
}

function rulesOf(
  { maxRequests, maxRequestsPerOrigin, rates }: LimitsPlan,
  { tuned = [], ...context }: LimitContext,
): (request: Request) => Rules {
  const { capOf } = context.shared;
  const all = maxRequests === undefined ? [] : [capOf(maxRequests, ANYWHERE)];
  const limited = rates.map((plan) => limitedBy(plan, context));
  const capsFor = (origin: string): readonly LimiterRule[] =>
    maxRequestsPerOrigin === undefined ? all : [...all, capOf(maxRequestsPerOrigin, origin)];
  const planned = (request: Request): Rules => {
    if (maxRequestsPerOrigin === undefined && limited.length === 0)
      return { caps: all, rates: [], adaptive: NOTHING_TUNED.adaptive, pacing: NOTHING_TUNED.pacing };
    // A malformed URL is refused by an inner middleware.
    const url = parseUrl(request.url);
    const ownRates = limited.filter(({ matches }) => matches(request, url));
    return {
      caps: capsFor(url?.origin ?? ''),
      rates: ownRates,
      adaptive: NOTHING_TUNED.adaptive,
      pacing: NOTHING_TUNED.pacing,
    };
  };
  if (tuned.length === 0) return planned;
  return (request) => {
    const { caps, rates } = planned(request);
    const by = tuned.map(({ rulesOf: rulesFor }) => rulesFor(request.purpose));
    return {
      rates,
      caps: [...caps, ...by.flatMap((each) => each.caps)],
      pacing: by.flatMap(({ pacing }) => pacing),
      adaptive: by.flatMap(({ adaptive }) => adaptive),
    };
  };
}

const ANYWHERE = '';

function limitedBy(plan: RatePlan, { shared, baseUrl }: LimitContext): Limited {
  const { job, path } = plan;
  const isMeant = path === undefined ? () => true : pathGlob(path);
  return {
    plan,
    rate: shared.rateOf(plan, baseUrl),
    matches: ({ purpose }, url) =>
      (job === undefined || (purpose.kind === 'page' && purpose.job === job)) && isMeant(url?.pathname ?? ''),
  };
}

/** The queue, the rates and the caps that several sessions share. */
export interface SharedLimits {
  /** The queue of all waiting requests. */
  readonly limiter: Limiter;
  /** The clock of the queue and of the rates. */
  readonly scheduler: SchedulerLike;
  /** Returns the rate limit of a plan at a base URL, always the same one for both. */
  readonly rateOf: (plan: RatePlan, baseUrl: string) => RateLimit;
  /** Returns the cap on requests in flight to a place, always the same one for both. */
  readonly capOf: (most: number, place: string) => LimiterRule;
}

/**
 * Creates the limits that several sessions share (docs/language/rate-limits.md): the iterations of a run, so that an
 * iteration that follows another does not restart its window, or all runs of a client. Iterations at different base
 * URLs have separate rates.
 *
 * @param scheduler the clock
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
