/** Pages that are not full and not the last ones (docs/language/pagination.md#pages-that-are-not-full), at real servers. */
import { json } from '../support/answers';
import { outcomesOf, rows } from '../support/completeness';

const play = outcomesOf();
const JOBS = [{ endpoint: 'items' }];
const outcomeOf: typeof play = (answer, played) => play(answer, { jobs: JOBS, ...played });

const param = (url: URL, name: string, fallback = 0): number => Number(url.searchParams.get(name) ?? fallback);
const ALL = 57;
const HIDDEN: ReadonlySet<number> = new Set([12, 13, 19, 31, 40, 41]);
const isShown = ({ id }: { readonly id: number }): boolean => id < ALL && !HIDDEN.has(id);

/** A server that counts rows that it does not show. */
const filtering = (url: URL): object =>
  rows(url.searchParams.has('page') ? (param(url, 'page') - 1) * 10 : param(url, 'offset'), 10).filter(isShown);

/** A server that gives fewer rows than it is asked for where they are large. */
const capping = (url: URL): object => {
  const from = param(url, 'offset');
  return rows(from, from % 20 === 0 ? 10 : 7).filter(({ id }) => id < ALL);
};

const OFFSET = { method: 'offset', limit: 10 };
const PAGENUM = { method: 'pagenum', limit: 10 };

describe.each([1, 4])('a page that is not full, with %i pages at once', (parallel) => {
  it.each([
    ['offset', OFFSET],
    ['pagenum', PAGENUM],
  ])('%s: is the last one where nothing says otherwise', async (_, pagination) => {
    const { items, error } = await outcomeOf(filtering, { pagination: { ...pagination, parallel } });
    expect(error).toBeUndefined();
    expect(items).toEqual(rows(0, 20).filter(isShown));
  });

  it.each([
    ['offset', { ...OFFSET, shortPage: 'filtered' }],
    ['pagenum', { ...PAGENUM, shortPage: 'filtered' }],
    ['pagenum', { ...PAGENUM, shortPage: 'capped' }],
  ])('%s: is followed by others of an API that hides rows: %j', async (_, pagination) => {
    const { items, error, codes } = await outcomeOf(filtering, { pagination: { ...pagination, parallel } });
    expect(error).toBeUndefined();
    expect(codes).toEqual([]);
    expect(items).toEqual(rows(0, ALL).filter(isShown));
  });

  it('offset: the next page begins right behind the items of an API that caps its pages', async () => {
    const { items, error, codes } = await outcomeOf(capping, {
      pagination: { ...OFFSET, shortPage: 'capped', parallel },
    });
    expect(error).toBeUndefined();
    expect(codes).toEqual([]);
    expect(items).toEqual(rows(0, ALL));
  });

  it('offset: an API that hides rows is no API that caps its pages, and the run says so', async () => {
    const { codes, items, message } = await outcomeOf(filtering, {
      pagination: { ...OFFSET, shortPage: 'capped', parallel },
    });
    expect(codes).toEqual(['PAGES_OVERLAP']);
    expect(message).toContain('"shortPage": "filtered"');
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
  });
});

describe('keyset with a page that is not full', () => {
  const behind = (url: URL): object => rows(param(url, 'after', -1) + 1, 10).filter(isShown);
  const KEYSET = { method: 'keyset', key: 'id', param: 'after', limit: 10 };

  it('is over where nothing says otherwise', async () => {
    expect((await outcomeOf(behind, { pagination: KEYSET })).items).toEqual(rows(0, 20).filter(isShown));
  });

  it.each(['capped', 'filtered'])('goes on behind the last item: %s', async (shortPage) => {
    const { items, codes } = await outcomeOf(behind, { pagination: { ...KEYSET, shortPage } });
    expect(codes).toEqual([]);
    expect(items).toEqual(rows(0, ALL).filter(isShown));
  });
});

describe('the end of pages that may be short', () => {
  it.each([
    ['offset', { ...OFFSET, shortPage: 'filtered' }, 7],
    ['offset', { ...OFFSET, shortPage: 'capped' }, 9],
    ['pagenum', { ...PAGENUM, shortPage: 'filtered' }, 7],
  ])('%s ends at a page without items: %j', async (method, pagination, requests) => {
    const answer = method === 'offset' && pagination.shortPage === 'capped' ? capping : filtering;
    const { requests: sent } = await outcomeOf(answer, { pagination });
    expect(sent).toHaveLength(requests);
  });

  it('an API without items is asked once', async () => {
    const { requests, error } = await outcomeOf(() => [], { pagination: { ...OFFSET, shortPage: 'capped' } });
    expect(error).toBeUndefined();
    expect(requests).toHaveLength(1);
  });
});

