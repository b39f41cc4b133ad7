import { configured, useScript } from '../../specification/support';

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
