/** Bodies and methods over whole runs (docs/extensions/request-bodies.md). */
import { validate } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { asked, example, pagesOf } from './support';

describe('docs/extensions/request-bodies.md', () => {
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
