import { mapValid } from '../language/codec/checked';
import { anyObjectString } from '../language/codec/values';
import { flatten } from '../core/json/objects';
import { defineAuthentication } from '../language/parts/authentication';
import { loginPlan } from './login/compile';
import { lifeWarnings } from './login/expiry';
import { loginFaults } from './login';
import { loginFields } from './login/options';
import { oauthNeeds } from './oauth20';

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
