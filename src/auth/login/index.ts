import { valid } from '../../language/codec/checked';
import type { OptionFault } from '../../language/codec/component';
import { defineAuthentication } from '../../language/parts/authentication';
import { loginPlan } from './compile';
import { lifeWarnings, marginFaults } from './expiry';
import { stateNamesIn } from './kept';
import { loginFields } from './options';
import type { LoginWritten } from './options';

/** Returns the faults of options of a login that are each valid alone. */
export const loginFaults = (login: LoginWritten): readonly OptionFault[] => [
  ...marginFaults(login),
  ...refreshFaults(login),
];

/** Returns the faults of a refresh request: it has to send a kept value, or nothing would say when it can be used. */
function refreshFaults({ refreshRequest, persist }: LoginWritten): readonly OptionFault[] {
  if (refreshRequest === undefined) return [];
  const option = 'refreshRequest';
  if (persist === undefined)
    return [
      { option, message: 'needs "persist", which keeps the refresh token under a name: {"state": name} is its value' },
    ];
  return stateNamesIn(refreshRequest).length === 0
    ? [{ option, message: 'sends nothing of "persist": write {"state": name} where the refresh token goes' }]
    : [];
}

/** A login (docs/language/authentication/login.md, docs/language/authentication.md#renewal). */
export const login = defineAuthentication({
  name: 'login',
  summary: 'Asks for temporary credentials, adds them to all other requests, and renews them in time.',
  use: 'The API gives a token or a session for a name and a password, or for a key: with a login of its own, or by OAuth 2.0 with client credentials or a refresh token.',
  travels:
    'First `loginRequest`, to its own URL, with nothing of `api.http` in it. Then the headers and parameters of `apiRequest`, to the host of the base URL and to `api.http.allowedHosts`.',
  options: loginFields,
  needs: {},
  instead: { headers: 'apiRequest.headers', query: 'apiRequest.query' },
  rules: [
    'The login is sent right before the first request that needs it. A run without requests never logs in.',
    'A response that is a JSON object is used as it is. A scalar, or with format `text` the whole body, is referred to as `data`. An array or `null` is an error.',
    'In `apiRequest`, a string that is no path of the response stands for itself. An expression that refers to a value which is not there is an error.',
    'A header replaces one of the same name. A parameter whose name is in the URL already follows it, so that it comes twice.',
    'Without `expires` there is one login a run; with a number of seconds above 0, a login when that time is over; with 0 or less, a login before each request.',
    'Where the response says when the credentials end, an end that is over already means a login before each request, with one warning.',
    'A login that fails ends the run. It is repeated as other requests are.',
  ],
  example: {
    about: 'A token from a login becomes the header `Authorization` of the request for stations.',
    config: {
      api: {
        authentication: {
          type: 'login',
          loginRequest: {
            endpoint: 'session',
            method: 'POST',
            params: { user: { attr: 'user' }, password: { attr: '#password' } },
          },
          apiRequest: {
            headers: { Authorization: { function: 'concat', args: ['Bearer ', { response: 'access.token' }] } },
          },
          expires: { response: 'expires_in', relative: true },
        },
      },
      config: { user: 'reader', '#password': 'trout', jobs: [{ endpoint: 'stations' }] },
    },
    exchanges: [
      {
        request: 'POST /session',
        requestBody: { user: 'reader', password: 'trout' },
        response: { access: { token: 'b7d1' }, expires_in: 3600 },
      },
      { request: 'GET /stations', requestHeaders: { authorization: 'Bearer b7d1' }, response: [{ id: 1 }] },
    ],
    items: [{ id: 1 }],
  },
  check: loginFaults,
  warnings: lifeWarnings,
  credentials: () => valid({}),
  compile: ({ options, ...place }) => loginPlan(options, place),
});
