import { valid } from '../../language/codec/codec';
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
  summary: 'Logs in, adds the credentials to other requests, and renews them in time.',
  use: 'Use it for temporary credentials. For standard OAuth 2.0, take [`oauth2`](oauth2.md).',
  travels: 'First `loginRequest`, with nothing of `api.http`. Then the headers and parameters of `apiRequest`.',
  options: loginFields,
  needs: {},
  instead: { headers: 'apiRequest.headers', query: 'apiRequest.query' },
  rules: [
    'The rules of [logging in](../authentication.md#logging-in), [renewal](../authentication.md#renewal) and [what travels where](../authentication.md#what-travels-where) apply.',
    'An expression that refers to a missing value is an error.',
  ],
  example: {
    about: 'The token becomes a bearer token.',
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
