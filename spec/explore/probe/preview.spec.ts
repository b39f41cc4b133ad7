import { preview } from '../../../src';
import type { JobPreview, Preview } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';

describe('preview', () => {
  let server: ApiServer;
  afterEach(() => server.close());
  const answering = async (answer: Parameters<typeof startServer>[0]): Promise<void> => {
    server = await startServer(answer);
  };
  const looked = (
    jobs: readonly object[],
    { api = {}, config = {}, ...options }: { api?: object; config?: object } & Parameters<typeof preview>[1] = {},
  ): Promise<Preview> => preview({ api: { baseUrl: server.origin, ...api }, config: { ...config, jobs } }, options);
  const only = ({ jobs }: Preview): JobPreview => {
    expect(jobs).toHaveLength(1);
    return jobs[0] as JobPreview;
  };
  const asked = (): string[] => server.requests.map(({ method, url }) => `${method} ${url}`);

  it('shows a page: request, response, where the items are, the first items, tables with types', async () => {
    await answering(() =>
      json({
        meta: { total: 4 },
        data: [{ id: 1, born: '2024-02-29', tags: ['a', 'b'] }, { id: 2 }, { id: 3 }, { id: 4 }],
        errors: [],
      }),
    );
    const job = only(await looked([{ id: 'people', endpoint: 'users', dataType: 'users', dataField: 'data' }]));
    expect(job).toMatchObject({ id: 'people', path: 'config.jobs[0]', state: 'previewed', warnings: [] });
    const [page] = job.pages;
    expect(page).toMatchObject({
      request: { method: 'GET', url: `${server.origin}/users` },
      response: { status: 200, isCut: false },
      found: {
        path: 'data',
        how: 'configured',
        candidates: [
          { path: 'data', count: 4 },
          { path: 'errors', count: 0 },
        ],
      },
      count: 4,
      more: 'no',
    });
    expect(page?.items).toHaveLength(3);
    expect(page?.response.body).toContain('"total":4');
    expect(page?.moreBecause).toBe('The API counts 4 items ("meta.total"), and 4 have come.');
    expect(job.tables.map(({ name, parent, columns, count }) => ({ name, parent, columns, count }))).toEqual([
      {
        name: 'users',
        parent: undefined,
        columns: [
          { name: '_row_id', type: 'integer' },
          { name: 'id', type: 'integer' },
          { name: 'born', type: 'date' },
        ],
        count: 4,
      },
      {
        name: 'users_tags',
        parent: 'users',
        columns: [
          { name: '_row_id', type: 'integer' },
          { name: '_parent_row_id', type: 'integer' },
          { name: '_position', type: 'integer' },
          { name: 'value', type: 'text' },
        ],
        count: 2,
      },
    ]);
    expect(job.tables[0]?.rows).toHaveLength(3);
  });

  it.each([
    ['a flag', { items: [{ id: 1 }], has_more: true }, {}],
    ['a total', { items: [{ id: 1 }], total: 20 }, {}],
    ['a next link in the body', { items: [{ id: 1 }], next: '/users?page=2' }, {}],
    ['a next link in the header', [{ id: 1 }], { link: '</users?page=2>; rel="next"' }],
  ])('says loudly that there is more where no pagination is configured: %s', async (_, body, headers) => {
    await answering(() => json(body, 200, headers));
    const { pages, warnings } = only(await looked([{ endpoint: 'users' }]));
    expect(pages[0]).toMatchObject({ more: 'yes' });
    expect(pages[0]?.next.request).toBeUndefined();
    expect(warnings[0]).toMatch(/^A run would stop here, and the API has more of users\./);
    expect(asked()).toEqual(['GET /users']);
  });

  it('says what paging would do next, and asks for no more pages than wanted', async () => {
    await answering(() => json([{ id: 1 }, { id: 2 }]));
    const api = { pagination: { method: 'offset', limit: 2, firstPageParams: true } };
    const first = only(await looked([{ endpoint: 'users' }], { api }));
    expect(first.pages[0]?.next).toEqual({
      request: { method: 'GET', url: `${server.origin}/users?limit=2&offset=2` },
      because: 'The pagination goes on.',
    });
    expect(asked()).toHaveLength(1);
  });

  it('shows several pages, counted together', async () => {
    await answering(({ url }) =>
      json({ total: 3, items: url.includes('offset=2') ? [{ id: 3 }] : [{ id: 1 }, { id: 2 }] }),
    );
    const api = { pagination: { method: 'offset', limit: 2 } };
    const { pages } = only(await looked([{ endpoint: 'users' }], { api, pages: 5 }));
    expect(pages.map(({ count, more, next }) => [count, more, next.request?.url])).toEqual([
      [2, 'yes', `${server.origin}/users?limit=2&offset=2`],
      [1, 'no', undefined],
    ]);
  });

  it('tells a stop of the configuration from its own end, also where both are after one page', async () => {
    await answering(() => json({ items: [{ id: 1 }, { id: 2 }], has_more: true }));
    const api = { pagination: { method: 'offset', limit: 2, forceStop: { pages: 1 } } };
    const { pages, warnings } = only(await looked([{ endpoint: 'users' }], { api }));
    expect(pages[0]?.next).toEqual({ because: 'Force stopping: page limit reached (1 pages).' });
    expect(warnings).toHaveLength(1);
  });

  const TREE = {
    endpoint: 'boxes',
    children: [
      {
        endpoint: 'boxes/{id}/parts',
        placeholders: { id: 'id' },
        recursionFilter: 'id!=1',
        children: [{ endpoint: 'parts/{part}/makers', placeholders: { part: 'id' } }],
      },
      { endpoint: 'boxes/{id}/owners', placeholders: { id: 'id' } },
    ],
  };

  it('calls children once, for the first parent item that leads to them', async () => {
    await answering(({ url }) => {
      if (url === '/boxes') return json([{ id: 1 }, { id: 2 }, { id: 3 }]);
      return json(url.startsWith('/boxes/2') ? [{ id: 'p' }] : []);
    });
    const { jobs } = await looked([TREE]);
    expect(asked()).toEqual(['GET /boxes', 'GET /boxes/2/parts', 'GET /parts/p/makers', 'GET /boxes/1/owners']);
    expect(jobs.map(({ endpoint, state, placeholders }) => [endpoint, state, placeholders])).toEqual([
      ['boxes', 'previewed', undefined],
      ['boxes/{id}/parts', 'previewed', { id: '2' }],
      ['parts/{part}/makers', 'previewed', { id: '2', part: 'p' }],
      ['boxes/{id}/owners', 'previewed', { id: '1' }],
    ]);
    expect(jobs[2]?.parent).toBe(jobs[1]?.id);
  });

  it('says why a job was not reached', async () => {
    await answering(({ url }) => json(url === '/boxes' ? [{ id: 1 }] : []));
    const { jobs } = await looked([TREE]);
    expect(jobs.map(({ state, reason }) => [state, reason])).toEqual([
      ['previewed', undefined],
      ['notReached', 'no item of its parent passes the recursionFilter "id!=1"'],
      ['notReached', 'its parent was not reached'],
      ['previewed', undefined],
    ]);
  });

  it('goes on with the other jobs when one fails, and shows what came of it', async () => {
    await answering(({ url }) => (url === '/bad' ? json({ message: 'no such thing' }, 404) : json([{ id: 1 }])));
    const { jobs } = await looked([
      { endpoint: 'bad', children: [{ endpoint: 'x/{id}', placeholders: { id: 'id' } }] },
      { endpoint: 'good' },
    ]);
    expect(jobs.map(({ state, reason }) => [state, reason])).toEqual([
      ['failed', undefined],
      ['notReached', 'its parent failed'],
      ['previewed', undefined],
    ]);
    expect(jobs[0]?.error).toMatchObject({ code: 'API_STATUS', status: 404 });
    expect(jobs[0]?.pages[0]).toMatchObject({
      count: 0,
      response: { status: 404, body: '{"message":"no such thing"}' },
    });
  });

  it('shows the candidates where there are several lists to choose from', async () => {
    await answering(() => json({ users: [{ id: 1 }], groups: [] }));
    const job = only(await looked([{ endpoint: 'all' }]));
    expect(job).toMatchObject({ state: 'failed', error: { code: 'API_SHAPE' } });
    expect(job.pages[0]?.found).toEqual({
      path: '',
      how: 'detected',
      candidates: [
        { path: 'users', count: 1 },
        { path: 'groups', count: 0 },
      ],
    });
  });

  it('masks secrets in requests, bodies, items and tables, and shows the login', async () => {
    await answering(({ url }) => {
      if (url === '/login') return json({ token: 't0ken-of-login' });
      return json([{ id: 1, echo: 'Bearer t0ken-of-login', key: 'pa55word-key' }]);
    });
    const seen = await looked([{ endpoint: 'users' }], {
      api: {
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'login', method: 'POST', params: { key: { attr: '#key' } } },
          apiRequest: { headers: { 'X-Api-Token': 'token' } },
        },
      },
      config: { '#key': 'pa55word-key' },
    });
    const text = JSON.stringify(seen);
    expect(text).not.toContain('t0ken-of-login');
    expect(text).not.toContain('pa55word-key');
    expect(seen.logins).toMatchObject([
      { request: { method: 'POST', url: `${server.origin}/login` }, response: { status: 200 } },
    ]);
    expect(only(seen).pages[0]?.items).toEqual([{ id: 1, echo: 'Bearer ***', key: '***' }]);
  });

  it('cuts long bodies and items', async () => {
    await answering(() => json([{ text: 'x'.repeat(5000), list: Array.from({ length: 100 }, (_, at) => at) }]));
    const job = only(await looked([{ endpoint: 'users' }], { bodyCharacters: 50 }));
    const [page] = job.pages;
    expect(page?.response).toMatchObject({ isCut: true });
    expect(page?.response.body).toHaveLength(51);
    expect(JSON.stringify(page?.items).length).toBeLessThan(1200);
  });

  it('requests one job and those above it', async () => {
    await answering(({ url }) => json(url === '/boxes' ? [{ id: 1 }] : []));
    const { jobs } = await looked([TREE, { endpoint: 'others' }], { job: 'boxes/{id}/owners' });
    expect(asked()).toEqual(['GET /boxes', 'GET /boxes/1/owners']);
    expect(jobs).toHaveLength(2);
    await expect(looked([TREE], { job: 'boxs' })).rejects.toThrow('did you mean "boxes"');
  });

  it('calls a job once that is divided, and cuts no capped window in halves', async () => {
    await answering(() => json([{ id: 1 }]));
    const { pages } = only(
      await looked([{ endpoint: 'users', params: { of: { partition: 'p' } }, partitions: { p: ['a', 'b', 'c'] } }]),
    );
    expect(pages).toHaveLength(1);
    expect(asked()).toEqual(['GET /users?of=a']);
  });

  it('refuses numbers that cannot be', async () => {
    await answering(() => json([]));
    await expect(looked([{ endpoint: 'x' }], { pages: 0 })).rejects.toThrow(RangeError);
  });

  it('ends at once when it is aborted', async () => {
    await answering(() => json([]));
    const reason = new Error('enough');
    await expect(looked([{ endpoint: 'x' }], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(asked()).toEqual([]);
  });
});
