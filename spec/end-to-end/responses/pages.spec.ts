/** Pages that a configuration misreads, told by what the API says of them (docs/completeness.md), at real servers. */
import { bytes, json } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

describe('misread pages', () => {
  const play = outcomesOf();

  const SIZE = 10;
  const ALL = 35;
  const param = (url: URL, name: string, otherwise: number): number => Number(url.searchParams.get(name) ?? otherwise);
  const from = (start: number, size = SIZE): { id: number }[] => rows(start, size).filter(({ id }) => id < ALL);
  const OFFSET = { method: 'offset', limit: SIZE };
  const PAGENUM = { method: 'pagenum' };

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

    it('is wanted where the configuration begins later', async () => {
      const answer = (url: URL): object => ({ items: from((param(url, 'page', 1) - 1) * SIZE), has_previous: true });
      const { outcome, doubts } = await play(answer, { pagination: { ...PAGENUM, firstPage: 2 } });
      expect([outcome, doubts]).toEqual(['complete', []]);
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
        const { items, doubts, warnings, outcome } = await play(sized, {
          pagination: { method, ...LATER },
          jobs: JOBS,
        });
        expect([items.length, outcome, doubts]).toEqual([OWN, 'doubtful', ['PAGE_CAPPED']]);
        expect(warnings.join()).toMatch(/has 15 items and was requested without a page size.*"limit": 15/);
      },
    );

    it('is a warning where the API counts more, and the next page begins too far on', async () => {
      const answer = (url: URL): object => ({ items: sized(url), total: ALL });
      const { items, doubts } = await play(answer, { pagination: { method: 'pagenum', ...LATER } });
      expect([items.length, doubts]).toEqual([20, ['TOTAL_NOT_REACHED']]);
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
      const { items, outcome, doubts } = await play(sized, { ...api, jobs: [job] });
      expect([items.length, outcome, doubts]).toEqual([ALL, 'complete', []]);
    });

    it('is no doubt where it has one item, as many as no API goes by', async () => {
      const pagination = { method: 'pagenum', ...LATER };
      for (const answer of [rows(7, 1), { id: 7 }]) {
        const { items, outcome, doubts } = await play(() => json(answer), { pagination, jobs: JOBS });
        expect([items.length, outcome, doubts]).toEqual([1, 'complete', []]);
      }
    });

    it('is no doubt where the API counts as many, or says that it is the last', async () => {
      const pagination = { method: 'pagenum', ...LATER };
      for (const says of [{ total: OWN }, { has_more: false }]) {
        const { outcome, doubts } = await play(() => ({ items: rows(0, OWN), ...says }), { pagination });
        expect([outcome, doubts]).toEqual(['complete', []]);
      }
    });
  });

  describe('a token that is the one just sent', () => {
    const BY_TOKEN = { method: 'response.param', responseParam: 'next', queryParam: 'token' };
    const sizes = [0, 10, 20, 30];

    it.each<[string, (from: number) => object[]]>([
      ['with ids', (at) => from(at)],
      ['without ids', (at) => from(at).map(({ id }) => ({ v: id }))],
    ])('is the end where the page stays, and other tokens came before: items %s', async (_, itemsFrom) => {
      const answer = (url: URL): object => {
        const at = param(url, 'token', 0);
        return { items: itemsFrom(at), next: Math.min(at + SIZE, 30) };
      };
      const { items, outcome, doubts, requests } = await play(answer, { pagination: BY_TOKEN });
      expect([items.length, outcome, doubts, requests.length]).toEqual([ALL, 'complete', [], sizes.length + 1]);
    });

    it('is a scroll where other items come, although it was another one before', async () => {
      let asked = 0;
      const answer = (): object => {
        asked += 1;
        return { items: from((asked - 1) * SIZE), next: asked === 1 ? 'a' : 'b' };
      };
      const { items, outcome, doubts } = await play(answer, { pagination: BY_TOKEN });
      expect([items.length, outcome, doubts]).toEqual([ALL, 'complete', []]);
    });

    it('is a scroll that is stuck where it has always been the same', async () => {
      let asked = 0;
      const answer = (): object => {
        asked += 1;
        return { items: from(Math.min(asked - 1, 2) * SIZE), next: 'a' };
      };
      const { items, codes } = await play(answer, { pagination: BY_TOKEN });
      expect([items.length, codes]).toEqual([3 * SIZE, ['POSITION_IGNORED']]);
    });
  });

  describe('totals that are not the same on each page', () => {
    it('are a warning where fewer items have come than the last one', async () => {
      const answer = (url: URL): object => {
        const offset = param(url, 'offset', 0);
        return offset === 0
          ? { items: from(0), total: ALL }
          : { items: offset === SIZE ? from(offset, 5) : [], total: 20 };
      };
      const { items, doubts, warnings } = await play(answer, { pagination: OFFSET });
      expect([items.length, doubts]).toEqual([15, ['TOTAL_NOT_REACHED']]);
      expect(warnings.join()).toContain('the API counts 20 ("total"), and on other pages another number');
    });

    it('are none where they count what is left', async () => {
      const answer = (url: URL): object => {
        const offset = param(url, 'offset', 0);
        return { items: from(offset), total: ALL - offset };
      };
      const { items, outcome, doubts } = await play(answer, { pagination: OFFSET });
      expect([items.length, outcome, doubts]).toEqual([ALL, 'complete', []]);
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
      const { doubts, outcome, items } = await outcomeOf(filtering, {
        pagination: { ...OFFSET, shortPage: 'capped', parallel },
      });
      expect([outcome, doubts]).toEqual(['doubtful', ['PAGES_OVERLAP']]);
      expect(items).toEqual(expect.arrayContaining(rows(0, ALL).filter(isShown)));
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
        const { items, outcome, doubts } = await play(answer, { pagination, jobs });
        expect([outcome, doubts]).toEqual(['complete', []]);
        expect(items).toEqual(rows(0, ALL).filter(({ id }) => pageOf === capped || id !== 12));
      }
    });

    it('that is none, without items and with the next address of its own, is a warning', async () => {
      const answer = (url: URL): object => ({ items: shown(url), next: `/items?offset=${from(url) + 10}` });
      const { items, outcome, doubts, requests } = await play(answer, { pagination: PAGENUM, jobs: [NAMED] });
      expect([items.length, requests.length]).toEqual([ALL - 1, 7]);
      expect([outcome, doubts]).toEqual(['doubtful', ['NEXT_PAGE_EMPTY']]);
    });

    it.each<[string, (url: URL) => unknown, readonly string[]]>([
      ['is refused is none', () => json({ detail: 'Invalid page.' }, 404), []],
      ['is the last one again is a warning', () => ({ items: rows(50, 7), next: '/items?page=9' }), ['PAGE_REPEATED']],
      ['is the same response is a warning', () => ({ items: rows(50, 7), next: '/items?page=7' }), ['PAGE_REPEATED']],
    ])('that %s', async (_, behind, reported) => {
      const answer = (url: URL): unknown =>
        param(url, 'page') < 7
          ? { items: rows(from(url), 10).filter(({ id }) => id < ALL), next: `/items?page=${param(url, 'page') + 1}` }
          : behind(url);
      const { items, error, doubts } = await play(answer, { pagination: PAGENUM, jobs: [NAMED] });
      expect([error, doubts]).toEqual([undefined, reported]);
      expect(items).toEqual(rows(0, ALL));
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

/** Pages without items in the middle of others (docs/completeness.md), at real servers. */

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

  describe('a page without items, where the page before says that there is more', () => {
    it.each<[string, unknown, readonly string[]]>([
      ['an empty object', {}, ['LIST_MISSING']],
      ['an empty list', { items: [] }, []],
      ['null', { items: null }, []],
      ['a response without content', bytes('', {}, 204), ['LIST_MISSING']],
      ['an empty body', bytes(''), ['LIST_MISSING']],
      ['an empty list beside another address', { items: [], next: 'items?page=4' }, ['NEXT_PAGE_EMPTY']],
      ['an empty list beside another flag', { items: [], has_more: true }, ['NEXT_PAGE_EMPTY']],
    ])('is the end, and a doubt where it has no list or says that there is more: %s', async (_, third, expected) => {
      for (const says of [FLAG, PAGES, ADDRESS]) {
        const { error, doubts, items } = await play(answering(says, third), { pagination: PAGENUM });
        expect([error, items.length]).toEqual([undefined, 20]);
        expect(doubts.filter((code) => code !== 'EMPTY_BODY')).toEqual(expected);
      }
    });

    it.each<[string, unknown]>([
      ['an empty list', { items: [] }],
      ['an empty list beside a blank address', { items: [], next: '' }],
    ])('is the end where addresses are followed: %s', async (_, third) => {
      const { outcome, doubts, items } = await play(answering(ADDRESS, third), { pagination: BY_ADDRESS });
      expect([items.length, outcome, doubts]).toEqual([20, 'complete', []]);
    });
  });

  describe('a page without items that says that it is the end', () => {
    it.each<[string, Says, object]>([
      ['a flag', () => ({ has_more: true }), { items: [], has_more: false }],
      ['an address', ADDRESS, { items: [], next: null }],
      ['an address that is an empty string', ADDRESS, { items: [], next: '' }],
      ['a number of pages', (page) => ({ page, total_pages: page + 1 }), { items: [], page: 3, total_pages: 2 }],
    ])('is quiet: %s', async (_, says, third) => {
      const { outcome, doubts } = await play(answering(says, third), { pagination: PAGENUM });
      expect([outcome, doubts]).toEqual(['complete', []]);
    });

    it('is quiet behind a header Link, which a page without another one lacks', async () => {
      const linked = (url: URL): unknown => {
        const page = pageIn(url);
        const items = page < 3 ? itemsOn(page) : [];
        return json(items, 200, page < 3 ? { link: `<items?page=${page + 1}>; rel="next"` } : {});
      };
      const jobs = [{ endpoint: 'items' }];
      for (const pagination of [PAGENUM, { method: 'response.link' }]) {
        const { outcome, doubts } = await play(linked, { pagination, jobs });
        expect([outcome, doubts]).toEqual(['complete', []]);
      }
    });

    it('is quiet where as many items have come as the API counts', async () => {
      const says: Says = () => ({ total: 20, has_more: true });
      const { outcome, doubts } = await play(answering(says, { items: [] }), { pagination: PAGENUM });
      expect([outcome, doubts]).toEqual(['complete', []]);
    });
  });
});
