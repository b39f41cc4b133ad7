import { mapValid, valid } from '../language/codec/checked';
import { oneOf, string } from '../language/codec/primitives';
import { required, withDefault } from '../language/codec/record';
import { withCredentialValues, perRequest, staticSecret } from './per-request';
import { secretValue } from '../language/codec/values';
import { defineAuthentication } from '../language/parts/authentication';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A constant key in a header or in the query (docs/language/authentication/apiKey.md). */
export const apiKey = defineAuthentication({
  name: 'apiKey',
  summary: 'Sends a key with each request, in a header or in the query.',
  use: 'The API gave you a key, and says the name of the header or of the parameter that has to carry it.',
  travels:
    'The header or the parameter, to the host of the base URL and to `api.http.allowedHosts`. A key in the query stands in the logs of servers and proxies: take the header where the API has both.',
  options: {
    name: required(string, 'the name of the header or parameter, for example "X-Api-Key"', {
      about: 'The name of the header or of the parameter.',
      example: 'X-Api-Key',
    }),
    key: required(secretValue, 'the key, for example {"env": "API_KEY"}', {
      about: 'The key. It is masked wherever Headwater prints something.',
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
    'The key replaces a header or a parameter of the same name that the configuration writes.',
    'A key that is empty is a fault before the first request.',
    'A response with status 401 is an error like any other: there is nothing to renew.',
  ],
  example: {
    about: 'A key of `config`, behind the parameters of the job.',
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
