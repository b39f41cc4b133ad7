/** A run says whether it is complete (docs/completeness.md): real servers, the real engine, and what used to end in silence. */
import type { JsonObject } from '../../../src';
import { bytes, json } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

const outcomeOf = outcomesOf();

const param = (url: URL, name: string, fallback = 0): number => Number(url.searchParams.get(name) ?? fallback);
const OFFSET = { method: 'offset', limit: 50 };

describe('nothing found', () => {
  it('a misspelled dataField is an error that names the keys that are there', async () => {
    const { codes, message, items, finished } = await outcomeOf(() => ({ results: rows(0, 120), errors: [] }), {
      jobs: [{ endpoint: 'items', dataField: 'result' }],
    });
    expect(items).toEqual([]);
    expect(codes).toEqual(['DATA_NOT_FOUND']);
    expect(message).toContain('config.jobs[0]');
    expect(message).toContain('dataField "result"');
    expect(message).toContain('"results"');
    expect(message).not.toContain('"errors"');
    expect(finished).toMatchObject({
      outcome: 'incomplete',
      jobs: [{ endpoint: 'items', outcome: 'incomplete', items: 0 }],
    });
  });

  it('so is a list that auto-detection does not reach', async () => {
    const { codes, message } = await outcomeOf(() => ({ data: { users: rows(0, 3) } }), {
      jobs: [{ endpoint: 'items' }],
    });
    expect(codes).toEqual(['DATA_NOT_FOUND']);
    expect(message).toContain('"data.users"');
  });

  it.each([
    ['an empty list', { result: [] }],
    ['no list at all', { result: null, note: 'x' }],
    ['a body without any list', { note: 'x' }],
    ['an empty list elsewhere', { results: [] }],
  ])('%s is no error', async (_, body) => {
    const { error, finished } = await outcomeOf(() => body, { jobs: [{ endpoint: 'items', dataField: 'result' }] });
    expect(error).toBeUndefined();
    expect(finished).toMatchObject({ outcome: 'complete' });
  });

  it('one response of the whole run that has the data is enough', async () => {
    const { codes, items } = await outcomeOf(
      ({ pathname }) => (pathname === '/parents' ? rows(1, 2) : pathname === '/c/1' ? { list: [1] } : { other: [1] }),
      {
        jobs: [
          {
            endpoint: 'parents',
            children: [{ endpoint: 'c/{id}', placeholders: { id: 'id' }, dataField: 'list', dataType: 'c' }],
          },
        ],
      },
    );
    expect(codes).toEqual([]);
    expect(items).toHaveLength(3);
  });
});

