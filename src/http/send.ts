/** How a request is sent: everything between a job, or a login, and the network. */
import { isUint8Array } from 'node:util/types';
import { asyncScheduler, catchError, defer, map, tap, throwError, throwIfEmpty } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import type {
  CredentialSource,
  Credentials,
  Request,
  Response,
  Send,
  SendTimed,
  TimedResponse,
  Middleware,
} from '../core/model';
import { mayReceiveCredentials } from '../core/url/address';
import type { MiddlewareDefinition } from '../language/parts/middleware';
import { longTimer } from '../operators';
import type { Abortion } from '../operators';
import type { LimitsPlan } from '../plan/plan';
import { cached } from './cache';
import type { CachePolicy } from './cache';
import type { Cookies } from './cookies';
import { dispatchBy, firstValue, sendBy, throwIfAborted } from './dispatch';
import type { Dispatch } from './dispatch';
import { originRefusal, MOST_REDIRECTS, locationOf, redirected, tooManyRedirects } from './redirects';
import type { OriginRules } from './redirects';
import { createLimits, UNLIMITED } from './rates/limit';
import type { LimitContext, Limits } from './rates/limit';
import { createRetries } from './retries';
import type { Attempts, RetryPolicy } from './retries';
import type { RuleOf } from './rules';
import type { Connections, RoundTripSettings } from './transport/transport';
import { PartError, errorOfPart } from '../language/parts/errors';
import type { PartName } from '../language/parts/errors';

export interface SenderOptions extends RoundTripSettings, OriginRules {
  /** The connections, which other senders may share. */
  readonly connections: Connections;
  readonly retry: RetryPolicy;
  /**
   * Returns a request with its signature. It signs every request, logins included, after everything else has been
   * added: each attempt and each redirect again.
   */
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
  /** Returns a random number from 0 to less than 1; `Math.random` by default. */
  readonly random?: () => number;
}

/** Sends the requests of one run. */
export interface Sender {
  /** Sends login requests, without credentials. */
  readonly logins: SendTimed;
  /** Creates the `send` for all other requests, with credentials of this source. */
  readonly pages: (source: CredentialSource | undefined) => Send;
  /** Releases the connections. */
  readonly close: () => Promise<void>;
}

/** A response, and the credentials that its request had. */
interface Passed {
  readonly response: Response;
  readonly taken: Credentials | undefined;
}

/**
 * Creates the sender of a run. A request passes, from the outside to the network:
 *
 * 1. the middleware of the application around requests, and the cache: a response that a middleware has changed is not
 *    kept, and so not changed twice;
 * 2. attempts: a status or a failure that the policy names is tried again after a pause (docs/language/retries.md);
 * 3. limits: each attempt waits for the caps and rates (docs/language/rate-limits.md). Redirects, and the repetition
 *    after a refusal, follow under the same cap and count for the rates;
 * 4. credentials (docs/language/authentication.md): they are taken right before the request is sent, so that they cannot
 *    expire in a queue, and kept, so that a renewal never aborts it. A status in `refusedBy` means that they are stale:
 *    they are reported as refused, and the request is repeated once with the next ones, and again where another process
 *    has replaced these meanwhile. A host that may not receive credentials gets none, and causes no login;
 * 5. redirects (docs/language/requests.md#redirects), hop by hop: each is guarded, gets its cookies and credentials, is
 *    signed, and passes the middleware of the application around attempts.
 *
 * Responses name the request without credentials, cookies and signature.
 *
 * @example createSender(options).pages(source)(request).subscribe(({ status }) => console.log(status));
 */
