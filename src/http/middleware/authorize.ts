import { asyncScheduler, catchError, defer, first, map, mergeMap, of, tap, throwError } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import type { CredentialSource, Credentials, Middleware, Request, Response, Send } from '../../core/model';

export interface AuthorizeOptions {
  /** The credential stream; absent: the API needs no credentials. */
  readonly source: CredentialSource | undefined;
  /** Whether a URL is of a host that may receive credentials. */
  readonly getsCredentials: (url: string) => boolean;
  /** Follows redirects: credentials are applied anew to each hop to a host that may receive them. */
  readonly follow: Middleware;
  /** What each hop, and the repetition of a request, waits for before it takes credentials. */
  readonly hold: Middleware;
  /** Whether a response of any status says that the credentials are stale; absent: only the status tells. */
  readonly refuses?: (response: Response) => boolean;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Adds credentials to requests (docs/language/authentication.md). A request takes the current credentials when all that
 * is left to do is to send it, so that they cannot expire in a queue, and keeps them, so that a renewal never aborts
 * it. A status in `refusedBy` means that they are stale: they are reported as refused, and the request is repeated once
 * with the next ones; a second such status is passed on. So it is with a response that `refuses` knows; a second one that `refusal` of
 * the credentials knows is an error. A request to any other host than those that may receive credentials gets none, and asks for none.
 *
 * Responses name the request without credentials. Errors of a login are for {@link passLoginFailures}.
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
            // Those that no status refuses cannot be renewed.
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

/** A response to somebody without a session has no items, and is none of those that were asked for. */
const unlessRefused =
  (taken: () => Credentials | undefined) =>
  (response: Response): Response => {
    const error = taken()?.refusal?.(response);
    if (error !== undefined) throw error;
    return response;
  };

const isAlive = ({ expiresAt = Infinity }: Credentials, now: number): boolean => now < expiresAt;

/** Why a login failed, in a wrapping that is no error of the request which waited for it. */
class LoginFailure {
  constructor(readonly error: unknown) {}
}

const asLoginFailure = (error: unknown): Observable<never> => throwError(() => new LoginFailure(error));

/**
 * Stands around the retries of a request whose login may fail: a login has retries of its own, so its failure passes
 * those of the request by, as it is.
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
 * Signs requests right before they are sent, so that the signature covers all that other middleware has added
 * (docs/language/authentication.md#what-travels-where, docs/language/configuration.md#aws-signatures): each attempt,
 * each redirect and each login anew. Responses name the request without signature.
 *
 * @param signed gives the request with its signature; absent: requests go as they are
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
