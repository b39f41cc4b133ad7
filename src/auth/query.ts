import { andThen, invalid, mapValid, valid, type Checked } from '../language/codec/checked';
import type { Finding } from '../language/codec/finding';
import { anything, object } from '../language/codec/primitives';
import { always } from '../language/codec/record';
import { isBlank } from '../core/json/scalars';
import type { JsonObject } from '../core/model';
import { queryPairs } from '../core/url/query';
import { withCredentialValues, compileCredentialValues, perRequest, requestContexts } from './per-request';
import { defineAuthentication } from '../language/parts/authentication';
import type { Surroundings } from '../language/parts/authentication';

/** Parameters as written, and their path. */
interface Written {
  readonly query: JsonObject;
  readonly path: string;
}

const OWN = ['api', 'authentication', 'query'];
const OLD = ['api', 'query'];
const REQUIRED = 'required: the parameters that query authentication adds, for example {"key": {"attr": "#token"}}';

/** Returns the parameters in the deprecated `api.query`. */
const oldParameters = (around: Surroundings): Checked<Written, Finding> =>
  andThen(around.at(OLD, anything), (old) =>
    isBlank(old)
      ? invalid({ path: OWN, message: REQUIRED })
      : mapValid(around.at(OLD, object), (query) => ({ query, path: OLD.join('.') })),
  );

/** Query values that are computed for each request (docs/language/authentication/query.md). */
export const query = defineAuthentication({
  name: 'query',
  aliases: ['url.query'],
  oldPlaces: { query: 'query' },
  summary: 'Adds parameters to the URL of each request, such as a key or a signature.',
  use: 'The API takes a key in the query (`?api_key=…`), or a signature that is computed from the request. A key that does not change is simpler as `apiKey`.',
  travels:
    'The parameters, in the URL of each request to the host of the base URL and to `api.http.allowedHosts`, whatever its method.',
  options: {
    query: always(object, {
      about:
        'The parameters: each value is a scalar, or an expression with `attr`, `query` (the parameters of the URL so far) and `request`.',
      example: { api_key: { attr: '#key' } },
      default: 'none: it is required',
    }),
  },
  needs: {},
  rules: [
    'The values are computed for each request again, also for each redirect and each repetition.',
    'A result is a string, a number or a boolean; an object or an array is an error.',
    'A value replaces a parameter of the same name in its place. Other values follow at the end.',
    'The old place of the parameters, `api.query`, is read if `query` is blank.',
  ],
  example: {
    about: 'A key, and a signature of the key and of the parameter `page`, follow the parameters of the job.',
    config: {
      api: {
        authentication: {
          type: 'query',
          query: {
            key: { attr: 'key' },
            sign: {
              function: 'sha1',
              args: [{ function: 'concat', args: [{ attr: 'key' }, { query: 'page' }] }],
            },
          },
        },
      },
      config: { key: 'k1', jobs: [{ endpoint: 'stations', params: { page: 2 } }] },
    },
    exchanges: [
      {
        request: 'GET /stations?page=2&key=k1&sign=b7070201b82c329c8fb3abb45d3636fb794141c7',
        response: [{ id: 1 }],
      },
    ],
    items: [{ id: 1 }],
  },
  credentials: (around, options): Checked<Written, Finding> =>
    options === undefined || !isBlank(options.query)
      ? valid({ query: options?.query ?? {}, path: OWN.join('.') })
      : oldParameters(around),
  compile: ({
    credentials: { query: raw, path },
    scope: {
      known: { attr = new Map() },
      ...scope
    },
  }) =>
    mapValid(compileCredentialValues(raw, path, 'attr', attr, scope), (evaluate) => ({
      secrets: [],
      source: (runtime) =>
        perRequest((request) => {
          const { values, secrets } = evaluate({ attr, ...requestContexts(request) });
          return withCredentialValues(request, { headers: {}, query: queryPairs(values), secrets }, runtime.secrets);
        }),
    })),
});
