/**
 * People put credentials where they do not belong: under misspelled keys, as text where an object is meant, into URLs. Whatever
 * is said about such a configuration, the credential is not in it.
 */
import fc from 'fast-check';
import { validate } from '../../../src/run/validate';
import { ConfigurationError, faultLine } from '../../../src/core/errors/errors';
import { entriesOf, isList, isObject, objectFrom } from '../../../src/core/json/objects';
import type { Json } from '../../../src/core/model';
import { ALL_CASES, runsOf } from '../../support/cases';

const job = {
  endpoint: 'items',
  method: 'POST',
  params: { since: { attr: 'since' }, offset: 1, list: [{ function: 'time' }] },
  headers: { 'X-Key': 'k', 'X-Hash': { function: 'hash', args: ['md5', 'a'] } },
  body: { a: { function: 'concat', args: ['a', { attr: 'since' }] } },
  dataField: { path: 'data', delimiter: '.' },
  responseFilter: ['a.b'],
  responseFilterDelimiter: '.',
  format: { type: 'csv', delimiter: ';', quote: '"', header: ['a', 'b'], skipLines: 1, encoding: 'latin1' },
  primaryKey: ['id'],
  rateLimit: { requests: 1, seconds: 2, headers: { remaining: 'R', reset: 'S' } },
  incremental: { field: 'at', param: 'since', initial: '2020-01-01', lag: 5 },
  userData: { a: 'b' },
  requestLimit: 5,
  prefetch: 1,
  children: [
    {
      endpoint: 'items/{id}/{hash}',
      placeholders: { id: 'id', hash: { path: 'x', function: 'md5', args: [{ placeholder: 'value' }] } },
      recursionFilter: 'a==1|b>2',
      batch: 2,
      batchStyle: 'join',
      batchSeparator: ',',
    },
  ],
};

const CONFIGURATION: Json = {
  api: {
    baseUrl: 'https://api.example/v1/',
    name: 'n',
    caCertificate: 'pem',
    http: {
      headers: { Authorization: 'a' },
      defaultOptions: { headers: { A: 'b' }, params: { c: 'd' } },
      requiredHeaders: ['X-Api'],
      ignoreErrors: [404],
      connectTimeout: 5,
      requestTimeout: '5',
      allowedHosts: ['h.example'],
      maxRequests: 5,
      rateLimit: [{ requests: 1, seconds: 1, path: '/a/*', burst: 2 }],
    },
    retryConfig: { maxRetries: 3, http: { codes: [500], retryHeader: 'R' }, curl: { codes: [6] } },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'POST', params: { user: 'u' }, headers: { A: 'b' } },
      apiRequest: { headers: { Authorization: 'token' }, query: { k: 'token' } },
      format: 'json',
      expires: { response: 'expires', relative: true },
      persist: { token: { response: 'token' } },
    },
    pagination: {
      method: 'multiple',
      default: 'a',
      limitStop: { count: 5 },
      scrollers: {
        a: {
          method: 'offset',
          limit: 5,
          limitParam: 'l',
          offsetParam: 'offset',
          forceStop: { pages: 3, time: '1 hour' },
        },
        b: { method: 'response.url', urlKey: 'next', relativeTo: 'base', nextPageFlag: { field: 'f', stopOn: true } },
        c: {
          method: 'response.param',
          responseParam: 'p',
          queryParam: 'q',
          scrollRequest: { endpoint: 's', params: {} },
        },
      },
    },
  },
  config: {
    http: { headers: { 'X-Api': 'k' } },
    since: '2020-01-01',
    outputBucket: 'b',
    incrementalOutput: true,
    compatLevel: 3,
    concurrency: 2,
    ordered: true,
    userData: { a: 'b' },
    primaryKeys: { things: ['id'] },
    mappings: {
      other: {
        a: { type: 'column', mapping: { destination: 'a', primaryKey: true }, forceType: true },
        b: { type: 'table', destination: 'c', tableMapping: { x: 'x' }, parentKey: { destination: 'p' } },
      },
    },
    jobs: [job],
  },
  sshProxy: { host: 'h', port: 22, user: 'u', '#privateKey': 'k' },
  aws: { signature: { credentials: { accessKeyId: 'a', '#secretKey': 's', serviceName: 'n', regionName: 'r' } } },
  cache: { ttl: 5 },
  iterations: [{ since: '2020' }],
  authorization: { oauth_api: { credentials: { '#data': '{}', appKey: 'k', '#appSecret': 's' } } },
  image_parameters: { allowed_hosts: [{ host: 'api.example', scheme: 'https', port: 443, endpoint: 'v1' }] },
};

type Path = readonly string[];

