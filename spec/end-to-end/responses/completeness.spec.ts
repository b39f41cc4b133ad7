/** A run says whether it is complete (docs/completeness.md): real servers, the real engine, each outcome and each code once. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver, sinks } from '../../../src';
import type { RunEvent } from '../../../src';
import { bytes, json, redirectTo } from '../../support/answers';
import { startServer } from '../../support/api-server';
import { outcomesOf, rows } from '../../support/completeness';
import type { Played } from '../../support/completeness';

const param = (url: URL, name: string, fallback = 0): number => Number(url.searchParams.get(name) ?? fallback);
const OFFSET = { method: 'offset', limit: 10 };
const BY_ADDRESS = { method: 'response.url', urlKey: 'next' };
const BY_TOKEN = { method: 'response.param', responseParam: 'next', queryParam: 'token' };
const JOB = { endpoint: 'items', dataField: 'items' };
const PARENTS = (child: object) => [
  { endpoint: 'parents', children: [{ endpoint: 'c/{id}', placeholders: { id: 'id' }, dataType: 'c', ...child }] },
];
const DAYS = {
  ...JOB,
  params: { from: { window: 'from' } },
  window: { from: '2024-01-01', to: '2024-01-04', step: '1 day' },
};

/** Ten items a page by offset, so many in all. */
const pages =
  (all: number, says: (from: number) => object = () => ({})) =>
  (url: URL): object => {
    const from = param(url, 'offset');
    return { items: rows(from, 10).filter(({ id }) => id < all), ...says(from) };
  };
/** The same, but for the page at this offset. */
const pagesBut =
  (offset: number, page: unknown, all = 25) =>
  (url: URL): unknown =>
    param(url, 'offset') === offset ? page : pages(all)(url);
const csv =
  (...texts: readonly string[]) =>
  (url: URL) =>
    bytes(texts[param(url, 'page', 1) - 1] ?? '', { 'content-type': 'text/csv' });

/** The hours of 13 stations, one after another. */
const series = (url: URL): object => {
  const from = param(url, 'offset');
  const items = rows(from, 10).map(({ id: t }) => ({ id: t % 13, t }));
  return { items: items.filter(({ t }) => t < 35), total: 35 };
};
/** 23 items, of which the last three are the first ones again. */
const firstAgain = (url: URL): object => {
  const items = [...rows(0, 20), ...rows(0, 3)];
  const from = param(url, 'offset');
  return { items: items.slice(from, from + 10), total: 23 };
};

type Case = [code: string, what: string, answer: (url: URL) => unknown, played: Played, items?: number];

