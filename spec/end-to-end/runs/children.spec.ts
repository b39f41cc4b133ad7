/** Children over whole runs, against a real server (language 6.6). */
import { createHash } from 'node:crypto';
import { lastValueFrom, toArray } from 'rxjs';
import { extract, validate } from '../../../src';
import type { Page, RunEvent } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';
import { asked, example, pagesOf } from '../example-runs';

describe('children', () => {
  let server: ApiServer;
  let elsewhere: ApiServer | undefined;
  afterEach(async () => {
    await server.close();
    await elsewhere?.close();
    elsewhere = undefined;
  });
  const pagesOf = (job: object, api: object = {}, config: object = {}): Promise<Page[]> =>
    lastValueFrom(
      extract({ api: { baseUrl: server.origin, ...api }, config: { ...config, jobs: [job] } }).pages$.pipe(toArray()),
    );
  const asked = (): string[] => server.requests.map(({ url }) => url);

  it('run in the order of the language: a page, its children by definition and item, the next page', async () => {
    server = await startServer(({ url }: ReceivedRequest) => {
      if (url.startsWith('/boxes?limit=2&offset=0')) return json([{ id: 1 }, { id: 2 }]);
      if (url.startsWith('/boxes')) return json([{ id: 3 }]);
      return json([]);
    });
    await pagesOf(
      {
        endpoint: 'boxes',
        children: [
          { endpoint: 'a/{id}', placeholders: { id: 'id' } },
          { endpoint: 'b/{id}', placeholders: { id: 'id' }, recursionFilter: 'id!=1' },
        ],
      },
      { pagination: { method: 'offset', limit: 2, firstPageParams: true } },
    );
    expect(asked().map((url) => url.replace(/\?limit=2&offset=/, '@'))).toEqual([
      '/boxes@0',
      '/a/1@0',
      '/a/2@0',
      '/b/2@0',
      '/boxes@2',
      '/a/3@0',
      '/b/3@0',
    ]);
  });

  it('inherit placeholders, and their pages carry the columns that they add', async () => {
    server = await startServer(({ url }: ReceivedRequest) =>
      json(url === '/boxes' ? [{ id: 7 }] : [{ url, tag: 't' }]),
    );
    const pages = await pagesOf(
      {
        endpoint: 'boxes',
        userData: { src: 'job' },
        children: [
          {
            endpoint: 'box/{id}',
            placeholders: { id: 'id' },
            children: [{ endpoint: 'box/{id}/{tag}', placeholders: { tag: 'tag' }, userData: 'mine' }],
          },
        ],
      },
      {},
      { userData: { src: 'config', day: 'd' } },
    );
    expect(asked()).toEqual(['/boxes', '/box/7', '/box/7/t']);
    expect(pages.map(({ extra }) => Object.fromEntries(extra))).toEqual([
      { src: 'job', day: 'd' },
      { parent_id: '7' },
      { job_parent_id: 'mine', parent_id: '7', parent_tag: 't' },
    ]);
    expect(pages.at(-1)?.job.placeholders).toEqual({ id: '7', tag: 't' });
  });

  it('without any placeholder are never called, with a warning', async () => {
    server = await startServer({ '/boxes': json([{ id: 1 }]) });
    const { warnings, pages$ } = extract({
      api: { baseUrl: server.origin },
      config: { jobs: [{ endpoint: 'boxes', children: [{ endpoint: 'all' }] }] },
    });
    await lastValueFrom(pages$);
    expect(asked()).toEqual(['/boxes']);
    expect(warnings).toContainEqual({
      path: 'config.jobs[0].children[0].placeholders',
      message: "No 'placeholders' set for 'all': it is never called",
    });
  });

  it('a value of a response cannot lead them to another host', async () => {
    elsewhere = await startServer({});
    server = await startServer({ '/boxes': json([{ link: `${elsewhere.origin}/steal` }]) });
    const failure = pagesOf({ endpoint: 'boxes', children: [{ endpoint: '{link}', placeholders: { link: 'link' } }] });
    await expect(failure).rejects.toMatchObject({ code: 'ORIGIN_REFUSED' });
    expect(elsewhere.requests).toEqual([]);
  });

  it('a link to the same host is followed', async () => {
    server = await startServer(({ url }: ReceivedRequest) =>
      url === '/boxes' ? json([{ link: `${server.origin}/box/1?a=b` }]) : json([{ url }]),
    );
    const pages = await pagesOf({
      endpoint: 'boxes',
      children: [{ endpoint: '{link}', placeholders: { link: 'link' } }],
    });
    expect(pages.at(-1)?.items).toEqual([{ url: '/box/1?a=b' }]);
  });

  describe('with values that change the address', () => {
    const POSTS = 'tags/{t}/posts';
    const warned = async (values: readonly unknown[], endpoint = POSTS, placeholder: unknown = 'name') => {
      server = await startServer(({ url }: ReceivedRequest) =>
        json(url === '/tags' ? values.map((name) => ({ name })) : [{ url }]),
      );
      const events: RunEvent[] = [];
      const child = { endpoint, dataType: 'posts', placeholders: { t: placeholder } };
      const { pages$ } = extract(
        { api: { baseUrl: server.origin }, config: { jobs: [{ endpoint: 'tags', children: [child] }] } },
        { onEvent: (event) => events.push(event) },
      );
      await lastValueFrom(pages$);
      return events.flatMap((event) => (event.type === 'warning' ? [event] : []));
    };

    it.each([
      ['c#', '/tags/c', 'has "#", and what follows it is not sent', POSTS],
      ['what?', '/tags/what?/posts', 'has "?", and what follows it is no part of the path', POSTS],
      ['50%', '/tags/50%/posts', 'has "%", which begins a character that is encoded', POSTS],
      ['..', '/posts', 'is "." or ".."', POSTS],
      ['.', '/tags/posts', 'is "." or ".."', POSTS],
      ['a/../..', '/posts', 'is "." or ".."', POSTS],
      ['', '/tags//posts', 'is empty', POSTS],
      ['a&b', '/tags?tag=a&b', 'has "&", and what follows it is another parameter', 'tags?tag={t}'],
      ['a#', '/tags?tag=a', 'has "#"', 'tags?tag={t}'],
    ])('warn once, and are requested: %j as %s', async (value, address, what, endpoint) => {
      const warnings = await warned([value, 'b', value], endpoint);
      expect(asked()[1]).toBe(address);
      expect(warnings).toMatchObject([
        {
          ...{ type: 'warning', code: 'PLACEHOLDER_CHANGES_URL' },
          message: expect.stringContaining(`config.jobs[0].children[0].endpoint: a value of {t} ${what}`) as string,
          job: expect.not.objectContaining({ placeholders: expect.anything() as unknown }) as object,
        },
      ]);
    });

    it('warn of null as of an empty one', async () => {
      expect(await warned([null])).toMatchObject([{ code: 'PLACEHOLDER_CHANGES_URL' }]);
    });

    it.each<[string, string, unknown]>([
      ['a/b', POSTS, 'name'],
      ['...', POSTS, 'name'],
      ['.a', POSTS, 'name'],
      ['caf%C3%A9', POSTS, 'name'],
      ['a?page=2', 'tags/{t}', 'name'],
      ['/posts?a', '{t}', 'name'],
      ['..', 'tags/v{t}', 'name'],
      ['..', 'tags?tag={t}', 'name'],
      ['50% #1?', 'tags/{t}', { path: 'name', function: 'rawurlencode', args: [{ placeholder: 'value' }] }],
    ])('do not warn of %j in %s', async (value, endpoint, placeholder) => {
      expect(await warned([value], endpoint, placeholder)).toEqual([]);
    });
  });
});

