/** Pages without items in the middle of others (docs/completeness.md#what-is-an-error), at real servers. */
import { bytes, json } from '../support/answers';
import { outcomesOf, rows } from '../support/completeness';

const play = outcomesOf();

const SIZE = 10;
const ALL = 35;
const pageIn = (url: URL): number => Number(url.searchParams.get('page') ?? 1);
const itemsOn = (page: number): { id: number }[] => rows((page - 1) * SIZE, SIZE).filter(({ id }) => id < ALL);

/** What an API says of its pages beside the items. */
type Says = (page: number) => object;
const FLAG: Says = (page) => ({ has_more: page < 4 });
const PAGES: Says = (page) => ({ page, total_pages: 4 });
const ADDRESS: Says = (page) => ({ next: page < 4 ? `items?page=${page + 1}` : null });

const answering =
  (says: Says, third: unknown) =>
  (url: URL): unknown => {
    const page = pageIn(url);
    return page === 3 ? third : { items: itemsOn(page), ...says(page) };
  };

const PAGENUM = { method: 'pagenum', pageParam: 'page' };
const BY_ADDRESS = { method: 'response.url', urlKey: 'next' };

/** Answers without items that say nothing of other pages. */
const NOTHINGS: readonly (readonly [string, unknown])[] = [
  ['an empty object', {}],
  ['an empty list', { items: [] }],
  ['null', { items: null }],
  ['a response without content', bytes('', {}, 204)],
  ['an empty body', bytes('')],
];

describe('a page without items, where the page before says that there is more', () => {
  describe.each(NOTHINGS)('%s', (_, third) => {
    it.each<[string, Says]>([
      ['a flag', FLAG],
      ['a number of pages', PAGES],
    ])('is an error behind %s', async (_sign, says) => {
      const { codes, message, items, finished } = await play(answering(says, third), { pagination: PAGENUM });
      expect(codes).toEqual(['NEXT_PAGE_EMPTY']);
      expect(message).toContain('Page 3 of items has no items, although the API says on page 2 with');
      expect(items).toHaveLength(20);
      expect(finished).toMatchObject({ outcome: 'incomplete' });
    });

    it.each([
      ['followed', BY_ADDRESS],
      ['beside counted pages', PAGENUM],
    ])('is a warning behind an address, %s', async (_way, pagination) => {
      const { codes, warnings, items } = await play(answering(ADDRESS, third), { pagination });
      expect(codes).toEqual([]);
      expect(items).toHaveLength(20);
      expect(warnings.filter((warning) => warning.startsWith('INCOMPLETE'))).toEqual([
        expect.stringContaining(
          'Page 3 of items has no items, although the API says on page 2 with "next" in the body',
        ),
      ]);
    });
  });

  it('is a warning where the page itself names another one', async () => {
    const third = { items: [], next: 'items?page=4' };
    const { warnings } = await play(answering(ADDRESS, third), { pagination: PAGENUM });
    expect(warnings.join()).toContain('INCOMPLETE config.jobs[0]: Page 3 of items has no items, although');
  });
});

describe('a page without items that says that it is the end', () => {
  it.each<[string, Says, object]>([
    ['a flag', () => ({ has_more: true }), { items: [], has_more: false }],
    ['an address', ADDRESS, { items: [], next: null }],
    ['an address that is an empty string', ADDRESS, { items: [], next: '' }],
    ['a number of pages', (page) => ({ page, total_pages: page + 1 }), { items: [], page: 3, total_pages: 2 }],
  ])('is quiet: %s', async (_, says, third) => {
    const { codes, warnings, finished } = await play(answering(says, third), { pagination: PAGENUM });
    expect(codes).toEqual([]);
    expect(warnings.filter((warning) => warning.startsWith('INCOMPLETE'))).toEqual([]);
    expect(finished).toMatchObject({ outcome: 'complete' });
  });

  it('is quiet behind a header Link, which a page without another one lacks', async () => {
    const linked = (url: URL): unknown => {
      const page = pageIn(url);
      const items = page < 3 ? itemsOn(page) : [];
      return json(items, 200, page < 3 ? { link: `<items?page=${page + 1}>; rel="next"` } : {});
    };
    const jobs = [{ endpoint: 'items' }];
    for (const pagination of [PAGENUM, { method: 'response.link' }]) {
      const { codes, warnings } = await play(linked, { pagination, jobs });
      expect(codes).toEqual([]);
      expect(warnings.filter((warning) => warning.startsWith('INCOMPLETE'))).toEqual([]);
    }
  });

  it('is quiet where as many items have come as the API counts', async () => {
    const says: Says = () => ({ total: 20, has_more: true });
    const { codes } = await play(answering(says, { items: [] }), { pagination: PAGENUM });
    expect(codes).toEqual([]);
  });
});