describe('a run', () => {
  const play = outcomesOf();

  it.each<[string, string, (url: URL) => unknown, Played, number]>([
    ['complete', 'offsets end with a short page', pages(25), { pagination: OFFSET }, 25],
    [
      'complete',
      'a cursor that asks for the last items again gets them again',
      (url) => ({ items: rows(param(url, 'from', 1), 3).filter(({ id }) => id <= 7) }),
      { pagination: { method: 'cursor', idKey: 'id', param: 'from', increment: -1 } },
      17,
    ],
    [
      'complete',
      'an id names a station, and the key says that an item is that of an hour',
      series,
      { pagination: { ...OFFSET, total: 'total' }, jobs: [{ ...JOB, primaryKey: ['id', 't'] }] },
      35,
    ],
    ['complete', 'a list is empty', () => ({ items: [] }), {}, 0],
    ['complete', 'there is no list', () => ({ note: 'x' }), {}, 0],
    [
      'complete',
      'calls of a child say the same, with items and without',
      (url) =>
        url.pathname === '/parents'
          ? rows(1, 3)
          : { items: url.pathname === '/c/1' ? [] : rows(0, 2), message: 'Request processed' },
      { jobs: PARENTS({ dataField: 'items' }) },
      7,
    ],
    [
      'complete',
      'a JSON path takes members of a map, whose keys are words of paging',
      () => ({ data: { total: { id: 1, count: 5 }, has_more: { id: 2 }, next: { id: 3 } } }),
      { jobs: [{ ...JOB, dataField: '$.data.*' }] },
      3,
    ],
    [
      'complete',
      'a total counts lists, or what a JSON path leaves out',
      (url) => ({
        total: 9,
        lists: rows(0, 4).map(({ id }) => ({ items: [{ id: `${id} ${param(url, 'page', 1)}` }] })),
      }),
      { jobs: [{ ...JOB, dataField: '$.lists[*].items[*]' }] },
      4,
    ],
    [
      'complete',
      'pages are smaller than asked for, and a total says that there is more',
      (url) => ({ items: rows(param(url, 'offset'), 5).filter(({ id }) => id < 23), total: 23 }),
      { pagination: OFFSET },
      23,
    ],
    [
      'complete',
      'the API says that it goes by a smaller page size',
      (url) => ({ items: rows(param(url, 'offset'), 5).filter(({ id }) => id < 23), limit: 5 }),
      { pagination: OFFSET },
      23,
    ],
    [
      'complete',
      'the API stays on its last page',
      (url) => pages(20)(new URL(`?offset=${Math.min(param(url, 'offset'), 10)}`, url)),
      { pagination: OFFSET },
      20,
    ],
    [
      'complete',
      'an address names its own page',
      (url) => ({ items: rows(param(url, 'at'), 2), next: `/items?at=${Math.min(param(url, 'at') + 2, 4)}` }),
      { pagination: BY_ADDRESS },
      6,
    ],
    [
      'complete',
      'a last response leaves its empty list out, and the token of the pages before',
      (url) => {
        const from = param(url, 'token');
        return from < 20 ? { kind: 'list', items: rows(from, 10), next: String(from + 10) } : { kind: 'list' };
      },
      { pagination: BY_TOKEN },
      20,
    ],
    [
      'complete',
      'a last response says that it is the last one, in a sentence as well',
      pagesBut(20, { items: [], has_more: false, message: 'No more stations' }),
      { pagination: OFFSET },
      20,
    ],
    [
      'complete',
      'a refusal behind the last page, where the total is reached',
      (url) => (param(url, 'offset') < 20 ? pages(20, () => ({ total: 20 }))(url) : json({ detail: 'No.' }, 404)),
      { pagination: { ...OFFSET, limit: 10 } },
      20,
    ],
    ...[json({ detail: 'No.' }, 404), bytes('', {}, 204), {}, { message: 'No more stations' }].map(
      (behind, at): [string, string, (url: URL) => unknown, Played, number] => [
        'complete',
        `a full page says that it is the last, whatever is behind it (${at})`,
        (url) => (param(url, 'offset') < 20 ? pages(20, (from) => ({ has_more: from < 10 }))(url) : behind),
        { pagination: OFFSET },
        20,
      ],
    ),
    [
      'complete',
      'an address is on every page, and a flag says that there is no more',
      (url) => ({
        items: rows(param(url, 'at'), 2).filter(({ id }) => id < 4),
        next: `/items?at=${param(url, 'at') + 2}`,
        has_more: param(url, 'at') < 2,
      }),
      { pagination: BY_ADDRESS },
      4,
    ],
    [
      'stopped',
      'the configuration wants two pages',
      pages(90, () => ({ total: 90 })),
      { pagination: { ...OFFSET, forceStop: { pages: 2 } } },
      20,
    ],
    [
      'stopped',
      'the configuration wants so many items',
      pages(90, () => ({ total: 90 })),
      { pagination: { ...OFFSET, limitStop: { count: 15 } } },
      20,
    ],
  ])('is %s: %s', async (outcome, _, answer, played, items) => {
    const found = await play(answer, played);
    expect([found.outcome, found.error, found.items.length]).toEqual([outcome, undefined, items]);
    expect(found.doubts.filter((code) => code !== 'NO_DATA')).toEqual([]);
  });

  it.each<Case>([
    [
      'TOTAL_NOT_REACHED',
      'a declared total, whatever the last page says',
      pages(25, () => ({ all: 30, has_more: false })),
      { pagination: { ...OFFSET, total: 'all' } },
    ],
    [
      'TOTAL_NOT_REACHED',
      'a declared total in a header',
      () => json({ items: rows(0, 5) }, 200, { 'x-rows': '12' }),
      { jobs: [{ ...JOB, total: { header: 'X-Rows' } }] },
    ],
    ['TOTAL_EXCEEDED', 'a declared total', pages(25, () => ({ all: 20 })), { pagination: { ...OFFSET, total: 'all' } }],
    ['TOTAL_NOT_FOUND', 'a declared total that is nowhere', pages(25), { pagination: { ...OFFSET, total: 'all' } }],
    ['NEXT_PAGE_NOT_TAKEN', 'no pagination', () => ({ items: rows(0, 5), next: '/items?page=2' }), {}],
    ['NEXT_PAGE_NOT_TAKEN', 'a flag', () => ({ items: rows(0, 5), has_more: true }), {}],
    [
      'NEXT_PAGE_NOT_TAKEN',
      'a flag beside what a JSON path takes its items from',
      () => ({ data: { found: { edges: rows(0, 5).map((node) => ({ node })), pageInfo: { hasNextPage: true } } } }),
      { jobs: [{ ...JOB, dataField: "$['data'].found.edges[*].node" }] },
    ],
    [
      'NEXT_PAGE_NOT_TAKEN',
      'an address elsewhere',
      () => json({ items: rows(0, 5) }, 200, { link: '</items?page=2>; rel="next"' }),
      { pagination: BY_ADDRESS },
    ],
    [
      'NEXT_PAGE_NOT_TAKEN',
      'a field of nextPageFlag that is elsewhere',
      () => ({ items: rows(0, 5), has_more: true }),
      { pagination: { ...OFFSET, limit: 5, nextPageFlag: { field: 'hasMore', stopOn: false } } },
    ],
    [
      'PAGE_SKIPPED',
      'pages from 0',
      () => ({ items: rows(10, 5), first: false }),
      { pagination: { method: 'pagenum', limit: 10 } },
    ],
    ['POSITION_IGNORED', 'an offset', () => ({ items: rows(0, 10) }), { pagination: OFFSET }],
    [
      'POSITION_IGNORED',
      'a token',
      (url) => ({ items: rows(0, 10), next: `${url.searchParams.get('token') ?? ''}x` }),
      { pagination: BY_TOKEN },
    ],
    [
      'PAGES_OVERLAP',
      'an offset that counts pages',
      (url) => ({ items: rows(param(url, 'page'), 10) }),
      { pagination: { method: 'pagenum' } },
    ],
    [
      'PAGE_RING',
      'addresses, of pages that are never quite the same',
      (url) => ({ items: [{ v: Math.random() }], next: `/items?at=${(param(url, 'at') + 1) % 3}` }),
      { pagination: { ...BY_ADDRESS } },
    ],
    [
      'PAGE_RING',
      'tokens',
      (url) => ({ items: [{ v: param(url, 'token', 1) }], next: (param(url, 'token', 1) % 3) + 1 }),
      { pagination: BY_TOKEN },
    ],
    [
      'PAGE_RING',
      'positions that the API counts round and round',
      (url) => ({ items: [{ v: param(url, 'offset') % 3 }] }),
      { pagination: { method: 'offset', limit: 1 } },
    ],
    ['DATA_NOT_FOUND', 'a misspelled dataField', () => ({ results: rows(0, 5) }), { jobs: [JOB] }],
    [
      'DATA_NOT_FOUND',
      'a list further down',
      () => ({ data: { users: rows(0, 5) } }),
      { jobs: [{ endpoint: 'items' }] },
    ],
    ['ERROR_IN_BODY', 'the first response', () => ({ error: { code: 5, message: 'no' } }), {}],
    ['ERROR_IN_BODY', 'a later one', pagesBut(10, { ok: false, message: 'overloaded' }), { pagination: OFFSET }],
    ...[{}, { data: null }, { data: { ships: null } }].map((data): Case => [
      'ERROR_IN_BODY',
      `errors of GraphQL, beside ${JSON.stringify(data)}`,
      () => ({ errors: [{ message: 'Cannot query', locations: [{ line: 1, column: 3 }] }], ...data }),
      { jobs: [{ endpoint: 'items' }] },
    ]),
    [
      'ERROR_IN_BODY',
      'errors of GraphQL in place of a later list',
      pagesBut(10, { errors: [{ message: 'Too complex' }], items: null }),
      { pagination: OFFSET, jobs: [{ endpoint: 'items' }] },
    ],
    ['NOT_READY', 'a status', () => json({ items: [] }, 202), {}],
    [
      'REDIRECTED',
      'a later page',
      (url) =>
        param(url, 'offset') === 10
          ? redirectTo('/items?n=50')
          : { items: rows(param(url, 'n', param(url, 'offset')), param(url, 'offset') < 20 ? 10 : 5) },
      { pagination: OFFSET },
    ],
    ['FIELD_NOT_FOUND', 'a filter', () => ({ items: rows(0, 5) }), { jobs: [{ ...JOB, filter: 'a==1' }] }],
    [
      'KEY_ORDER',
      'items against the order',
      (url) => ({ items: [[{ id: 3 }, { id: 1 }], [], [], [{ id: 4 }], []][param(url, 'from')] ?? [] }),
      { pagination: { method: 'cursor', idKey: 'id', param: 'from' } },
    ],
    [
      'KEY_ORDER',
      'a key that comes again',
      (url) => ({ items: rows(param(url, 'from', 1), 3).filter(({ id }) => id <= 7) }),
      { pagination: { method: 'cursor', idKey: 'id', param: 'from' } },
    ],
    [
      'COLUMNS_DIFFER',
      'a page of CSV without a header',
      csv('id,n\n1,a\n2,b\n', '3,c\n4,d\n'),
      { pagination: { method: 'pagenum', limit: 2 }, jobs: [{ endpoint: 'items', format: 'csv' }] },
    ],
    ...(['2024-01-02', '2024-01-0[23]'] as const).map((days): Case => [
      'COLUMNS_DIFFER',
      `windows of CSV with other columns in ${days}`,
      (url) =>
        bytes(new RegExp(days).test(url.search) ? '3,c\n4,d\n' : `id,n\n${url.search.length},a\n`, {
          'content-type': 'text/csv',
        }),
      { jobs: [{ ...DAYS, format: 'csv', dataField: undefined }] },
    ]),
  ])('is incomplete with %s: %s', async (code, _, answer, played) => {
    const { outcome, codes, doubts, message } = await play(answer, played);
    expect([outcome, codes]).toEqual(['incomplete', [code]]);
    expect(doubts.filter((each) => each !== 'NO_DATA')).toEqual([]);
    expect(message).toMatch(/^The run is incomplete\.\n {2}config\.jobs\[0\]: /);
  });

  it('says where the items are before it says what else is wrong: errors beside them, or a total', async () => {
    const errors = [{ message: 'A part of it cannot be read', path: ['ships', 5] }];
    const elsewhere = await play(() => ({ errors, data: { ships: rows(0, 5) } }), { jobs: [{ endpoint: 'items' }] });
    expect([elsewhere.outcome, elsewhere.codes]).toEqual(['incomplete', ['DATA_NOT_FOUND', 'ERROR_IN_BODY']]);
    const counted = await play(() => ({ results: rows(0, 5), count: 60 }), {
      pagination: { ...OFFSET, total: 'count' },
    });
    expect([counted.outcome, counted.codes]).toEqual(['incomplete', ['DATA_NOT_FOUND', 'TOTAL_NOT_REACHED']]);
  });

  it.each([
    ['/items', 'id'],
    ['/app/errors?days=7', 'id'],
    ['/app/errors?days=7', 'at'],
  ])('takes a list of errors that an API keeps at %s for items, which have their %s', async (endpoint, key) => {
    const kept = Array.from({ length: 3 }, (_, at) => ({ [key]: at, message: `crash ${at}` }));
    const { outcome, items } = await play(() => ({ errors: kept }), { jobs: [{ endpoint }] });
    expect([outcome, items]).toEqual(['complete', kept]);
  });

  it.each<[string, unknown]>([
    ['a number', { items: 17 }],
    ['a list elsewhere', { rows: rows(10, 10) }],
  ])('fails where a later page has %s in place of the list', async (_, page) => {
    const { error } = await play(pagesBut(10, page), { pagination: OFFSET });
    expect(error).toMatchObject({ code: 'API_SHAPE' });
  });

  it('fails where a later page is one of HTML', async () => {
    const answer = (url: URL) =>
      bytes(param(url, 'offset') === 0 ? '<a><b>1</b><b>2</b></a>' : '<html><b>Log in</b></html>', {
        'content-type': 'text/xml',
      });
    const jobs = [{ endpoint: 'items', format: 'xml', dataField: 'a.b' }];
    const { error } = await play(answer, { pagination: { method: 'offset', limit: 2 }, jobs });
    expect(error).toMatchObject({ code: 'API_SHAPE', message: expect.stringContaining('a page of HTML') as string });
  });

  it.each<Case>([
    ['TOTAL_NOT_REACHED', 'a total of the API', pages(25, () => ({ total: 30 })), { pagination: OFFSET }, 25],
    [
      'TOTAL_NOT_REACHED',
      'a total beside what a JSON path takes its items from',
      pages(25, () => ({ total: 30 })),
      { pagination: OFFSET, jobs: [{ ...JOB, dataField: '$.items[*]' }] },
      25,
    ],
    [
      'TOTAL_NOT_REACHED',
      'at least so many',
      () => ({ items: rows(0, 5), hits: { total: { value: 100, relation: 'gte' } } }),
      {},
      5,
    ],
    ['TOTAL_EXCEEDED', 'a total of the API', pages(25, () => ({ total: 20 })), { pagination: OFFSET }, 25],
    [
      'API_MESSAGE',
      'a sentence in place of a page',
      pagesBut(10, { message: 'The service is busy' }),
      { pagination: OFFSET },
      10,
    ],
    [
      'API_MESSAGE',
      'a sentence of one child, where others have a sentence beside their items',
      (url) =>
        url.pathname === '/parents'
          ? rows(1, 3)
          : url.pathname === '/c/2'
            ? { items: [], message: 'The service is busy' }
            : { items: rows(0, 2), message: 'Request processed' },
      { jobs: PARENTS({ dataField: 'items' }) },
      7,
    ],
    [
      'API_MESSAGE',
      'a sentence in place of the list',
      pagesBut(10, { items: 'The service is busy' }),
      { pagination: OFFSET },
      10,
    ],
    [
      'API_MESSAGE',
      'an object with a sentence in place of the list',
      pagesBut(10, { items: { message: 'The service is busy' } }),
      { pagination: OFFSET },
      10,
    ],
    [
      'LIST_MISSING',
      'an object with other members, behind pages with tokens',
      (url) =>
        param(url, 'token') < 10
          ? { kind: 'list', items: rows(0, 10), next: '10' }
          : { kind: 'list', state: 'unavailable' },
      { pagination: BY_TOKEN },
      10,
    ],
    ['LIST_MISSING', 'an object', pagesBut(10, {}), { pagination: OFFSET }, 10],
    ['LIST_MISSING', 'an empty body', pagesBut(10, bytes('')), { pagination: OFFSET }, 10],
    ['LIST_MISSING', 'the status 204', pagesBut(10, bytes('', {}, 204)), { pagination: OFFSET }, 10],
    ['PAGE_REFUSED', 'a status', pagesBut(10, json({ detail: 'Invalid page.' }, 404)), { pagination: OFFSET }, 10],
    ['NEXT_PAGE_EMPTY', 'a flag', pagesBut(10, { items: [], has_more: true }), { pagination: OFFSET }, 10],
    [
      'NEXT_PAGE_EMPTY',
      'three pages with new addresses',
      (url) => ({ items: rows(0, param(url, 'at') === 0 ? 3 : 0), next: `/items?at=${param(url, 'at') + 1}` }),
      { pagination: BY_ADDRESS },
      3,
    ],
    ['PAGES_OVERLAP', 'ids that come again, without a key', series, { pagination: OFFSET }, 35],
    [
      'PAGES_OVERLAP',
      'an item that has moved to the next page',
      (url) => ({ items: rows(Math.max(0, param(url, 'offset') - 1), 10).filter(({ id }) => id < 25) }),
      { pagination: OFFSET },
      26,
    ],
    [
      'PAGE_REPEATED',
      'an API that begins again',
      (url) => ({ items: rows(param(url, 'offset') % 30, 10) }),
      { pagination: OFFSET },
      30,
    ],
    [
      'PAGE_CAPPED',
      'a number that counts what came so far',
      (url) => ({ items: rows(param(url, 'offset'), 10), sum: param(url, 'offset') + 10 }),
      { pagination: { ...OFFSET, limitStop: { field: 'sum' } } },
      10,
    ],
    [
      'CURSOR_CUT',
      'a fraction',
      (url) => ({ items: url.searchParams.has('from') ? [] : [{ id: 9 }, { id: 7.5 }] }),
      { pagination: { method: 'cursor', idKey: 'id', param: 'from', reverse: true } },
      2,
    ],
    [
      'KEY_REPEATED',
      'a list that stands twice',
      () =>
        bytes('{"items":[{"id":1}],"items":[{"id":2},{"id":3}],"last":true}', { 'content-type': 'application/json' }),
      {},
      2,
    ],
    [
      'ITEMS_NOT_READ',
      'a rule takes a page for the end that has items',
      pages(25, (from) => ({ more: from < 10 })),
      { pagination: OFFSET, api: { http: { rules: [{ when: { field: 'more', is: false }, do: 'end' }] } } },
      10,
    ],
    [
      'ALL_EMPTY',
      'the calls of a child',
      ({ pathname }) => (pathname === '/parents' ? rows(0, 3) : { items: [] }),
      { jobs: PARENTS({ dataField: 'items' }) },
      3,
    ],
    [
      'ALL_SKIPPED',
      'a rule',
      () => json({ detail: 'no' }, 404),
      { api: { http: { rules: [{ when: { status: 404 }, do: 'skip' }] } } },
      0,
    ],
    ['ALL_DROPPED', 'a filter', () => ({ items: rows(0, 5) }), { jobs: [{ ...JOB, filter: 'id>99' }] }, 0],
    ['ALL_EQUAL', 'windows that the API ignores', () => ({ items: rows(0, 3) }), { jobs: [DAYS] }, 9],
  ])('is doubtful with %s: %s', async (code, _, answer, played, items) => {
    const found = await play(answer, played);
    expect([found.outcome, found.error, found.items.length]).toEqual(['doubtful', undefined, items]);
    expect(found.doubts.filter((each) => each !== 'NO_DATA' && each !== 'EMPTY_BODY')).toEqual([code]);
    const reported = found.warnings.filter((warning) => warning.startsWith(code)).join();
    expect(reported).toMatch(/^[A-Z_]+ config\.jobs\[0\](\.children\[0\])?: (?!config)/);
    const strict = await play(answer, played, { strict: true });
    expect([strict.outcome, strict.error]).toMatchObject(['doubtful', { code: 'WARNINGS' }]);
  });
});

