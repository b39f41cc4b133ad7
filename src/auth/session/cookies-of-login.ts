import { map } from 'rxjs';
import { FatalError } from '../../errors';
import { responseFacts } from '../../errors/response-facts';
import type { Response } from '../../model';
import type { Secrets } from '../../secrets';
import type { AuthenticationRuntime } from '../authentication';

const FAILURE = 400;

/** This runtime fails each login after which there is no cookie: without one, all later requests would be those of a guest. */
export const givingCookies = (runtime: AuthenticationRuntime): AuthenticationRuntime => ({
  ...runtime,
  send: (request) =>
    runtime.send(request).pipe(
      map((response) => {
        if (response.status >= FAILURE || runtime.hasCookies?.() !== false) return response;
        throw withoutSession(response, runtime.secrets, NO_COOKIE);
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

const withoutSession = (response: Response, secrets: Secrets, why: string): FatalError => {
  const { method, url } = response.request;
  const message = `api.authentication: [${response.status}] ${method} ${secrets.mask(url)}: ${why}`;
  return new FatalError('LOGIN_RESPONSE', message, responseFacts(response, secrets));
};

const NO_COOKIE =
  'the login set no cookie for the API. Check name and password in loginRequest, and whether its endpoint, not the page with the form, is named; ' +
  'where the cookie is one of another host, name that in api.http.allowedHosts; one with "Secure" needs https.';
const STILL_OUT =
  'the API leads to its login page, although the login was repeated. Check name and password in loginRequest.';