describe('a next page that is not taken', () => {
  const linked = (body: object, headers = {}) => json({ items: rows(0, 50), ...body }, 200, headers);
  const URL_METHOD = { method: 'response.url', urlKey: 'nxt' };
  const PARAM_METHOD = { method: 'response.param', responseParam: 'meta.tokn', queryParam: 'cursor' };

  it.each([
    ['next', URL_METHOD, { next: '/items?page=2' }, '"next"'],
    ['links.next', URL_METHOD, { links: { next: '/items?page=2' } }, '"links.next"'],
    ['_links.next.href', URL_METHOD, { _links: { next: { href: '/items?page=2' } } }, '"_links.next"'],
    ['paging.next', PARAM_METHOD, { paging: { next: 'x' } }, '"paging.next"'],
    ['meta.next_cursor', PARAM_METHOD, { meta: { next_cursor: 'abc' } }, '"meta.next_cursor"'],
    ['@odata.nextLink', URL_METHOD, { '@odata.nextLink': 'https://h/x' }, '"@odata.nextLink"'],
    ['nextPageToken', PARAM_METHOD, { nextPageToken: 'abc' }, '"nextPageToken"'],
    [
      'a list of links',
      URL_METHOD,
      {
        links: [
          { rel: 'self', href: '/a' },
          { rel: 'next', href: '/b' },
        ],
      },
      '"links"',
    ],
    ['has_more', PARAM_METHOD, { has_more: true }, '"has_more"'],
    ['no pagination at all', {}, { next: '/items?page=2' }, '"next"'],
    ['a short page of offsets', { method: 'offset', limit: 100 }, { next: '/items?page=2' }, '"next"'],
  ])('%s in the body', async (_, pagination, body, place) => {
    const { codes, message, items } = await outcomeOf(() => linked(body), { pagination });
    expect(codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
    expect(message).toContain(place);
    expect(items).toHaveLength(50);
  });

  it('in a Link header', async () => {
    const { codes, message } = await outcomeOf(() => linked({}, { link: '</items?page=2>; rel="next"' }), {
      pagination: URL_METHOD,
    });
    expect(codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
    expect(message).toContain('Link');
  });

  it.each([
    [
      'Atom',
      'feed.entry',
      '<feed><entry><id>1</id></entry><entry><id>2</id></entry><link rel="self" href="/x"/><link rel="next" href="/x?page=2"/></feed>',
    ],
    [
      'OAI-PMH',
      'O.L.record',
      '<O><L><record><id>1</id></record><record><id>2</id></record><resumptionToken completeListSize="9" cursor="0">abc</resumptionToken></L></O>',
    ],
  ])('in XML: %s', async (_, dataField, text) => {
    const jobs = [{ endpoint: 'items', format: 'xml', dataField }];
    const { codes } = await outcomeOf(() => bytes(text, { 'content-type': 'text/xml' }), { jobs });
    expect(codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
  });

  it('in a Link header with single quotes, which is followed, and in one that cannot be read', async () => {
    const LINK = { method: 'response.link' };
    const answer = (link: string) => (url: URL) =>
      url.searchParams.has('page') ? { items: rows(50, 2) } : linked({}, { link });
    const followed = await outcomeOf(answer("</items?page=2>; rel='next'"), { pagination: LINK });
    expect(followed.error).toBeUndefined();
    expect(followed.items).toHaveLength(52);
    const { codes, message } = await outcomeOf(answer('/items?page=2; rel="next"'), { pagination: LINK });
    expect(codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
    expect(message).toContain('has no link that can be read');
  });

  it.each([
    ['a blank next page', URL_METHOD, { next: null, links: { next: '' }, has_more: false, paging: { next: false } }],
    ['one page is wanted', { ...URL_METHOD, forceStop: { pages: 1 } }, { next: '/items?page=2' }],
    ['a link to the page before', URL_METHOD, { links: { prev: '/items?page=0', self: '/items' } }],
    ['a total that is reached', { method: 'offset', limit: 100 }, { next: '/items?page=2', total: 50 }],
  ])('%s is no error', async (_, pagination, body) => {
    const { error } = await outcomeOf(() => linked(body), { pagination });
    expect(error).toBeUndefined();
  });

  it('an item that is called next is none', async () => {
    const { error } = await outcomeOf(() => ({ items: [{ next: 'x', has_more: true }] }), { pagination: URL_METHOD });
    expect(error).toBeUndefined();
  });

  it('a field of limitStop or nextPageFlag that is not there does not end the job in silence', async () => {
    const { codes } = await outcomeOf(() => linked({ has_more: true }), {
      pagination: { ...OFFSET, nextPageFlag: { field: 'hasMore', stopOn: false } },
    });
    expect(codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
  });
});

describe('a page smaller than asked', () => {
  /** Serves at most `cap` rows a page, whatever is asked for. */
  const capped = (all: number, cap: number, total: (count: number) => object) => (url: URL) => {
    const from = url.searchParams.has('page') ? (param(url, 'page') - 1) * cap : param(url, 'offset');
    const count = Math.max(0, Math.min(cap, all - from));
    return { items: rows(from, count), ...total(count) };
  };

  it.each([
    ['total', () => ({ total: 203 })],
    ['count', () => ({ count: 203 })],
    ['meta.total', () => ({ meta: { total: 203 } })],
    ['hits.total.value', () => ({ hits: { total: { value: 203, relation: 'eq' } } })],
    ['totalElements as text', () => ({ totalElements: '203' })],
  ])('is followed as long as %s says that there is more', async (_, total) => {
    const { items, requests, finished } = await outcomeOf(capped(203, 10, total), { pagination: OFFSET });
    expect(items).toEqual(rows(0, 203));
    expect(requests).toHaveLength(21);
    expect(finished).toMatchObject({ outcome: 'complete' });
  });

  it('by page numbers, and by a header', async () => {
    const answer = capped(203, 10, () => ({}));
    const { items } = await outcomeOf((url) => json(answer(url), 200, { 'x-total-count': '203' }), {
      pagination: { method: 'pagenum', limit: 50 },
    });
    expect(items).toEqual(rows(0, 203));
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['limit', { limit: 50 }, { method: 'offset', limit: 100 }],
    ['per_page', { meta: { per_page: '50' } }, { method: 'pagenum', limit: 100 }],
  ])('goes on where the API says that it went by a smaller page size: %s', async (_, said, pagination) => {
    const { items, error, finished } = await outcomeOf(
      capped(130, 50, () => said),
      { pagination },
    );
    expect(error).toBeUndefined();
    expect(items).toEqual(rows(0, 130));
    expect(finished).toMatchObject({ outcome: 'complete', pages: 3 });
  });

  it('ends at a page that is not as large as the API says, or where that is what was asked for', async () => {
    const answer = capped(30, 50, () => ({ limit: 50 }));
    for (const limit of [50, 100]) {
      const { items, finished } = await outcomeOf(answer, { pagination: { method: 'offset', limit } });
      expect(items).toEqual(rows(0, 30));
      expect(finished).toMatchObject({ pages: 1 });
    }
  });

  it('several at once', async () => {
    const { items } = await outcomeOf(
      capped(203, 10, () => ({ total: 203 })),
      { pagination: { ...OFFSET, parallel: 4 } },
    );
    expect(items).toEqual(rows(0, 203));
  });

  it('a total that is another one on each page says nothing: the short page ends the job', async () => {
    const { items, error } = await outcomeOf(
      capped(30, 10, (count) => ({ total: count + 7 })),
      { pagination: { method: 'offset', limit: 10 } },
    );
    expect(items).toEqual(rows(0, 30));
    expect(error).toBeUndefined();
  });

  it('pages that overlap are an error: no position is safe', async () => {
    // Two rows of each page are hidden from this user, but counted.
    const answer = (url: URL): unknown => {
      const from = param(url, 'offset');
      return { total: 30, items: rows(from, 10).filter(({ id }) => id % 10 !== 2 && id % 10 !== 3 && id < 30) };
    };
    const { codes, items } = await outcomeOf(answer, { pagination: { method: 'offset', limit: 10 } });
    expect(codes).toContain('PAGES_OVERLAP');
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
  });

  it('pages that are larger than asked for overlap, too', async () => {
    // The parameter of the page size has another name, and the server has a page size of its own.
    const answer = (url: URL): unknown => ({
      count: 300,
      items: rows(param(url, 'offset'), 100).filter(({ id }) => id < 300),
    });
    const { codes, items } = await outcomeOf(answer, {
      pagination: { method: 'offset', limit: 50, limitParam: 'size' },
    });
    expect(codes).toContain('PAGES_OVERLAP');
    expect(items).toEqual(rows(0, 100));
  });

  it('a refusal behind the last item is no error where all items came that the API counts', async () => {
    const answer = (url: URL): unknown => {
      const page = param(url, 'page', 1);
      return page > 3 ? json({ detail: 'Invalid page.' }, 404) : { count: 300, items: rows((page - 1) * 100, 100) };
    };
    const { error, items, finished } = await outcomeOf(answer, { pagination: { method: 'pagenum' } });
    expect(error).toBeUndefined();
    expect(items).toEqual(rows(0, 300));
    expect(finished).toMatchObject({ outcome: 'complete' });
    const { error: other } = await outcomeOf((url) => (param(url, 'page') === 2 ? json({}, 404) : answer(url)), {
      pagination: { method: 'pagenum' },
    });
    expect(other).toMatchObject({ code: 'API_STATUS', status: 404 });
  });

  it('the largest declared total counts: behind a wrong position an API counts nothing', async () => {
    const answer = (url: URL): unknown =>
      url.searchParams.has('next') ? { rows: 0, items: [] } : { rows: 20030, items: rows(0, 1000), next: 1000 };
    const { codes } = await outcomeOf(answer, {
      pagination: { method: 'response.param', responseParam: 'next', queryParam: 'next', total: 'rows' },
    });
    expect(codes).toEqual(['TOTAL_NOT_REACHED']);
  });

  it('a total that is none is named in the error about the page that it led to', async () => {
    const { codes, message } = await outcomeOf(() => ({ items: rows(0, 3), total: 1250 }), { pagination: OFFSET });
    expect(codes).toEqual(['PAGE_REPEATED']);
    expect(message).toContain('since the API counts 1250 items ("total")');
  });

  it.each<[string, () => unknown, object?]>([
    ['an address', () => json({ items: rows(0, 3), next: '/items?from=3' })],
    ['a flag that is taken back', () => json({ items: rows(0, 3), has_more: true }), { has_more: false }],
    ['a header', () => json({ items: rows(0, 3) }, 200, { link: '</items?page=2>; rel="next"' })],
  ])(
    'a second page without items is a warning, where the first one says that there is one: %s',
    async (_, first, second = {}) => {
      const answer = ({ searchParams }: URL) => (searchParams.has('after') ? { items: [], ...second } : first());
      const pagination = { method: 'keyset', key: 'id', param: 'after', limit: 3 };
      const { error, warnings, finished } = await outcomeOf(answer, { pagination });
      expect(error).toBeUndefined();
      expect(warnings).toContainEqual(
        expect.stringMatching(/^INCOMPLETE config\.jobs\[0\]: Page 2 of items has no items/),
      );
      expect(finished).toMatchObject({ outcome: 'complete' });
    },
  );

  it.each([
    ['the first one says nothing', { items: rows(0, 3) }],
    ['all items that the API counts have come', { items: rows(0, 3), next: '/items?from=3', total: 3 }],
  ])('a second page without items is the end, where %s', async (_, first) => {
    const answer = ({ searchParams }: URL) => (searchParams.has('after') ? { items: [] } : first);
    const pagination = { method: 'keyset', key: 'id', param: 'after', limit: 3 };
    const { warnings, finished } = await outcomeOf(answer, { pagination });
    expect(warnings.join()).not.toContain('Page 2');
    expect(finished).toMatchObject({ outcome: 'complete' });
  });

  it('fewer than a lower bound is a warning', async () => {
    const body = { items: rows(0, 50), hits: { total: { value: 10000, relation: 'gte' } } };
    const { warnings, finished } = await outcomeOf(() => body, {});
    expect(warnings).toEqual([expect.stringContaining('the API counts at least 10000')]);
    expect(finished).toMatchObject({ outcome: 'incomplete' });
  });

  it.each([
    ['Airtable', { offset: 'itr4/rec9' }, '"offset"'],
    ['Square', { cursor: 'abc' }, '"cursor"'],
    ['a cursor of a pagination', { pagination: { cursor: 'abc' } }, '"pagination.cursor"'],
    ['CouchDB', { bookmark: 'g1AAAA' }, '"bookmark"'],
    ['Salesforce', { done: false }, '"done"'],
  ])('what may lead to another page is a warning, where there is no pagination: %s', async (_, body, where) => {
    const { error, warnings } = await outcomeOf(() => ({ items: rows(0, 50), ...body }), {});
    expect(error).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining(`and ${where} in the body may lead to another one`)]);
    const paged = await outcomeOf(() => ({ items: rows(0, 3), ...body }), {
      pagination: { method: 'offset', limit: 50 },
    });
    expect(paged.warnings).toEqual([]);
  });

  it.each([
    ['a number', { offset: 0 }],
    ['digits', { offset: '100' }],
    ['where the API says that there is none', { cursor: 'abc', has_more: false }],
    ['where all items have come', { cursor: 'abc', total: 40 }],
    ['the end of CouchDB', { bookmark: 'nil' }],
  ])('what may lead to another page is none: %s', async (_, body) => {
    expect((await outcomeOf(() => ({ items: rows(0, 40), ...body }), {})).warnings).toEqual([]);
  });

  it('fewer than an API counts is a warning with both numbers', async () => {
    const { error, warnings, finished } = await outcomeOf(() => ({ items: rows(0, 50), total: 120 }), {});
    expect(error).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^INCOMPLETE config\.jobs\[0\]: 50 items .* 120 \("total"\)/)]);
    expect(finished).toMatchObject({ outcome: 'incomplete' });
  });

  it.each([
    ['a path', { total: 'meta.rows' }, { meta: { rows: 120 } }, {}],
    ['a header', { total: { header: 'X-Rows' } }, {}, { 'x-rows': '120' }],
  ])('fewer than a declared total is an error: %s', async (_, job, body, headers) => {
    const { codes, message } = await outcomeOf(() => json({ items: rows(0, 50), ...body }, 200, headers), {
      jobs: [{ endpoint: 'items', dataField: 'items', ...job }],
    });
    expect(codes).toEqual(['TOTAL_NOT_REACHED']);
    expect(message).toContain('50 items');
    expect(message).toContain('120');
  });

  it('a declared total that no response has is an error; beside the pagination it counts for all jobs', async () => {
    const { codes } = await outcomeOf(() => ({ items: rows(0, 3) }), { pagination: { ...OFFSET, total: 'meta.rows' } });
    expect(codes).toEqual(['TOTAL_NOT_FOUND']);
  });

  it.each([
    ['a sum of money', { total: 1234.5 }],
    ['the number of items of the page', { count: 40 }],
    ['a lower bound that is reached', { hits: { total: { value: 40, relation: 'gte' } } }],
    ['a number of another relation', { hits: { total: { value: 10000, relation: 'lte' } } }],
    ['a number of an object beside', { user: { count: 900 } }],
  ])('%s is no total', async (_, body) => {
    const { error, warnings } = await outcomeOf(() => ({ items: rows(0, 40), ...body }), {});
    expect(error).toBeUndefined();
    expect(warnings).toEqual([]);
  });
});

