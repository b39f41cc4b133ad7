import { mapValid } from '../../language/codec/checked';
import { anyString, jsonString } from '../../language/codec/json-string';
import { object, oneOf } from '../../language/codec/primitives';
import { always, withDefault } from '../../language/codec/record';
import { flatten } from '../../core/json/flatten';
import { textOf } from '../../core/json/text';
import type { Json } from '../../core/model';
import { withCredentialValues } from '../credential-values';
import { newAttempt } from '../attempt';
import { defineAuthentication } from '../../language/parts/authentication/define';
import { oauthNeeds } from '../oauth-needs';
import { perRequest } from '../per-request';
import { requestContexts } from '../request-contexts';
import { compileOauth20 } from './values';

/** 16 hexadecimal digits. */
const NONCE_BYTES = 8;

/** OAuth 2.0 with a token that is there already (docs/language/authentication/oauth20.md). */
export const oauth20 = defineAuthentication({
  name: 'oauth20',
  summary: 'Adds headers and parameters that are computed from an OAuth 2.0 token, and from each request.',
  use: 'Somebody else, such as the host that runs Headwater, has obtained the token and puts it into `authorization`. Where Headwater has to ask for the token, use `login` or `oauth20.login`.',
  travels: 'What `headers` and `query` say, to the host of the base URL and to `api.http.allowedHosts`.',
  options: {
    format: withDefault(oneOf('OauthFormat', ['text', 'json']), 'text', {
      about: 'How `#data` is read: as the token itself (`text`), or as JSON with fields (`json`).',
      example: 'json',
    }),
    headers: always(object, {
      about: 'The headers: each value is a scalar, or an expression with `authorization`, `query` and `request`.',
      example: { Authorization: { authorization: 'data' } },
      default: '{}',
    }),
    query: always(object, {
      about: 'The parameters of the URL, likewise.',
      example: { access_token: { authorization: 'data.access_token' } },
      default: '{}',
    }),
  },
  needs: oauthNeeds({ about: 'The token, or a string of JSON that holds it.', example: '{"access_token": "b7d1"}' }),
  rules: [
    'The context `authorization` has `data`, the whole `#data`; with format `json` it has `data.<path>` for each value in that JSON.',
    'It also has `clientId` (the `appKey`), `nonce` (16 random hexadecimal digits) and `timestamp` (Unix seconds).',
    'The values are computed for each attempt anew. The attributes of `config` are not there: `attr` is no context here.',
    'A header replaces one of the same name; a parameter replaces one of the same name in its place.',
    'A result is a string, a number or a boolean.',
  ],
  example: {
    about: 'The token in the JSON of `#data` becomes a bearer token.',
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
