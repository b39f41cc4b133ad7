/** Bodies and methods over whole runs (docs/language/requests.md#bodies). */
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, toArray } from 'rxjs';
import { extract, validate } from '../../../src';
import type { RunEvent } from '../../../src';
import { bytes, json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { jobsAt, tokenLogin } from '../../support/configurations';
import { asked, example, pagesOf } from '../example-runs';

describe('docs/language/requests.md#bodies', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  it('request-bodies.json: a body beside pagination in the query, and PUT', async () => {
    server = await startServer(({ url }) => json(url.endsWith('offset=0') ? [{ id: 1 }, { id: 2 }] : []));
    await pagesOf(server, example('request-bodies.json'));
    expect(asked(server)).toEqual([
      'POST /api/stations/search?limit=2&offset=0',
      'POST /api/stations/search?limit=2&offset=2',
      'PUT /api/reports/today',
    ]);
    const bodies = server.requests.map(({ body }) => body);
    const search = '{"query":{"since":"2024-01-01","rivers":["ALD","MAR"]}}';
    expect(bodies).toEqual([search, search, '{"format":"short","limit":2,"offset":0}']);
    expect(server.requests.map(({ headers }) => headers['content-type'])).toEqual(Array(3).fill('application/json'));
  });

  it('GET with a body, and a list as a body', async () => {
    server = await startServer(() => json([]));
    const jobs = [
      { endpoint: 'a', params: { p: 1 }, body: { query: { match_all: {} } } },
      { endpoint: 'b', method: 'DELETE', body: [{ attr: 'x' }, 2] },
    ];
    await pagesOf(server, { api: {}, config: { x: 'X', jobs } });
    expect(server.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/api/a?p=1', '{"query":{"match_all":{}}}'],
      ['DELETE', '/api/b', '["X",2]'],
    ]);
  });

  it('language 5.6: a scrollRequest has its own parameters in its body', async () => {
    server = await startServer(({ url }) => json(url === '/api/scroll' ? { items: [] } : { items: [1], next: 'n1' }));
    const pagination = {
      method: 'response.param',
      responseParam: 'next',
      queryParam: 'scroll_id',
      scrollRequest: { endpoint: 'scroll', method: 'POST' },
    };
    const jobs = [{ endpoint: 'search', method: 'POST', body: { query: 'all' } }];
    await pagesOf(server, { api: { pagination }, config: { jobs } });
    expect(server.requests.map(({ url, body }) => [url, body])).toEqual([
      ['/api/search', '{"query":"all"}'],
      ['/api/scroll', '{"scroll_id":"n1"}'],
    ]);
  });

  it.each([
    ['of the job', { method: 'FORM' }, {}],
    ['of all jobs', {}, { http: { defaultOptions: { method: 'FORM' } } }],
  ])('a body and the method FORM %s are a fault', (_, job, api) => {
    server = { close: () => Promise.resolve() } as ApiServer;
    const config = { jobs: [{ endpoint: 'a', body: { a: 1 }, ...job }] };
    expect(() => validate({ api: { baseUrl: 'https://h.example', ...api }, config })).toThrow(
      'config.jobs[0].body: cannot be sent with method FORM, which makes a form of params; use POST',
    );
  });
});

/** Functions in more places, over whole runs (docs/language/expressions.md#places). */

