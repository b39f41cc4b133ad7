import { catchError, first, map, mergeMap, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError, HeadwaterError } from '../errors';
import type { CredentialSource, Credentials, Middleware, Request, Response } from '../model';

export interface AuthorizeOptions {
  /** Absent: the API needs no credentials. */
  readonly source: CredentialSource | undefined;
  /** Whether credentials may go to a URL. */
  readonly trusted: (url: string) => boolean;
  /** Follows redirects: credentials are applied anew to each trusted hop. */
  readonly follow: Middleware;
}

const UNAUTHORIZED = 401;

/**
 * Adds credentials to requests (specification 5, language 4.1). A request takes the current credentials once, then is
 * sent, so a renewal never aborts it. A 401 means that they are stale: they are reported as refused, and the request is
 * repeated once with the next ones; a second 401 is passed on. A request to a place that is not trusted gets none, and
 * asks for none.
 *
 * Responses name the request without credentials. A failed login is fatal: it had retries of its own.
 *
 * @example authorize({ source, trusted: (url) => isTrusted(url, baseUrl, []), follow })(send)(request)
 */
export const authorize =
  ({ source, trusted, follow }: AuthorizeOptions): Middleware =>
  (send) => {
    const plain = follow(send);
    if (source === undefined) return plain;

    const ready$ = source.credentials$.pipe(first(), catchError(failForGood));
    const sendWith = (credentials: Credentials, request: Request): Observable<Response> =>
      follow((hop) => {
        if (!trusted(hop.url)) return send(hop);
        return send(credentials.apply(hop)).pipe(map((response) => ({ ...response, request: hop })));
      })(request);
    const refused = ({ status, request }: Response, { carried }: Credentials): boolean =>
      status === UNAUTHORIZED && carried && trusted(request.url);

    const authorized = (request: Request): Observable<Response> =>
      ready$.pipe(
        mergeMap((credentials) =>
          sendWith(credentials, request).pipe(
            mergeMap((response) => {
              if (!refused(response, credentials)) return of(response);
              source.invalidate(credentials);
              return ready$.pipe(mergeMap((next) => sendWith(next, request)));
            }),
          ),
        ),
      );
    return (request) => (trusted(request.url) ? authorized(request) : plain(request));
  };

/** A network failure of a login must not look like one of the request, or each retry would retry the login again. */
const failForGood = (error: unknown): Observable<never> =>
  throwError(() =>
    error instanceof HeadwaterError && error.recovery === 'retry'
      ? new FatalError(error.code, error.message, { cause: error })
      : error,
  );
