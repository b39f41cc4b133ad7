/** Functions in more places, over whole runs (docs/extensions/functions.md). */
import { validate } from '../../../src';
import type { RunEvent } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { asked, example, pagesOf } from './support';

describe('docs/extensions/functions.md', () => {
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
    const told = JSON.stringify(events.filter(({ type }) => type !== 'page.extracted'));
    expect(told).toContain('/api/a?key=***');
    expect(told).not.toContain('top-secret');
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
