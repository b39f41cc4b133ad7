import { fetchOpenApi } from '../../../../src';
import { importOpenApi, looksLikeOpenApi } from '../../../../src/explore/import/openapi/openapi';
import { scriptedApi } from '../../../../src/testing';

const list = (items: object) => ({ responses: { 200: { content: { 'application/json': { schema: items } } } } });
const SHIP = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } };
const document = (paths: object, more: object = {}): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Fleet' },
    servers: [{ url: 'https://h.example/v1' }],
    paths,
    ...more,
  });
const shipsIn = (more: object): string => document({ '/ships': { get: list({ type: 'array', items: SHIP }) } }, more);

describe('importOpenApi', () => {
  it('takes GET operations that give lists, and no others', () => {
    const { beginnings, baseUrl, title } = importOpenApi(
      document(
        {
          '/ships': {
            get: { operationId: 'listShips', ...list({ type: 'array', items: { $ref: '#/components/schemas/Ship' } }) },
          },
          '/ships/{id}': { get: list({ $ref: '#/components/schemas/Ship' }) },
          '/crews': {
            get: list({
              type: 'object',
              properties: { items: { type: 'array', items: SHIP }, total: { type: 'integer' } },
            }),
          },
          '/status': { get: list({ type: 'object', properties: { ok: { type: 'boolean' } } }) },
          '/orders': { post: list({ type: 'array', items: SHIP }) },
        },
        { components: { schemas: { Ship: SHIP } } },
      ),
    );
    expect({ baseUrl, title }).toEqual({ baseUrl: 'https://h.example/v1/', title: 'Fleet' });
    expect(beginnings.map(({ id, alias, name, request }) => [id, alias, name, request.url])).toEqual([
      ['/ships', 'listShips', 'ships', 'https://h.example/v1/ships'],
      ['/crews', undefined, 'crews', 'https://h.example/v1/crews'],
    ]);
    expect(beginnings[1]?.described?.sample).toEqual({ items: [{ id: 1, name: 'text' }], total: 1000 });
  });

  it('makes children of paths that go through an item, to any depth', () => {
    const each = { get: list({ type: 'array', items: SHIP }) };
    const { beginnings } = importOpenApi(
      document({ '/users/{userId}/posts/{postId}/notes': each, '/users/{user_id}/posts': each, '/users': each }),
    );
    expect(beginnings.map(({ id, parent, placeholders, missing }) => ({ id, parent, placeholders, missing }))).toEqual([
      { id: '/users', parent: undefined, placeholders: undefined, missing: [] },
      { id: '/users/{user_id}/posts', parent: '/users', placeholders: { user_id: 'id' }, missing: [] },
      {
        id: '/users/{userId}/posts/{postId}/notes',
        parent: '/users/{user_id}/posts',
        placeholders: { postId: 'id' },
        missing: [],
      },
    ]);
    expect(beginnings[2]?.request.url).toBe('https://h.example/v1/users/{user_id}/posts/{postId}/notes');
  });

  it('knows what a list needs, and what it has by default', () => {
    const parameters = [
      { name: 'region', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'limit', in: 'query', required: true, schema: { default: 50, minimum: 1 } },
      { name: 'X-Trace', in: 'header', required: true },
    ];
    const operation = { ...list({ type: 'array', items: SHIP }), parameters };
    const [beginning] = importOpenApi(document({ '/orgs/{org}/ships': { get: operation } })).beginnings;
    expect(beginning?.missing).toEqual(['org', 'region']);
    expect(beginning?.described?.params).toEqual([
      { name: 'region', isRequired: true },
      { name: 'limit', isRequired: true, fallback: 50, minimum: 1 },
    ]);
  });

  it.each([
    [
      { type: 'http', scheme: 'bearer' },
      { kind: 'bearer', scheme: 'Bearer', attribute: '#token', secret: '' },
    ],
    [
      { type: 'http', scheme: 'basic' },
      { kind: 'basic', username: '', secret: '' },
    ],
    [
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      { kind: 'header', name: 'x-key', attribute: '#key', secret: '' },
    ],
    [
      { type: 'apiKey', in: 'query', name: 'key' },
      { kind: 'query', name: 'key', attribute: '#key', secret: '' },
    ],
    [
      { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token' } } },
      { kind: 'client', tokenEndpoint: 'https://h.example/token', scope: 'ships:read', clientId: '', secret: '' },
    ],
  ])('takes the scheme %j', (scheme, credential) => {
    const { beginnings, warnings } = importOpenApi(
      shipsIn({ security: [{}, { it: ['ships:read'] }], components: { securitySchemes: { it: scheme } } }),
    );
    expect(beginnings[0]?.request.credentials).toEqual([credential]);
    expect(warnings).toEqual([]);
  });

  it('says which scheme it does not know', () => {
    const { warnings } = importOpenApi(
      shipsIn({ security: [{ it: [] }], components: { securitySchemes: { it: { type: 'mutualTLS' } } } }),
    );
    expect(warnings).toEqual(['The scheme "it" is not known: credentials for it are missing.']);
  });

  it('reads Swagger 2', () => {
    const { baseUrl, beginnings } = importOpenApi(
      JSON.stringify({
        swagger: '2.0',
        host: 'h.example',
        basePath: '/v2',
        schemes: ['http', 'https'],
        securityDefinitions: { it: { type: 'basic' } },
        security: [{ it: [] }],
        paths: {
          '/ships': {
            get: { responses: { 200: { schema: { type: 'array', items: { $ref: '#/definitions/Ship' } } } } },
          },
        },
        definitions: { Ship: SHIP },
      }),
    );
    expect(baseUrl).toBe('https://h.example/v2/');
    expect(beginnings[0]?.request.credentials).toEqual([{ kind: 'basic', username: '', secret: '' }]);
    expect(beginnings[0]?.described?.sample).toEqual([{ id: 1, name: 'text' }]);
  });

  it('reads YAML, variables of servers, and servers that are relative to the document', () => {
    const yaml = (server: string) => `openapi: 3.0.3
servers: [{ url: '${server}', variables: { region: { default: eu } } }]
paths: { /ships: { get: { responses: { '200': { content: { application/json: { schema: { type: array, items: {} } } } } } } } }
`;
    expect(looksLikeOpenApi(yaml('/'))).toBe(true);
    expect(importOpenApi(yaml('https://{region}.h.example')).baseUrl).toBe('https://eu.h.example/');
    expect(importOpenApi(yaml('../v3'), { url: 'https://h.example/docs/openapi.yaml' }).baseUrl).toBe(
      'https://h.example/v3/',
    );
    expect(importOpenApi(yaml('/')).baseUrl).toBeUndefined();
    expect(importOpenApi(yaml('file:///etc')).baseUrl).toBeUndefined();
  });

  it.each([
    ['no JSON', '{"openapi": ', 'neither JSON nor YAML'],
    ['no such document', '{"a": 1}', 'no version of OpenAPI 3'],
    ['no list', document({}), 'no GET operation that gives a list'],
  ])('refuses %s', (_, text, message) => expect(() => importOpenApi(text)).toThrow(message));

  describe('a document that attacks', () => {
    it('may refer to itself in circles', () => {
      const schemas = {
        Node: { type: 'object', properties: { id: { type: 'integer' }, next: { $ref: '#/components/schemas/Node' } } },
        Loop: { $ref: '#/components/schemas/Loop' },
        Wide: { allOf: [{ $ref: '#/components/schemas/Wide' }, { oneOf: [{ $ref: '#/components/schemas/Wide' }] }] },
      };
      const of = (name: string) => ({ get: list({ type: 'array', items: { $ref: `#/components/schemas/${name}` } }) });
      const { beginnings } = importOpenApi(
        document({ '/nodes': of('Node'), '/loops': of('Loop'), '/wides': of('Wide') }, { components: { schemas } }),
      );
      expect(beginnings.map(({ described }) => described?.sample)).toEqual([[{ id: 1 }], [], []]);
    });

    it('may branch without end', () => {
      const properties = Object.fromEntries(
        Array.from({ length: 50 }, (_, at) => [
          `p${at}`,
          { type: 'array', items: { $ref: `#/components/schemas/S${at}` } },
        ]),
      );
      const schemas = Object.fromEntries(
        Array.from({ length: 50 }, (_, at) => [`S${at}`, { type: 'object', properties }]),
      );
      const paths = Object.fromEntries(
        Array.from({ length: 60 }, (_, at) => [
          `/a${at}`,
          { get: list({ type: 'array', items: { $ref: '#/components/schemas/S0' } }) },
        ]),
      );
      expect(importOpenApi(document(paths, { components: { schemas } })).beginnings).toHaveLength(60);
    });

    it('has no file and no address read', () => {
      const fetched = jest.spyOn(globalThis, 'fetch');
      const items = { $ref: 'http://169.254.169.254/latest#/a' };
      const { warnings } = importOpenApi(document({ '/ships': { get: list({ type: 'array', items }) } }));
      expect(warnings.join()).toContain('Other documents are not read (it refers to http://169.254.169.254/latest#/a)');
      expect(fetched).not.toHaveBeenCalled();
      fetched.mockRestore();
    });

    it('sets no prototype', () => {
      const text = document({ '/ships': { get: list({ type: 'array', items: SHIP }) } }).replace(
        '"properties":{',
        '"properties":{"__proto__":{"type":"object","properties":{"polluted":{"type":"string"}}},"constructor":{"type":"string"},',
      );
      const [beginning] = importOpenApi(text).beginnings;
      const [item] = beginning?.described?.sample as readonly object[];
      expect(Object.keys(item ?? {})).toEqual(['__proto__', 'constructor', 'id', 'name']);
      expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });

    it('expands no aliases of YAML without end', () => {
      const lines = Array.from(
        { length: 12 },
        (_, at) => `x${at + 1}: &x${at + 1} [${Array(10).fill(`*x${at}`).join(', ')}]`,
      );
      expect(() => importOpenApi(`openapi: 3.0.0\nx0: &x0 [1]\n${lines.join('\n')}\n`)).toThrow('too many values');
    });
  });
});

const DOCUMENT = { openapi: '3.1.0', paths: { '/rivers': { get: {} } } };

describe('fetchOpenApi', () => {
  const api = scriptedApi([
    { path: '/openapi.json', answer: () => ({ json: DOCUMENT }) },
    { path: '/schema', answer: () => ({ json: [{ id: 1 }] }) },
    {
      path: '/swagger.json',
      answer: ({ headers }) => (headers['x-key'] === 'k' ? { json: DOCUMENT } : { status: 401, json: {} }),
    },
  ]);
  const { fetch } = api;

  it('fetches a description', async () => {
    expect(JSON.parse((await fetchOpenApi('http://api.example/openapi.json', { fetch })) ?? '')).toEqual(DOCUMENT);
  });

  it('gives credentials only where it is refused without them', async () => {
    const headers = { 'x-key': 'k' };
    await fetchOpenApi('http://api.example/openapi.json', { fetch, headers });
    expect(api.requests.at(-1)?.headers).not.toHaveProperty('x-key');
    expect(await fetchOpenApi('http://api.example/swagger.json', { fetch, headers })).toContain('3.1.0');
    expect(await fetchOpenApi('http://api.example/swagger.json', { fetch })).toBeUndefined();
  });

  it('finds none in data, and where nothing is', async () => {
    for (const path of ['schema', 'api-docs'])
      expect(await fetchOpenApi(`http://api.example/${path}`, { fetch })).toBeUndefined();
  });

  it('requests nothing of an address that is called otherwise', async () => {
    const before = api.requests.length;
    for (const url of ['http://api.example/rivers', 'no address'])
      expect(await fetchOpenApi(url, { fetch })).toBeUndefined();
    expect(api.requests.length).toBe(before);
  });
});
