import { map } from 'rxjs';
import { FatalError } from '../../core/errors/errors';
import { responseFacts } from '../../core/errors/response-facts';
import { holdsNoItems } from '../../core/json/no-items';
import type { Response } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { AuthenticationRuntime } from '../../language/parts/authentication/authentication';

const FAILURE = 400;

/**
 * This runtime fails each login after which there is no cookie, since without one all later requests would be those of a guest, and one that
 * is answered with a page which asks for a password.
 */
export const givingCookies = (runtime: AuthenticationRuntime): AuthenticationRuntime => ({
  ...runtime,
  send: (request) =>
    runtime.send(request).pipe(
      map((response) => {
        if (response.status >= FAILURE) return response;
        if (runtime.hasCookies?.() === false) throw withoutSession(response, runtime.secrets, NO_COOKIE);
        if (asksForPassword(response)) throw withoutSession(response, runtime.secrets, ASKS);
        return response;
      }),
    ),
});

/**
 * Tells a response to somebody without a session by the page that a redirect has led to.
 *
 * @example loggedOut(new URL('https://api.example/login'))(response, secrets)
 */
export const loggedOut = ({
  origin,
  pathname,
}: URL): ((response: Response, secrets: Secrets) => FatalError | undefined) => {
  return (response, secrets) => {
    const { provenance, url } = response.request;
    const target = new URL(url);
    if (provenance !== 'received' || target.origin !== origin || target.pathname !== pathname) return undefined;
    return withoutSession(response, secrets, STILL_OUT);
  };
};

/** A login that is refused often answers with its form again, and with a cookie for a guest. Behind a redirect a page may have a form for something else. */
const asksForPassword = ({ request, headers, body }: Response): boolean =>
  request.redirectedFrom === undefined &&
  /\bhtml\b/i.test(String(headers['content-type'] ?? '')) &&
  PASSWORD_FIELD.test(Buffer.from(body).toString('latin1'));

const PASSWORD_FIELD = /<input\b[^>]*\btype\s*=\s*["']?password\b/i;

/**
 * Tells a response to somebody whose session is over by its cookies: it has no items, and takes the cookie of the session away, or one
 * before did; or it gives another one, where responses did not do so before.
 *
 * @example sessionLost(runtime)(response, secrets)
 */
export function sessionLost(
  runtime: AuthenticationRuntime,
): (response: Response, secrets: Secrets) => FatalError | undefined {
  let isSteady = false;
  return (response, secrets) => {
    const isReplaced = response.replacedCookies?.some(isOfSession) === true;
    const isDropped = (): boolean => {
      const dropped = [...(runtime.droppedCookies?.() ?? [])];
      return dropped.some(isOfSession) || (dropped.length > 0 && runtime.hasCookies?.() === false);
    };
    const isLost =
      response.stream === undefined && holdsNoItems(response.body) && ((isReplaced && isSteady) || isDropped());
    if (!isReplaced) isSteady = true;
    return isLost ? withoutSession(response, secrets, LOST) : undefined;
  };
}

/** Cookies for other purposes come and go, such as those of messages, balancers and forms. */
const isOfSession = (name: string): boolean =>
  /sess|sid\b|sid$|auth|login|ticket|token|jwt|aspnet/i.test(name) &&
  !/csrf|xsrf|visid|incap|antiforgery|requestverification/i.test(name);

const withoutSession = (response: Response, secrets: Secrets, why: string): FatalError => {
  const { method, url } = response.request;
  const message = `api.authentication: [${response.status}] ${method} ${secrets.mask(url)}: ${why}`;
  return new FatalError('LOGIN_RESPONSE', message, responseFacts(response, secrets));
};

const NO_COOKIE =
  'the login set no cookie for the API. Check name and password in loginRequest, and whether its endpoint, not the page with the form, is named; ' +
  'where the cookie is one of another host, name that in api.http.allowedHosts; one with "Secure" needs https.';
const ASKS =
  'the login is answered with a page that asks for a password. Check name and password in loginRequest, its fields, and whether the form has others.';
const LOST =
  'the API ends the session, with a response without items, although the login was repeated. Check whether the user may read this, and what else ' +
  'the API needs.';
const STILL_OUT =
  'the API leads to its login page, although the login was repeated. Check name and password in loginRequest.';