describe('a page that is not full and names another one', () => {
  const NAMED = { endpoint: 'items', dataField: 'items' };
  const KEYSET = { method: 'keyset', key: 'id', param: 'after', limit: 10 };
  /** A page size of 10, of which the page with the number 12 lacks an item, and what each page says of the next one. */
  const from = (url: URL): number =>
    url.searchParams.has('page')
      ? (param(url, 'page') - 1) * 10
      : url.searchParams.has('after')
        ? param(url, 'after') + 1
        : param(url, 'offset');
  const shown = (url: URL): { id: number }[] => rows(from(url), 10).filter(({ id }) => id < ALL && id !== 12);
  /** An API that caps the page of the offset 10. */
  const capped = (url: URL): { id: number }[] =>
    rows(from(url), from(url) === 10 ? 7 : 10).filter(({ id }) => id < ALL);

  it.each([
    ['offset', OFFSET, capped],
    ['offset', { ...OFFSET, parallel: 4 }, capped],
    ['pagenum', PAGENUM, shown],
    ['pagenum', { ...PAGENUM, parallel: 4 }, shown],
    ['keyset', KEYSET, shown],
    ['inclusive keyset', { ...KEYSET, param: 'offset', inclusive: true }, shown],
  ])('%s: is followed by it, in the body and in a header: %j', async (_, pagination, pageOf) => {
    const page = (url: URL) => (from(url) + 10 < ALL ? `/items?next=${from(url) + 10}` : undefined);
    const inBody = (url: URL): object => ({ items: pageOf(url), next: page(url) ?? null });
    const inHeader = (url: URL) =>
      json(pageOf(url), 200, page(url) === undefined ? {} : { link: `<${page(url) ?? ''}>; rel="next"` });
    for (const [answer, jobs] of [
      [inBody, [NAMED]],
      [inHeader, JOBS],
    ] as const) {
      const { items, error, warnings } = await play(answer, { pagination, jobs });
      expect(error).toBeUndefined();
      expect(items).toEqual(rows(0, ALL).filter(({ id }) => pageOf === capped || id !== 12));
      expect(warnings.join()).not.toContain('INCOMPLETE');
    }
  });

  it('that is none, without items and with the next address of its own, is a warning', async () => {
    const answer = (url: URL): object => ({ items: shown(url), next: `/items?offset=${from(url) + 10}` });
    const { items, error, warnings, requests } = await play(answer, { pagination: PAGENUM, jobs: [NAMED] });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(ALL - 1);
    expect(requests).toHaveLength(7);
    expect(warnings.filter((warning) => warning.startsWith('INCOMPLETE'))).toEqual([
      expect.stringContaining('Some APIs say so of every full page'),
    ]);
  });

  it.each<[string, (url: URL) => unknown, string]>([
    ['is refused', () => json({ detail: 'Invalid page.' }, 404), 'is refused with status 404'],
    ['is the last one again', () => ({ items: rows(50, 7), next: '/items?page=9' }), 'has the same items'],
    ['is the same response', () => ({ items: rows(50, 7), next: '/items?page=7' }), 'has the same items'],
  ])('that %s is a warning', async (_, behind, told) => {
    const answer = (url: URL): unknown =>
      param(url, 'page') < 7
        ? { items: rows(from(url), 10).filter(({ id }) => id < ALL), next: `/items?page=${param(url, 'page') + 1}` }
        : behind(url);
    const { items, error, warnings } = await play(answer, { pagination: PAGENUM, jobs: [NAMED] });
    expect(error).toBeUndefined();
    expect(items).toEqual(rows(0, ALL));
    expect(warnings).toContainEqual(expect.stringMatching(`^INCOMPLETE .*"next" in the body, but page 7 ${told}`));
  });

  it('is the last one where the API counts no more items, or gives the same address on each page', async () => {
    const page = (url: URL): object => ({ items: rows(from(url), 10).filter(({ id }) => id < ALL) });
    for (const says of [
      (url: URL) => ({ total: ALL, next: `/items?page=${param(url, 'page') + 1}` }),
      () => ({ next: '/items' }),
    ]) {
      const { items, requests, warnings } = await play((url) => ({ ...page(url), ...says(url) }), {
        pagination: PAGENUM,
        jobs: [NAMED],
      });
      expect(items).toHaveLength(ALL);
      expect(requests).toHaveLength(6);
      expect(warnings).toEqual([]);
    }
  });
});
