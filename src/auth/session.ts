import { map } from 'rxjs';
import { FatalError } from '../core/errors/errors';
import { responseFacts, isFailure } from '../core/errors/response-facts';
import { holdsNoItems } from '../core/json/item-reader';
import type { CredentialSource, Response } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { parseUrl } from '../core/url/address';
import { collect, fault, mapValid, valid } from '../language/codec/codec';
import type { Checked } from '../language/codec/codec';
import { oneOf, string } from '../language/codec/primitives';
import { optional, withDefault } from '../language/codec/record';
import { defineAuthentication } from '../language/parts/authentication';
import type { AuthenticationRuntime } from '../language/parts/authentication';
import { compileLogin, readyToRun } from './login/compile';
import { lifeWarnings, marginFaults } from './login/expiry';
import { loginFields } from './login/options';
import type { LoginPlan } from './login/plan';
import { loginSource } from './login/source';

/** A login whose cookies are the credentials (docs/language/authentication/session.md). */
export const session = defineAuthentication({
  name: 'session',
  keepsCookies: true,
  summary: 'Logs in, and sends the cookies of the login with other requests.',
  use: 'Use it for web applications with a session cookie. For tokens, take [`login`](login.md).',
  travels:
    'First `loginRequest`, with nothing of `api.http`. Then the cookies, each to its domain and path, with `Secure` only over TLS.',
  options: {
    loginRequest: loginFields.loginRequest,
    loginPage: optional(string, {
      about: 'The path of the login page. A redirect to it means that the session is over.',
      example: '/login',
    }),
    format: withDefault(oneOf('SessionFormat', ['text', 'json']), 'text', {
      about: 'The format of the login response, for `apiRequest` and `expires`.',
      example: 'json',
    }),
    apiRequest: loginFields.apiRequest,
    expires: loginFields.expires,
    margin: loginFields.margin,
    refusedStatusCodes: loginFields.refusedStatusCodes,
  },
  needs: {},
  rules: [
    'A login without a cookie for the base URL or `api.http.allowedHosts` is the error `LOGIN_RESPONSE`. Cookies of redirects count. So is a login that is answered with a web page that asks for a password.',
    'The session is over after a status of `refusedStatusCodes`, after a redirect to `loginPage`, where a rule of `api.http.rules` says `renew`, and after a response without items that removes or changes the session cookie, if others did not.',
    'Then Headwater logs in again without the old cookies, and repeats the request once. A second such response is the error `LOGIN_RESPONSE`.',
    'Waiting requests share a login. `expires` and `margin` renew the session before its end.',
    'Later responses replace cookies, as with [`api.http.cookies`](../requests.md#cookies).',
  ],
  example: {
    about: 'A form logs in. Its cookie goes with the request of the job.',
    config: {
      api: {
        authentication: {
          type: 'session',
          loginRequest: {
            endpoint: 'login',
            method: 'FORM',
            params: { user: { attr: 'user' }, password: { attr: '#password' } },
          },
          loginPage: '/login',
        },
      },
      config: { user: 'reader', '#password': 'trout', jobs: [{ endpoint: 'stations' }] },
    },
    exchanges: [
      {
        request: 'POST /login',
        requestBody: 'user=reader&password=trout',
        headers: { 'set-cookie': 'sid=b7d1; Path=/; HttpOnly' },
        response: '',
      },
      { request: 'GET /stations', requestHeaders: { cookie: 'sid=b7d1' }, response: [{ id: 1 }] },
    ],
    items: [{ id: 1 }],
  },
  check: marginFaults,
  warnings: lifeWarnings,
  credentials: () => valid({}),
  compile: ({ options: { loginPage, ...options }, ...place }) =>
    mapValid(collect({ login: compileLogin(options, place), page: pageAt(loginPage, place.baseUrl) }), (compiled) => {
      const { plan, secrets } = compiled.login;
      const atPage = compiled.page === undefined ? undefined : loggedOut(compiled.page);
      const source = (runtime: AuthenticationRuntime): CredentialSource => {
        // With a login before each request, each login may end the session before.
        const isLost = plan.expires.kind === 'each-request' ? undefined : sessionLost(runtime);
        const refusal: LoginPlan['refusal'] = (response, known) =>
          atPage?.(response, known) ?? isLost?.(response, known);
        return loginSource({ ...plan, refusal }, givingCookies(runtime));
      };
      return { ...readyToRun({ plan, secrets }), source };
    }),
});

function pageAt(page: string | undefined, baseUrl: string): Checked<URL | undefined> {
  if (page === undefined) return valid(undefined);
  const url = parseUrl(page, baseUrl);
  return url === undefined ? fault('api.authentication.loginPage', 'is no path and no URL') : valid(url);
}

/**
 * Wraps a runtime so that a login fails if there is no cookie after it, because all later requests would be those of a
 * guest, or if its response is a page that asks for a password.
 */
const givingCookies = (runtime: AuthenticationRuntime): AuthenticationRuntime => ({
  ...runtime,
  send: (request) =>
    runtime.send(request).pipe(
      map((response) => {
        if (isFailure(response.status)) return response;
        if (runtime.hasCookies?.() === false) throw withoutSession(response, runtime.secrets, NO_COOKIE);
        if (asksForPassword(response)) throw withoutSession(response, runtime.secrets, ASKS);
        return response;
      }),
    ),
});

/**
 * Returns a function that detects a response without a session by the page that a redirect has led to.
 *
 * @example loggedOut(new URL('https://api.example/login'))(response, secrets)
 */
const loggedOut = ({ origin, pathname }: URL): ((response: Response, secrets: Secrets) => FatalError | undefined) => {
  return (response, secrets) => {
    const { provenance, url } = response.request;
    const target = new URL(url);
    if (provenance !== 'received' || target.origin !== origin || target.pathname !== pathname) return undefined;
    return withoutSession(response, secrets, STILL_OUT);
  };
};

/**
 * Returns whether a response is a login form: a refused login often answers with its form again, and with a cookie for
 * a guest. Behind a redirect a page may have a form for another purpose.
 */
const asksForPassword = ({ request, headers, body }: Response): boolean =>
  request.redirectedFrom === undefined &&
  /\bhtml\b/i.test(String(headers['content-type'] ?? '')) &&
  PASSWORD_FIELD.test(Buffer.from(body).toString('latin1'));

const PASSWORD_FIELD = /<input\b[^>]*\btype\s*=\s*["']?password\b/i;

/**
 * Returns a function that detects the end of the session by the cookies of a response: it has no items, and deletes the
 * cookie of the session, or an earlier response did; or it sets a new one, if earlier responses did not do so.
 *
 * @example sessionLost(runtime)(response, secrets)
 */
function sessionLost(runtime: AuthenticationRuntime): (response: Response, secrets: Secrets) => FatalError | undefined {
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

/**
 * Returns whether a cookie belongs to the session: cookies for other purposes come and go, such as those of messages,
 * balancers and forms.
 */
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
