import { collect, fault, mapValid, valid, type Checked } from '../../language/codec/checked';
import type { CredentialSource } from '../../core/model';
import type { AuthenticationRuntime } from '../../language/parts/authentication/authentication';
import { oneOf, string } from '../../language/codec/primitives';
import { optional, withDefault } from '../../language/codec/record';
import { defineAuthentication } from '../../language/parts/authentication/define';
import { compileLogin, readyToRun } from '../login/compile';
import { lifeWarnings, marginFaults } from '../login/expires';
import { loginFields } from '../login/fields';
import type { LoginPlan } from '../login/plan';
import { loginSource } from '../login/source';
import { parseUrl } from '../../core/url/parse-url';
import { givingCookies, loggedOut, sessionLost } from './cookies-of-login';

/** A login whose cookies are the credentials (docs/language/authentication/session.md). */
export const session = defineAuthentication({
  name: 'session',
  keepsCookies: true,
  summary: 'Logs in, and sends the cookies that the login sets with all other requests.',
  use: 'The API knows a session by a cookie, as web applications do. For tokens in headers or in the query, take `login`.',
  travels:
    'First `loginRequest`, to its own URL, with nothing of `api.http` in it. Then the cookies, to the host of the base URL and to `api.http.allowedHosts`, each to its own domain and path, and over TLS alone where it says `Secure`.',
  options: {
    loginRequest: loginFields.loginRequest,
    loginPage: optional(string, {
      about:
        'The path of the page where people log in. A response that a redirect to it has led to says that the session is over.',
      example: '/login',
    }),
    format: withDefault(oneOf('SessionFormat', ['text', 'json']), 'text', {
      distinctive: true,
      about:
        'How the response of the login is read, for `apiRequest` and `expires`. Most are pages, of which nothing is needed.',
      example: 'json',
    }),
    apiRequest: loginFields.apiRequest,
    expires: loginFields.expires,
    margin: loginFields.margin,
    refusedStatusCodes: loginFields.refusedStatusCodes,
  },
  needs: {},
  rules: [
    'A login that sets no cookie for the host of the base URL, or for one of `api.http.allowedHosts`, is the error `LOGIN_RESPONSE`. Cookies of redirects count.',
    'The session is over after a status of `refusedStatusCodes`, after a redirect to `loginPage`, where a rule of `api.http.rules` says `renew`, for example for a string in the body, and where a response without items takes the cookie of the session away, or gives another one, which others before did not. Then there is one new login, without the old cookies, and the request is repeated once.',
    'A second response from `loginPage`, or without items and the session, is the error `LOGIN_RESPONSE`.',
    'A login that is answered at once with a web page which asks for a password is the error `LOGIN_RESPONSE`.',
    'Requests that wait for a login share it. `expires` and `margin` renew the session before its end.',
    'Cookies are kept as with `api.http.cookies`, which need not be written: those that later responses set take the place of earlier ones.',
    'Cookies, and what the login answers, are masked wherever Headwater prints something.',
  ],
  example: {
    about: 'A form logs in; its cookie is sent with the request of the job.',
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
        // With a login before each request, each may end its session.
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