describe('docs/language/expressions.md#places', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = await startServer(({ url }) => json(url.includes('login') ? { token: 't-1' } : []));
  });
  afterEach(() => server.close());

  it('functions.json: in default options, headers, lists and the endpoint of the login', async () => {
    await pagesOf(server, example('functions.json'), { previousStart: 77 });
    const [login, page] = server.requests;
    expect(login).toMatchObject({ url: '/api/offices/north/login', body: '{"key":"river-key"}' });
    expect(asked(server)[1]).toMatch(
      /^GET \/api\/measurements\?api_key=river-key&until=\d{10}&days\[0\]=2023-11-14&days\[1\]=north$/,
    );
    expect(page?.headers).toMatchObject({ 'x-agent': 'extract of north', 'x-since': '77', 'x-token': 't-1' });
  });

  it('language 6.2: without functionsInLists a list stays as it is, with a warning', async () => {
    const config = { x: 'X', jobs: [{ endpoint: 'a', params: { a: [{ attr: 'x' }], b: { c: [{ attr: 'x' }] } } }] };
    await pagesOf(server, { api: {}, config });
    expect(asked(server)).toEqual(['GET /api/a?a[0][attr]=x&b[c][0]=X']);
  });

  it('a default parameter that is computed from a secret does not go to another host', async () => {
    const elsewhere = await startServer({ '/a': json([]) });
    const params = { key: { attr: '#key' }, v: 1 };
    const config = { '#key': 'top-secret', jobs: [{ endpoint: `${elsewhere.origin}/a` }] };
    await pagesOf(server, { api: { http: { defaultOptions: { params } } }, config });
    expect(elsewhere.requests.map(({ url }) => url)).toEqual(['/a?v=1']);
    await elsewhere.close();
  });

  it('what is computed from a secret is masked in events', async () => {
    const http = { defaultOptions: { params: { key: { attr: '#key' } } } };
    const events: RunEvent[] = [];
    const config = { '#key': 'top-secret', jobs: [{ endpoint: 'a', body: { k: { attr: '#key' } } }] };
    await pagesOf(server, { api: { http }, config }, { onEvent: (event) => events.push(event) });
    expect(server.requests[0]).toMatchObject({ url: '/api/a?key=top-secret', body: '{"k":"top-secret"}' });
    const reported = JSON.stringify(events.filter(({ type }) => type !== 'page.extracted'));
    expect(reported).toContain('/api/a?key=***');
    expect(reported).not.toContain('top-secret');
  });

  it('urlencode works in params', async () => {
    const params = { q: { function: 'urlencode', args: ['a b'] } };
    await pagesOf(server, { api: {}, config: { jobs: [{ endpoint: 'a', params }] } });
    expect(asked(server)).toEqual(['GET /api/a?q=a+b']);
  });

  it('faults of functions are found before the run', () => {
    const http = { defaultOptions: { headers: { A: { function: 'cocnat', args: [] } } } };
    const config = { jobs: [{ endpoint: 'a', headers: { B: { attr: 'nope' } }, body: [{ function: 'md5' }] }] };
    expect(() => validate({ api: { baseUrl: 'https://h.example', http }, config })).toThrow(
      expect.objectContaining({
        faults: [
          { path: 'api.http.defaultOptions.headers.A', message: expect.stringContaining("'cocnat'") as string },
          { path: 'config.jobs[0].body[0]', message: expect.stringContaining('argument count') as string },
          { path: 'config.jobs[0].headers.B', message: expect.stringContaining("'nope' not found") as string },
        ],
      }) as Error,
    );
  });

  it('a header without a value is sent', async () => {
    const headers = { 'X-A': '', 'X-B': null, 'X-C': { attr: 'empty' } };
    await pagesOf(server, { api: {}, config: { empty: '', jobs: [{ endpoint: 'a', headers }] } });
    expect(server.requests[0]?.headers).toMatchObject({ 'x-a': '', 'x-b': '', 'x-c': '' });
  });

  it('a header that becomes a structure is an error that names it', async () => {
    const headers = { A: { function: 'ifempty', args: [[{ a: 1 }], 'x'] } };
    const failure = pagesOf(server, { api: {}, config: { jobs: [{ endpoint: 'a', headers }] } });
    await expect(failure).rejects.toMatchObject({
      code: 'EXPRESSION_FAILED',
      message: expect.stringContaining(
        'config.jobs[0].headers.A[0]: expected a string or a number, found object',
      ) as string,
    });
  });
});

/** The cache over whole runs, against a real server (language 1.8). */

