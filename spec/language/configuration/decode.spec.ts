import fc from 'fast-check';
import { isLeft } from 'fp-ts/lib/Either';
import { validate } from '../../../src';
import { parseJson } from '../../../src/core/json/parse';
import { none } from '../../../src/language/parts/pagination/pagination';
import { runsOf } from '../../support/cases';
import { decodeConfiguration } from '../../support/language';
import { accepted, configuration, faults, run, warnings } from './support';

describe('decodeConfiguration', () => {
  it('specification 2: applies every default of a least configuration', () => {
    expect(accepted(configuration())).toEqual({
      iterations: [
        {
          path: 'config',
          attributes: {},
          api: {
            baseUrl: 'https://api.example.com/',
            name: 'generic',
            http: {
              headers: {},
              defaultHeaders: {},
              defaultParams: {},
              requiredHeaders: [],
              ignoreErrors: [],
              connectTimeoutSeconds: 30,
              connectTimeoutGiven: false,
              requestTimeoutSeconds: 300,
              cookies: false,
              credentialHosts: [],

              rateLimit: [],
            },
            retry: {
              maxRetries: 10,
              header: 'Retry-After',
              statusCodes: [500, 502, 503, 504, 408, 420, 429],
              curlCodes: [28, 6, 7, 35, 52, 56],
              limits: { maxDelaySeconds: 120, jitter: 0.25, firstConnectionSeconds: 20, zeroIsAtOnce: true },
              languageLimits: {
                maxDelaySeconds: Infinity,
                jitter: 0,
                firstConnectionSeconds: Infinity,
                zeroIsAtOnce: false,
              },
            },
            pagination: { kind: 'one', pagination: none, stops: {} },
          },
          settings: {
            jobs: [
              {
                path: 'config.jobs[0]',
                id: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
                name: 'items',
                endpoint: 'items',
                params: {},
                equalPages: 'stop',
                optionalFields: [],
                functionsInLists: false,
                placeholdersInParams: true,
                headers: {},
                dataType: 'items',
                responseFilter: [],
                responseFilterDelimiter: '.',
                children: [],
                placeholders: {},
                requestLimit: 100_000,
                rateLimit: [],
                columnTypes: {},
                concurrency: 1,
              },
            ],
            incrementalOutput: false,
            runColumns: false,
            headers: {},
            debug: false,
            compatLevel: 3,
            concurrency: 1,
            prefetch: 1,
            maxColumns: 2000,
            ordered: true,
            sinks: [],
          },
        },
      ],
      requestableHosts: [],
      warnings: [],
    });
  });

  it('language 9: reports all faults at once, in the order in which their places are written', () => {
    const input = parseJson(`{
      "config": {"jobs": [{"endpoint": "a", "method": "HEAD"}, {"dataField": "x"}], "compatLevel": 7},
      "action": "test",
      "api": {"pagination": {"method": "ofset"}, "http": {"ignoreErrors": ["x"]}}
    }`);
    expect(faults(input)).toEqual([
      'config.jobs[0].method: expected one of GET, POST, FORM, PUT, PATCH, DELETE, graphql, found a string of 4 characters',
      'config.jobs[1].endpoint: required: the path or URL that the job requests',
      'config.compatLevel: expected an integer from 1 to 3, found 7',
      'action: expected one of run, found a string of 4 characters',
      expect.stringMatching(
        /^api\.pagination\.method: expected one of .*cursor, .*found "ofset"; did you mean "offset"\?$/,
      ),
      'api.http.ignoreErrors[0]: expected an integer, found a string of 1 character',
      'api.baseUrl: required: the base address of the API, for example "https://api.example.com/v1"',
    ]);
  });

  it('language 9: gives warnings in the order in which their places are written, keys like numbers included', () => {
    const input = parseJson(`{
      "config": {"jobs": [{"endpoint": "a", "10": 1, "2": 1}]},
      "api": {"baseUrl": "https://h.example", "x": 1}
    }`);
    expect(warnings(input)).toEqual([
      'config.jobs[0].10: has no effect: unknown key',
      'config.jobs[0].2: has no effect: unknown key',
      'api.x: has no effect: unknown key',
    ]);
  });

  it('language 1.4: never prints a secret, nor anything below a key that starts with #', () => {
    const secret = 'hunter2-and-more';
    const input = configuration(
      {
        '#clientCertificate': [secret],
        baseUrl: `https://me:${secret}@h.example:port/`,
        authentication: { type: 'oauth10' },
      },
      {},
      {
        sshProxy: { host: 'h', port: 22, user: 'u', '#privateKey': { key: secret } },
        aws: { signature: { credentials: { '#secretKey': { a: secret } } } },
        authorization: { oauth_api: { credentials: { '#data': `{"${secret}`, appKey: 'k', '#appSecret': [secret] } } },
      },
    );
    const lines = faults(input);
    expect(lines).toContain('api.#clientCertificate: expected a certificate as a PEM string, found an array');
    expect(lines).toContain('sshProxy.#privateKey: expected a string, found an object');
    expect(lines.join('\n')).not.toContain(secret);
    const number = configuration({ '#clientCertificate': 123456 });
    expect(faults(number)).toEqual([
      'api.#clientCertificate: expected a certificate as a PEM string, found a number (secret, not shown)',
    ]);
  });

  it('language 0.3: keeps a key such as __proto__ as data', () => {
    const input = parseJson(`{
      "api": {"baseUrl": "https://h.example", "http": {"headers": {"__proto__": "x"}}},
      "config": {"jobs": [{"endpoint": "a", "params": {"__proto__": 1}}], "__proto__": {"a": 1}}
    }`);
    const { api, settings, attributes } = run(input);
    expect(Object.entries(api.http.headers)).toEqual([['__proto__', 'x']]);
    expect(Object.entries(settings.jobs[0]?.params ?? {})).toEqual([['__proto__', 1]]);
    expect(Object.entries(attributes)).toEqual([['__proto__', { a: 1 }]]);
    expect(warnings(input)).toEqual([]);
  });

  it.each([null, undefined, 'text', 5, true, ['a'], [], {}])(
    'language 1.2: refuses %j, which is no configuration',
    (input) => {
      expect(faults(input).length).toBeGreaterThan(0);
    },
  );

  it('language 9: never throws for any JSON, and every fault has a message', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        const result = decodeConfiguration(input);
        if (isLeft(result)) expect(result.left.every(({ message }) => message !== '')).toBe(true);
        else expect(result.right.iterations.length).toBeGreaterThan(0);
      }),
    );
  });

  it('language 9: never throws for any JSON in the known places, and every fault names its place', () => {
    const keys = ['baseUrl', 'http', 'authentication', 'pagination', 'retryConfig', 'query', 'jobs', 'mappings'];
    const more = [
      'type',
      'method',
      'loginRequest',
      'expires',
      'scrollers',
      'limitStop',
      'headers',
      'children',
      'params',
    ];
    const key = fc.constantFrom(...keys, ...more, '__proto__', 'constructor', '#x', '0');
    const words = fc.constantFrom(
      'login',
      'basic',
      'oauth20',
      'multiple',
      'offset',
      'cursor',
      '1',
      '',
      'https://h.example',
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        words,
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(value, value, fc.boolean(), (api, config, isWrapped) => {
        const result = decodeConfiguration(isWrapped ? { parameters: { api, config } } : { api, config });
        if (isLeft(result)) {
          expect(result.left.every(({ path, message }) => path !== '' && message !== '')).toBe(true);
        } else expect(result.right.iterations).toHaveLength(1);
      }),
      { numRuns: runsOf(500) },
    );
  });
});

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