export function createSender(options: SenderOptions): Sender {
  const { baseUrl, credentialHosts, secrets, report, cookies, cache, ruleOf, numbers } = options;
  const { middleware = [], sign, scheduler = asyncScheduler } = options;
  const getsCredentials = (url: string): boolean => mayReceiveCredentials(url, baseUrl, credentialHosts);
  const isOfApi = ({ url, downloadHosts }: Request): boolean => downloadHosts === undefined || getsCredentials(url);
  const { dispatch, close } = options.connections.transport(options);
  const limits = limitsOf(options);
  const retries = createRetries(options.retry, { ...options, rates: options.limits?.plan.rates ?? [] });
  const network = aroundAttempts(middleware, getsCredentials, dispatch);
  /** Credentials that no status refuses cannot be renewed. */
  const isRefused = (passed: Passed): passed is Passed & { readonly taken: Credentials } => {
    const { response, taken } = passed;
    if (taken === undefined || taken.refusedBy.length === 0 || !getsCredentials(response.request.url)) return false;
    if (taken.refusedBy.includes(response.status) || ruleOf?.(response)?.do === 'renew') return true;
    return taken.refusal?.(response) !== undefined;
  };

  /** Sends one hop, with what is added to it on the way. */
  async function sendHop(hop: Request, credentials: Credentials | undefined, abortion: Abortion): Promise<Response> {
    let sent = credentials === undefined ? hop : credentials.apply(hop);
    const refusal = originRefusal(sent, options);
    if (refusal !== undefined) throw refusal;
    const withCookies = cookies === undefined ? undefined : await cookies.added(sent);
    if (withCookies !== undefined) sent = withCookies.request;
    if (sign !== undefined && isOfApi(sent)) sent = sign(sent);
    if (numbers !== undefined) sent = counted(sent, numbers);
    throwIfAborted(abortion);
    const response = await network(sent, abortion);
    const kept = withCookies === undefined ? response : withCookies.kept(response);
    return sent === hop ? kept : { ...kept, request: hop };
  }

  /** Sends a request and follows its redirects. */
  async function follow(request: Request, abortion: Abortion, send: Dispatch): Promise<Response> {
    let hop = request;
    for (let left = MOST_REDIRECTS; ; left -= 1) {
      const response = await send(hop, abortion);
      const location = locationOf(response);
      if (location === undefined) return response;
      if (left === 0) throw tooManyRedirects(response, location, secrets);
      hop = redirected(response, location, { getsCredentials, secrets });
    }
  }

  /** Sends the hops of a request with the credentials of one moment. */
  async function pass(
    request: Request,
    outside: Abortion,
    source: CredentialSource | undefined,
    waits: () => boolean,
  ): Promise<Passed> {
    const held: { credentials: Credentials | undefined } = { credentials: undefined };
    const isAuthorized = source !== undefined && getsCredentials(request.url);
    const send: Dispatch = async (hop, abortion) => {
      if (!isAuthorized || !getsCredentials(hop.url)) return sendHop(hop, undefined, abortion);
      // The hops of a request share its credentials, unless these have expired while a hop was held back.
      if (scheduler.now() >= (held.credentials === undefined ? 0 : (held.credentials.expiresAt ?? Infinity)))
        held.credentials = await firstValue(source.credentials$, abortion).catch(asLoginFailure);
      return sendHop(hop, held.credentials, abortion);
    };
    const sendHeld = limits === UNLIMITED ? send : dispatchBy(limits.rates(sendBy(send)));
    const response = await follow(request, outside, (hop, abortion) => (waits() ? sendHeld : send)(hop, abortion));
    return { response, taken: held.credentials };
  }

  /** Makes one attempt: a request, and its repetition with new credentials if they are refused. */
  async function attempt(
    request: Request,
    abortion: Abortion,
    source: CredentialSource | undefined,
    isHeld: boolean,
  ): Promise<Response> {
    let hops = 0;
    const waits = (): boolean => (hops += 1) > 1 && isHeld;
    let passed = await pass(request, abortion, source, waits);
    if (source === undefined || !isRefused(passed)) return passed.response;
    do {
      source.invalidate(passed.taken, passed.response);
      passed = await pass(request, abortion, source, waits);
    } while (isRefused(passed) && (await source.isBehind?.()) === true);
    // A response without a session has none of the requested items.
    const error = passed.taken?.refusal?.(passed.response);
    if (error !== undefined) throw error;
    return passed.response;
  }

  /** Makes attempts until one is final. */
  async function retried(request: Request, abortion: Abortion, tryOnce: Dispatch): Promise<Response> {
    const attempts: Attempts = { count: 1, startedAt: scheduler.now(), isWaitTooLong: false, isUnreached: false };
    for (;;) {
      let pause: number | undefined;
      try {
        const response = await tryOnce(request, abortion);
        pause = retries.pauseAfter({ kind: 'value', value: response }, request, attempts);
        if (pause === undefined) return retries.last(response, attempts);
      } catch (error) {
        // A login has its own retries, so its failure bypasses those of the request that waited for it.
        if (error instanceof LoginFailure) throw error.reason;
        if (abortion.isAborted) throw error;
        pause = retries.pauseAfter({ kind: 'error', error }, request, attempts);
        if (pause === undefined) throw retries.lastError(error, attempts);
      }
      await firstValue(longTimer(pause, scheduler), abortion);
    }
  }

  const numbered = (request: Request): Request =>
    numbers === undefined || request.trace !== undefined ? request : { trace: new Trace(numbers), ...request };
  /** Adds the numbers of the requests, and the middleware of the application around requests. */
  const added = (send: Send): Send => {
    const around = applicationMiddleware(middleware, 'request')(send);
    return numbers === undefined ? around : (request) => around(numbered(request));
  };

  return {
    logins: (login) =>
      sendBy<TimedResponse>(async (request, outside) => {
        // A middleware of the application may answer without sending anything.
        let sentAt = scheduler.now();
        const tryOnce: Dispatch = (asked, abortion) => {
          let isFirst = true;
          const sendIt: Dispatch = (hop, inside) => {
            // For redirects the first request counts, because it may be the one that an API has acted upon.
            if (isFirst) sentAt = scheduler.now();
            isFirst = false;
            return sendHop(hop, undefined, inside);
          };
          const send = limits === UNLIMITED ? sendIt : dispatchBy(limits.rates(sendBy(sendIt)));
          return follow(asked, abortion, send);
        };
        const send = added(sendBy((asked, abortion) => retried(asked, abortion, tryOnce)));
        return { ...(await firstValue(send(request), outside)), sentAt };
      })(login),
    pages: (source) => {
      const tryOnce: Dispatch = (request, abortion) => {
        // This is looked up for each attempt, because limits may be tuned at any time.
        if (limits.isIdle()) return attempt(request, abortion, source, false);
        const held = limits.turns(sendBy((asked, inside) => attempt(asked, inside, source, true)));
        return firstValue(held(request), abortion);
      };
      const whole: Dispatch = (request, abortion) => retried(request, abortion, tryOnce);
      if (cache === undefined) return added(sendBy(whole));
      return added(sendBy(cached(cache, { ...options, retried: options.retry.statusCodes, report })(whole)));
    },
    close,
  };
}

