import { asyncScheduler, catchError, defer, first, map, mergeMap, of, tap, throwError } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import type { CredentialSource, Credentials, Middleware, Request, Response, Send } from '../../core/model';

export interface AuthorizeOptions {
  /** The credential stream; absent if the API needs no credentials. */
  readonly source: CredentialSource | undefined;
  /** Returns whether the host of a URL may receive credentials. */
  readonly getsCredentials: (url: string) => boolean;
  /** Follows redirects: credentials are applied again on each hop to a host that may receive them. */
  readonly follow: Middleware;
  /** Holds back each hop, and the repetition of a request, before it takes credentials. */
  readonly hold: Middleware;
  /**
   * Returns whether a response of any status says that the credentials are stale; if absent, only the status decides.
   */
  readonly refuses?: (response: Response) => boolean;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Adds credentials to requests (docs/language/authentication.md). A request takes the current credentials right before
 * it is sent, so that they cannot expire in a queue, and keeps them, so that a renewal never aborts it. A status in
 * `refusedBy` means that they are stale: they are reported as refused, and the request is repeated once with the next
 * ones; a second such status is passed on. A response that `refuses` recognises is handled in the same way; a second
 * one that `refusal` of the credentials recognises is an error. A request to a host that may not receive credentials
 * gets none, and causes no login.
 *
 * Responses name the request without credentials. {@link passLoginFailures} handles errors of a login.
 *
 * @example authorize({ source, getsCredentials: (url) => mayReceiveCredentials(url, baseUrl, []), follow, hold })(send)(request)
 */
export const authorize =
  ({ source, getsCredentials, follow, hold, refuses, scheduler = asyncScheduler }: AuthorizeOptions): Middleware =>
  (send) => {
    const plain = follow(hold(send));
    if (source === undefined) return plain;

    const ready$ = source.credentials$.pipe(first(), catchError(asLoginFailure));
    const authorized = (request: Request): Observable<Response> =>
      defer(() => {
        let taken: Credentials | undefined;
        // The hops of a request share its credentials, unless these have expired while a hop was held back.
        const current$ = defer(() =>
          taken !== undefined && isAlive(taken, scheduler.now())
            ? of(taken)
            : ready$.pipe(tap((credentials) => (taken = credentials))),
        );
        const sendHop: Send = (hop) => {
          if (!getsCredentials(hop.url)) return send(hop);
          const response$ = current$.pipe(mergeMap((credentials) => send(credentials.apply(hop))));
          return response$.pipe(map((response) => ({ ...response, request: hop })));
        };
        const sendAll = follow(hold(sendHop));
        return sendAll(request).pipe(
          mergeMap((response) => {
            const refused = taken;
            // Credentials that no status refuses cannot be renewed.
            if (refused === undefined || refused.refusedBy.length === 0) return of(response);
            const isRefused =
              refused.refusedBy.includes(response.status) ||
              refuses?.(response) === true ||
              refused.refusal?.(response) !== undefined;
            if (!isRefused || !getsCredentials(response.request.url)) return of(response);
            source.invalidate(refused, response);
            taken = undefined;
            return sendAll(request).pipe(map(unlessRefused(() => taken)));
          }),
        );
      });
    return (request) => (getsCredentials(request.url) ? authorized(request) : plain(request));
  };

/** Throws for a response without a session: it has none of the requested items. */
const unlessRefused =
  (taken: () => Credentials | undefined) =>
  (response: Response): Response => {
    const error = taken()?.refusal?.(response);
    if (error !== undefined) throw error;
    return response;
  };

const isAlive = ({ expiresAt = Infinity }: Credentials, now: number): boolean => now < expiresAt;

/** Wraps the error of a login, so that it does not count as an error of the request that waited for it. */
class LoginFailure {
  constructor(readonly error: unknown) {}
}

const asLoginFailure = (error: unknown): Observable<never> => throwError(() => new LoginFailure(error));

/**
 * Wraps the retries of a request whose login may fail: a login has its own retries, so its failure bypasses the retries
 * of the request unchanged.
 *
 * @example passLoginFailures(retrying)(authorized)(request)
 */
export const passLoginFailures =
  (retrying: Middleware): Middleware =>
  (send) => {
    const retried = retrying(send);
    return (request) =>
      retried(request).pipe(
        catchError((failure: unknown) => throwError(() => (failure instanceof LoginFailure ? failure.error : failure))),
      );
  };

/**
 * Signs requests right before they are sent, so that the signature covers everything that other middleware has added
 * (docs/language/authentication.md#what-travels-where, docs/language/configuration.md#aws-signatures): each attempt,
 * each redirect and each login is signed again. Responses name the request without signature.
 *
 * @param signed returns the request with its signature; if absent, requests are sent without
 * @param isSigned whether a request gets a signature: downloads from other hosts have one in their address
 * @example sign((request) => ({ ...request, headers: { ...request.headers, 'x-signature': 's' } }))(send)(request)
 */
export const sign =
  (
    signed: ((request: Request) => Request) | undefined,
    isSigned: (request: Request) => boolean = () => true,
  ): Middleware =>
  (send) => {
    if (signed === undefined) return send;
    return (request) =>
      isSigned(request)
        ? defer(() => send(signed(request))).pipe(map((response) => ({ ...response, request })))
        : send(request);
  };