describe('a page equal to the one before it', () => {
  it('with items is an error; what came before it arrives once', async () => {
    const { codes, items, requests, message } = await outcomeOf(() => ({ items: rows(0, 50) }), { pagination: OFFSET });
    expect(codes).toEqual(['PAGE_REPEATED']);
    expect(items).toEqual(rows(0, 50));
    expect(requests).toHaveLength(2);
    expect(message).toContain('equalPages');
  });

  it('so it is when only the items are equal, and the rest of the body is not', async () => {
    let at = 0;
    const { codes, items } = await outcomeOf(() => ({ generated_at: (at += 1), items: rows(0, 50) }), {
      pagination: OFFSET,
    });
    expect(codes).toEqual(['PAGE_REPEATED']);
    expect(items).toHaveLength(50);
  });

  describe.each<[string, object, (page: number) => object]>([
    [
      'a token',
      { method: 'response.param', responseParam: 'next', queryParam: 'cursr' },
      (page) => ({ next: `t${page}` }),
    ],
    ['an address', { method: 'response.url', urlKey: 'next' }, (page) => ({ next: `/items?at=${page}` })],
  ])('behind %s that the API does not look at', (_, pagination, says) => {
    const answering = (more: object) => {
      let page = 0;
      return () => ({ items: rows(0, 3), ...((page += 1) < 4 ? says(page) : {}), ...more });
    };

    it('is an error, and its items arrive once', async () => {
      const { codes, items, requests } = await outcomeOf(answering({}), { pagination });
      expect(codes).toEqual(['PAGE_REPEATED']);
      expect(items).toEqual(rows(0, 3));
      expect(requests).toHaveLength(2);
    });

    it('is none where such pages are wanted, or the total says that all is there', async () => {
      const jobs = [{ endpoint: 'items', dataField: 'items', equalPages: 'keep' }];
      const kept = await outcomeOf(answering({}), { pagination, jobs });
      expect(kept.error).toBeUndefined();
      expect(kept.items).toHaveLength(12);
      const whole = await outcomeOf(answering({ total: 3 }), { pagination });
      expect(whole.error).toBeUndefined();
      expect(whole.items).toEqual(rows(0, 3));
    });
  });

  it('rows that are really equal can be kept', async () => {
    const answer = (url: URL) => ({
      items: Array.from({ length: Math.min(4, 11 - param(url, 'offset')) }, () => ({ v: 1 })),
    });
    const job = { endpoint: 'items', dataField: 'items' };
    const pagination = { method: 'offset', limit: 4 };
    expect((await outcomeOf(answer, { pagination, jobs: [job] })).codes).toEqual(['PAGE_REPEATED']);
    const { items, error } = await outcomeOf(answer, { pagination, jobs: [{ ...job, equalPages: 'keep' }] });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(11);
  });

  it('without items ends the job quietly', async () => {
    const answer = (url: URL) => ({ items: param(url, 'page') < 3 ? rows(param(url, 'page'), 1) : [], next: '1' });
    const { error, warnings, items } = await outcomeOf(answer, {
      pagination: { method: 'response.url', urlKey: 'next_url' },
      jobs: [{ endpoint: 'items?page=9', dataField: 'items', completeness: 'warn' }],
    });
    expect(items).toEqual([]);
    expect(error).toBeUndefined();
    expect(warnings.filter((warning) => warning.startsWith('PAGING'))).toEqual([]);
  });

  it.each([
    ['the last item', (url: URL) => rows(param(url, 'from', 1), 2).filter(({ id }) => id <= 2)],
    ['the last page', (url: URL) => rows(Math.min(param(url, 'from', -1), 2) + 1, 2).filter(({ id }) => id <= 3)],
  ])('a cursor that has reached the end gets %s again: that is the end', async (_, answer) => {
    const { error, items, warnings } = await outcomeOf((url) => ({ items: answer(url) }), {
      pagination: { method: 'cursor', idKey: 'id', param: 'from' },
    });
    expect(error).toBeUndefined();
    expect(warnings.join()).not.toContain('INCOMPLETE');
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
  });

  describe.each([
    ['up', 1],
    ['down', -1],
  ])('a cursor that goes %s', (_, way) => {
    /** Three items a page, from the number on. */
    const from = (url: URL) => {
      const start = param(url, 'from', way > 0 ? 1 : 7);
      return { items: [0, 1, 2].map((at) => ({ id: start + way * at })).filter(({ id }) => id >= 1 && id <= 7) };
    };
    const pagination = { method: 'cursor', idKey: 'id', param: 'from', reverse: way < 0 };

    it('gets items twice without an increment: that is an error, and none comes twice', async () => {
      const { codes, items, message } = await outcomeOf(from, { pagination });
      expect(codes).toEqual(['PAGES_OVERLAP']);
      expect(message).toContain('"increment": 1');
      expect(items).toHaveLength(3);
    });

    it('gets each once with it', async () => {
      const { error, items } = await outcomeOf(from, { pagination: { ...pagination, increment: way } });
      expect(error).toBeUndefined();
      expect(items).toHaveLength(7);
    });

    it('may ask for items again by an increment that goes back', async () => {
      const { error, items } = await outcomeOf(from, {
        pagination: { ...pagination, increment: -way, forceStop: { pages: 2 } },
      });
      expect(error).toBeUndefined();
      expect(items).toHaveLength(6);
    });
  });

  it('other items with the number of the last one are none that come twice', async () => {
    const answer = (url: URL) => ({
      items: url.searchParams.has('from') ? [{ id: 2, at: 'b' }].slice(param(url, 'from') - 2) : [{ id: 2, at: 'a' }],
    });
    const { error, items } = await outcomeOf(answer, {
      pagination: { method: 'cursor', idKey: 'id', param: 'from', forceStop: { pages: 2 } },
    });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(2);
  });

  it('a whole list that ignores the pagination is complete where the total says so', async () => {
    const { error, items } = await outcomeOf(() => ({ items: rows(0, 120), total: 120 }), { pagination: OFFSET });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(120);
  });
});

