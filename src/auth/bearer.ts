import { mapValid, valid } from '../language/codec/codec';
import { string } from '../language/codec/primitives';
import { required, optional } from '../language/codec/record';
import { secretValue } from '../language/codec/values';
import { defineAuthentication } from '../language/parts/authentication';
import { perRequest, staticSecret } from './per-request';

/** A constant token (docs/language/authentication/bearer.md). */
export const bearer = defineAuthentication({
  name: 'bearer',
  summary: 'Sends a token with each request.',
  use: 'Use it for a token that outlives the run, such as a personal access token. For a token from a login, take [`login`](login.md) or [`oauth2`](oauth2.md).',
  travels: 'The header `Authorization: Bearer …`.',
  options: {
    token: required(secretValue, 'the token, for example {"env": "TOKEN"}', {
      about: 'The token.',
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
    'The header replaces `Authorization` of the configuration and a user name in the base URL.',
    'An empty token is an error before the first request.',
    'A 401 is an error: there is nothing to renew.',
  ],
  example: {
    about: 'The token comes from `config`.',
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
