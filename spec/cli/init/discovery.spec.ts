import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, toArray } from 'rxjs';
import { parse } from 'yaml';
import { extract, validate } from '../../../src';
import { initCommand, type InitFlags } from '../../../src/cli/init-command';
import { entry, har } from '../../explore/import/har-text';

const TOKEN = 's3cret-token-4f1d9b2a';
const count = (n: number, from = 1) => Array.from({ length: n }, (_, at) => ({ id: from + at, name: `n${from + at}` }));
const array = {
  type: 'array',
  items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
};
const paged = { type: 'object', properties: { items: array, page: { type: 'integer' }, pages: { type: 'integer' } } };
const response = (schema: object) => ({ '200': { content: { 'application/json': { schema } } } });
const integer = (name: string, fallback: number) => ({
  name,
  in: 'query',
  schema: { type: 'integer', default: fallback },
});

/** As FastAPI writes it. */
const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Shop' },
  components: { securitySchemes: { HTTPBearer: { type: 'http', scheme: 'bearer' } } },
  security: [{ HTTPBearer: [] }],
  paths: {
    '/users': {
      get: {
        operationId: 'list_users',
        parameters: [integer('skip', 0), integer('limit', 10)],
        responses: response(array),
      },
    },
    '/users/{user_id}/posts': {
      get: { operationId: 'list_posts', parameters: [integer('page', 1)], responses: response(paged) },
    },
    '/search': {
      get: {
        operationId: 'search',
        parameters: [{ name: 'q', in: 'query', required: true, schema: { type: 'string' } }],
        responses: response(array),
      },
    },
  },
};

const SWAGGER = {
  swagger: '2.0',
  info: { title: 'Old shop' },
  basePath: '/v1',
  paths: {
    '/orders': {
      get: { parameters: [{ name: 'page', in: 'query', type: 'integer' }], responses: { '200': { schema: array } } },
    },
  },
};

