import { asyncScheduler, defer } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type { CredentialSource, Middleware, Request, Response, Send, SendTimed } from '../model';
import type { LimitsPlan } from '../plan/http-plan';
import { mayReceiveCredentials } from '../url/origin';
import { authorize, passLoginFailures } from './middleware/authorize';
import { cached } from './middleware/cache';
import type { CachePolicy } from './middleware/cache';
import type { RunRates } from './rates/run-rates';
import type { MiddlewareDefinition } from './middleware/define';
import { createLimits, UNLIMITED } from './rates/limit';
import type { Limits } from './rates/limit';
import { applicationMiddleware } from './middleware/of-application';
import { cookies } from './middleware/cookies';
import type { Cookies } from './middleware/cookies';
import { countingAttempts, numbered } from './middleware/numbered';
import type { RequestNumbers } from './middleware/numbered';
import { originGuard } from './middleware/origin-guard';
import type { OriginRules } from './middleware/origin-guard';
import { followRedirects } from './middleware/redirects';
import { retry } from './middleware/retry';
import type { RetryPolicy } from './middleware/retry';
import type { RuleOf } from './rules/rule-of';
import { sign } from './middleware/sign';
import { timed } from './transport/timed';
import { createTransport } from './transport/transport';
import type { TransportOptions } from './transport/transport';

export interface PipelineOptions extends TransportOptions, OriginRules {
  readonly retry: RetryPolicy;
  /** Signs every request, logins included, after everything else has been added. */
  readonly sign?: (request: Request) => Request;
  /** Whether cookies of responses are kept, and sent with later requests, logins included. */
  readonly cookies?: boolean;
  /** The caps and rates, which hold for logins, too; absent: there are none. */
  readonly limits?: { readonly plan: LimitsPlan; readonly rates: RunRates };
  /** Keeps the responses to all requests but logins. */
  readonly cache?: CachePolicy;
  /** The rules about responses. */
  readonly ruleOf?: RuleOf;
  /** The middleware of the application, the outermost first. */
  readonly middleware?: readonly MiddlewareDefinition[];
  /** Numbers the requests of the run; absent: nobody asks which is which. */
  readonly numbers?: RequestNumbers;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

export interface Pipeline {
  /** Sends login requests, without credentials. */
  readonly logins: SendTimed;
  /** Makes what sends all other requests, with credentials of this source. */
  readonly pages: (source: CredentialSource | undefined) => Send;
  /** Forgets the cookies of the session so far: a login begins a new one. */
  readonly forgetCookies: () => void;
  /** How often responses have changed the cookies that requests have. */
  readonly cookieChanges: () => number;
  readonly close: () => Promise<void>;
}

/** Composes the request pipeline: what stands first sees a request first and its response last. */
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
  const { send, close } = createTransport({
    ...options,
    firstConnectionMs: options.retry.firstConnectionSeconds * 1000,
  });
  const isOfApi = ({ url, downloadHosts }: Request): boolean => downloadHosts === undefined || getsCredentials(url);
  const retrying = retry(options.retry, { report, secrets, scheduler, ...ruled });
  const follow = followRedirects({ getsCredentials, secrets });
  const limits = limitsOf(options);
  const kept = options.cookies === true ? cookies({ getsCredentials, secrets }) : NO_COOKIES;
  const counted = numbers === undefined ? unchanged : countingAttempts(numbers);
  const around = attemptsOf(middleware, getsCredentials);
  const guarded = originGuard(options)(kept.middleware(sign(options.sign, isOfApi)(counted(around(send)))));
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
      // Credentials expire: they are taken when a request has waited for its turn. What follows in that turn, redirects
      // and a repetition after a refusal, counts for the rates on its own.
      const inTurn: Send =
        limits === UNLIMITED
          ? authorized(unchanged)
          : (request) => defer(() => authorized(afterFirst(limits.rates))(request));
      // Outside of the cache: what a middleware of the application makes of a response is not kept, and so not made of it again.
      const tried = source === undefined ? retrying : passLoginFailures(retrying);
      return added(keeping(tried(limits.turns(inTurn))));
    },
    forgetCookies: kept.forget,
    cookieChanges: kept.changes,
    close,
  };
}

const limitsOf = ({ limits, baseUrl, retry: { header }, report, secrets, scheduler }: PipelineOptions): Limits =>
  limits === undefined
    ? UNLIMITED
    : createLimits(limits.plan, {
        rates: limits.rates,
        baseUrl,
        retryHeader: header,
        report,
        secrets,
        ...(scheduler === undefined ? {} : { scheduler }),
      });

/** The middleware of the application around attempts, which is told whose host it is. */
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

const NO_COOKIES: Cookies = { middleware: unchanged, forget: () => undefined, changes: () => 0 };