describe('a ring of next pages', () => {
  const ring: Readonly<Record<string, string>> = { a: 'b', b: 'c', c: 'a' };

  it('by addresses is an error at the first repetition', async () => {
    const answer = (url: URL) => {
      const at = url.searchParams.get('at') ?? 'a';
      return { items: [{ at }], next: `/items?at=${ring[at] ?? ''}` };
    };
    const { codes, items, requests } = await outcomeOf(answer, {
      pagination: { method: 'response.url', urlKey: 'next' },
    });
    expect(codes).toEqual(['PAGE_RING']);
    expect(items).toEqual([{ at: 'a' }, { at: 'b' }, { at: 'c' }]);
    expect(requests).toHaveLength(4);
  });

  it('also when its pages are never quite the same', async () => {
    let now = 0;
    const answer = (url: URL) => ({
      items: [{ now: (now += 1) }],
      next: `/items?at=${ring[url.searchParams.get('at') ?? 'a'] ?? ''}`,
    });
    const { codes, requests } = await outcomeOf(answer, { pagination: { method: 'response.url', urlKey: 'next' } });
    expect(codes).toEqual(['PAGE_RING']);
    expect(requests.length).toBeLessThanOrEqual(5);
  });

  it('by tokens', async () => {
    const answer = (url: URL) => {
      const at = url.searchParams.get('at') ?? 'a';
      return { items: [{ at }], token: ring[at] };
    };
    const { codes, items } = await outcomeOf(answer, {
      pagination: { method: 'response.param', responseParam: 'token', queryParam: 'at' },
    });
    expect(codes).toEqual(['PAGE_RING']);
    expect(items).toHaveLength(3);
  });

  it('by positions that the API counts round and round', async () => {
    const rowsWithoutId = (from: number) => rows(from, 2).map(({ id }) => ({ n: id }));
    const answer = (url: URL) => ({ items: rowsWithoutId((param(url, 'offset') % 6) * 10) });
    const { codes, requests } = await outcomeOf(answer, { pagination: { method: 'offset', limit: 2 } });
    expect(codes).toEqual(['PAGE_RING']);
    expect(requests.length).toBeLessThanOrEqual(6);
  });

  it('one token for all pages is no ring as long as the items are new', async () => {
    let page = 0;
    const answer = () => ({ took: Math.random(), items: page < 4 ? rows((page += 1) * 10, 2) : [], scroll: 'same' });
    const { items, error, requests } = await outcomeOf(answer, {
      pagination: { method: 'response.param', responseParam: 'scroll', queryParam: 'scroll_id' },
    });
    expect(items).toHaveLength(8);
    expect(error).toBeUndefined();
    // Its pages without items never end, either.
    expect(requests).toHaveLength(6);
  });
});

