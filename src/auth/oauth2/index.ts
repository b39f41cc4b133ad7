import { collect, mapValid, valid } from '../../language/codec/codec';
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
  summary: 'Requests an OAuth 2.0 access token, sends it as a bearer token, and renews it in time.',
  use: 'Use it for client credentials, a password, a refresh token, or a person who logs in once. For a server that departs from RFC 6749, take [`login`](login.md).',
  travels: 'A form to `tokenEndpoint` with the client and the grant. Then the header `Authorization: Bearer …`.',
  options: {
    tokenEndpoint: required(computedEndpoint, 'the path or URL of the token endpoint', {
      about: 'The token endpoint: a path, a URL (of any host), or an expression with `attr`.',
      example: 'https://id.example/oauth/token',
    }),
    grant: withDefault(oneOf('OauthGrant', GRANTS), 'client_credentials', {
      about:
        'How the token is obtained. With `authorization_code` (browser of the same machine) and `device_code` (any browser), a person runs `headwater login`.',
      example: 'password',
    }),
    scope: optional(string, {
      about: 'The scope; several with spaces.',
      example: 'stations:read',
    }),
    authorizationEndpoint: optional(computedEndpoint, {
      about: 'For `authorization_code`: where a person logs in.',
      example: 'https://id.example/authorize',
    }),
    deviceAuthorizationEndpoint: optional(computedEndpoint, {
      about: 'For `device_code`: the endpoint of device codes.',
      example: 'https://id.example/device',
    }),
    authorizationParams: always(object, {
      about: 'More parameters of the login address: scalars, and expressions with `attr`.',
      example: { access_type: 'offline' },
    }),
    clientAuthentication: withDefault(oneOf('ClientAuthentication', ['basic', 'body', 'none']), 'basic', {
      about:
        'Where the client secret goes: to the header `Authorization` (`basic`), to the form (`body`), or nowhere (`none`).',
      example: 'body',
    }),
    params: always(object, {
      about: 'More fields of the form, such as `audience`: scalars, and expressions with `attr`.',
      example: { audience: 'https://api.example' },
    }),
    margin: always(margin, {
      about: 'How long before its end the token is renewed.',
      example: 10,
      unit: 'seconds',
      default: 'a tenth of its life, at most 30 seconds',
    }),
    refusedStatusCodes: always(codesOr([401], integerFrom(400, 599)), {
      about: 'Statuses of a stale token, which is [renewed](../authentication.md#renewal) once.',
      example: [401, 403],
      default: '[401]',
    }),
  },
  needs: {
    'config.clientId': { about: 'The client id; or `#clientId`.', example: 'river' },
    'config.#clientSecret': { about: 'The client secret; not with `none`.', example: 's3' },
    'config.username': {
      about: 'For `password`; or `#username`.',
      example: 'me',
    },
    'config.#password': { about: 'For `password`.', example: 'trout' },
    'config.#refreshToken': { about: 'For `refresh_token`.', example: 'r1' },
  },
  instead: { expires: 'margin' },
  rules: [
    'With `basic`, id and secret are form-encoded first (RFC 6749 section 2.3.1).',
    'The token is renewed before `expires_in` is over, and once after a 401. Without `expires_in` it lasts for the run, unless it is refused.',
    'A refresh token in the response is used for the next token. If the server refuses it, the grant is used again.',
    'With `refresh_token`, a new refresh token is [kept](../authentication.md#kept-tokens) in the state. With other grants it lives as long as the run.',
    'With `authorization_code` (PKCE, RFC 7636) and `device_code` (RFC 8628), [`headwater login`](../../command.md#login) keeps the refresh token in the state. Runs use and replace it; without it they end with `LOGIN_REQUIRED`.',
    'A response without `access_token` is an error. The token type is always `Bearer`.',
    'The other rules of [`login`](login.md) apply.',
  ],
  example: {
    about: 'Client credentials with a scope:',
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
