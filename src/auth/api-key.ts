import { mapValid, valid } from '../language/codec/codec';
import { oneOf, string } from '../language/codec/primitives';
import { required, withDefault } from '../language/codec/record';
import { withCredentialValues, perRequest, staticSecret } from './per-request';
import { secretValue } from '../language/codec/values';
import { defineAuthentication } from '../language/parts/authentication';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A constant key in a header or in the query (docs/language/authentication/apiKey.md). */
export const apiKey = defineAuthentication({
  name: 'apiKey',
  summary: 'Sends a key in a header or in the query.',
  use: 'Use it for an API that gave you a key and names its header or parameter.',
  travels: 'The header or the parameter. Prefer the header: servers and proxies log queries.',
  options: {
    name: required(string, 'the name of the header or parameter, for example "X-Api-Key"', {
      about: 'The name of the header or parameter.',
      example: 'X-Api-Key',
    }),
    key: required(secretValue, 'the key, for example {"env": "API_KEY"}', {
      about: 'The key.',
      example: { env: 'API_KEY' },
    }),
    in: withDefault(oneOf('ApiKeyPlace', ['header', 'query']), 'header', {
      about: 'Where it is sent.',
      example: 'query',
    }),
  },
  check: ({ name, in: place }) =>
    place === 'query' || HEADER_NAME.test(name)
      ? []
      : [{ option: 'name', message: 'is no name of a header: letters, digits and hyphens have one' }],
  needs: {},
  rules: [
    'The key replaces a header or parameter of the same name.',
    'An empty key is an error before the first request.',
    'A 401 is an error: there is nothing to renew.',
  ],
  example: {
    about: 'The key comes from `config`.',
    config: {
      api: { authentication: { type: 'apiKey', name: 'api_key', in: 'query', key: { attr: '#key' } } },
      config: { '#key': 'k71', jobs: [{ endpoint: 'stations', params: { page: 2 } }] },
    },
    exchanges: [{ request: 'GET /stations?page=2&api_key=k71', response: [{ id: 1 }] }],
    items: [{ id: 1 }],
  },
  credentials: () => valid({}),
  compile: ({ options: { name, key, in: place }, ...around }) =>
    mapValid(staticSecret(key, 'api.authentication.key', around), (secret) => {
      const values =
        place === 'query'
          ? { headers: {}, query: [{ name, value: secret }] }
          : { headers: { [name.toLowerCase()]: secret }, query: [] };
      return {
        secrets: [secret],
        source: (runtime) =>
          perRequest((request) => withCredentialValues(request, { ...values, secrets: [secret] }, runtime.secrets)),
      };
    }),
});
