import { collect, mapValid, valid } from '../../language/codec/checked';
import type { OptionFault } from '../../language/codec/component';
import { codesOr, computedEndpoint } from '../../language/codec/values';
import { integerFrom, object, oneOf, string } from '../../language/codec/primitives';
import { always, optional, required, withDefault } from '../../language/codec/record';
import { defineAuthentication } from '../../language/parts/authentication';
import { compileLogin, readyToRun } from '../login/compile';
import { margin } from '../login/expiry';
import { asLogin, GRANTS, inMemory, isInteractive, secretsOf } from './token-request';
import { compileInteractive } from './interactive';

/** OAuth 2.0 with a token that Headwater requests itself (docs/language/authentication/oauth2.md). */
export const oauth2 = defineAuthentication({
  name: 'oauth2',
  summary: 'Asks an OAuth 2.0 server for an access token, sends it as a bearer token, and renews it in time.',
  use: 'The API takes OAuth 2.0 access tokens (RFC 6749), for client credentials, for a name and a password, for a refresh token, or for a person who logs in once. A server that departs from the standard needs `login`.',
  travels:
    'Client id, secret and what the grant needs, as a form to `tokenEndpoint`. Then the header `Authorization: Bearer …`, to the host of the base URL and to `api.http.allowedHosts`.',
  options: {
    tokenEndpoint: required(computedEndpoint, 'the path or URL of the token endpoint', {
      about: 'Where tokens are given: a path, a URL (which may name another host), or an expression with `attr`.',
      example: 'https://id.example/oauth/token',
    }),
    grant: withDefault(oneOf('OauthGrant', GRANTS), 'client_credentials', {
      about:
        'What the token is given for: the client alone, `username` and `#password`, or `#refreshToken` of `config`; or a person who logs in with `headwater login`, in a browser of the same machine (`authorization_code`) or of any other (`device_code`).',
      example: 'password',
    }),
    scope: optional(string, {
      about: 'What the token should be good for, as the API names it; several words with spaces.',
      example: 'stations:read',
    }),
    authorizationEndpoint: optional(computedEndpoint, {
      about: 'Where a person logs in, for the grant `authorization_code`: as `tokenEndpoint`.',
      example: 'https://id.example/authorize',
    }),
    deviceAuthorizationEndpoint: optional(computedEndpoint, {
      about: 'Where codes for devices are given, for the grant `device_code`: as `tokenEndpoint`.',
      example: 'https://id.example/device',
    }),
    authorizationParams: always(object, {
      about: 'More parameters of the address where a person logs in: scalars, and expressions with `attr`.',
      example: { access_type: 'offline' },
      default: '{}',
    }),
    clientAuthentication: withDefault(oneOf('ClientAuthentication', ['basic', 'body', 'none']), 'basic', {
      about:
        'How the client proves itself: in the header `Authorization` (`basic`), in the form (`body`), or by its id alone (`none`), without a secret.',
      example: 'body',
    }),
    params: always(object, {
      about: 'More parameters of the form, such as `audience`: scalars, and expressions with `attr`.',
      example: { audience: 'https://api.example' },
      default: '{}',
    }),
    margin: always(margin, {
      about: 'How long before its end the token is renewed.',
      example: 10,
      unit: 'seconds',
      default: 'a tenth of its life, at most 30 seconds',
    }),
    refusedStatusCodes: always(codesOr([401], integerFrom(400, 599)), {
      about: 'Statuses which say that the token is stale: it is renewed once, and the request is repeated once.',
      example: [401, 403],
      default: '[401]',
    }),
  },
  needs: {
    'config.clientId': { about: 'The id of the client. `#clientId` is read as well.', example: 'river' },
    'config.#clientSecret': { about: 'The secret of the client; not with `none`.', example: 's3' },
    'config.username': {
      about: 'The name, for the grant `password` only. `#username` is read as well.',
      example: 'me',
    },
    'config.#password': { about: 'The password, for the grant `password` only.', example: 'trout' },
    'config.#refreshToken': { about: 'The refresh token, for the grant `refresh_token` only.', example: 'r1' },
  },
  instead: { expires: 'margin' },
  rules: [
    'The request is a form (`POST`). With `basic`, id and secret are form-encoded first, as RFC 6749 section 2.3.1 says.',
    'The token is renewed by a margin before `expires_in` is over, and once after a 401. Without `expires_in` there is one token a run, unless it is refused.',
    'A refresh token that comes with the token is used for the next one. If the server refuses it, the grant is used again.',
    'With the grant `refresh_token`, a new refresh token is kept in the state, as by `persist` of `login`; with the others it lives as long as the run.',
    'With the grants `authorization_code` (with PKCE, RFC 7636) and `device_code` (RFC 8628), a person logs in once, with `headwater login`, which keeps the refresh token in the state. Runs use that one, and keep those that follow; without one they end with `LOGIN_REQUIRED`.',
    'A response without `access_token` is an error. The type of the token is taken to be `Bearer`.',
    'All is built upon `login`: what holds for its requests, its secrets and its failures holds here.',
  ],
  example: {
    about: 'A token for client credentials, with a scope.',
    config: {
      api: { authentication: { type: 'oauth2', tokenEndpoint: 'oauth/token', scope: 'stations:read' } },
      config: { clientId: 'river', '#clientSecret': 's3', jobs: [{ endpoint: 'stations' }] },
    },
    exchanges: [
      {
        request: 'POST /oauth/token',
        requestHeaders: { authorization: 'Basic cml2ZXI6czM=' },
        requestBody: 'grant_type=client_credentials&scope=stations%3Aread',
        response: { access_token: 'b7d1', token_type: 'Bearer', expires_in: 3600 },
      },
      { request: 'GET /stations', requestHeaders: { authorization: 'Bearer b7d1' }, response: [{ id: 1 }] },
    ],
    items: [{ id: 1 }],
  },
  check: ({ grant, authorizationEndpoint, deviceAuthorizationEndpoint }): readonly OptionFault[] => {
    const needed = (option: string): readonly OptionFault[] => [
      { option, message: `required by the grant "${grant}"` },
    ];
    if (grant === 'authorization_code' && authorizationEndpoint === undefined) return needed('authorizationEndpoint');
    if (grant === 'device_code' && deviceAuthorizationEndpoint === undefined)
      return needed('deviceAuthorizationEndpoint');
    return [];
  },
  credentials: (around, options) => {
    const grant = options?.grant ?? 'client_credentials';
    const isSecret = options?.clientAuthentication !== 'none';
    const nothing = valid('');
    return collect({
      clientId: around.attribute('clientId'),
      clientSecret: isSecret ? around.attribute('#clientSecret') : nothing,
      username: grant === 'password' ? around.attribute('username') : nothing,
      password: grant === 'password' ? around.attribute('#password') : nothing,
      refreshToken: grant === 'refresh_token' ? around.attribute('#refreshToken') : nothing,
    });
  },
  compile: ({ options, credentials, ...place }) => {
    if (isInteractive(options.grant)) return compileInteractive(options, credentials, place);
    return mapValid(compileLogin(asLogin(options, credentials), place), ({ plan: { kept, ...plan }, secrets }) => {
      const ready = readyToRun({
        plan: kept === undefined ? plan : { ...plan, kept: { ...kept, isOptional: true } },
        secrets: [...secrets, ...secretsOf(credentials)],
      });
      if (options.grant === 'refresh_token') return ready;
      return { secrets: ready.secrets, source: (runtime) => ready.source({ ...runtime, store: inMemory() }) };
    });
  },
});
