/** Placeholders outside of endpoints, over whole runs (docs/extensions/placeholders-in-params.md). */
import { createHash } from 'node:crypto';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { asked, example, pagesOf } from './support';

describe('docs/extensions/placeholders-in-params.md', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = await startServer(({ url }) =>
      json(url.startsWith('/api/stations') ? [{ id: 'ALD-1', n: 7, '#': '{attr}' }] : []),
    );
  });
  afterEach(() => server.close());
  const childOf = (child: object, config: object = {}) => ({
    api: {},
    config: { ...config, jobs: [{ endpoint: 'stations', children: [{ placeholders: { id: 'id' }, ...child }] }] },
  });

  it('placeholders-in-params.json: in queries, arguments of functions, headers and JSON bodies', async () => {
    await pagesOf(server, example('placeholders-in-params.json'));
    const key = createHash('md5').update('rivers:ALD-1').digest('hex');
    expect(asked(server)).toEqual([
      'GET /api/stations',
      `GET /api/measurements?station=ALD-1&key=${key}`,
      'POST /api/search',
    ]);
    expect(server.requests[1]?.headers['x-station']).toBe('ALD-1');
    expect(server.requests[2]?.body).toBe('{"where":{"all":[{"field":"station","is":"ALD-1"}]}}');
  });

  it('a number becomes text, and unknown names stay', async () => {
    const child = { endpoint: 'search', method: 'POST', placeholders: { n: 'n' }, params: { n: '{n}', other: '{id}' } };
    await pagesOf(server, childOf(child));
    expect(server.requests[1]?.body).toBe('{"n":"7","other":"{id}"}');
  });

  it('inherited placeholders are replaced as well', async () => {
    const grandchild = { endpoint: 'b', params: { station: '{id}' } };
    const child = { endpoint: 'stations/all', children: [{ ...grandchild, placeholders: { n: 'n' } }] };
    await pagesOf(server, childOf(child));
    expect(asked(server)).toEqual(['GET /api/stations', 'GET /api/stations/all', 'GET /api/b?station=ALD-1']);
  });

  it('placeholdersInParams false: params and body stay as they are', async () => {
    const child = { endpoint: 'search/{id}', placeholdersInParams: false, params: { a: '{id}' }, body: { b: '{id}' } };
    await pagesOf(server, childOf({ ...child, headers: { c: '{id}' } }));
    expect(asked(server)[1]).toBe('GET /api/search/ALD-1?a={id}');
    expect(server.requests[1]).toMatchObject({ body: '{"b":"{id}"}', headers: { c: 'ALD-1' } });
  });

  it('a value of a response is text and never an expression', async () => {
    const child = { endpoint: 'search', method: 'POST', placeholders: { x: '#' } };
    await pagesOf(server, childOf({ ...child, params: { a: '{x}', b: { c: ['{x}'] } } }, { attr: 'secret' }));
    expect(server.requests[1]?.body).toBe('{"a":"{attr}","b":{"c":["{attr}"]}}');
  });
});