const pathsIn = (value: Json, path: Path = []): readonly Path[] => [
  path,
  ...(isList(value) ? value.flatMap((inner, at) => pathsIn(inner, [...path, String(at)])) : []),
  ...(isObject(value) ? entriesOf(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key])) : []),
];

/** The value with something else at a path; `rename` changes the last key of it. */
function put(value: Json, [key, ...rest]: Path, change: (old: Json) => Json, rename = (name: string) => name): Json {
  if (key === undefined) return change(value);
  if (isList(value)) return value.map((inner, at) => (String(at) === key ? put(inner, rest, change, rename) : inner));
  if (!isObject(value)) return value;
  return objectFrom(
    entriesOf(value).map(([name, inner]) => {
      if (name !== key) return [name, inner] as const;
      return [rest.length === 0 ? rename(name) : name, put(inner, rest, change, rename)] as const;
    }),
  );
}

/** These are names that messages have to tell: of tables, columns, scrollers and functions. */
const NAMES =
  /\.(dataType|destination|endpoint|primaryKey|default|attr|requiredHeaders)(\.\d+)?$|primaryKeys|mappings|^config\.jobs\.0\.userData$/;

const PLACES = pathsIn(CONFIGURATION).filter((path) => !NAMES.test(path.join('.')));

const forms = (secret: string): readonly Json[] => [
  secret,
  `Bearer ${secret}`,
  `X-Key: ${secret}`,
  `https://user:${secret}@host:bad`,
  `user:${secret}@host`,
  `https://h.example/?key=${secret}`,
  [secret],
  { key: secret },
  { [`Authorization: ${secret}`]: 'x' },
  { attr: { key: secret } },
  { function: secret },
  { function: 'hash', args: [secret, 'text'] },
  { function: 'concat', args: [{ function: 'date', args: ['Y', secret] }] },
  { '#password': secret, type: secret, method: secret },
];

/** All that is said about a configuration. */
function saidOf(input: Json, lenient: boolean): string {
  try {
    return validate(input, { lenient }).warnings.map(faultLine).join('\n');
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [error.message, ...error.faults.map(faultLine)].join('\n');
  }
}

const secrets = fc
  .string({ unit: fc.constantFrom('a', 'b', 'X', 'Y', '0', '8'), minLength: 12, maxLength: 40 })
  .map((text) => `S3cr3t${text}`);
const RENAMES: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.slice(0, -1),
  (name) => name.toUpperCase(),
  (name) => name.replace('#', ''),
];

const PARTS = ALL_CASES ? 3 : 18;

describe('no message holds a secret', () => {
  it('the configuration itself is accepted, so that each place is reached', () => {
    expect(() => validate(CONFIGURATION)).not.toThrow();
    expect(PLACES.length).toBeGreaterThan(150);
  });

  it.each([
    ['the whole configuration', (secret: string): Json => JSON.stringify({ api: { token: secret } })],
    ['its parameters', (secret: string): Json => ({ parameters: JSON.stringify({ api: { token: secret } }) })],
    ['api', (secret: string): Json => ({ api: `{"token":"${secret}"}`, config: {} })],
  ])('a text in the place of %s', (_, make) => {
    const said = saidOf(make('S3cr3tToken123456'), false);
    expect(said).not.toContain('S3cr3tToken123456');
    expect(said).toMatch(/expected an object.*found a string of \d+ characters/);
  });

  it('at every place', () => {
    const secret = 'S3cr3tToken123456';
    const all = forms(secret);
    const leaks = PLACES.flatMap((path, at) =>
      // Each form is tried at a part of the places; the next spec mixes them.
      all
        .filter((_, form) => form % PARTS === at % PARTS)
        .flatMap((form) => {
          const lines = saidOf(
            put(CONFIGURATION, path, () => form),
            false,
          ).split('\n');
          return lines.filter((line) => line.includes(secret)).map((line) => `${path.join('.')}: ${line}`);
        }),
    );
    expect([...new Set(leaks)]).toEqual([]);
  });

  it('at several places, under misspelled keys as well', () => {
    const mutation = fc.tuple(fc.constantFrom(...PLACES), fc.nat(), fc.constantFrom(...RENAMES));
    fc.assert(
      fc.property(secrets, fc.array(mutation, { minLength: 1, maxLength: 4 }), fc.boolean(), (secret, all, lenient) => {
        const mutated = all.reduce<Json>(
          (value, [path, at, rename]) =>
            put(value, path, () => forms(secret)[at % forms(secret).length] ?? secret, rename),
          CONFIGURATION,
        );
        expect(saidOf(mutated, lenient)).not.toContain(secret);
      }),
      { numRuns: runsOf(100) },
    );
  });
});