describe('what was met on the way', () => {
  const play = outcomesOf();

  it('a scroll id that is the same on all pages leads on as long as there are items', async () => {
    let page = 0;
    const answer = () => ({ took: Math.random(), items: page < 4 ? rows((page += 1) * 10, 2) : [], next: 'same' });
    const { items, outcome, doubts, requests } = await play(answer, { pagination: BY_TOKEN });
    expect([items.length, outcome, doubts, requests.length]).toEqual([8, 'complete', [], 5]);
  });

  describe('equal rows without ids', () => {
    const equal = (all: number, says: object) => (url: URL) => ({
      items: Array.from({ length: Math.max(0, Math.min(4, all - param(url, 'offset'))) }, () => ({ v: 1 })),
      ...says,
    });
    const pagination = { method: 'offset', limit: 4 };

    it('are one page twice, where nothing says otherwise', async () => {
      const { codes, items, message } = await play(equal(11, {}), { pagination });
      expect([codes, items.length]).toEqual([['POSITION_IGNORED'], 4]);
      expect(message).toContain('"equalPages": "keep"');
    });

    it('are others where a total says so, or the configuration', async () => {
      for (const played of [
        { pagination: { ...pagination } },
        { pagination, jobs: [{ ...JOB, equalPages: 'keep' }] },
      ]) {
        const { outcome, items } = await play(equal(7, 'jobs' in played ? {} : { total: 7 }), played);
        expect([outcome, items.length]).toEqual(['complete', 7]);
      }
    });

    it('are one page twice where a total has no room for them', async () => {
      for (const total of [4 + 3, 4])
        expect(
          await play(() => ({ items: Array.from({ length: 4 }, () => ({ v: 1 })), total }), { pagination }),
        ).toMatchObject(
          total === 4 ? { outcome: 'complete', codes: [] } : { outcome: 'incomplete', codes: ['POSITION_IGNORED'] },
        );
    });

    it('end at the third equal page in a row, which nothing explains', async () => {
      const { codes, items } = await play(equal(40, {}), { pagination, jobs: [{ ...JOB, equalPages: 'keep' }] });
      expect([codes, items.length]).toEqual([['PAGE_RING'], 8]);
    });

    it('may be as many pages as a declared total has', async () => {
      const jobs = [{ ...JOB, equalPages: 'keep', total: 'total' }];
      const { outcome, items } = await play(equal(15, { total: 15 }), { pagination, jobs });
      expect([outcome, items.length]).toEqual(['complete', 15]);
      const endless = await play(equal(99, { total: 15 }), { pagination, jobs });
      expect([endless.outcome, endless.codes]).toEqual(['incomplete', ['TOTAL_EXCEEDED', 'PAGE_RING']]);
    });
  });

  it('the columns of parents in a key do not make an id another one', async () => {
    const answer = (url: URL): unknown => (url.pathname === '/parents' ? [{ id: 7 }] : firstAgain(url));
    const jobs = PARENTS({ dataField: 'items', primaryKey: ['parent_id', 'id'] });
    const { outcome, doubts } = await play(answer, { pagination: OFFSET, jobs });
    expect([outcome, doubts]).toEqual(['doubtful', ['TOTAL_NOT_REACHED', 'PAGES_OVERLAP']]);
  });

  it('items whose key came before do not count for a declared total', async () => {
    const played = { pagination: { ...OFFSET, total: 'total' }, jobs: [{ ...JOB, primaryKey: 'id' }] };
    const { outcome, codes, doubts } = await play(firstAgain, played);
    expect([outcome, codes, doubts]).toEqual(['incomplete', ['TOTAL_NOT_REACHED'], ['PAGES_OVERLAP']]);
  });

  it('a page that a total asks for, and that is the first one again, names the total', async () => {
    const { codes, message } = await play(() => ({ items: rows(0, 3), total: 1250 }), { pagination: OFFSET });
    expect(codes).toEqual(['POSITION_IGNORED']);
    expect(message).toContain('since the API counts 1250 ("total")');
    const jobs = [{ ...JOB, total: 'none' }];
    expect((await play(() => ({ items: rows(0, 3), total: 1250 }), { pagination: OFFSET, jobs })).outcome).toBe(
      'complete',
    );
  });

  it('a cursor that has reached the end gets its last item again, or its last page', async () => {
    for (const answer of [
      (url: URL) => rows(param(url, 'from', 1), 2).filter(({ id }) => id <= 2),
      (url: URL) => rows(Math.min(param(url, 'from', -1), 2) + 1, 2).filter(({ id }) => id <= 3),
    ]) {
      const { outcome, items, doubts } = await play((url) => ({ items: answer(url) }), {
        pagination: { method: 'cursor', idKey: 'id', param: 'from' },
      });
      expect([outcome, doubts]).toEqual(['complete', []]);
      expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
    }
  });

  it('doubts of many calls are one', async () => {
    const { codes, message } = await play(
      ({ pathname }) => (pathname === '/parents' ? rows(0, 20) : { items: rows(0, 2), next: '/x' }),
      { jobs: PARENTS({ dataField: 'items' }) },
    );
    expect(codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
    expect(message).toContain('19 more of its calls');
  });

  it('one response of a job that has the place of the items is enough', async () => {
    const { outcome, items } = await play(
      ({ pathname }) =>
        pathname === '/parents' ? rows(1, 2) : pathname === '/c/1' ? { list: [1] } : { other: [{ a: 1 }] },
      { jobs: PARENTS({ dataField: 'list' }) },
    );
    expect([outcome, items.length]).toEqual(['complete', 3]);
  });
});

describe('rules say how an API ends', () => {
  const play = outcomesOf();
  const ruled = (when: object, action: string): Played => ({
    pagination: OFFSET,
    api: { http: { rules: [{ when, do: action }] } },
  });

  it.each<[string, object, unknown]>([
    ['a status', { status: 404, matches: 'Invalid page' }, json({ detail: 'Invalid page.' }, 404)],
    ['a sentence', { matches: 'No more' }, { message: 'No more stations' }],
    ['an error', { field: 'error', is: 'END' }, { error: 'END' }],
  ])('with "end" the response is no page: %s', async (_, when, last) => {
    const { outcome, doubts, items } = await play(pagesBut(20, last), ruled(when, 'end'));
    expect([outcome, doubts, items.length]).toEqual(['complete', [], 20]);
  });

  it('with "last" the response is the last page, full as it is', async () => {
    const answer = pages(99, (from) => ({ meta: { goes_on: from < 20 ? 'yes' : 'no' } }));
    const { outcome, doubts, items, requests } = await play(answer, ruled({ field: 'meta.goes_on', is: 'no' }, 'last'));
    expect([outcome, doubts, items.length, requests.length]).toEqual(['complete', [], 30, 3]);
  });

  it('but a declared total counts all the same', async () => {
    const counting = (url: URL): unknown =>
      param(url, 'offset') < 20 ? pages(90, () => ({ all: 40 }))(url) : { stop: 1 };
    const { pagination, ...others } = ruled({ field: 'stop', is: '1' }, 'end');
    const { codes, items } = await play(counting, { ...others, pagination: { ...pagination, total: 'all' } });
    expect([codes, items.length]).toEqual([['TOTAL_NOT_REACHED'], 20]);
  });
});

describe('a single object is a list of one', () => {
  const play = outcomesOf();
  const one = { id: 90, name: 'x' };

  it.each<[string, unknown, readonly unknown[]]>([
    ['an object', one, [one]],
    ['an object with an id and a list', { ...one, tags: ['a', 'b'] }, [{ ...one, tags: ['a', 'b'] }]],
    ['an object with an id and a list of objects', { ...one, lines: rows(0, 2) }, [{ ...one, lines: rows(0, 2) }]],
    ['an object in it', { name: 'x', place: { city: 'Ulm' } }, [{ name: 'x', place: { city: 'Ulm' } }]],
    ['nothing', {}, []],
    ['a message', { message: 'nothing here' }, []],
    ['what APIs say of pages', { page: 1, total: 0 }, []],
  ])('as the whole answer of an endpoint: %s', async (_, body, expected) => {
    expect((await play(() => body, { jobs: [{ endpoint: 'items' }] })).items).toEqual(expected);
  });

  it.each([
    ['at its dataField', { dataField: 'items' }, (value: unknown) => ({ items: value })],
    ['as the whole response', {}, (value: unknown) => value],
  ])('in a call of a child, and nothing is none: %s', async (_, selector, around) => {
    const values = [rows(1, 2), one, {}, null, { message: 'no' }];
    const { items, codes } = await play(
      ({ pathname }) => (pathname === '/parents' ? rows(0, 5) : around(values[Number(pathname.slice(3))])),
      { jobs: PARENTS(selector) },
    );
    expect([codes, items.slice(5)]).toEqual([[], [...rows(1, 2), one]]);
  });

  it('in a call of a child, where others have their list', async () => {
    const values = [
      { rows: rows(1, 2), tags: [1] },
      { rows: [], tags: [] },
      { ...one, tags: ['a'] },
    ];
    const { items } = await play(
      ({ pathname }) => (pathname === '/parents' ? rows(0, 3) : values[Number(pathname.slice(3))]),
      { jobs: PARENTS({ dataField: 'rows' }) },
    );
    expect(items).toHaveLength(5);
  });

  it('in a partition', async () => {
    const values: Record<string, unknown> = { a: rows(1, 2), b: one, c: { message: 'none' } };
    const job = { ...JOB, partitions: { of: ['a', 'b', 'c'] }, params: { of: { partition: 'of' } } };
    const { items, outcome } = await play((url) => ({ items: values[url.searchParams.get('of') ?? ''] }), {
      jobs: [job],
    });
    expect(items).toEqual([...rows(1, 2), one]);
    expect(outcome).toBe('doubtful');
  });

  it.each([
    ['at its dataField', JOB, (value: unknown) => ({ items: value })],
    ['as the whole response', { endpoint: 'items' }, (value: unknown) => value],
  ])('behind pages of lists: %s', async (_, job, around) => {
    const answer = (url: URL) => around(param(url, 'offset') < 20 ? rows(param(url, 'offset'), 10) : one);
    const { items, outcome, doubts } = await play(answer, { pagination: OFFSET, jobs: [job] });
    expect([items.length, outcome, doubts]).toEqual([21, 'complete', []]);
  });

  it.each([{}, null, ''])('behind pages of lists, %j is none', async (value) => {
    const { items, codes } = await play(pagesBut(20, { items: value }, 99), { pagination: OFFSET });
    expect([items.length, codes]).toEqual([20, []]);
  });
});

describe('turning it down', () => {
  const play = outcomesOf();
  const misspelled = { jobs: [{ endpoint: 'items', dataField: 'result' }] };
  const answer = (): unknown => ({ results: rows(0, 3) });

  it.each<[string, Played, object]>([
    ['completeness "warn"', { ...misspelled, settings: { completeness: 'warn' } }, {}],
    ['completeness "warn" of the job', { jobs: [{ ...misspelled.jobs[0], completeness: 'warn' }] }, {}],
    ['lenient', misspelled, { lenient: true }],
  ])('%s makes warnings of contradictions', async (_, played, options) => {
    const { error, doubts, outcome } = await play(answer, played, options);
    expect([error, doubts, outcome]).toEqual([undefined, ['NO_DATA', 'DATA_NOT_FOUND'], 'doubtful']);
  });

  it.each<[string, Played, object]>([
    ['of the configuration', { ...misspelled, settings: { completeness: 'off' } }, {}],
    ['of the job', { jobs: [{ ...misspelled.jobs[0], completeness: 'off' }] }, {}],
    ['of the application', misspelled, { completeness: 'off' }],
  ])('completeness "off" %s does not look', async (_, played, options) => {
    const { error, doubts, outcome } = await play(answer, played, options);
    expect([error, doubts, outcome]).toEqual([undefined, ['NO_DATA'], 'complete']);
  });

  it.each<[string, (url: URL) => unknown, Played]>([
    [
      'of calls of a child',
      ({ pathname }) => (pathname === '/parents' ? rows(0, 3) : pathname === '/c/1' ? rows(1, 2) : bytes('', {}, 204)),
      { jobs: PARENTS({}) },
    ],
    [
      'of a job that asks for what is new',
      () => bytes('', {}, 204),
      { jobs: [{ ...JOB, incremental: { field: 'at', param: 'since' } }] },
    ],
  ])('an empty body %s is no more an error under strict than an empty list', async (_, answer, played) => {
    const { error, doubts } = await play(answer, played, { strict: true });
    expect([error, doubts]).toEqual([undefined, []]);
  });
  it('the configuration precedes the application', async () => {
    const played = { ...misspelled, settings: { completeness: 'error' } };
    expect((await play(answer, played, { completeness: 'off' })).codes).toEqual(['DATA_NOT_FOUND']);
  });

  it('strict makes every warning an error, but for the expected one of an empty last page', async () => {
    const { error } = await play(pages(20), { pagination: OFFSET }, { strict: true });
    expect(error).toBeUndefined();
  });

  it('a number that is no total is named, for one job or for the total that is declared for all', async () => {
    const counts = pages(25, () => ({ count: 90 }));
    const own = { jobs: [{ ...JOB, total: 'none' }] };
    expect((await play(counts, { pagination: OFFSET })).doubts).toEqual(['TOTAL_NOT_REACHED']);
    expect((await play(counts, { pagination: OFFSET, ...own })).outcome).toBe('complete');
    const declared = { ...OFFSET, total: 'count' };
    expect((await play(counts, { pagination: declared })).codes).toEqual(['TOTAL_NOT_REACHED']);
    expect((await play(counts, { pagination: declared, ...own })).outcome).toBe('complete');
  });

  it('an empty last page is worth no warning where a declared total is reached', async () => {
    for (const last of [{ items: [], total: 20 }, { total: 20 }, bytes('')]) {
      const answering = (url: URL) => (param(url, 'offset') < 20 ? pages(20, () => ({ total: 20 }))(url) : last);
      const { warnings, outcome } = await play(answering, { pagination: { ...OFFSET, total: 'total' } });
      expect([warnings, outcome]).toEqual([[], 'complete']);
    }
  });
});

describe('a run that goes on', () => {
  it.each([
    ['complete', 25],
    ['doubtful', 30],
  ])('is %s where the API counts %i items of 25', async (expected, total) => {
    let isBroken = true;
    const server = await startServer(({ url }) => {
      const asked = new URL(url, 'http://api');
      if (isBroken && param(asked, 'offset') === 10) return json({}, 400);
      return json(pages(25, () => ({ total }))(asked));
    });
    const folder = await mkdtemp(join(tmpdir(), 'headwater-resumed-'));
    try {
      const config = { api: { baseUrl: server.origin, pagination: OFFSET }, config: { jobs: [JOB] } };
      const outcomes: string[] = [];
      const onEvent = (event: RunEvent): void => {
        if (event.type === 'run.finished') outcomes.push(event.outcome);
      };
      const to = [sinks.ndjson(folder)];
      await expect(deliver(config, to, { resume: true, onEvent })).rejects.toMatchObject({ code: 'API_STATUS' });
      isBroken = false;
      await deliver(config, to, { resume: true, onEvent });
      expect(outcomes).toEqual([expected]);
      expect((await readFile(join(folder, 'items.ndjson'), 'utf8')).trim().split('\n')).toHaveLength(25);
      const asked = ['=0', '10', '10', '20', ...(total > 25 ? ['25'] : [])];
      expect(server.requests.map(({ url }) => url.slice(-2))).toEqual(asked);
    } finally {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
