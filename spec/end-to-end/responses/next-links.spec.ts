/** What a response may say of where to go on, over whole runs against a real server: followed, or an error; never a ring. */
import { HeadwaterError, extract } from '../../../src';
import { json, redirectTo } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler } from '../../support/api-server';
import { outcomesOf, rows } from '../../support/completeness';
import { asked, example, pagesOf } from '../example-runs';

interface Outcome {
  readonly items: readonly unknown[];
  readonly code?: string;
  readonly message: string;
}

async function run(config: object): Promise<Outcome> {
  const items: unknown[] = [];
  const collecting = extract(config).items$.forEach((item) => void items.push(item));
  return collecting.then(
    () => ({ items, message: '' }),
    (error: unknown) => {
      if (!(error instanceof HeadwaterError)) throw error;
      return { items, code: error.code, message: error.message };
    },
  );
}

const REFUSED = [
  'javascript:alert(1)',
  'data:application/json,%5B%5D',
  'mailto:a@b.example',
  'file:///etc/passwd',
  'ftp://localhost/items',
  'http:///localhost/items',
  'http:items?page=2',
  '\\\\evil.example\\items',
  '/\\evil.example/items',
  '/items?pa\tge=2',
  '/items?page=2\n',
  ' /items?page=2',
  '///evil.example/items',
];
/** Addresses of other hosts: to none of them a request may go. */
const ELSEWHERE = [
  'http://evil.example/items',
  '//evil.example/items',
  'http://2130706433/items',
  'http://0x7f.1/items',
  'http://localhost@evil.example/items',
  'http://localhost./items',
  'http://evil\u3002example/items',
  'http://%65vil.example/items',
];

