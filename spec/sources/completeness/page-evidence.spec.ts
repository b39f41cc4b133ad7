/** The only page of a job that reads the next one from the response, where the API says nothing of pages (docs/completeness.md#what-is-a-warning). */
import { lastValueFrom, tap } from 'rxjs';
import { extract } from '../../../src';
import { json } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

describe('only pages', () => {
  const play = outcomesOf();
  const incomplete = (warnings: readonly string[]): readonly string[] =>
    warnings.filter((warning) => warning.startsWith('INCOMPLETE'));

  const LINK = { method: 'response.link' };
  const ADDRESS = { method: 'response.url', urlKey: 'meta.further' };
  const TOKEN = { method: 'response.param', responseParam: 'further', queryParam: 'token' };
  const list =
    (count: number, says: object = {}) =>
    () => ({ items: rows(0, count), ...says });

  it.each<[string, object]>([
    ['response.link', LINK],
    ['response.url', ADDRESS],
    ['response.param', TOKEN],
  ])('may be a full one of several: %s', async (_, pagination) => {
    for (const count of [10, 20, 25, 30, 50, 250]) {
      const { error, warnings, finished } = await play(list(count), { pagination });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([
        expect.stringContaining(`${count} items, and many APIs have just as many`),
      ]);
      expect(finished).toMatchObject({ outcome: 'complete' });
    }
  });

  it.each<[string, object, () => unknown]>([
    ['it has another number of items', LINK, list(31)],
    ['it has a place of the next page', LINK, list(30, { next: null })],
    ['it has the place that the configuration names', ADDRESS, list(30, { meta: { further: null } })],
    ['it has the member that the configuration names', TOKEN, list(30, { further: '' })],
    ['it says that it is the last', TOKEN, list(30, { has_more: false })],
    ['a total is reached', LINK, list(30, { total: 30 })],
    [
      'a header has links of other pages',
      LINK,
      () => json({ items: rows(0, 30) }, 200, { link: '</items>; rel="first"' }),
    ],
    ['one page is wanted', { ...LINK, forceStop: { pages: 1 } }, list(30)],
  ])('is none where %s', async (_, pagination, answer) => {
    expect(incomplete((await play(answer, { pagination })).warnings)).toEqual([]);
  });

  it('is no matter in calls of a child, or of partitions', async () => {
    const child = { endpoint: 'kids/{id}', dataType: 'kids', dataField: 'items', placeholders: { id: 'id' } };
    const answer = (url: URL): object => ({ items: rows(0, url.pathname === '/items' ? 2 : 30) });
    const parents = [{ endpoint: 'items', dataField: 'items', children: [child] }];
    expect(incomplete((await play(answer, { pagination: LINK, jobs: parents })).warnings)).toEqual([]);
    const divided = [
      { endpoint: 'items', dataField: 'items', partitions: { of: ['a', 'b'] }, params: { of: { partition: 'of' } } },
    ];
    const { warnings } = await play((url) => ({ items: rows(url.search.length, 30) }), {
      pagination: LINK,
      jobs: divided,
    });
    expect(incomplete(warnings)).toEqual([]);
  });
});

/** Flags of a next page that are texts (docs/completeness.md). */

describe('flag as string', () => {
  const play = outcomesOf();
  const told = (warnings: readonly string[]): readonly string[] =>
    warnings.filter((warning) => warning.includes('which nextPageFlag reads'));

  /** Three pages of three items, with a flag beside them. */
  const pages =
    (flag: (page: number) => unknown, key = 'flag') =>
    (url: URL): unknown => {
      const page = Number(url.searchParams.get('page') ?? 1);
      return { [key]: flag(page), items: page > 3 ? [] : rows(page * 3, 3) };
    };
  const flagged = (nextPageFlag: object): object => ({ method: 'pagenum', nextPageFlag });

  describe('a flag that is a text', () => {
    it.each(['false', 'False', 'no', 'off', ' N '])(
      '%j ends the pagination, which is worth a warning',
      async (text) => {
        const answer = pages(() => text);
        const { items, error, warnings, finished } = await play(answer, {
          pagination: flagged({ field: 'flag', stopOn: true }),
        });
        expect(error).toBeUndefined();
        expect(items).toHaveLength(3);
        expect(told(warnings)).toEqual([expect.stringContaining('items may be missing')]);
        expect(finished?.outcome).toBe('incomplete');
      },
    );

    it('is told of at a path, and where the pagination does not end by it', async () => {
      const answer = pages(() => ({ more: 'false' }), 'meta');
      const { items, warnings } = await play(answer, { pagination: flagged({ path: 'meta.more', stopOn: false }) });
      expect(items).toHaveLength(9);
      expect(told(warnings)).toEqual([expect.stringContaining('does not end by it')]);
    });

    it('can be left alone, as the warning says', async () => {
      const answer = pages(() => 'false');
      const { items, warnings } = await play(answer, { pagination: { method: 'pagenum', stopWhenEmpty: true } });
      expect(items).toHaveLength(9);
      expect(told(warnings)).toEqual([]);
    });

    it.each<[string, (page: number) => unknown, boolean]>([
      ['a boolean', (page) => page < 3, false],
      ['a number', (page) => (page < 3 ? 1 : 0), false],
      ['"0" and "1"', (page) => (page < 3 ? '1' : '0'), false],
      ['a token', (page) => (page < 3 ? 'northern' : ''), false],
    ])('that counts as it is meant is worth none: %s', async (_, flag, stopOn) => {
      const { items, warnings } = await play(pages(flag), { pagination: flagged({ field: 'flag', stopOn }) });
      expect(items).toHaveLength(9);
      expect(told(warnings)).toEqual([]);
    });
  });
});

/** Pages that are only passed on are not parsed: what judges their completeness reads no items (docs/decisions/responses-and-pages.md). */

/** The characters of a page; a single item has far fewer. */
const LONG = 5_000;

describe('what judges the completeness of a page', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['by positions', { method: 'offset', limit: 500 }, {}],
    ['by addresses', { method: 'response.url' }, {}],
    ['without pagination', undefined, {}],
    ['with a total', { method: 'pagenum', limit: 500, total: 'total' }, { total: 2000 }],
  ])('parses no items but those of a last page: %s', async (_, pagination, beside) => {
    const rows = (from: number): readonly object[] =>
      Array.from({ length: 500 }, (__, at) => ({
        id: from + at,
        name: `a name of ${at}`,
        tags: ['a', 'b'],
        n: { m: null },
      }));
    let pages = 0;
    const fetch = (): Promise<Response> => {
      pages += 1;
      const isLast = pages > 4 || pagination === undefined;
      const next =
        pages === 1 && pagination?.method === 'response.url' ? { next_page: `https://api.example/a?p=${pages}` } : {};
      const items = isLast && pages > 1 ? [] : rows(pages * 500);
      const headers = { 'content-type': 'application/json' };
      return Promise.resolve(new Response(JSON.stringify({ ...beside, ...next, items }), { headers }));
    };
    const parse = jest.spyOn(JSON, 'parse');
    const config = {
      api: { baseUrl: 'https://api.example/', ...(pagination === undefined ? {} : { pagination }) },
      config: { jobs: [{ endpoint: 'a', dataField: 'items' }] },
    };
    let bytes = 0;
    await lastValueFrom(extract(config, { fetch }).pages$.pipe(tap((page) => (bytes += page.lines().length))));
    expect(bytes).toBeGreaterThan(LONG);
    // The last page with items is compared with the empty one behind it.
    expect(parse.mock.calls.filter(([text]) => text.length > LONG).length).toBeLessThanOrEqual(pages > 1 ? 1 : 0);
  });
});
