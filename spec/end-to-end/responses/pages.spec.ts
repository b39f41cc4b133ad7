/** Pages that a configuration misreads, told by what the API says of them (docs/completeness.md), at real servers. */
import { bytes, json } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

describe('misread pages', () => {
  const play = outcomesOf();

  const SIZE = 10;
  const ALL = 35;
  const param = (url: URL, name: string, otherwise: number): number => Number(url.searchParams.get(name) ?? otherwise);
  const from = (start: number, size = SIZE): { id: number }[] => rows(start, size).filter(({ id }) => id < ALL);
  const incomplete = (warnings: readonly string[]): readonly string[] =>
    warnings.filter((warning) => warning.startsWith('INCOMPLETE'));

  const OFFSET = { method: 'offset', limit: SIZE };
  const PAGENUM = { method: 'pagenum' };
  const SIZED = { method: 'pagenum', limit: SIZE };

  describe('an object that holds the list, in place of the list', () => {
    const wrapped = (url: URL): object => ({ data: { items: from(param(url, 'offset', 0)) } });
    const atData = [{ endpoint: 'items', dataField: 'data' }];

    it.each<[string, object, (url: URL) => unknown, readonly object[]]>([
      ['an object with the list', OFFSET, wrapped, atData],
      ['the same, where pages have numbers', SIZED, wrapped, atData],
      [
        'the whole response',
        OFFSET,
        (url) => ({ items: from(param(url, 'offset', 0)) }),
        [{ endpoint: 'items', dataField: '.' }],
      ],
      ['a list of that object', OFFSET, (url) => [{ items: from(param(url, 'offset', 0)) }], [{ endpoint: 'items' }]],
      ['a list of lists', OFFSET, (url) => ({ data: [from(param(url, 'offset', 0))] }), atData],
    ])('is an error where the list has as many elements as a page: %s', async (_, pagination, answer, jobs) => {
      const { codes, message } = await play(answer, { pagination, jobs });
      expect(codes).toEqual(['LIST_IN_ITEM']);
      expect(message).toContain('The only item of the first page of items');
    });

    it('is a warning where only its name tells', async () => {
      const pagination = { method: 'offset', limit: 100 };
      const { codes, warnings, finished } = await play(wrapped, { pagination, jobs: atData });
      expect(codes).toEqual([]);
      expect(incomplete(warnings)).toEqual([expect.stringContaining('"dataField": "data.items"')]);
      expect(finished).toMatchObject({ outcome: 'complete' });
    });

    it.each<[string, object]>([
      ['an item with an id', { id: 7, items: rows(0, 3) }],
      ['an item with a list of another name', { name: 'a', lines: rows(0, 3) }],
      ['an item with a list of strings', { items: ['a', 'b'] }],
    ])('is no doubt: %s', async (_, item) => {
      const { codes, warnings } = await play(() => [item], { pagination: OFFSET, jobs: [{ endpoint: 'items' }] });
      expect([codes, incomplete(warnings)]).toEqual([[], []]);
    });
  });

  describe('a first page that the API does not call the first', () => {
    it.each<[string, (page: number) => object]>([
      ['a flag of Spring', (page) => ({ first: page === 0, number: page })],
      ['has_previous', (page) => ({ has_previous: page > 0 })],
    ])('is an error: %s', async (_, says) => {
      const answer = (url: URL): object => ({
        items: from(param(url, 'page', 0) * SIZE),
        ...says(param(url, 'page', 0)),
      });
      const { codes, message } = await play(answer, { pagination: PAGENUM });
      expect(codes).toEqual(['PAGE_SKIPPED']);
      expect(message).toContain('"firstPage": 0');
      const { codes: none, items } = await play(answer, { pagination: { ...PAGENUM, firstPage: 0 } });
      expect(none).toEqual([]);
      expect(items).toHaveLength(ALL);
    });

    it('is a warning where an address says so', async () => {
      const previous = (page: number): object =>
        page > 0 ? { previous: `/items?page=${page - 1}` } : { previous: null };
      const answer = (url: URL): object => ({
        items: from(param(url, 'page', 0) * SIZE),
        ...previous(param(url, 'page', 0)),
      });
      const { codes, warnings } = await play(answer, { pagination: PAGENUM });
      expect(codes).toEqual([]);
      expect(incomplete(warnings)).toEqual([expect.stringContaining('"previous" in the body')]);
    });

    it('is wanted where the configuration begins later', async () => {
      const answer = (url: URL): object => ({ items: from((param(url, 'page', 1) - 1) * SIZE), has_previous: true });
      const { codes, warnings } = await play(answer, { pagination: { ...PAGENUM, firstPage: 2 } });
      expect([codes, incomplete(warnings)]).toEqual([[], []]);
    });
  });

  describe('a first page that is requested without the page size', () => {
    const OWN = 15;
    const sized = (url: URL): object[] => {
      const size = param(url, 'limit', OWN);
      return from(param(url, 'offset', (param(url, 'page', 1) - 1) * size), size);
    };
    const LATER = { limit: 30, firstPageParams: false };
    const JOBS = [{ endpoint: 'items' }];

    it.each(['pagenum', 'offset'])(
      'is a warning where fewer items than that end the pagination: %s',
      async (method) => {
        const { items, codes, warnings, finished } = await play(sized, {
          pagination: { method, ...LATER },
          jobs: JOBS,
        });
        expect([items.length, codes]).toEqual([OWN, []]);
        expect(incomplete(warnings)).toEqual([
          expect.stringMatching(/has 15 items and was requested without a page size.*"limit": 15/),
        ]);
        expect(finished).toMatchObject({ outcome: 'complete' });
      },
    );

    it('is an error where the API counts more, and the next page begins too far on', async () => {
      const answer = (url: URL): object => ({ items: sized(url), total: ALL });
      const { codes, message } = await play(answer, { pagination: { method: 'pagenum', ...LATER } });
      expect(codes).toContain('PAGE_CAPPED');
      expect(message).toContain('the next page begins further on, since "limit" is 30');
    });

    it.each<[string, object, object]>([
      [
        'the job sends it',
        { pagination: { method: 'pagenum', ...LATER } },
        { endpoint: 'items', params: { limit: 30 } },
      ],
      ['the endpoint has it', { pagination: { method: 'pagenum', ...LATER } }, { endpoint: 'items?limit=30' }],
      ['it is as many', { pagination: { method: 'pagenum', ...LATER, limit: OWN } }, { endpoint: 'items' }],
      [
        'the next page begins behind its items',
        { pagination: { method: 'offset', ...LATER, shortPage: 'capped' } },
        { endpoint: 'items' },
      ],
    ])('is no doubt where %s', async (_, api, job) => {
      const { items, codes, warnings } = await play(sized, { ...api, jobs: [job] });
      expect([codes, incomplete(warnings)]).toEqual([[], []]);
      expect(items).toHaveLength(ALL);
    });

    it('is no doubt where the API counts as many, says that it is the last, or has a handful', async () => {
      const pagination = { method: 'pagenum', ...LATER };
      for (const answer of [
        { items: rows(0, OWN), total: OWN },
        { items: rows(0, OWN), has_more: false },
        { items: rows(0, 3) },
      ]) {
        const { codes, warnings } = await play(() => answer, { pagination });
        expect([codes, incomplete(warnings)]).toEqual([[], []]);
      }
    });
  });

  describe('totals that are not the same on each page', () => {
    it('are a warning where fewer items have come than the largest', async () => {
      const answer = (url: URL): object => {
        const offset = param(url, 'offset', 0);
        return offset === 0 ? { items: from(0), total: ALL } : { items: from(offset, 5), total: SIZE };
      };
      const { items, warnings } = await play(answer, { pagination: OFFSET });
      expect(items).toHaveLength(15);
      expect(incomplete(warnings)).toEqual([
        expect.stringContaining('the API counts 35 ("total"), and on other pages another number'),
      ]);
    });

    it('are none where they count what is left', async () => {
      const answer = (url: URL): object => {
        const offset = param(url, 'offset', 0);
        return { items: from(offset), total: ALL - offset };
      };
      const { items, warnings } = await play(answer, { pagination: OFFSET });
      expect(items).toHaveLength(ALL);
      expect(incomplete(warnings)).toEqual([]);
    });
  });

  describe('a job without pagination', () => {
    it.each<[string, object]>([
      ['limit', { limit: 20, offset: 0 }],
      ['per_page', { per_page: 20, page: 1 }],
      ['pageSize in an object', { paging: { pageSize: 20 } }],
    ])('whose only page is as full as the API says that one can be, is doubted: %s', async (_, says) => {
      const { warnings } = await play(() => ({ items: rows(0, 20), ...says }), {});
      expect(incomplete(warnings)).toEqual([expect.stringContaining('as many as the API says that a page has')]);
    });

    it.each<[string, object]>([
      ['in its params', { endpoint: 'items', dataField: 'items', params: { 'page[size]': 20 } }],
      ['as a string', { endpoint: 'items', dataField: 'items', params: { $top: '20' } }],
      ['in its endpoint', { endpoint: 'items?per_page=20', dataField: 'items' }],
      ['in the body of the job', { endpoint: 'items', dataField: 'items', method: 'POST', body: { size: 20 } }],
      ['in a body of params', { endpoint: 'items', dataField: 'items', method: 'POST', params: { PageSize: 20 } }],
    ])('whose only page has as many items as it asks for is doubted: %s', async (_, job) => {
      const { warnings, finished } = await play(() => ({ items: rows(0, 20) }), { jobs: [job] });
      expect(incomplete(warnings)).toEqual([expect.stringContaining('as many as the request asks for')]);
      expect(finished).toMatchObject({ outcome: 'complete' });
      const { warnings: fewer } = await play(() => ({ items: rows(0, 19) }), { jobs: [job] });
      expect(incomplete(fewer)).toEqual([]);
      const { warnings: wanted } = await play(() => ({ items: rows(0, 20) }), {
        jobs: [job],
        api: { pagination: { forceStop: { pages: 1 } } },
      });
      expect(incomplete(wanted)).toEqual([]);
    });

    it.each([50, 100, 250, 1000])('whose only page has %d items is doubted', async (count) => {
      const { warnings } = await play(() => ({ items: rows(0, count) }), {});
      expect(incomplete(warnings)).toEqual([expect.stringContaining('many APIs have just as many on a page')]);
      for (const says of [
        { total: count },
        { has_more: false },
        { next: null },
        { cursor: null },
        { bookmark: 'nil' },
        { paging: { total_pages: 1, page: 1 } },
      ]) {
        const { warnings: none } = await play(() => ({ items: rows(0, count), ...says }), {});
        expect(incomplete(none)).toEqual([]);
      }
    });

    it.each<[string, object, number]>([
      ['another number of items', { endpoint: 'items', dataField: 'items' }, 99],
      ['a number that is no page size', { endpoint: 'items?year=20', dataField: 'items', params: { level: 20 } }, 20],
      [
        'windows',
        { endpoint: 'items', dataField: 'items', partitions: { of: ['a', 'b'] }, params: { of: { partition: 'of' } } },
        100,
      ],
    ])('is not doubted for %s', async (_, job, count) => {
      const { warnings } = await play((url) => ({ items: rows(url.search.length, count) }), { jobs: [job] });
      expect(incomplete(warnings)).toEqual([]);
    });

    it.each<[string, object]>([
      ['a page that is not full', { limit: 50 }],
      ['a total that is reached', { limit: 20, total: 20 }],
      ['a flag', { limit: 20, has_more: false }],
    ])('is not doubted: %s', async (_, says) => {
      const { warnings } = await play(() => ({ items: rows(0, 20), ...says }), {});
      expect(incomplete(warnings)).toEqual([]);
    });

    it.each<[string, object]>([
      ['more_available', { more_available: true }],
      ['a marker', { marker: 'abc' }],
      ['a cursor behind the last item', { pageInfo: { endCursor: 'abc' } }],
      ['a scroll', { _scroll_id: 'abc==' }],
      ['complete', { complete: false }],
      ['end', { end: false }],
    ])('is doubted where the API may have more: %s', async (_, says) => {
      const { codes, warnings } = await play(() => ({ items: rows(0, 20), ...says }), {});
      expect([...codes, ...incomplete(warnings)]).toHaveLength(1);
    });

    it('is an error where a header of JSON has a number of pages', async () => {
      const header = { 'x-pagination': JSON.stringify({ total_pages: 4, page: 1 }) };
      const { codes } = await play(() => json({ items: rows(0, 20) }, 200, header), {});
      expect(codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
    });

    it.each(['record_count', 'itemCount', 'resultCount', 'found', 'count_total'])(
      'is doubted where the API counts more: %s',
      async (key) => {
        const { warnings } = await play(() => ({ items: rows(0, 20), [key]: ALL }), {});
        expect(incomplete(warnings)).toEqual([expect.stringContaining(`counts ${ALL}`)]);
        const { warnings: none } = await play(() => ({ items: rows(0, 20), [key]: 20 }), {});
        expect(incomplete(none)).toEqual([]);
      },
    );
  });

  describe('the only page of a job', () => {
    it.each([10, 20, 25, 30, 50, 150])('may be capped where it has %i items', async (count) => {
      const { warnings } = await play(() => ({ items: rows(0, count) }), {
        pagination: { method: 'offset', limit: 1000 },
      });
      expect(incomplete(warnings)).toEqual([expect.stringContaining(`has ${count} items, where 1000 were asked for`)]);
    });

    it.each([7, 35, 60])('is whole where it has %i items', async (count) => {
      const { warnings } = await play(() => ({ items: rows(0, count) }), {
        pagination: { method: 'offset', limit: 1000 },
      });
      expect(incomplete(warnings)).toEqual([]);
    });
  });
});

/** Pages that are not full and not the last ones (docs/language/pagination.md#pages-that-are-not-full), at real servers. */

describe('short pages', () => {
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
});

/** Pages without items in the middle of others (docs/completeness.md#what-is-an-error), at real servers. */

describe('empty pages', () => {
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
});
