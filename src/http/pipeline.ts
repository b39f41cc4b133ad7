import { asyncScheduler, defer } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { CredentialSource, Middleware, Request, Response, Send, SendTimed } from '../core/model';
import type { LimitsPlan } from '../plan/plan';
import { mayReceiveCredentials } from '../core/url/address';
import { authorize, passLoginFailures, sign } from './middleware/authorize';
import { cached } from './middleware/cache';
import type { CachePolicy } from './middleware/cache';
import type { MiddlewareDefinition } from '../language/parts/middleware';
import { createLimits, UNLIMITED } from './rates/limit';
import type { LimitContext, Limits } from './rates/limit';
import { applicationMiddleware } from './middleware/application';
import type { Cookies } from './middleware/cookies';
import { countingAttempts, numbered, timed } from './middleware/trace';
import type { RequestNumbers } from './middleware/trace';
import { originGuard } from './middleware/origin-guard';
import type { OriginRules } from './middleware/origin-guard';
import { followRedirects } from './middleware/redirects';
import { retry } from './middleware/retry';
import type { RetryPolicy } from './middleware/retry';
import type { RuleOf } from './rules';
import type { Connections, RoundTripSettings } from './transport/transport';

export interface PipelineOptions extends RoundTripSettings, OriginRules {
  /** The connections, which other pipelines may share. */
  readonly connections: Connections;
  readonly retry: RetryPolicy;
  /** Signs every request, logins included, after everything else has been added. */
  readonly sign?: (request: Request) => Request;
  /**
   * Keeps the cookies of responses, and sends them with later requests, logins included; if absent, no cookies are
   * kept.
   */
  readonly cookies?: Cookies;
  /** The caps and rates, which also apply to logins; absent without any. */
  readonly limits?: Pick<LimitContext, 'shared' | 'tuned'> & { readonly plan: LimitsPlan };
  /** The cache for the responses to all requests except logins. */
  readonly cache?: CachePolicy;
  /** The rules about responses. */
  readonly ruleOf?: RuleOf;
  /** The middleware of the application, the outermost first. */
  readonly middleware?: readonly MiddlewareDefinition[];
  /** Numbers the requests of the run; if absent, they have no numbers. */
  readonly numbers?: RequestNumbers;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
}

export interface Pipeline {
  /** Sends login requests, without credentials. */
  readonly logins: SendTimed;
  /** Creates the `send` for all other requests, with credentials of this source. */
  readonly pages: (source: CredentialSource | undefined) => Send;
  /** Releases the connections. */
  readonly close: () => Promise<void>;
}

/** Composes the request pipeline: the first middleware receives a request first and its response last. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const {
    baseUrl,
    credentialHosts,
    secrets,
    report,
    cache,
    ruleOf,
    middleware = [],
    numbers,
    scheduler = asyncScheduler,
  } = options;
  const ruled = ruleOf === undefined ? {} : { ruleOf };
  const refuses = (response: Response): boolean => ruleOf?.(response)?.do === 'renew';
  const getsCredentials = (url: string): boolean => mayReceiveCredentials(url, baseUrl, credentialHosts);
  const { send, close } = options.connections.transport(options);
  const isOfApi = ({ url, downloadHosts }: Request): boolean => downloadHosts === undefined || getsCredentials(url);
  const retrying = retry(options.retry, { report, secrets, scheduler, ...ruled });
  const follow = followRedirects({ getsCredentials, secrets });
  const limits = limitsOf(options);
  const { middleware: withCookies } = options.cookies ?? NO_COOKIES;
  const counted = numbers === undefined ? unchanged : countingAttempts(numbers);
  const around = attemptsOf(middleware, getsCredentials);
  const guarded = originGuard(options)(withCookies(sign(options.sign, isOfApi)(counted(around(send)))));
  const addedTo = applicationMiddleware(middleware, 'request');
  const added: Middleware = numbers === undefined ? addedTo : (inner) => numbered(numbers)(addedTo(inner));
  const keeping: Middleware =
    cache === undefined ? unchanged : cached(cache, { retried: options.retry.statusCodes, report, secrets, ...ruled });
  return {
    logins: timed(
      (inner) => added(retrying(inner)),
      (inner) => follow(limits.rates(inner)),
      scheduler,
    )(guarded),
    pages: (source) => {
      const authorized = (hold: Middleware): Send =>
        authorize({ source, getsCredentials, follow, hold, refuses, scheduler })(guarded);
      // Credentials expire, so they are taken when a request has waited for its turn. Redirects and a repetition after
      // a refusal follow in the same turn, and count separately for the rates.
      const atOnce = authorized(unchanged);
      const inTurn: Send = (request) => defer(() => authorized(afterFirst(limits.rates))(request));
      const held = limits.turns(inTurn);
      // This is checked for each attempt, because limits may be tuned at any time; without any limit it costs nothing.
      const limited: Send =
        limits === UNLIMITED ? atOnce : (request) => defer(() => (limits.isIdle() ? atOnce : held)(request));
      // The application's middleware is outside of the cache: a response that it has changed is not cached, and so not
      // changed twice.
      const tried = source === undefined ? retrying : passLoginFailures(retrying);
      return added(keeping(tried(limited)));
    },
    close,
  };
}

const limitsOf = ({ limits, baseUrl, retry: { header }, report, secrets }: PipelineOptions): Limits =>
  limits === undefined
    ? UNLIMITED
    : createLimits(limits.plan, { ...limits, baseUrl, retryHeader: header, report, secrets });

/** The middleware of the application around attempts; it receives whether the host may get credentials. */
function attemptsOf(
  middleware: readonly MiddlewareDefinition[],
  getsCredentials: (url: string) => boolean,
): Middleware {
  if (!middleware.some(({ around }) => around === 'attempt')) return unchanged;
  const around = applicationMiddleware(middleware, 'attempt');
  return (send) => {
    const inner = around(send);
    return (request) => inner({ ...request, getsCredentials: getsCredentials(request.url) });
  };
}

/** Applies a middleware to all requests but the first. */
const afterFirst =
  (middleware: Middleware): Middleware =>
  (send) => {
    const others = middleware(send);
    let isFirst = true;
    return (request) =>
      defer(() => {
        const way = isFirst ? send : others;
        isFirst = false;
        return way(request);
      });
  };

const unchanged: Middleware = (send) => send;

const NO_COOKIES: Cookies = {
  middleware: unchanged,
  forget: () => undefined,
  hasTrusted: () => false,
  dropped: () => new Set(),
  changes: () => 0,
};
