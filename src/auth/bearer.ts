import { mapValid, valid } from '../language/codec/checked';
import { string } from '../language/codec/primitives';
import { required, optional } from '../language/codec/record';
import { secretValue } from '../language/codec/values';
import { defineAuthentication } from '../language/parts/authentication';
import { perRequest, staticSecret } from './per-request';

/** A constant token (docs/language/authentication/bearer.md). */
export const bearer = defineAuthentication({
  name: 'bearer',
  summary: 'Sends a token with each request.',
  use: 'The API gave you a token that lasts longer than a run: a personal access token, an API token. For tokens that a login gives, take `login` or `oauth20`.',
  travels: 'The header `Authorization: Bearer …`, to the host of the base URL and to `api.http.allowedHosts`.',
  options: {
    token: required(secretValue, 'the token, for example {"env": "TOKEN"}', {
      about: 'The token. It is masked wherever Headwater prints something.',
      example: { env: 'TOKEN' },
    }),
    scheme: optional(string, {
      about: 'The word before the token.',
      example: 'Token',
      default: '`Bearer`',
    }),
  },
  needs: {},
  rules: [
    'The header replaces one named `Authorization` that the configuration writes, and a name in the base URL.',
    'A token that is empty is a fault before the first request.',
    'A response with status 401 is an error like any other: there is nothing to renew.',
  ],
  example: {
    about: 'A token of `config`.',
    config: {
      api: { authentication: { type: 'bearer', token: { attr: '#token' } } },
      config: { '#token': 'rb7', jobs: [{ endpoint: 'stations' }] },
    },
    exchanges: [{ request: 'GET /stations', requestHeaders: { authorization: 'Bearer rb7' }, response: [{ id: 1 }] }],
    items: [{ id: 1 }],
  },
  credentials: () => valid({}),
  compile: ({ options: { token, scheme = 'Bearer' }, ...place }) =>
    mapValid(staticSecret(token, 'api.authentication.token', place), (secret) => ({
      secrets: [secret],
      source: () =>
        perRequest((request) => ({
          ...request,
          headers: { ...request.headers, authorization: `${scheme} ${secret}` },
        })),
    })),
});
