/** What `discover` finds at APIs of many kinds, by runs of the configurations that it writes. */
import { firstValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { ExtractOptions, RunEvent } from '../../../src';
import { nameOfJob } from '../../../src/explore/detect/configuration';
import { discover } from '../../../src/explore/discover/discover';
import type { Discovery, DiscoveryFinding } from '../../../src/explore/discover/discover';
import { APIS, COUNT, SHIPS } from './apis';
import type { Api } from './apis';
import { BOATS, ODD_APIS } from './odd-apis';
import { serve } from './serve';
import type { Serving } from './serve';

describe('detection', () => {
  let serving: Serving;
  afterEach(() => serving.close());

  const found = async (api: Api) => {
    serving = await serve(api);
    return discover({
      method: api.method ?? 'GET',
      url: `${serving.origin}${api.path}`,
      headers: {},
      ...(api.body === undefined ? {} : { body: JSON.stringify(api.body) }),
    });
  };

  it.each(APIS.map((api) => [api.name, api] as const))('%s', async (_, api) => {
    const discovery = await found(api);
    expect(discovery.requests).toBe(serving.requests());
    expect(discovery.requests).toBeLessThanOrEqual(12);
    const { confidence } = pagingOf(discovery);
    const isFound = confidence !== 'unsure';
    expect(isFound ? 'found' : 'unsure').toBe(api.expected);
    if (isFound) expect(new Set((await itemsOf(discovery)).map((item) => JSON.stringify(item))).size).toBe(COUNT);
  });

  it.each(ODD_APIS.map((api) => [api.name, api] as const))('row by row: %s', async (_, api) => {
    const discovery = await found(api);
    expect(discovery.requests).toBeLessThanOrEqual(12);
    const isFound = pagingOf(discovery).confidence !== 'unsure';
    expect(isFound ? 'found' : 'unsure').toBe(api.expected);
    if (isFound) expect(await runOf(discovery)).toEqual(api.holds);
    else expect(JSON.stringify(discovery.comments)).toContain('UNSURE');
  });

  it.each(['page=2', 'offset=4', '$skip=40'])('says that an address with %s begins in the middle', async (query) => {
    serving = await serve({
      path: '/boats',
      answer: ({ url }) => {
        const [page, offset] = [Number(url.searchParams.get('page') ?? 1), Number(url.searchParams.get('offset') ?? 0)];
        const from = offset + (page - 1) * 4;
        const link = `<${url.origin}/boats?page=${page + 1}>; rel="next"`;
        return { body: BOATS.slice(from, from + 4), headers: page < 3 ? { link } : {} };
      },
    });
    const discovery = await discover({ method: 'GET', url: `${serving.origin}/boats?${query}`, headers: {} });
    expect(pagingOf(discovery)).toMatchObject({ confidence: 'unsure' });
    expect(pagingOf(discovery).reason).toContain(`begins with ${query}: what the API has before that is not requested`);
  });

  describe('of offsets that nothing counts', () => {
    const RIVERS = Array.from({ length: 32 }, (_, id) => ({ id: id + 1, name: `River ${id}` }));
    const FEW = RIVERS.slice(0, 14);
    const shown = (from: number, limit: number, hidden: readonly number[] = []): readonly (typeof RIVERS)[number][] =>
      RIVERS.slice(from, from + limit).filter(({ id }) => !hidden.includes(id - 1));

    it.each([
      [
        'gives smaller pages from the second one on',
        'capped',
        [],
        (from: number) => shown(from, from === 0 ? 3 : 2),
        '',
      ],
      ['gives a smaller page now and then', 'capped', [], (from: number) => shown(from, from === 6 ? 1 : 3), ''],
      ['never gives as many items as are asked for', 'capped', [], (from: number) => shown(from, 4), '?limit=9'],
      ['hides an item of the second page', 'filtered', [4], (from: number) => shown(from, 3, [4]), ''],
      ['hides the last item of a page', 'filtered', [8], (from: number) => shown(from, 3, [8]), ''],
      ['hides the first item of a page', 'filtered', [6], (from: number) => shown(from, 3, [6]), ''],
      [
        'hides an item of the first page',
        'filtered',
        [1, 9],
        (from: number, limit: number) => shown(from, limit, [1, 9]),
        '?limit=4',
      ],
    ] as const)('%s: a run gives all items', async (_, shortPage, hidden, answer, query: string) => {
      serving = await serve({
        path: '/ships',
        answer: ({ url: { searchParams } }) => ({
          body: { data: answer(Number(searchParams.get('offset') ?? 0), Number(searchParams.get('limit') ?? 3)) },
        }),
      });
      const discovery = await discover({ method: 'GET', url: `${serving.origin}/ships${query}`, headers: {} });
      expect(discovery.configuration).toMatchObject({ api: { pagination: { method: 'offset', shortPage } } });
      expect(pagingOf(discovery)).toMatchObject({ value: 'offset', confidence: 'sure' });
      expect(await runOf(discovery)).toEqual(shown(0, 99, hidden));
    });

    it('it is unsure where a short page comes later than it looks, and a run that has items twice says so', async () => {
      const all = [...RIVERS, ...RIVERS.map(({ id, name }) => ({ id: id + 100, name }))];
      serving = await serve({
        path: '/ships',
        answer: ({ url: { searchParams } }) => {
          const from = Number(searchParams.get('offset') ?? 0);
          return { body: { data: all.slice(from, from + 3).filter(({ id }) => id !== 28) } };
        },
      });
      const discovery = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
      expect(pagingOf(discovery)).toMatchObject({ value: 'offset', confidence: 'unsure' });
      expect(pagingOf(discovery).reason).toContain('"shortPage": "filtered"');
      expect(JSON.stringify(discovery.comments)).toContain('UNSURE');
      const warnings: string[] = [];
      const onEvent = (event: RunEvent): void => {
        if (event.type === 'warning') warnings.push(event.code);
      };
      const items = await runOf(discovery, { onEvent });
      expect(items).toEqual(expect.arrayContaining(all.filter(({ id }) => id !== 28)));
      expect(warnings).toContain('PAGES_OVERLAP');
    });

    it.each([
      [
        'gives its last page for all that is too far',
        (from: number) => ({ body: { data: FEW.slice(Math.min(from, 12), Math.min(from, 12) + 3) } }),
      ],
      [
        'refuses what is too far',
        (from: number) =>
          from < FEW.length ? { body: { data: FEW.slice(from, from + 3) } } : { status: 400, body: {} },
      ],
    ])('is unsure where the API %s', async (_, answer) => {
      serving = await serve({
        path: '/ships',
        answer: ({ url }) => answer(Number(url.searchParams.get('offset') ?? 0)),
      });
      const discovery = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
      expect(pagingOf(discovery)).toMatchObject({ value: 'offset', confidence: 'unsure' });
      expect(pagingOf(discovery).reason).toContain('a run ends at the first page that is not full');
      expect(await runOf(discovery)).toEqual(FEW);
    });
  });
});

const pagingOf = ({ findings }: Discovery): DiscoveryFinding => {
  const paging = findings.find(({ about }) => about === 'paging');
  if (paging === undefined) throw new Error('nothing is said of paging');
  return paging;
};

/** All items of a run. */
const runOf = ({ configuration }: Discovery, options: ExtractOptions = {}): Promise<readonly unknown[]> =>
  firstValueFrom(extract(configuration, options).items$.pipe(toArray()));

/** All items of a run; it fails where they are not as many as the API counts. */
async function itemsOf(discovery: Discovery): Promise<readonly unknown[]> {
  const items = await runOf(discovery);
  expect(items).toHaveLength(COUNT);
  return items;
}

/** Flags beside tokens, wherever they stand: pages end where they say so, and not before. */

describe('paging by a token that the last page has as well', () => {
  let serving: Serving;
  afterEach(() => serving.close());

  /** Three items a page; behind the last page the API starts over. */
  const api = (count: number, wrap: (items: readonly unknown[], isLast: boolean, next: string) => unknown) =>
    serve({
      path: '/ships',
      answer: ({ url }) => {
        const from = Number((url.searchParams.get('cursor') ?? 'c0').slice(1)) % count;
        const isLast = from + 3 >= count;
        return { body: wrap(SHIPS.slice(from, Math.min(from + 3, count)), isLast, `c${isLast ? count : from + 3}`) };
      },
    });
  const found = async () => {
    const { configuration, findings } = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
    const before = serving.requests();
    const items = await firstValueFrom(extract(configuration).items$.pipe(toArray()));
    return { items, asked: serving.requests() - before, paging: findings.find(({ about }) => about === 'paging') };
  };

  const WRAPS: readonly (readonly [string, (items: readonly unknown[], isLast: boolean, next: string) => unknown])[] = [
    ['meta.has_more', (ships, isLast, next_cursor) => ({ ships, meta: { has_more: !isLast, next_cursor } })],
    [
      'page.info.hasMore',
      (ships, isLast, cursor) => ({ ships, page: { info: { hasMore: !isLast, nextCursor: cursor } } }),
    ],
    ['meta.is_last', (ships, isLast, next_cursor) => ({ ships, meta: { is_last: isLast, next_cursor } })],
    ['has_more, of the response', (ships, isLast, next_cursor) => ({ ships, has_more: !isLast, next_cursor })],
  ];

  it.each(WRAPS)('ends where %s says so', async (_, wrap) => {
    serving = await api(COUNT, wrap);
    const { items, asked, paging } = await found();
    expect(paging).toMatchObject({ value: 'response.param', confidence: 'sure' });
    expect(items).toEqual(SHIPS);
    expect(asked).toBe(3);
  });

  it.each(WRAPS)('does not go on behind a first page of which %s says that it is all', async (_, wrap) => {
    serving = await api(2, wrap);
    const { items, asked } = await found();
    expect(items).toEqual(SHIPS.slice(0, 2));
    expect(asked).toBe(1);
  });

  it('ends where the token stays as it is and no items follow', async () => {
    serving = await serve({
      path: '/ships',
      answer: ({ url }) => {
        const from = Number((url.searchParams.get('cursor') ?? 'c0').slice(1));
        const ships = SHIPS.slice(from, from + 3);
        return { body: { ships, next_cursor: `c${Math.min(from + 3, COUNT)}` } };
      },
    });
    const { items, asked, paging } = await found();
    expect(paging).toMatchObject({ value: 'response.param', confidence: 'sure' });
    expect(items).toEqual(SHIPS);
    expect(asked).toBeLessThanOrEqual(5);
  });
});

/** APIs that refuse parameters that they do not know, and give all of their items where there are none. */

describe('a list that is whole', () => {
  let serving: Serving;
  afterEach(() => serving.close());

  it.each([
    ['offset', { start: 0, total_size: SHIPS.length }],
    ['page number', { page: 1, total_pages: 1 }],
  ])('is not asked for by a parameter that the API refuses, though the response has its %s', async (_, around) => {
    const refused: string[] = [];
    serving = await serve({
      path: '/ships',
      answer: ({ url }) => {
        const unknown = [...url.searchParams.keys()].filter((name) => !['count', 'number'].includes(name));
        refused.push(...unknown);
        return unknown.length > 0
          ? { status: 400, body: { title: `Unexpected parameters: ${unknown.join()}` } }
          : { body: { ...around, entries: SHIPS } };
      },
    });
    const { configuration, findings } = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
    expect(refused).not.toEqual([]);
    refused.length = 0;
    expect(await firstValueFrom(extract(configuration).items$.pipe(toArray()))).toEqual(SHIPS);
    expect(refused).toEqual([]);
    expect(findings.find(({ about }) => about === 'paging')?.value).toBe('none');
  });
});

describe('what stands between a request and its list', () => {
  let serving: Serving;
  afterEach(() => serving.close());
  const SIZE = 3;
  const pageOf = (url: URL) => {
    const page = Number(url.searchParams.get('page') ?? 1);
    return SHIPS.slice((page - 1) * SIZE, page * SIZE);
  };

  it.each([301, 302, 307, 308])(
    'leaves the preview as it was through a redirect with the status %i',
    async (status) => {
      serving = await serve({
        path: '/ships',
        answer: ({ url }) =>
          url.pathname === '/ships'
            ? { status, headers: { location: `/ships/${url.search}` }, body: {} }
            : { body: { ships: pageOf(url), total: COUNT } },
      });
      const discovery = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
      const { jobs } = (await discovery.preview?.()) ?? { jobs: [] };
      expect(jobs.map(({ state, pages }) => [state, pages.map(({ count }) => count)])).toEqual([['previewed', [SIZE]]]);
      expect(await itemsOf(discovery)).toEqual(SHIPS);
    },
  );

  it('is found at a path that takes one value of each element, as at one that leads to the list', async () => {
    const answer: Api['answer'] = ({ url }) => ({
      body: { data: { ships: pageOf(url).map((node) => ({ node })) }, others: [{ a: 1 }], total: COUNT },
    });
    for (const dataField of ['$.data.ships[*].node', '$.data.ships[*].node.id', 'data.ships']) {
      serving = await serve({ path: '/ships', answer });
      const discovery = await discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} }, { dataField });
      expect(pagingOf(discovery)).toMatchObject({ value: 'pagenum', confidence: 'sure' });
      expect(await itemsOf(discovery)).toHaveLength(COUNT);
      await serving.close();
    }
  });

  it.each([
    ['"errors" in the body: [{"message":"No such field"', { errors: [{ message: 'No such field' }], data: null }],
    ['"error" in the body: "no such list"', { error: 'no such list' }],
    ['"ok" in the body: false', { ok: false, message: 'Log in' }],
  ])('is refused where it is %s', async (message, body) => {
    serving = await serve({ path: '/ships', answer: () => ({ body }) });
    const found = discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
    await expect(found).rejects.toMatchObject({ code: 'API_ERROR' });
    await expect(found).rejects.toThrow(message);
  });

  it.each([
    ['/errors', {}],
    ['/crashes', { total: COUNT, page: 1 }],
  ])('is no error where the API keeps errors at %s', async (path, around) => {
    const errors = SHIPS.map(({ id, name }) => ({ code: id, message: name }));
    const answer: Api['answer'] = ({ url }) => ({
      body: { errors: url.searchParams.has('page') ? [] : errors, ...around },
    });
    serving = await serve({ path, answer });
    const { runnable } = await discover({ method: 'GET', url: `${serving.origin}${path}`, headers: {} });
    expect(await firstValueFrom(extract(runnable).items$.pipe(toArray()))).toEqual(errors);
  });

  it('says how to take a list of errors all the same', async () => {
    serving = await serve({ path: '/ships', answer: () => ({ body: { errors: [{ message: 'sunk' }] } }) });
    const found = discover({ method: 'GET', url: `${serving.origin}/ships`, headers: {} });
    await expect(found).rejects.toThrow('name it: --data-field errors.');
  });

  it.each([
    ['a row', (at: number) => ({ hour: at % 3, rain: at % 3 === 0 ? 0 : at })],
    ['most rows, where a page has them several times', (at: number) => ({ vote: at % 2 === 0 ? 'yes' : at % 5 })],
  ])('is a page of others, although it has %s of the page before', async (_, rowOf) => {
    const rows = Array.from({ length: 60 }, (__, at) => rowOf(at));
    const answer: Api['answer'] = ({ url }) => {
      const page = Number(url.searchParams.get('page') ?? 1);
      return { body: { total: rows.length, page, rows: rows.slice((page - 1) * 12, page * 12) } };
    };
    serving = await serve({ path: '/rain', answer });
    const discovery = await discover({ method: 'GET', url: `${serving.origin}/rain`, headers: {} });
    expect(pagingOf(discovery)).toMatchObject({ value: 'pagenum', confidence: 'sure' });
    expect(await runOf(discovery)).toEqual(rows);
  });

  it('advises a connection, and a variable, for a query of GraphQL that has none', async () => {
    const ships = { nodes: SHIPS, pageInfo: { hasNextPage: true, endCursor: 'x' } };
    serving = await serve({ path: '/graphql', answer: () => ({ body: { data: { ships } } }) });
    const body = JSON.stringify({
      query: 'query ($first: Int) { ships(first: $first) { nodes { id } pageInfo { hasNextPage endCursor } } }',
      variables: { first: 7 },
    });
    const { findings } = await discover({ method: 'POST', url: `${serving.origin}/graphql`, headers: {}, body });
    const { reason } = findings.find(({ about }) => about === 'paging') ?? { reason: '' };
    expect(reason).toContain('"method": "connection"');
    expect(reason).toContain('query ($after: String)');
    expect(reason).not.toContain('begins with first');
  });

  it('is a failure with what the API says, but for the credentials that it repeats', async () => {
    const message = 'from is required, key-of-mine';
    serving = await serve({ path: '/ships', answer: () => ({ status: 400, body: { message } }) });
    const headers = { 'x-api-key': 'key-of-mine' };
    const found = discover({ method: 'GET', url: `${serving.origin}/ships`, headers });
    await expect(found).rejects.toThrow('the status 400: {"message":"from is required, ***"}');
    await serving.close();
    serving = await serve({ path: '/ships', answer: () => ({ body: { error: 'key-of-mine is no key' } }) });
    const refused = discover({ method: 'GET', url: `${serving.origin}/ships`, headers });
    await expect(refused).rejects.toThrow('"error" in the body: "*** is no key"');
  });
});

describe('nameOfJob', () => {
  it.each([
    ['v1/buckets/eco/collections/stations/records', 'stations_records'],
    ['v1/buckets/eco/collections/readings/records', 'readings_records'],
    ['api/collections/ships/records/', 'ships_records'],
    ['orders/7/items', 'orders_items'],
    ['datasets/550e8400-e29b-41d4-a716-446655440000/rows.json', 'datasets_rows'],
    ['eco/data/records', 'eco_records'],
    ['_search/docs', 'docs'],
    ['v1/items', 'items'],
    ['data/readings.json', 'readings'],
    ['data/items', 'items'],
    ['users/search', 'users'],
    ['users/all', 'users'],
    ['rest/api/2/search', 'search'],
    ['ships', 'ships'],
    ['ships/_all_docs', 'ships'],
    ['2024', 'items_2024'],
    ['', 'items'],
  ])('calls the table of /%s %s', (path, name) => {
    expect(nameOfJob(`https://h.example/${path}`)).toBe(name);
  });
});
