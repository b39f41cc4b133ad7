import { decodeConfiguration, configurationSchema } from '../../support/language';
import { BUILT_IN } from '../../../src/run/built-in-parts';
import { resolveReferences } from '../../../src/language/references/reference';
import type { Found, Reference } from '../../../src/language/references/reference';
import { stringifyJson } from '../../../src/core/json/stringify';
import { parseJson } from '../../../src/core/json/parse';
import type { Json } from '../../../src/core/model';

const schema = configurationSchema(BUILT_IN);
const look = ({ source, name }: Reference): Found =>
  name === 'UNSET' ? { fault: 'is not set' } : { value: name === 'FLAG' ? 'true' : `${source}:${name}` };
const resolve = (config: Json) => resolveReferences(config, schema, look);
const job = (keys: object): Json => ({ api: {}, config: { jobs: [{ endpoint: 'a', ...keys }] } });

describe('references', () => {
  it('stand wherever one value may stand', () => {
    const env = { env: 'X' };
    const { document, references } = resolve({
      api: {
        baseUrl: env,
        http: { headers: { a: env }, requestTimeout: env },
        authentication: { type: 'login', loginRequest: { endpoint: env, params: { a: { b: [env] } } } },
      },
      config: {
        attribute: env,
        deep: { er: [env] },
        sinks: [env, { to: env }],
        jobs: [{ endpoint: env, params: { a: { function: 'md5', args: [env] } }, body: { a: { b: env } } }],
      },
    });
    expect(stringifyJson(document)).not.toContain('{"env"');
    expect(references.map(({ path }) => path)).toEqual([
      'api.baseUrl',
      'api.http.headers.a',
      'api.http.requestTimeout',
      'api.authentication.loginRequest.endpoint',
      'api.authentication.loginRequest.params.a.b[0]',
      'config.attribute',
      'config.deep.er[0]',
      'config.sinks[0]',
      'config.sinks[1].to',
      'config.jobs[0].endpoint',
      'config.jobs[0].params.a.args[0]',
      'config.jobs[0].body.a.b',
    ]);
  });

  it.each([
    ['params', job({ params: { env: 'production' } })],
    ['headers', job({ headers: { file: 'a' } })],
    ['a body', job({ body: { env: 'production' } })],
    ['placeholders', job({ children: [{ endpoint: '{env}', placeholders: { env: 'id' } }] })],
    ['userData', job({ userData: { env: 'production' } })],
    ['a mapping', { api: {}, config: { jobs: [], mappings: { deployments: { env: 'environment' } } } }],
    ['an iteration', { api: {}, config: { jobs: [] }, iterations: [{ env: 'production' }] }],
    ['renamed fields', job({ rename: { env: 'environment' } })],
    ['types of columns', job({ columnTypes: { file: 'string' } })],
    ['a query of an authentication', { api: { authentication: { type: 'query', query: { env: 'x' } } }, config: {} }],
    ['comments', job({ '//': { env: 'X' } })],
    ['an object with more keys', job({ params: { a: { env: 'x', region: 'y' } } })],
    ['a computed value', job({ params: { a: { env: { attr: 'x' } } } })],
  ] as const)('do not stand in the place of an object of names: %s', (_, config) => {
    const { document, references, findings } = resolve(config);
    expect({ references, findings }).toEqual({ references: [], findings: [] });
    expect(document).toBe(config);
  });

  it('are taken as they stand inside of literal', () => {
    const filter = { literal: { env: 'production' } };
    const { document, written } = resolve(
      job({ params: { filter, other: { literal: 'x' }, twice: { literal: filter } } }),
    );
    const params = { filter: { env: 'production' }, other: { literal: 'x' }, twice: filter };
    expect(document).toEqual(job({ params }));
    expect(written).toEqual(document);
  });

  it('stay in what tells configurations apart, unless they are no secrets', () => {
    const { document, written, values } = resolve(job({ params: { a: { env: 'A' }, b: { env: 'B', secret: false } } }));
    expect(document).toEqual(job({ params: { a: 'env:A', b: 'env:B' } }));
    expect(written).toEqual(job({ params: { a: { env: 'A' }, b: 'env:B' } }));
    expect(values).toEqual(['env:A']);
  });

  it('are what names an iteration, and not their values', () => {
    const config = {
      api: { baseUrl: 'https://api.test' },
      config: { jobs: [{ endpoint: 'a' }] },
      iterations: [{ tenant: { env: 'TENANT' } }],
    };
    const { document, written } = resolve(config);
    const decoded = decodeConfiguration(document, { written });
    if (decoded._tag === 'Left') throw new Error(JSON.stringify(decoded.left));
    expect(decoded.right.iterations).toMatchObject([
      { own: { tenant: { env: 'TENANT' } }, attributes: { tenant: 'env:TENANT' } },
    ]);
  });

  it('give true and false to switches, and refuse another text there', () => {
    const config = (name: string): Json => ({ api: {}, config: { incrementalOutput: { env: name }, jobs: [] } });
    expect(resolve(config('FLAG')).document).toMatchObject({ config: { incrementalOutput: true } });
    expect(resolve(config('X')).findings).toEqual([
      { path: ['config', 'incrementalOutput'], message: expect.stringContaining('true or false') as string },
    ]);
  });

  it.each([
    [{ env: '' }, 'expected the name of an environment variable'],
    [{ env: 5 }, 'expected the name of an environment variable'],
    [{ env: null }, 'expected the name of an environment variable'],
    [{ file: ' ' }, 'expected the path of a file'],
    [{ file: 'a\0b' }, 'expected the path of a file'],
    [{ ENV: 'TOKEN' }, 'did you mean "env"?'],
    [{ File: '/run/secrets/token' }, 'did you mean "file"?'],
    [{ env: 'UNSET' }, 'is not set'],
  ])('%j is a fault', (value, message) => {
    expect(resolve(job({ params: { key: value } })).findings).toMatchObject([
      { path: ['config', 'jobs', '0', 'params', 'key'], message: expect.stringContaining(message) as string },
    ]);
  });

  it('warn of a variable as other tools write it', () => {
    expect(resolve(job({ params: { a: '${TOKEN}', b: '$TOKEN', c: '$5', d: 'a ${b}' } })).warnings).toHaveLength(2);
  });

  it('keep digits and the order of keys beside them', () => {
    const text = '{"api":{},"config":{"a":{"10":12345678901234567890,"2":1.10,"k":{"env":"X"}},"jobs":[]}}';
    const { document } = resolve(parseJson(text));
    expect(stringifyJson(document)).toContain('"a":{"10":12345678901234567890,"2":1.1,"k":"env:X"}');
  });
});
