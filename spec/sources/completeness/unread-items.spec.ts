/** Pages that are only passed on are not parsed: what judges their completeness reads no items (docs/architecture.md). */
import { lastValueFrom, tap } from 'rxjs';
import { extract } from '../../../src';

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