describe('language 1.8: the cache of a run', () => {
  let folder: string;
  let server: ApiServer;
  let logins = 0;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'cache-')), 'cache');
    logins = 0;
    server = await startServer(({ url, headers }) =>
      url.startsWith('/login') ? json({ token: `t0ken-${(logins += 1)}` }) : json([{ url, token: headers['x-token'] }]),
    );
  });
  afterEach(async () => {
    await server.close();
    await rm(join(folder, '..'), { recursive: true });
  });

  const configuration = (config: object = {}, cache: unknown = true): object => ({
    ...jobsAt(server.origin, ['a', 'b'], tokenLogin(0), config),
    cache,
  });
  const eventsOf = (config: object, cacheFolder?: string): Promise<RunEvent[]> =>
    lastValueFrom(extract(config, cacheFolder === undefined ? {} : { cacheFolder }).events$.pipe(toArray()));
  const itemsOf = (events: readonly RunEvent[]): unknown[] =>
    events.flatMap((event) => (event.type === 'page.extracted' ? event.page.items : []));

  it('a second run with other tokens asks for nothing, not even a login', async () => {
    const first = itemsOf(await eventsOf(configuration(), folder));
    expect(first).toEqual([
      { url: '/a', token: 't0ken-1' },
      { url: '/b', token: 't0ken-2' },
    ]);
    expect(server.requests).toHaveLength(4);

    const events = await eventsOf(configuration(), folder);
    expect(itemsOf(events)).toEqual(first);
    expect(server.requests).toHaveLength(4);
    expect(events.filter(({ type }) => type === 'response.cached')).toHaveLength(2);
  });

  it('logins are never kept', async () => {
    await eventsOf(configuration(), folder);
    const files = await readdir(folder);
    const urls = await Promise.all(
      files.map(async (file) => (JSON.parse(await readFile(join(folder, file), 'utf8')) as { url: string }).url),
    );
    expect(urls.sort()).toEqual([`${server.origin}/a`, `${server.origin}/b`]);
  });

  it('what becomes of the responses may change, who asks may not', async () => {
    await eventsOf(configuration({ '#key': 'mine' }), folder);
    await eventsOf(configuration({ '#key': 'mine', debug: true, mappings: { x: { id: 'id' } } }), folder);
    expect(server.requests).toHaveLength(4);
    await eventsOf(configuration({ '#key': 'yours' }), folder);
    expect(server.requests).toHaveLength(8);
  });

  it.each([{ userData: { account: 'b' } }, { id: 'b' }, { outputBucket: 'b' }])(
    'an attribute with another meaning may be a credential as well: %j',
    async (attributes) => {
      await eventsOf(configuration({ '#key': 'mine' }), folder);
      await eventsOf(configuration({ '#key': 'mine', ...attributes }), folder);
      expect(server.requests).toHaveLength(8);
    },
  );

  it('the same run is answered from the folder', async () => {
    await eventsOf(configuration({ '#key': 'mine' }), folder);
    await eventsOf(configuration({ '#key': 'mine' }), folder);
    expect(server.requests).toHaveLength(4);
  });

  it('without "cache", the folder is left alone', async () => {
    await eventsOf(configuration({}, null), folder);
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('without a folder, responses are not kept, with a warning', async () => {
    const message = 'cache: has no effect: no folder was given for it (option cacheFolder)';
    for (let run = 0; run < 2; run += 1)
      expect(await eventsOf(configuration())).toContainEqual({
        run: expect.any(String) as string,
        type: 'warning',
        code: 'CONFIGURATION',
        message,
      });
    expect(server.requests).toHaveLength(8);
    expect(extract(configuration()).warnings).toHaveLength(1);
    expect(extract(configuration(), { cacheFolder: folder }).warnings).toEqual([]);
  });

  it.each([
    ['that says it is an error', json({ error: 'maintenance' }), 'INCOMPLETE'],
    ['that cannot be read', bytes('maintenance', { 'content-type': 'text/plain' }), 'API_NOT_JSON'],
  ])('a response %s is told to come from it', async (_, answer, code) => {
    await server.close();
    server = await startServer(() => answer);
    const config = {
      api: { baseUrl: server.origin },
      config: { jobs: [{ endpoint: 'x', dataField: 'items' }] },
      cache: true,
    };
    const hint = 'comes from the cache';
    await expect(eventsOf(config, folder)).rejects.toMatchObject({
      ...{ code, message: expect.not.stringContaining(hint) as string },
    });
    await expect(eventsOf(config, folder)).rejects.toMatchObject({
      ...{ code, message: expect.stringContaining(hint) as string },
    });
    expect(server.requests).toHaveLength(1);
  });
});
