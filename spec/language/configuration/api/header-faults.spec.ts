import { validate } from '../../../../src';
import { decodeConfiguration } from '../../../support/language';

const faultsOf = (input: unknown): unknown => {
  const decoded = decodeConfiguration(input);
  return decoded._tag === 'Left' ? decoded.left : [];
};
const headers = (named: object): object => ({ headers: named });
const configured = (layers: { api?: object; common?: object; defaults?: object; job?: object }): object => ({
  api: {
    baseUrl: 'https://api.example',
    http: { ...headers(layers.api ?? {}), defaultOptions: headers(layers.defaults ?? {}) },
  },
  config: {
    '#token': 'a\nb',
    http: headers(layers.common ?? {}),
    jobs: [
      { endpoint: 'a', children: [{ endpoint: '{id}', placeholders: { id: 'id' }, ...headers(layers.job ?? {}) }] },
    ],
  },
});
const CHARACTER =
  'the value holds a character that HTTP does not allow: look for line breaks and letters beyond Latin-1';

describe('language 2.5: headers that HTTP cannot carry are faults of the configuration', () => {
  it.each<[string, object, string]>([
    ['api.http.headers', { api: { 'X-A': 'a\nb' } }, 'api.http.headers.X-A'],
    ['an attribute', { api: { 'X-A': { attr: '#token' } } }, 'api.http.headers.X-A'],
    ['config.http.headers', { common: { 'X-A': '\0' } }, 'config.http.headers.X-A'],
    ['defaultOptions', { defaults: { 'X-A': ['a', '\u0100'] } }, 'api.http.defaultOptions.headers.X-A'],
    ['a child job', { job: { 'X-A': 'ř' } }, 'config.jobs[0].children[0].headers.X-A'],
  ])('a value in %s, which is not shown', (_, layers, path) => {
    expect(faultsOf(configured(layers))).toEqual([{ path, message: CHARACTER }]);
  });

  it('a name with a space', () => {
    expect(faultsOf(configured({ api: { 'X A': 'a' } }))).toEqual([
      {
        path: 'api.http.headers.X…',
        message: 'a header cannot have this name: it is made of letters, digits and hyphens',
      },
    ]);
  });

  it.each(['Transfer-Encoding', 'upgrade', 'Connection', 'content-length'])('%s is left to the transport', (name) => {
    const api = { baseUrl: 'https://api.example', http: { headers: { [name]: 'x' } } };
    expect(validate({ api, config: { jobs: [{ endpoint: 'a' }] } }).warnings).toEqual([
      { path: `api.http.headers.${name}`, message: 'has no effect: this header is set by what sends the request' },
    ]);
  });

  it('all that HTTP can carry passes', () => {
    expect(faultsOf(configured({ api: { 'X-A': 'é', 'X-B': ['1', null] }, job: { 'X_c.d': 'a\tb' } }))).toEqual([]);
  });
});

describe('specification 2: a configuration that nests too deep', () => {
  it('is a fault, not a stack overflow', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    expect(faultsOf(deep)).toEqual([{ path: 'deep.deep.deep.deep.deep', message: 'nested deeper than 500 levels' }]);
  });

  it('is a fault with the beginning of its path, which does not tell what stands below a secret key', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 501; level += 1) deep = [deep];
    const message = 'nested deeper than 500 levels';
    const job = { endpoint: 'a', params: { filter: deep } };
    expect(faultsOf({ api: {}, config: { jobs: [{ endpoint: 'b' }, job] } })).toEqual([
      { path: 'config.jobs[1].params.filter', message },
    ]);
    expect(faultsOf({ parameters: { api: {}, config: { '#secret': { key: deep } } } })).toEqual([
      { path: 'config.#secret', message },
    ]);
  });
});
