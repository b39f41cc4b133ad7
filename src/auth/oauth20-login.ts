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
  summary: 'Logs in with the application and the tokens in `authorization`, and adds the result to all other requests.',
  use: 'The host that runs Headwater keeps a refresh token, and Headwater exchanges it for an access token when a run begins.',
  travels:
    'First `loginRequest`, to its own URL, with nothing of `api.http` in it. Then the headers and parameters of `apiRequest`, to the host of the base URL and to `api.http.allowedHosts`.',
  options: loginFields,
  needs: oauthNeeds({
    about: 'A string of JSON: an object, such as one with a refresh token.',
    example: '{"refresh_token": "r1"}',
  }),
  rules: [
    'All is as with `login`, but `loginRequest.params` and `loginRequest.headers` have two more contexts.',
    'The context `consumer` has `client_id` (the `appKey`) and `client_secret` (the `#appSecret`).',
    'The context `user` has the values of the JSON object in `#data`; those in objects by dotted names.',
  ],
  example: {
    about: 'A refresh token is exchanged for an access token, which becomes a bearer token.',
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
