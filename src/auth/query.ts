import { andThen, invalid, mapValid, valid, type Checked } from '../language/codec/codec';
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
  summary: 'Adds computed parameters to the URL of each request.',
  use: 'Use it for a signature in the query. For a fixed key, [`apiKey`](apiKey.md) is simpler.',
  travels: 'The parameters, in the URL, whatever the method.',
  options: {
    query: always(object, {
      about: 'The parameters: scalars, or expressions with `attr`, `query` (the parameters so far) and `request`.',
      example: { api_key: { attr: '#key' } },
      default: 'none: it is required',
    }),
  },
  needs: {},
  rules: [
    'Values are computed for each attempt and each redirect.',
    'A result is a string, a number or a boolean; anything else is an error.',
    'A value replaces a parameter of the same name in its place. Others go to the end.',
    'If `query` is blank, the old place `api.query` counts.',
  ],
  example: {
    about: 'The query gets a key, and a signature of the key and the parameter `page`.',
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