describe('in the middle of pagination', () => {
  const then = (second: unknown) => (url: URL) => (param(url, 'offset') === 0 ? { items: rows(0, 50) } : second);

  it.each([
    ['an object in place of the list', { items: { message: 'overloaded' } }],
    ['a string in place of the list', { items: 'overloaded' }],
    ['an empty string in place of the list', { items: '' }],
    ['a body that is a string', ''],
    ['a body that says that it is an error', { error: 'overloaded' }],
    ['a body that says so with a flag', { ok: false, message: 'x' }],
  ])('%s is an error', async (_, body) => {
    const { error } = await outcomeOf(then(body), { pagination: OFFSET });
    expect(error).toMatchObject({ code: 'API_SHAPE' });
  });

  it.each([
    ['an empty list', { items: [] }],
    ['null for an empty list', { items: null }],
    ['no list on a last page', { kind: 'list' }],
  ])('%s ends the job', async (_, body) => {
    const { error, items } = await outcomeOf(then(body), { pagination: OFFSET });
    expect(error).toBeUndefined();
    expect(items).toHaveLength(50);
  });

  it('a first response that says that it is an error, with status 200, is one', async () => {
    const { codes } = await outcomeOf(() => ({ error: { code: 5, message: 'no' } }), {});
    expect(codes).toEqual(['ERROR_IN_BODY']);
  });
});