describe('where a response may lead', () => {
  let server: ApiServer;
  afterEach(() => server.close());
  const paged = (pagination: object): object => ({
    api: { baseUrl: server.origin, http: { headers: { authorization: 'k3y-of-the-api' } }, pagination },
    config: { jobs: [{ endpoint: 'items', dataField: 'items' }] },
  });
  const byBody = (relativeTo: string): object =>
    paged({ method: 'response.url', urlKey: 'next', ...(relativeTo === 'endpoint' ? {} : { relativeTo }) });

  describe.each(['endpoint', 'base', 'request'])('a next page in the body, relative to %s', (relativeTo) => {
    it.each(REFUSED)('%j is refused after one request', async (next) => {
      server = await startServer(() => json({ items: [1], next }));
      const { code, message } = await run(byBody(relativeTo));
      expect(code).toBe('NEXT_PAGE');
      expect(message).toContain('config.jobs[0]: api.pagination.urlKey "next"');
      expect(message).toContain(JSON.stringify(next));
      expect(server.requests).toHaveLength(1);
    });

    it.each(ELSEWHERE)('%j is another host, which is not asked', async (next) => {
      server = await startServer(() => json({ items: [1], next }));
      const { code } = await run(byBody(relativeTo));
      expect(code).toBe('ORIGIN_REFUSED');
      expect(server.requests).toHaveLength(1);
    });

    it('another spelling of the same origin is followed', async () => {
      server = await startServer(({ url }) => {
        const { port } = new URL(server.origin);
        if (url === '/items') return json({ items: [1], next: `//LOCALHOST:${port}/items?page=2` });
        if (url === '/items?page=2') return json({ items: [2], next: `HTTP://\uff4cocalhost:${port}/items?page=3` });
        return json({ items: [3] });
      });
      expect(await run(byBody(relativeTo))).toEqual({ items: [1, 2, 3], message: '' });
    });
  });

  it.each(REFUSED.filter((next) => !/[\t\n]|^ /.test(next)))('a Link header that says %j is refused', async (next) => {
    server = await startServer(() => json({ items: [1] }, 200, { link: `<${next}>; rel="next"` }));
    expect(await run(paged({ method: 'response.link' }))).toMatchObject({ code: 'NEXT_PAGE' });
    expect(server.requests).toHaveLength(1);
  });

  it.each(ELSEWHERE.filter((next) => !next.includes('\u3002')))('a Link header that leads to %j', async (next) => {
    server = await startServer(() => json({ items: [1] }, 200, { link: `<${next}>; rel="next"` }));
    expect(await run(paged({ method: 'response.link' }))).toMatchObject({ items: [1], code: 'ORIGIN_REFUSED' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ...REFUSED.filter((location) => !/[\t\n]|^ /.test(location)).map((location) => [location, 'NETWORK_PROTOCOL']),
    ...ELSEWHERE.filter((location) => !location.includes('\u3002')).map((location) => [location, 'ORIGIN_REFUSED']),
  ])('a redirect to %j: %s', async (location = '', code) => {
    server = await startServer(() => redirectTo(location));
    expect((await run(byBody('endpoint'))).code).toBe(code);
    expect(server.requests).toHaveLength(1);
  });

  it.each(['http://evil.example/items', '//evil.example/items', 'javascript:x', '?a=1\n'])(
    'paramIsQuery: %j is no query',
    async (next) => {
      server = await startServer(() => json({ items: [1], next }));
      const outcome = await run(paged({ method: 'response.url', urlKey: 'next', paramIsQuery: true }));
      expect(outcome).toMatchObject({ code: 'NEXT_PAGE' });
      expect(server.requests).toHaveLength(1);
    },
  );

  it('a long address is shown in part', async () => {
    server = await startServer(() => json({ items: [1], next: `data:${'x'.repeat(1_000_000)}` }));
    expect((await run(byBody('endpoint'))).message.length).toBeLessThan(600);
  });
});

describe('where a value of a parent item may lead (language 6.6)', () => {
  let server: ApiServer;
  afterEach(() => server.close());
  const withChild = (endpoint: string): object => ({
    api: { baseUrl: `${server.origin}/api`, http: { headers: { authorization: 'k3y-of-the-api' } } },
    config: {
      jobs: [
        { endpoint: 'parents', dataField: '.', children: [{ endpoint, placeholders: { id: 'id' }, dataField: '.' }] },
      ],
    },
  });
  const asked = (): readonly string[] => server.requests.slice(1).map(({ url }) => url);

  it.each(['http://evil.example/', 'HTTP:///evil.example/', 'https://localhost@evil.example/', 'http://localhost./'])(
    'an endpoint that begins with %j goes to no other host',
    async (id) => {
      server = await startServer(({ url }) => json(url === '/api/parents' ? { id } : { found: 1 }));
      for (const endpoint of ['{id}', '{id}/x', '{id}?x=1'])
        expect((await run(withChild(endpoint))).code).toBe('ORIGIN_REFUSED');
      expect(server.requests.filter(({ url }) => url !== '/api/parents')).toEqual([]);
    },
  );

  it.each([
    ['a network path', '//evil.example/x', '//evil.example/x'],
    ['backslashes', '\\\\evil.example\\x', '/api///evil.example/x'],
    ['another scheme', 'javascript:x', '/api/javascript:x'],
    ['a user', '@evil.example/x', '/api/@evil.example/x'],
    ['a port', ':80@evil.example', '/api/:80@evil.example'],
    ['the folder above', '../../x', '/x'],
  ])('%s stays at the host of the base URL', async (_, id, path) => {
    server = await startServer(({ url }) => json(url === '/api/parents' ? { id } : { found: 1 }));
    await run(withChild('{id}'));
    expect(asked()).toEqual([path]);
  });

  it('a value never changes the host that the configuration names', async () => {
    server = await startServer(({ url }) => json(url === '/api/parents' ? { id: '.evil.example' } : { found: 1 }));
    expect((await run(withChild('http://localhost{id}/x'))).code).toBe('ORIGIN_REFUSED');
    expect(asked()).toEqual([]);
  });

  it.each([
    ['a tab', 'a\tb', '/api/users/a%09b'],
    ['a line break', 'a\nb', '/api/users/a%0Ab'],
    ['a space at the end', 'ab ', '/api/users/ab%20'],
    ['NUL at the end', 'ab\0', '/api/users/ab%00'],
    ['a space within', 'a b', '/api/users/a%20b'],
  ])('%s in a value is percent-encoded, never left out: that would be another resource', async (_, id, path) => {
    server = await startServer(({ url }) => json(url === '/api/parents' ? { id } : { found: 1 }));
    await run(withChild('users/{id}'));
    expect(asked()).toEqual([path]);
  });
});

/** Pagination by headers over whole runs (docs/language/pagination/response.link.md). */

/** Three pages of stations; the header leads from one to the next by the parameter `page` or `cursor`. */
const pages =
  (headerAfter: (page: number) => Record<string, string>): Handler =>
  ({ url }) => {
    const { searchParams } = new URL(url, 'http://localhost');
    const page = Number((searchParams.get('page') ?? searchParams.get('cursor') ?? '1').replace('c', ''));
    return json([{ id: page }], 200, page < 3 ? headerAfter(page) : {});
  };

describe('docs/language/pagination/response.link.md', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  it('link-header.json: follows the Link header, relative to the request', async () => {
    server = await startServer(
      pages((page) => ({ Link: `<?page=${page + 1}&per_page=2>; rel="next", </>; rel=first` })),
    );
    const found = await pagesOf(server, example('link-header.json'));
    expect(found.flatMap(({ items }) => items)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(asked(server)).toEqual([
      'GET /api/stations?per_page=2',
      'GET /api/stations?page=2&per_page=2',
      'GET /api/stations?page=3&per_page=2',
    ]);
  });

  it('a link to another host is refused', async () => {
    server = await startServer(pages(() => ({ Link: '<http://elsewhere.example/>; rel="next"' })));
    await expect(pagesOf(server, example('link-header.json'))).rejects.toMatchObject({ code: 'ORIGIN_REFUSED' });
  });

  it('a link from another host cannot be followed without a scheme either', async () => {
    server = await startServer(pages(() => ({ Link: '<//elsewhere.example/>; rel="next"' })));
    await expect(pagesOf(server, example('link-header.json'))).rejects.toMatchObject({ code: 'ORIGIN_REFUSED' });
  });

  it('cursor-in-header.json: sends the value of the header as a parameter', async () => {
    server = await startServer(pages((page) => ({ 'x-next-cursor': `c${page + 1}` })));
    await pagesOf(server, example('cursor-in-header.json'));
    expect(asked(server)).toEqual([
      'GET /api/stations?per_page=2',
      'GET /api/stations?per_page=2&cursor=c2',
      'GET /api/stations?per_page=2&cursor=c3',
    ]);
  });
});

/** Headers that pagination reads, at real servers. */

const play = outcomesOf();
const TOKEN = { method: 'response.param', queryParam: 'key' };
const PAGED = { method: 'pagenum' };

describe('blanks around the name of a header', () => {
  it.each<[string, object]>([
    ['responseHeader', { ...TOKEN, responseHeader: ' X-Follow ' }],
    ['urlHeader', { method: 'response.url', urlHeader: 'X-Follow ', paramIsQuery: true }],
  ])('are left out: %s', async (_, pagination) => {
    const answer = (url: URL): unknown =>
      url.search === '' ? json({ items: rows(0, 2) }, 200, { 'X-Follow': 'key=b' }) : { items: rows(2, 1) };
    expect((await play(answer, { pagination })).items).toEqual(rows(0, 3));
  });

  it('are left out of the header of a total', async () => {
    const answer = () => json({ items: rows(0, 2) }, 200, { 'X-Rows': '2' });
    const pagination = { ...PAGED, limitStop: { header: 'X-Rows ' }, total: { header: ' X-Rows' } };
    const { items, codes } = await play(answer, { pagination });
    expect([items, codes]).toEqual([rows(0, 2), []]);
  });
});

describe('a key with a dot in it (docs/language/README.md#paths)', () => {
  const play = outcomesOf();
  const three = [...rows(0, 2), ...rows(2, 2), ...rows(4, 1)];
  const pageOf = (url: URL): { readonly items: object[]; readonly next: number | undefined } => {
    const page = Number(url.searchParams.get('page') ?? 1);
    return { items: three.slice(page * 2 - 2, page * 2), next: page < 3 ? page + 1 : undefined };
  };

  it.each([
    [
      '@odata.nextLink',
      { method: 'response.url', urlKey: '@odata.nextLink' },
      (items: object[], next?: number) => ({
        value: items,
        ...(next === undefined ? {} : { '@odata.nextLink': `/items?page=${next}` }),
      }),
      'value',
    ],
    [
      'a key of an object within',
      { method: 'response.param', responseParam: 'meta.next.page', queryParam: 'page' },
      (items: object[], next?: number) => ({ data: { 'rows.all': items }, meta: { 'next.page': next ?? null } }),
      'data.rows.all',
    ],
  ])('%s is where a path says', async (_, pagination, bodyOf, dataField) => {
    const { items, codes, warnings, requests } = await play(
      (url) => {
        const { items: page, next } = pageOf(url);
        return bodyOf(page, next);
      },
      { pagination, jobs: [{ endpoint: 'items', dataField }] },
    );
    expect(codes).toEqual([]);
    expect(warnings).toEqual([]);
    expect(items).toEqual(three);
    expect(requests).toHaveLength(3);
  });

  it('a path with another delimiter than its option says is told', async () => {
    const { codes, message } = await play(() => ({ data: { items: rows(0, 2) } }), {
      jobs: [{ endpoint: 'items', dataField: { path: 'data.items', delimiter: '/' } }],
    });
    expect(codes).toEqual(['DATA_NOT_FOUND']);
    expect(message).toContain('Did you mean "data/items"? Its delimiter is "/".');
  });
});