/** Several parent items in one request, over whole runs (docs/language/jobs.md#batches). */

const ENCODED = { path: 'id', function: 'rawurlencode', args: [{ placeholder: 'value' }] };
const stations = [
  { id: 1, active: 1 },
  { id: 2, active: 0 },
  { id: 3, active: 1 },
  { id: 4, active: 1 },
];

describe('docs/language/jobs.md#batches', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = await startServer(({ url }) => json(url === '/api/stations' ? stations : [{ a: 1 }]));
  });
  afterEach(() => server.close());
  const childOf = (child: object) => ({
    api: {},
    config: {
      jobs: [
        {
          endpoint: 'stations',
          children: [{ endpoint: 'm', placeholders: { id: 'id' }, params: { id: '{id}' }, batch: 3, ...child }],
        },
      ],
    },
  });

  it('batches.json: joined in the endpoint after the filter, and as a repeated parameter', async () => {
    const pages = await pagesOf(server, example('batches.json'));
    expect(asked(server)).toEqual([
      'GET /api/stations',
      'GET /api/levels/1;3',
      'GET /api/levels/4',
      'GET /api/measurements?station=1&station=2&station=3&station=4',
    ]);
    expect(pages.map(({ extra }) => Object.fromEntries(extra))).toEqual([
      {},
      { parent_id: '1;3' },
      { parent_id: '4' },
      { parent_id: '1,2,3,4' },
    ]);
  });

  it.each([
    ['join', '/api/m?id=1,2,3'],
    ['list', '/api/m?id[0]=1&id[1]=2&id[2]=3'],
    ['brackets', '/api/m?id[]=1&id[]=2&id[]=3'],
    ['repeat', '/api/m?id=1&id=2&id=3'],
  ])('batchStyle %s', async (batchStyle, url) => {
    await pagesOf(server, childOf({ batchStyle }));
    expect(asked(server)[1]).toBe(`GET ${url}`);
  });

  it.each([
    ['repeat', '/api/m?id=1&id=2&a[b]=3&a[b]=4'],
    ['brackets', '/api/m?id[]=1&id[]=2&a[b][]=3&a[b][]=4'],
    ['join', '/api/m?id[0]=1&id[1]=2&a[b][0]=3&a[b][1]=4'],
  ])('batchStyle %s of a job without a batch', async (batchStyle, url) => {
    const job = { endpoint: 'm', params: { id: [1, 2], a: { b: [3, 4] } }, batchStyle };
    await pagesOf(server, { api: {}, config: { jobs: [job] } });
    expect(asked(server)).toEqual([`GET ${url}`]);
  });

  it('batchStyle list gives a list in a JSON body, also inside a function', async () => {
    const params = { ids: '{id}', text: { function: 'implode', args: ['+', '{id}'] } };
    await pagesOf(server, childOf({ batchStyle: 'list', method: 'POST', params }));
    expect(server.requests.slice(1).map(({ body }) => body)).toEqual([
      '{"ids":["1","2","3"],"text":"1+2+3"}',
      '{"ids":["4"],"text":"4"}',
    ]);
  });

  it('children of a batch inherit the joined text', async () => {
    const grandchild = { endpoint: 'x/{id}', placeholders: { a: 'a' } };
    await pagesOf(server, childOf({ batch: 4, params: {}, children: [grandchild] }));
    expect(asked(server)).toEqual(['GET /api/stations', 'GET /api/m', 'GET /api/x/1,2,3,4']);
  });

  describe('a value that holds the separator', () => {
    async function warned(ids: readonly unknown[], child: object = {}): Promise<RunEvent[]> {
      const api = await startServer(({ url }) => json(url === '/stations' ? ids.map((id) => ({ id })) : [{ a: 1 }]));
      const events: RunEvent[] = [];
      const config = { ...childOf(child), api: { baseUrl: api.origin } };
      const { pages$ } = extract(config, { onEvent: (event) => events.push(event) });
      await lastValueFrom(pages$);
      await api.close();
      return events.filter(({ type }) => type === 'warning');
    }
    const ids = ['a,b', 'c', 'd,e', 'f', 'g,h'];

    it.each<[string, object]>([
      ['in a parameter', {}],
      ['in an endpoint', { endpoint: 'm/{id}', params: {}, batchStyle: 'repeat' }],
      ['alone', { batch: 1 }],
    ])('is a warning, once: %s', async (_, child) => {
      expect(await warned(ids, child)).toMatchObject([
        {
          code: 'SEPARATOR_IN_VALUE',
          message: expect.stringContaining('config.jobs[0].children[0].batch: a value of {id} has ","') as string,
          job: expect.not.objectContaining({ placeholders: expect.anything() as unknown }) as object,
        },
      ]);
    });

    it.each<[string, object]>([
      ['with another separator', { batchSeparator: ';' }],
      ['as an array', { batchStyle: 'repeat' }],
      ['encoded', { endpoint: 'm/{id}', params: {}, placeholders: { id: ENCODED } }],
      ['without a batch', { batch: 0 }],
    ])('is none %s', async (_, child) => {
      expect(await warned(ids, child)).toEqual([]);
    });
  });

  it('faults: nothing to batch, and a level that is no single item', () => {
    const refused = (child: object) => () => validate({ ...childOf(child), api: { baseUrl: 'https://h.example' } });
    const child = 'config.jobs[0].children[0]';
    expect(refused({ placeholders: {} })).toThrow(
      `${child}.batch: needs a placeholder of the parent item (level 1): there is nothing to batch`,
    );
    const below = { endpoint: 'x', placeholders: { '2:id': 'id', a: 'a' } };
    expect(refused({ children: [below] })).toThrow(
      `${child}.children[0].placeholders.2:id: level 2 is no single item here: the job above is called for a batch`,
    );
    const deeper = { endpoint: 'y', placeholders: { '3:id': 'id' } };
    const between = { endpoint: 'x', placeholders: { a: 'a' }, children: [deeper] };
    expect(refused({ children: [between] })).toThrow('children[0].children[0].placeholders.3:id: level 3 is no single');
  });
});

/** Placeholders outside of endpoints, over whole runs (docs/language/jobs.md#placeholders). */

describe('docs/language/jobs.md#placeholders', () => {
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