/** Wraps the error of a login, so that it does not count as an error of the request that waited for it. */
class LoginFailure {
  constructor(readonly reason: unknown) {}
}

const asLoginFailure = (reason: unknown): never => {
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- it never leaves this module
  throw new LoginFailure(reason);
};

const limitsOf = ({ limits, baseUrl, retry: { header }, report, secrets }: SenderOptions): Limits =>
  limits === undefined
    ? UNLIMITED
    : createLimits(limits.plan, { ...limits, baseUrl, retryHeader: header, report, secrets });

/** The middleware of the application around attempts; it receives whether the host may get credentials. */
function aroundAttempts(
  middleware: readonly MiddlewareDefinition[],
  getsCredentials: (url: string) => boolean,
  dispatch: Dispatch,
): Dispatch {
  if (!middleware.some(({ around }) => around === 'attempt')) return dispatch;
  const around = dispatchBy(applicationMiddleware(middleware, 'attempt')(sendBy(dispatch)));
  return (request, abortion) => around({ ...request, getsCredentials: getsCredentials(request.url) }, abortion);
}

/** Numbers the requests of one run. */
export interface RequestNumbers {
  /** The id of the run. */
  readonly run: string;
  /** Returns 1, 2, 3, … */
  readonly next: () => number;
}

/**
 * Creates the numbers of a run.
 *
 * @example createNumbers('run-1').next() // 1
 */
export function createNumbers(run: string): RequestNumbers {
  let last = 0;
  return { run, next: () => (last += 1) };
}

/** The trace of a request, created once and shared by all of its copies. */
class Trace implements NonNullable<Request['trace']> {
  readonly run: string;
  readonly request: number;
  attempt = 0;

  constructor({ run, next }: RequestNumbers) {
    this.run = run;
    this.request = next();
  }
}

/** Counts an attempt. A middleware of the application may have replaced the request: then it gets a number here. */
function counted(request: Request, numbers: RequestNumbers): Request {
  const trace = request.trace instanceof Trace ? request.trace : new Trace(numbers);
  trace.attempt += 1;
  return request.trace === trace ? request : { ...request, trace };
}

/**
 * Joins the middleware of an application, isolated from the engine, around requests, or around attempts: the first one is the outermost.
 *
 * An error that is not a `HeadwaterError` is a defect of the middleware that throws it, and is reported under its
 * name; so is a middleware that emits no response, or a second one. Errors of the engine pass unchanged.
 *
 * @example applicationMiddleware([timing], 'attempt')(send)(request)
 */
export function applicationMiddleware(
  definitions: readonly MiddlewareDefinition[],
  around: MiddlewareDefinition['around'],
): Middleware {
  const chosen = definitions.filter((definition) => definition.around === around);
  return (send) => chosen.reduceRight((inner, definition) => checked(definition, inner), send);
}

function checked({ name, middleware }: MiddlewareDefinition, send: Send): Send {
  /** Errors from further inside, which are not those of this middleware. */
  const others = new WeakSet<object>();
  const note = (error: unknown): void => {
    if (isObject(error)) others.add(error);
  };
  const part: PartName = { kind: 'middleware', name };
  const defect = (what: string): Error => new PartError(part, 'middleware', `middleware(…) ${what}`);
  const inner: Send = (request) => defer(() => send(request)).pipe(tap({ error: note }));
  let outer: Send | undefined;
  const ask = (request: Request): ReturnType<Send> => (outer ??= middleware(inner))(request);
  return (request) =>
    // This converts the observable of another copy of RxJS.
    defer(() => ask(request)).pipe(
      map((response: unknown, index) => {
        if (!isResponse(response)) throw defect('gave something that is no response: expected one as `send` gives it.');
        if (index > 0) throw defect('gave a second response to one request: expected one.');
        return response;
      }),
      throwIfEmpty(() => defect('gave no response: expected that of `send`, or one of its own.')),
      catchError((error: unknown) => {
        const isOfOther = isObject(error) && others.has(error);
        return throwError(() => (isOfOther ? error : errorOfPart(part, 'middleware', error)));
      }),
    );
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Checks the response at run time, because middleware may be written in JavaScript: the headers of `fetch`, for
 * example, have no member for each name.
 */
const isResponse = (value: unknown): value is Response =>
  isObject(value) &&
  Number.isInteger(Reflect.get(value, 'status')) &&
  Object.prototype.toString.call(Reflect.get(value, 'headers')) === '[object Object]' &&
  isObject(Reflect.get(value, 'request')) &&
  isUint8Array(Reflect.get(value, 'body'));
