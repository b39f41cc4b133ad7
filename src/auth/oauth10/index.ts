import { mapValid, valid } from '../../language/codec/checked';
import { objectString } from '../../language/codec/json-string';
import { text } from '../../language/codec/primitives';
import { record, required } from '../../language/codec/record';
import { anyKey } from '../../language/codec/unknown-key';
import { newAttempt } from '../attempt';
import { defineAuthentication } from '../../language/parts/authentication/define';
import { oauthNeeds } from '../oauth-needs';
import { perRequest } from '../per-request';
import { signOauth10 } from './signature';

/** 40 hexadecimal digits. */
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

/** OAuth 1.0 (docs/language/authentication/oauth10.md): all but the signature is known before the run. */
export const oauth10 = defineAuthentication({
  name: 'oauth10',
  summary: 'Signs each request by OAuth 1.0 with HMAC-SHA1.',
  use: 'The API speaks OAuth 1.0 (RFC 5849), and you have all four values: consumer key and secret, token and token secret.',
  travels:
    'The header `Authorization: OAuth …` with keys, a nonce, the time and the signature, but no secret; to the host of the base URL and to `api.http.allowedHosts`.',
  options: {},
  needs: oauthNeeds({
    about: 'A string of JSON: an object with `oauth_token` and `oauth_token_secret`.',
    example: '{"oauth_token": "t1", "oauth_token_secret": "t2"}',
  }),
  rules: [
    'The signature covers the method, the URL with all parameters of its query, and the fields of a form.',
    'Each attempt and each redirect has a nonce, a time and a signature of its own.',
  ],
  example: {
    about: 'The request carries a signature. Nonce, time and signature differ each time.',
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