describe('what a configuration wants is complete', () => {
  it.each([
    ['forceStop', { ...OFFSET, forceStop: { pages: 2 } }],
    ['limitStop', { ...OFFSET, limitStop: { count: 60 } }],
  ])('%s', async (_, pagination) => {
    const { error, finished } = await outcomeOf(
      (url) => ({ items: rows(param(url, 'offset'), 50), total: 9000, next: 'x' }),
      {
        pagination,
      },
    );
    expect(error).toBeUndefined();
    expect(finished).toMatchObject({
      outcome: 'stopped',
      items: 100,
      jobs: [{ outcome: 'stopped', items: 100, pages: 2 }],
    });
  });
});

describe('an empty last page of a job that declares its total', () => {
  const declared = { pagination: OFFSET, jobs: [{ endpoint: 'items', dataField: 'items', total: 'total' }] };
  const pageOf = (url: URL, total: number): object => ({ items: rows(param(url, 'offset'), 50), total });
  const emptyAt =
    (offset: number, empty: unknown, total = 100) =>
    (url: URL) =>
      param(url, 'offset') >= offset ? empty : pageOf(url, total);

  it.each([
    ['an empty list', { items: [], total: 100 }],
    ['no list', { total: 100 }],
    ['an empty body', bytes('')],
  ])('%s is worth no warning where the total is reached', async (_, empty) => {
    const { error, warnings, items, requests } = await outcomeOf(emptyAt(100, empty), declared, { strict: true });
    expect(error).toBeUndefined();
    expect(warnings).toEqual([]);
    expect([items.length, requests.length]).toEqual([100, 3]);
  });

  it('it is where the total is not', async () => {
    const { codes, warnings } = await outcomeOf(emptyAt(100, { items: [] }, 120), declared);
    expect(warnings).toEqual(['NO_DATA dataField items contains no data!']);
    expect(codes).toEqual(['TOTAL_NOT_REACHED']);
    expect((await outcomeOf(emptyAt(0, { items: [], total: 0 }), declared)).warnings).toHaveLength(1);
  });
});