const withMappings = (mappings: Record<string, unknown>, more: Record<string, unknown> = {}, beside = {}) =>
  configuration({}, { mappings, ...more }, beside);
const EMPTY = 'no job has this dataType, so its table stays empty';

describe('mappings of dataTypes that no job has', () => {
  it('are warnings with their place and the dataType that is likely meant', () => {
    const input = withMappings({ itmes: { id: 'id' }, 'other one': { id: 'id' }, items: { id: 'id' } });
    expect(faults(input)).toEqual([]);
    expect(warnings(input)).toEqual([
      `config.mappings.itmes: ${EMPTY}; did you mean "items"?`,
      `config.mappings["other one"]: ${EMPTY}`,
    ]);
  });

  it('the dataType of a job is its endpoint as written, and children count', () => {
    const children = [{ endpoint: 'items/{id}/parts', placeholders: { id: 'id' }, children: [] }];
    const jobs = [{ endpoint: 'items', dataType: 'thing', children }];
    const mappings = { thing: { a: 'a' }, 'items/{id}/parts': { a: 'a' }, items: { a: 'a' } };
    expect(warnings(withMappings(mappings, { jobs }))).toEqual([`config.mappings.items: ${EMPTY}`]);
  });

  it('iterations share mappings: one that feeds them is enough', () => {
    const iterations = [{ jobs: [{ endpoint: 'a' }] }, { jobs: [{ endpoint: 'b' }] }];
    const mappings = { a: { x: 'x' }, b: { x: 'x' }, c: { x: 'x' } };
    expect(warnings(withMappings(mappings, {}, { iterations }))).toEqual([`config.mappings.c: ${EMPTY}`]);
    const own = [{ mappings: { b: { x: 'x' } } }, { mappings: { items: { x: 'x' } } }];
    expect(warnings(withMappings({}, {}, { iterations: own }))).toEqual([`iterations[0].mappings.b: ${EMPTY}`]);
  });
});
