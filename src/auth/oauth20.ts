import { flatten } from '../core/json/objects';
import { textOf } from '../core/json/scalars';
import type { Json, JsonObject, JsonScalar } from '../core/model';
import { queryPairs } from '../core/url/query';
import { collect, mapValid } from '../language/codec/codec';
import type { Checked } from '../language/codec/codec';
import { object, oneOf } from '../language/codec/primitives';
import { always, withDefault } from '../language/codec/record';
import type { Documentation } from '../language/codec/record';
import { anyString, jsonString, anyObjectString } from '../language/codec/values';
import type { Scope } from '../language/expressions/expression';
import { defineAuthentication } from '../language/parts/authentication';
import { headerTexts } from '../language/requests/template';
import { loginFaults } from './login';
import { loginPlan } from './login/compile';
import { lifeWarnings } from './login/expiry';
import { loginFields } from './login/options';
import { compileCredentialValues, newAttempt, perRequest, requestContexts, withCredentialValues } from './per-request';
import type { Attempt, CredentialValues, RequestContexts } from './per-request';

/** Returns the values that the OAuth types read from `authorization` (docs/language/configuration.md#authorization). */
export const oauthNeeds = (data: Documentation): Readonly<Record<string, Documentation>> => ({
  'authorization.oauth_api.credentials.#data': data,
  'authorization.oauth_api.credentials.appKey': {
    about: 'The client id; required, may be empty.',
    example: 'river',
  },
  'authorization.oauth_api.credentials.#appSecret': {
    about: 'The client secret; required, may be empty.',
    example: 's3',
  },
});

/** The bytes of a nonce: 16 hexadecimal digits. */
const NONCE_BYTES = 8;

/** OAuth 2.0 with an existing token (docs/language/authentication/oauth20.md). */
export const oauth20 = defineAuthentication({
  name: 'oauth20',
  summary: 'Adds headers and parameters that are computed from an OAuth 2.0 token.',
  use: 'Use it for a data platform that puts the token into `authorization`. If Headwater has to request it, take [`oauth2`](oauth2.md) or [`oauth20.login`](oauth20.login.md).',
  travels: '`headers` and `query`.',
  options: {
    format: withDefault(oneOf('OauthFormat', ['text', 'json']), 'text', {
      about: 'The format of `#data`: the token itself (`text`), or JSON.',
      example: 'json',
    }),
    headers: always(object, {
      about: 'Headers: scalars, or expressions with `authorization`, `query` and `request`.',
      example: { Authorization: { authorization: 'data' } },
    }),
    query: always(object, {
      about: 'Parameters of the URL, likewise.',
      example: { access_token: { authorization: 'data.access_token' } },
    }),
  },
  needs: oauthNeeds({ about: 'The token, or JSON with it.', example: '{"access_token": "b7d1"}' }),
  rules: [
    'The context `authorization` has `data` (the whole `#data`; with `json` also `data.<path>`), `clientId` (the `appKey`), `nonce` (16 random hexadecimal digits) and `timestamp` (Unix seconds). There is no `attr`.',
    'Values are computed for each attempt. A result is a string, a number or a boolean.',
    'A header, or a parameter, replaces one of the same name in its place.',
  ],
  example: {
    about: 'The token in `#data` becomes a bearer token.',
    config: {
      api: {
        authentication: {
          type: 'oauth20',
          format: 'json',
          headers: {
            Authorization: { function: 'concat', args: ['Bearer ', { authorization: 'data.access_token' }] },
          },
        },
      },
      config: { jobs: [{ endpoint: 'stations' }] },
      authorization: {
        oauth_api: { credentials: { '#data': '{"access_token": "b7d1"}', appKey: 'river', '#appSecret': 's' } },
      },
    },
    exchanges: [{ request: 'GET /stations', requestHeaders: { authorization: 'Bearer b7d1' }, response: [{ id: 1 }] }],
    items: [{ id: 1 }],
  },
  credentials: (around, options) => around.oauth<Json>(options?.format === 'json' ? jsonString : anyString),
  compile: ({ options, credentials: { data, appKey }, scope }) => {
    const names = flatten(data, 'data');
    return mapValid(compileOauth20(options, names, appKey, scope), (valuesOf) => ({
      secrets: [...names.values()].map(textOf),
      source: ({ secrets }) =>
        perRequest((request) =>
          withCredentialValues(request, valuesOf(requestContexts(request), newAttempt(NONCE_BYTES)), secrets),
        ),
    }));
  },
});