describe('a count that is no total', () => {
  const answer = (url: URL): unknown => ({ items: param(url, 'offset') === 0 ? rows(0, 3) : [], count: 12 });

  it('is not looked at where the job says that there is none', async () => {
    expect((await outcomeOf(answer, {})).warnings).toEqual([expect.stringMatching(/^INCOMPLETE .*counts 12/)]);
    const { warnings, finished } = await outcomeOf(answer, {
      jobs: [{ endpoint: 'items', dataField: 'items', total: 'none' }],
    });
    expect(warnings).toEqual([]);
    expect(finished).toMatchObject({ outcome: 'complete' });
  });

  it('takes the place of the total that is declared for all jobs', async () => {
    const total = { method: 'offset', limit: 50, total: 'count' };
    const own = { endpoint: 'items', dataField: 'items', total: 'none' };
    expect((await outcomeOf(answer, { pagination: total })).codes).toEqual(['TOTAL_NOT_REACHED']);
    expect((await outcomeOf(answer, { pagination: total, jobs: [own] })).error).toBeUndefined();
  });
});

describe('turning it down', () => {
  const misspelled = { jobs: [{ endpoint: 'items', dataField: 'result' }] };
  const answer = (): unknown => ({ results: rows(0, 3) });

  it('completeness "warn" makes a warning of it', async () => {
    const { error, warnings, finished } = await outcomeOf(answer, {
      ...misspelled,
      settings: { completeness: 'warn' },
    });
    expect(error).toBeUndefined();
    expect(warnings).toEqual([
      'NO_DATA dataField result contains no data!',
      expect.stringMatching(/^INCOMPLETE config\.jobs\[0\]: No response of items/),
    ]);
    expect(finished).toMatchObject({ outcome: 'incomplete' });
  });

  it('completeness "off" does not look', async () => {
    const { error, warnings } = await outcomeOf(answer, { ...misspelled, settings: { completeness: 'off' } });
    expect(error).toBeUndefined();
    expect(warnings).toEqual(['NO_DATA dataField result contains no data!']);
  });

  it('a job can say so for itself, and an application for all', async () => {
    const { error } = await outcomeOf(answer, { jobs: [{ ...misspelled.jobs[0], completeness: 'off' }] });
    expect(error).toBeUndefined();
    const { error: other } = await outcomeOf(answer, misspelled, { completeness: 'off' });
    expect(other).toBeUndefined();
    const { codes } = await outcomeOf(
      answer,
      { ...misspelled, settings: { completeness: 'error' } },
      { completeness: 'off' },
    );
    expect(codes).toEqual(['DATA_NOT_FOUND']);
  });

  it('strict makes every warning an error, but for the expected one of an empty last page', async () => {
    const { error } = await outcomeOf(() => ({ items: rows(0, 50), total: 120 }), {}, { strict: true });
    expect(error).toMatchObject({ code: 'WARNINGS' });
    const { error: none } = await outcomeOf(
      (url) => ({ items: param(url, 'offset') === 0 ? rows(0, 50) : [] }),
      { pagination: OFFSET },
      { strict: true },
    );
    expect(none).toBeUndefined();
  });
});

describe('children', () => {
  it('those without items are one line at the end, not one each', async () => {
    const { warnings, error } = await outcomeOf(
      ({ pathname }) => (pathname === '/parents' ? rows(0, 20) : { items: [] }),
      {
        jobs: [
          {
            endpoint: 'parents',
            children: [{ endpoint: 'c/{id}', placeholders: { id: 'id' }, dataField: 'items', dataType: 'c' }],
          },
        ],
      },
    );
    expect(error).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringMatching(/^ALL_EMPTY config\.jobs\[0\]\.children\[0\]: none of 20 calls of c had items\./),
    ]);
  });

  it('doubts of many calls are one', async () => {
    const { codes, message } = await outcomeOf(
      ({ pathname }) => (pathname === '/parents' ? rows(0, 20) : { items: rows(0, 2), next: '/x' }),
      {
        jobs: [
          {
            endpoint: 'parents',
            children: [{ endpoint: 'c/{id}', placeholders: { id: 'id' }, dataField: 'items', dataType: 'c' }],
          },
        ],
      },
    );
    expect(codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
    expect(message).toContain('19 more of its calls');
  });
});
