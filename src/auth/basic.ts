import { collect, valid } from '../language/codec/codec';
import { defineAuthentication } from '../language/parts/authentication';
import { perRequest } from './per-request';

/** HTTP basic authentication (docs/language/authentication/basic.md), with a constant header. */
export const basic = defineAuthentication({
  name: 'basic',
  summary: 'Sends a user name and a password with each request.',
  use: 'Use it for HTTP basic authentication (RFC 7617).',
  travels: 'The header `Authorization: Basic …`, from which the password can be read.',
  options: {},
  needs: {
    'config.#username': { about: 'The user name. `username` wins over it.', example: 'reader' },
    'config.#password': {
      about: 'The password. `password` wins over it.',
      example: 'trout',
    },
  },
  rules: [
    'Iterations may replace both. A blank value counts as absent.',
    'The header replaces `Authorization` of the configuration and a user name in the base URL.',
    'A 401 is an error: there is nothing to renew.',
  ],
  example: {
    about: 'The header contains `reader:trout` in base64.',
    config: {
      api: { authentication: { type: 'basic' } },
      config: { username: 'reader', '#password': 'trout', jobs: [{ endpoint: 'stations' }] },
    },
    exchanges: [
      {
        request: 'GET /stations',
        requestHeaders: { authorization: 'Basic cmVhZGVyOnRyb3V0' },
        response: [{ id: 1 }],
      },
    ],
    items: [{ id: 1 }],
  },
  credentials: (around) =>
    collect({
      username: around.attribute('#username'),
      password: around.attribute('#password'),
    }),
  compile: ({ credentials: { username, password } }) => {
    const pair = Buffer.from(`${username}:${password}`).toString('base64');
    return valid({
      secrets: [password, pair],
      source: () =>
        perRequest((request) => ({ ...request, headers: { ...request.headers, authorization: `Basic ${pair}` } })),
    });
  },
});
