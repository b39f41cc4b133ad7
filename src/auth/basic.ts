import { collect, valid } from '../language/codec/checked';
import { defineAuthentication } from '../language/parts/authentication';
import { perRequest } from './per-request';

/** HTTP basic authentication (docs/language/authentication/basic.md), with a constant header. */
export const basic = defineAuthentication({
  name: 'basic',
  summary: 'Sends a name and a password with each request.',
  use: 'The API has HTTP basic authentication (RFC 7617).',
  travels:
    'The header `Authorization: Basic …`, to the host of the base URL and to `api.http.allowedHosts`. Whoever reads it can read the password.',
  options: {},
  needs: {
    'config.#username': { about: 'The name. `username` wins over it.', example: 'reader' },
    'config.#password': {
      about: 'The password. `password` wins over it; both are masked wherever Headwater prints something.',
      example: 'trout',
    },
  },
  rules: [
    'Name and password are keys of `config`, or of the iteration that replaces them. A blank value counts as absent.',
    'The header replaces one named `Authorization` that the configuration writes, and a name in the base URL.',
    'A response with status 401 is an error like any other: there is nothing to renew.',
  ],
  example: {
    about: 'The header holds `reader:trout` in base64.',
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