describe('headwater init with a document', () => {
  let [folder, origin, stdout, stderr] = ['', '', '', ''];
  let server: Server;
  let asked: string[] = [];
  let isOpen = true;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'headwater-init-'));
    [stdout, stderr, asked, isOpen] = ['', '', [], true];
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => ((stderr += String(text)), true));
    server = createServer((request, reply) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://h');
      asked.push(`${pathname} ${request.headers.authorization ?? '-'}`);
      const number = (name: string, fallback: number): number => Number(searchParams.get(name) ?? fallback);
      const send = (body: unknown, status = 200): unknown =>
        reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      const page = number('page', 1);
      const user = Number(/^\/users\/(\d+)\/posts$/.exec(pathname)?.[1] ?? 0);
      if (pathname === '/openapi.json') return send(OPENAPI);
      if (pathname === '/swagger.json') return send(SWAGGER);
      if (pathname === '/v1/orders') return send(count(7).slice((page - 1) * 3, page * 3));
      if (!isOpen || request.headers.authorization !== `Bearer ${TOKEN}`) return send({ detail: 'no' }, 401);
      if (pathname === '/users')
        return send(count(25).slice(number('skip', 0), number('skip', 0) + number('limit', 10)));
      if (pathname === '/search') return send(count(2, 900));
      if (user === 0) return send({}, 404);
      return send({ items: count(5, user * 100).slice((page - 1) * 2, page * 2), page, pages: 3 });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    delete process.env['API_TOKEN'];
    rmSync(folder, { recursive: true });
    await new Promise((closed) => {
      server.close(closed);
      server.closeAllConnections();
    });
  });

  const file = (name: string): string => join(folder, name);
  const init = (source: string, flags: Partial<InitFlags> = {}): Promise<number> =>
    initCommand(source, { yes: true, guess: true, out: file('out.yaml'), ...flags });
  const written = (): string => readFileSync(file('out.yaml'), 'utf8');
  const items = async (): Promise<number> => {
    const config = parse(written()) as object;
    expect(validate(config as never).warnings).toEqual([]);
    return (await firstValueFrom(extract(config).items$.pipe(toArray()))).length;
  };

  it('writes lists and children with their paging, whose run gives all items', async () => {
    expect(await init(`${origin}/openapi.json`, { bearer: TOKEN })).toBe(0);
    expect(asked[0]).toBe('/openapi.json -');
    expect(parse(written())).toMatchObject({
      api: { baseUrl: `${origin}/`, pagination: { method: 'multiple' } },
      config: {
        jobs: [
          { endpoint: 'users', children: [{ endpoint: 'users/{user_id}/posts', placeholders: { user_id: 'id' } }] },
        ],
        primaryKeys: { users: ['id'] },
      },
    });
    expect(`${written()}${stdout}${stderr}`).not.toContain('s3cret');
    expect(stdout).toContain('/search needs a value for "q".');
    expect(stdout).not.toContain('No list was seen');
    process.env['API_TOKEN'] = TOKEN;
    expect(await items()).toBe(25 + 25 * 5);
  });

  it('says in the preview of each list where its job stands', async () => {
    expect(await init(`${origin}/openapi.json`, { bearer: TOKEN, param: ['q=a'] })).toBe(0);
    expect(stdout.match(/^\S+ +\(config\..*\)$/gm)).toEqual([
      'users  (config.jobs[0])',
      'search  (config.jobs[1])',
      'users/{user_id}/posts  (config.jobs[0].children[0], user_id=1)',
    ]);
  });

  it('writes what the description says where the API refuses, and marks it', async () => {
    isOpen = false;
    expect(await init(`${origin}/openapi.json`)).toBe(0);
    expect(written()).toContain('UNSURE: users: The description names the parameters "skip" and "limit".');
    expect(stdout).toContain('this list was not seen');
    expect(stdout).toContain('No list was seen, so that a run will get nothing either.');
    expect(stdout).toContain('name it with --base-url');
    isOpen = true;
    process.env['API_TOKEN'] = TOKEN;
    expect(await items()).toBe(25 + 25 * 5);
  });

  it('takes the lists that are named, with values that they need', async () => {
    expect(await init(`${origin}/openapi.json`, { bearer: TOKEN, job: ['search'], param: ['q=a b'] })).toBe(0);
    expect(parse(written())).toMatchObject({ config: { jobs: [{ endpoint: 'search', params: { q: 'a b' } }] } });
    process.env['API_TOKEN'] = TOKEN;
    expect(await items()).toBe(2);
  });

  it('names the lists that there are where one is not known, and what a list needs', async () => {
    expect(await init(`${origin}/openapi.json`, { job: ['nope'] })).toBe(1);
    expect(stderr).toContain('/users (list_users), /search (search), /users/{user_id}/posts (list_posts)');
    expect(await init(`${origin}/openapi.json`, { job: ['search'] })).toBe(1);
    expect(stderr).toContain('/search needs a value for "q".');
  });

  it('reads Swagger 2 in a file, with the address of the API', async () => {
    writeFileSync(file('swagger.json'), JSON.stringify(SWAGGER));
    expect(await init(file('swagger.json'))).toBe(1);
    expect(stderr).toContain('--base-url');
    expect(await init(file('swagger.json'), { baseUrl: `${origin}/v1` })).toBe(0);
    expect(await items()).toBe(7);
  });

  it('reads the pages of a HAR without a network, and writes a configuration that gives all items', async () => {
    const page = (number: number): object =>
      entry(
        `${origin}/users/7/posts?page=${number}`,
        { items: count(5, 700).slice((number - 1) * 2, number * 2), page: number, pages: 3 },
        { headers: { Authorization: `Bearer ${TOKEN}` } },
      );
    writeFileSync(file('a.har'), har(page(2), page(1), page(3)));
    expect(await init(file('a.har'))).toBe(0);
    expect(asked).toEqual([]);
    expect(`${written()}${stdout}`).not.toContain('s3cret');
    process.env['API_TOKEN'] = TOKEN;
    expect(await items()).toBe(5);
  });

  it('writes no secret of a HAR, whatever its name and its place', async () => {
    const [hex, stripe] = ['8f3e9c1ab2774d0fa1b2c3d4e5f60718', 'sk_live_abcdefghijklmnop'];
    const headers = { 'X-Thing': `Bearer ${hex}`, 'X-Org': stripe };
    const posted = JSON.stringify({ k: hex, keys: [stripe] });
    writeFileSync(
      file('a.har'),
      har(
        entry(`${origin}/users?k=${hex}`, [{ id: 1 }, { id: 2 }], { headers }),
        entry(`${origin}/orders?o=${stripe}`, [{ id: 1 }, { id: 2 }], { headers, post: posted }),
      ),
    );
    expect(await init(file('a.har'))).toBe(0);
    for (const secret of [hex, stripe]) expect(`${written()}${stdout}${stderr}`).not.toContain(secret);
    expect(parse(written())).toMatchObject({
      config: {
        jobs: [
          { params: { k: { env: 'API_K' } } },
          { params: { o: { env: 'API_O' } }, body: { k: { attr: '#k' }, keys: [{ attr: '#keys' }] } },
        ],
      },
    });
    expect(stdout).toContain('Set API_THING, API_ORG, API_K, API_KEYS, API_O in the environment');
  });

  it('has a variable for each value of a parameter that differs between lists of a HAR', async () => {
    const [one, other] = ['8f3e9c1ab2774d0fa1b2c3d4e5f60718', '0718e5f6c3d4a1b24d0fb2779c1a8f3e'];
    const lists = [one, other].map((k) => entry(`${origin}/orders?k=${k}`, [{ id: 1 }, { id: 2 }]));
    writeFileSync(file('a.har'), har(...lists));
    expect(await init(file('a.har'))).toBe(0);
    expect(parse(written())).toMatchObject({
      config: {
        jobs: [
          { endpoint: 'orders', params: { k: { env: 'API_K' } } },
          { endpoint: 'orders', params: { k: { env: 'API_K2' } } },
        ],
      },
    });
    expect(stdout).not.toContain('different credentials');
  });

  it('writes what the description says where nothing answers', async () => {
    writeFileSync(file('openapi.json'), JSON.stringify(OPENAPI));
    expect(await init(file('openapi.json'), { baseUrl: 'http://127.0.0.1:1/', bearer: TOKEN })).toBe(0);
    process.env['API_TOKEN'] = TOKEN;
    expect(validate(parse(written()) as never).warnings).toEqual([]);
    expect(stdout).toContain('this list was not seen');
    expect(`${written()}${stdout}`).not.toContain('s3cret');
  });
});
