import { configured, useScript } from '../../end-to-end/specification/support';

const play = useScript();
const withPagination = (pagination: object): object => ({ pagination });

describe('pagination over whole runs (language 5)', () => {
  it('language 5.4: pagenum without a page size', async () => {
    const { items } = await play(configured(withPagination({ method: 'pagenum' }), { dataField: 'items' }), [
      ['GET /users?page=1', { items: [1, 2] }],
      ['GET /users?page=2', { items: [3] }],
      ['GET /users?page=3', { items: [] }],
    ]);
    expect(items).toEqual([1, 2, 3]);
  });

  it('language 5.6: a scrollRequest may change endpoint and method', async () => {
    const config = configured(
      withPagination({
        method: 'response.param',
        responseParam: 'scroll.token',
        queryParam: 'token',
        scrollRequest: { endpoint: 'results', method: 'GET' },
      }),
      { endpoint: 'search', method: 'POST', dataField: 'items', params: { object: 'users' } },
    );
    const { items, asked, warnings } = await play(config, [
      ['POST /search', { scroll: { token: 'a' } }],
      ['GET /results?token=a', { items: [1, 2], scroll: { token: 'b' } }],
      ['GET /results?token=b', { items: [3], scroll: {} }],
    ]);
    expect(items).toEqual([1, 2, 3]);
    expect(asked[0]?.body).toBe('{"object":"users"}');
    expect(warnings).toEqual(['dataField items contains no data!']);
  });

  it('language 5.6: with POST the value is in the body', async () => {
    const config = configured(
      withPagination({ method: 'response.param', responseParam: 'next', queryParam: 'token', includeParams: true }),
      { method: 'POST', params: { q: 'x' } },
    );
    const { asked } = await play(config, [
      ['POST /users', { items: [1], next: 'a' }],
      ['POST /users', { items: [2] }],
    ]);
    expect(asked.map(({ body }) => body)).toEqual(['{"q":"x"}', '{"q":"x","token":"a"}']);
  });

  it('a scroll whose tokens never end: stopWhenEmpty ends it', async () => {
    const scroll = { method: 'response.param', responseParam: '_scroll_id', queryParam: 'scroll_id' };
    const later = { scrollRequest: { endpoint: '_search/scroll', params: { scroll: '1m' } } };
    const config = configured(withPagination({ ...scroll, ...later, stopWhenEmpty: true }), {
      endpoint: 'ships/_search?scroll=1m',
      dataField: 'hits.hits',
    });
    const hits = (...ids: number[]) => ({
      hits: { total: { value: 3, relation: 'eq' }, hits: ids.map((_id) => ({ _id })) },
    });
    const { items, doubts } = await play(config, [
      ['GET /ships/_search?scroll=1m', { _scroll_id: 'a', ...hits(1, 2) }],
      ['GET /_search/scroll?scroll=1m&scroll_id=a', { _scroll_id: 'b', ...hits(3) }],
      ['GET /_search/scroll?scroll=1m&scroll_id=b', { _scroll_id: 'c', took: 1, ...hits() }],
    ]);
    expect(items).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
    expect(doubts).toEqual([]);
  });

  it('changes whose position never ends: stopWhenEmpty ends them', async () => {
    const changes = { method: 'response.param', responseParam: 'last_seq', queryParam: 'since', stopWhenEmpty: true };
    const config = configured(withPagination(changes), { endpoint: '_changes', dataField: 'results' });
    const { items, doubts } = await play(config, [
      ['GET /_changes', { results: [{ seq: '1-x' }], last_seq: '1-x', pending: 1 }],
      ['GET /_changes?since=1-x', { results: [{ seq: '2-y' }], last_seq: '2-y', pending: 0 }],
      ['GET /_changes?since=2-y', { results: [], last_seq: '2-z', pending: 0 }],
    ]);
    expect(items).toEqual([{ seq: '1-x' }, { seq: '2-y' }]);
    expect(doubts).toEqual([]);
  });

  describe('GraphQL, whose positions stand in variables', () => {
    const offset = {
      method: 'offset',
      limit: 2,
      offsetParam: ['variables', 'offset'],
      limitParam: ['variables', 'first'],
    };
    const ships = (...ids: number[]) => ({ data: { ships: ids } });
    const bodyOf = (at: number): string => `{"query":"{ ships }","variables":{"kind":"tug","first":2,"offset":${at}}}`;

    it.each(['params', 'body'])('offset, with the query in the %s of the job', async (place) => {
      const job = {
        method: 'POST',
        dataField: 'data.ships',
        [place]: { query: '{ ships }', variables: { kind: 'tug' } },
      };
      const { items, asked, doubts } = await play(configured(withPagination(offset), job), [
        ['POST /users', ships(1, 2)],
        ['POST /users', ships(3, 4)],
        ['POST /users', ships(5)],
      ]);
      expect(items).toEqual([1, 2, 3, 4, 5]);
      expect(asked.map(({ body }) => body)).toEqual([bodyOf(0), bodyOf(2), bodyOf(4)]);
      expect(doubts).toEqual([]);
    });

    it('a token, with the query in the body', async () => {
      const after = { method: 'response.param', responseParam: 'data.next', queryParam: ['variables', 'after'] };
      const job = { method: 'POST', dataField: 'data.ships', body: { query: '{ ships }' } };
      const { asked } = await play(configured(withPagination(after), job), [
        ['POST /users', { data: { ships: [1], next: 'a' } }],
        ['POST /users', { data: { ships: [2], next: null } }],
      ]);
      expect(asked.map(({ body }) => body)).toEqual([
        '{"query":"{ ships }"}',
        '{"query":"{ ships }","variables":{"after":"a"}}',
      ]);
    });

    it('a value in the way, known when the job runs, ends the run before its request', async () => {
      const job = { method: 'POST', body: { variables: { function: 'concat', args: ['te', 'xt'] } } };
      await expect(play(configured(withPagination(offset), job), [])).rejects.toThrow(
        'config.jobs[0].body.variables: pagination sets ["variables","first"] in it',
      );
    });
  });

  it('positions in headers and in templates', async () => {
    const range = { method: 'offset', limit: 2, offsetParam: { header: 'Range', template: 'items={from}-{to}' } };
    const ranged = await play(configured(withPagination(range), { headers: { range: 'none' } }), [
      ['GET /users', [1, 2]],
      ['GET /users', [3]],
    ]);
    expect(ranged.asked.map(({ headers }) => headers['range'])).toEqual(['items=0-1', 'items=2-3']);
    const rison = {
      method: 'pagenum',
      firstPage: 0,
      limit: 2,
      pageParam: { param: 'q', template: '(page:{value},page_size:{limit})' },
    };
    await play(configured(withPagination(rison)), [
      ['GET /users?q=(page:0,page_size:2)', [1, 2]],
      ['GET /users?q=(page:1,page_size:2)', [3]],
    ]);
    const continued = {
      method: 'response.param',
      responseHeader: 'x-ms-continuation',
      queryParam: { header: 'X-MS-Continuation' },
    };
    const job = await play(configured(withPagination(continued)), [['GET /users', [1]]]);
    expect(job.asked[0]?.headers['x-ms-continuation']).toBeUndefined();
  });

  it('language 5.7: cursor', async () => {
    const { items } = await play(configured(withPagination({ method: 'cursor', idKey: 'id', param: 'after' })), [
      ['GET /users', [{ id: 2 }, { id: 1 }]],
      ['GET /users?after=2', [{ id: 3 }]],
      ['GET /users?after=3', []],
    ]);
    expect(items).toEqual([{ id: 2 }, { id: 1 }, { id: 3 }]);
  });

  it('language 5.8: zendesk.response.url stops at a page that is too recent', async () => {
    const recent = Math.floor(Date.now() / 1000);
    const { items } = await play(
      configured(withPagination({ method: 'zendesk.response.url' }), { dataField: 'items' }),
      [
        ['GET /users', { items: [1], next_page: '/users?start_time=1' }],
        ['GET /users?start_time=1', { items: [2], next_page: `/users?start_time=${recent}` }],
      ],
    );
    expect(items).toEqual([1, 2]);
  });

  it('language 5.9: each job by its own scroller', async () => {
    const scrollers = { list: { method: 'offset', limit: 2 }, search: { method: 'pagenum' } };
    const config = {
      ...configured(withPagination({ method: 'multiple', scrollers, default: 'list' })),
      config: { jobs: [{ endpoint: 'users' }, { endpoint: 'search', scroller: 'search' }] },
    };
    const { items } = await play(config, [
      ['GET /users?limit=2&offset=0', [1, 2]],
      ['GET /users?limit=2&offset=2', [3]],
      ['GET /search?page=1', [4]],
      ['GET /search?page=2', []],
    ]);
    expect(items).toEqual([1, 2, 3, 4]);
  });
});
