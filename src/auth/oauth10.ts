import { createHmac } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import type { Request } from '../core/model';
import { parseQuery, splitUrl } from '../core/url/query';
import { mapValid, valid } from '../language/codec/codec';
import { text } from '../language/codec/primitives';
import { record, required } from '../language/codec/record';
import { anyKey } from '../language/codec/unknown-key';
import { objectString } from '../language/codec/values';
import { defineAuthentication } from '../language/parts/authentication';
import { oauthNeeds } from './oauth20';
import { newAttempt, perRequest } from './per-request';
import type { Attempt } from './per-request';

/** The bytes of a nonce: 40 hexadecimal digits. */
const NONCE_BYTES = 20;

const tokens = record(
  'Oauth10Tokens',
  {
    oauth_token: required(text, 'the OAuth 1.0 token', { about: 'The token.', example: '72157626' }),
    oauth_token_secret: required(text, 'the secret of the OAuth 1.0 token', {
      about: 'The secret of the token.',
      example: 'a202d1f853ec69de',
    }),
  },
  anyKey,
);

/** OAuth 1.0 (docs/language/authentication/oauth10.md): everything except the signature is known before the run. */
export const oauth10 = defineAuthentication({
  name: 'oauth10',
  summary: 'Signs each request by OAuth 1.0 with HMAC-SHA1 (RFC 5849).',
  use: 'Use it for an API that gave you a consumer key and secret, and a token and its secret.',
  travels: 'The header `Authorization: OAuth …` with keys, nonce, time and signature, never a secret.',
  options: {},
  needs: oauthNeeds({
    about: 'A JSON object as a string.',
    example: '{"oauth_token": "t1", "oauth_token_secret": "t2"}',
  }),
  rules: [
    'The signature covers the method, the URL with its query, and the fields of a form.',
    'Each attempt and redirect has a new nonce, time and signature.',
  ],
  example: {
    about: 'Nonce, time and signature differ each time.',
    config: {
      api: { authentication: { type: 'oauth10' } },
      config: { jobs: [{ endpoint: 'stations' }] },
      authorization: {
        oauth_api: {
          credentials: {
            '#data': '{"oauth_token": "t1", "oauth_token_secret": "t2"}',
            appKey: 'ck',
            '#appSecret': 'cs',
          },
        },
      },
    },
    exchanges: [
      {
        request: 'GET /stations',
        requestHeaders: {
          authorization:
            'OAuth oauth_consumer_key="ck", oauth_nonce="…", oauth_signature="…", oauth_signature_method="HMAC-SHA1", oauth_timestamp="…", oauth_token="t1", oauth_version="1.0"',
        },
        response: [{ id: 1 }],
      },
    ],
    items: [{ id: 1 }],
  },
  credentials: (around) =>
    mapValid(around.oauth(objectString(tokens)), ({ data, appKey, appSecret }) => ({
      consumerKey: appKey,
      consumerSecret: appSecret,
      token: data.oauth_token,
      tokenSecret: data.oauth_token_secret,
    })),
  compile: ({ credentials }) =>
    valid({
      secrets: [credentials.consumerSecret, credentials.token, credentials.tokenSecret],
      source: ({ secrets }) =>
        perRequest((request) => {
          const { authorization, signature } = signOauth10(request, credentials, newAttempt(NONCE_BYTES));
          secrets.learn(signature);
          return { ...request, headers: { ...request.headers, authorization } };
        }),
    }),
});

/** The credentials for signatures. */
export interface Oauth10Credentials {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly token: string;
  readonly tokenSecret: string;
}

const METHOD = 'HMAC-SHA1';
const FORM = 'application/x-www-form-urlencoded';

/**
 * Signs a request by RFC 5849 (docs/language/authentication/oauth10.md): it covers method, URL, all query parameters,
 * and the parameters of a form body.
 *
 * @returns the value of the header `authorization`, and the signature in it
 * @example signOauth10(request, credentials, { nonce: '72469d96', timestamp: 1492904452 }).authorization
 */
export function signOauth10(
  request: Request,
  { consumerKey, consumerSecret, token, tokenSecret }: Oauth10Credentials,
  { nonce, timestamp }: Attempt,
): { readonly authorization: string; readonly signature: string } {
  const oauth = new OAuth({
    consumer: { key: consumerKey, secret: consumerSecret },
    signature_method: METHOD,
    hash_function: (text, key) => createHmac('sha1', key).update(text).digest('base64'),
  });
  const fields = {
    oauth_consumer_key: consumerKey,
    oauth_nonce: nonce,
    oauth_signature_method: METHOD,
    oauth_timestamp: timestamp,
    oauth_token: token,
    oauth_version: '1.0',
  };
  // The library would cut values at a second `=` when it reads a query itself, and it writes into the fields it
  // receives.
  const signed = { method: request.method, url: baseUri(request.url), data: parametersOf(request) };
  const signature = oauth.getSignature(signed, tokenSecret, { ...fields });
  return { authorization: oauth.toHeader({ ...fields, oauth_signature: signature }).Authorization, signature };
}

/** Returns the base string URI (RFC 5849 3.4.1.2): without query, userinfo and the default port. */
function baseUri(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Returns decoded values by decoded name, in arrays, because a name may be repeated. */
function parametersOf({ url, headers, body }: Request): OAuth.Param {
  const isForm = headers['content-type'] === FORM;
  const pairs = [...parseQuery(splitUrl(url).query), ...parseQuery(isForm ? (body ?? '') : '')];
  const values = new Map<string, string[]>();
  for (const { name, value = '' } of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}