type Names = ReadonlyMap<string, JsonScalar>;

const PATH = 'api.authentication';
/** A dummy attempt for checking the names. */
const NO_ATTEMPT: Attempt = { nonce: '', timestamp: 0 };

/** Returns the values that `oauth20` adds to a request in one attempt; it throws FatalError EXPRESSION_FAILED. */
type ValuesOf = (request: RequestContexts, attempt: Attempt) => CredentialValues;

/**
 * Compiles the headers and query values of `oauth20` (docs/language/authentication/oauth20.md).
 *
 * @param data the values of `data`, and `data.<path>`, of the context `authorization`
 */
export function compileOauth20(
  written: { readonly headers: JsonObject; readonly query: JsonObject },
  data: Names,
  clientId: string,
  scope: Omit<Scope, 'known'>,
): Checked<ValuesOf> {
  const authorization = (attempt: Attempt): Names =>
    new Map([...data, ['clientId', clientId], ...Object.entries(attempt)]);
  const names = authorization(NO_ATTEMPT);
  const compiled = collect({
    headers: compileCredentialValues(written.headers, `${PATH}.headers`, 'authorization', names, scope),
    query: compileCredentialValues(written.query, `${PATH}.query`, 'authorization', names, scope),
  });
  return mapValid(compiled, ({ headers, query }) => (request, attempt) => {
    const contexts = { ...request, authorization: authorization(attempt) };
    const added = { headers: headers(contexts), query: query(contexts) };
    return {
      headers: headerTexts(added.headers.values),
      query: queryPairs(added.query.values),
      secrets: [...added.headers.secrets, ...added.query.secrets],
    };
  });
}

/**
 * A login with OAuth 2.0 credentials that the host of the run supplies (docs/language/authentication/oauth20.login.md).
 */
export const oauth20Login = defineAuthentication({
  name: 'oauth20.login',
  summary: 'Logs in with the application and the tokens in `authorization`.',
  use: 'Use it for a data platform that keeps a refresh token, which Headwater exchanges for an access token.',
  travels: 'As with [`login`](login.md).',
  options: loginFields,
  needs: oauthNeeds({
    about: 'A JSON object as a string.',
    example: '{"refresh_token": "r1"}',
  }),
  rules: [
    'All rules of [`login`](login.md) apply. `loginRequest.params` and `loginRequest.headers` have two more contexts.',
    '`consumer` has `client_id` (the `appKey`) and `client_secret` (the `#appSecret`).',
    '`user` has the values of `#data`; nested ones by dotted names.',
  ],
  example: {
    about: 'A refresh token is exchanged for an access token.',
    config: {
      api: {
        authentication: {
          type: 'oauth20.login',
          loginRequest: {
            endpoint: 'oauth/token',
            method: 'FORM',
            params: {
              grant_type: 'refresh_token',
              client_id: { consumer: 'client_id' },
              client_secret: { consumer: 'client_secret' },
              refresh_token: { user: 'refresh_token' },
            },
          },
          apiRequest: {
            headers: { Authorization: { function: 'concat', args: ['Bearer ', { response: 'access_token' }] } },
          },
          expires: { response: 'expires_in', relative: true },
        },
      },
      config: { jobs: [{ endpoint: 'stations' }] },
      authorization: {
        oauth_api: { credentials: { '#data': '{"refresh_token": "r1"}', appKey: 'river', '#appSecret': 's3' } },
      },
    },
    exchanges: [
      {
        request: 'POST /oauth/token',
        requestBody: 'grant_type=refresh_token&client_id=river&client_secret=s3&refresh_token=r1',
        response: { access_token: 'b7d1', expires_in: 3600 },
      },
      { request: 'GET /stations', requestHeaders: { authorization: 'Bearer b7d1' }, response: [{ id: 1 }] },
    ],
    items: [{ id: 1 }],
  },
  check: loginFaults,
  warnings: lifeWarnings,
  credentials: (around) =>
    mapValid(around.oauth(anyObjectString), ({ data, appKey, appSecret }) => ({
      consumer: { client_id: appKey, client_secret: appSecret },
      user: data,
    })),
  compile: ({ options, credentials: { consumer, user }, ...place }) =>
    loginPlan(options, place, { consumer: flatten(consumer), user: flatten(user) }),
});
