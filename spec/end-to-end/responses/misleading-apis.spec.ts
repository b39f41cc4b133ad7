/** APIs that mislead (docs/completeness.md): results that looked complete, and complete ones that looked wrong. */
import { IncompleteError } from '../../../src';
import type { Json } from '../../../src';
import { bytes, json } from '../../support/answers';
import type { Answer } from '../../support/answers';
import { outcomesOf, rows } from '../../support/completeness';

describe('attacks on completeness', () => {
  const play = outcomesOf();
  const xml = (text: string) => bytes(text, { 'content-type': 'application/xml' });
  const param = (url: URL, name: string, fallback = 0): number => Number(url.searchParams.get(name) ?? fallback);
  const OFFSET = { method: 'offset', limit: 10 };
  const PAGES = { method: 'pagenum', limit: 10 };
  const LINK = { method: 'response.link' };
  const TOKEN = { method: 'response.param', responseParam: 'token', queryParam: 'token' };

  describe('a total holds however a call ends', () => {
    it('with the same empty page again', async () => {
      let page = 0;
      const answer = (): unknown => ({
        n: (page += 1),
        total: 20,
        token: 'same',
        items: page === 1 ? rows(0, 10) : [],
      });
      const job = { endpoint: 'items', dataField: 'items', total: 'total' };
      expect((await play(answer, { pagination: TOKEN, jobs: [job] })).codes).toEqual(['TOTAL_NOT_REACHED']);
    });

    it('with a status that is ignored', async () => {
      const answer = (url: URL): unknown =>
        param(url, 'page', 1) === 1 ? { count: 35, items: rows(0, 10) } : json({ detail: 'no' }, 404);
      const { codes } = await play(answer, {
        api: { http: { ignoreErrors: [404] } },
        pagination: { ...PAGES, total: 'count' },
      });
      expect(codes).toEqual(['TOTAL_NOT_REACHED']);
    });

    it('with more items than there are', async () => {
      // Every page of ten begins with three of the page before.
      const answer = (url: URL): unknown => ({
        total: 33,
        items: rows(param(url, 'offset') * 0.7, param(url, 'offset') < 40 ? 10 : 5),
      });
      expect((await play(answer, { pagination: { ...OFFSET, total: 'total' } })).codes).toEqual(['TOTAL_EXCEEDED']);
    });

    it('that grows by one while pages are read', async () => {
      const answer = (url: URL): unknown => {
        const from = param(url, 'offset');
        return { total: from === 0 ? 35 : 36, items: rows(from, Math.max(0, Math.min(5, 36 - from))) };
      };
      const { items, error } = await play(answer, { pagination: OFFSET });
      expect(error).toBeUndefined();
      expect(items).toEqual(rows(0, 36));
    });

    it('for an object with numbered keys in place of a list', async () => {
      const { warnings } = await play(() => ({ total: 35, items: { 1: { id: 1 }, 2: { id: 2 } } }), {
        pagination: OFFSET,
      });
      expect(warnings).toEqual([expect.stringContaining('the API counts 35')]);
    });
  });

  describe('empty pages that lead on', () => {
    it.each<[string, object, object]>([
      ['a token that stays', TOKEN, { token: 'same' }],
      ['an address that stays', { method: 'response.url', urlKey: 'next' }, { next: '/items?after=1' }],
    ])('nowhere, by %s, although the API says that there is more', async (_, pagination, body) => {
      let page = 0;
      const answer = (): unknown => ({ items: (page += 1) === 1 ? rows(0, 10) : [], has_more: true, ...body });
      const { codes, message } = await play(answer, { pagination });
      expect(codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
      expect(message).toContain('"has_more"');
    });

    it('by a Link header, with equal bodies', async () => {
      const answer = (url: URL): unknown => {
        const page = param(url, 'page', 1);
        const headers = page < 4 ? { link: `</items?page=${page + 1}>; rel="next"` } : {};
        return json(page === 1 || page === 4 ? rows(page * 10, 10) : [], 200, headers);
      };
      const { items, error, requests } = await play(answer, { pagination: LINK, jobs: [{ endpoint: 'items' }] });
      expect(error).toBeUndefined();
      expect(items).toHaveLength(20);
      expect(requests).toHaveLength(4);
    });
  });

  describe('null in place of the items', () => {
    const pages =
      (...all: readonly unknown[]) =>
      (url: URL): unknown =>
        all[param(url, 'page', 1) - 1] ?? { items: [] };

    it('between two pages with items', async () => {
      const answer = pages({ items: rows(0, 2), token: 2 }, { items: null, token: 3 }, { items: rows(4, 2) });
      const { error } = await play(answer, { pagination: { ...TOKEN, queryParam: 'page' } });
      expect(error).toMatchObject({ code: 'API_SHAPE', message: expect.stringContaining('page 2') as string });
    });

    it('where the API says that there is more', async () => {
      const answer = pages({ items: rows(0, 2), more: true, token: 2 }, { items: null, has_more: true });
      const { error } = await play(answer, { pagination: { ...TOKEN, queryParam: 'page' } });
      expect(error).toMatchObject({ code: 'API_SHAPE', message: expect.stringContaining('"has_more"') as string });
    });

    it('behind the last page is its end', async () => {
      const answer = pages({ items: rows(0, 2), token: 2 }, { items: null, has_more: false });
      expect((await play(answer, { pagination: { ...TOKEN, queryParam: 'page' } })).error).toBeUndefined();
    });
  });

  describe('signs of a next page on later pages', () => {
    const second =
      (body: object) =>
      (url: URL): unknown => {
        const page = param(url, 'page', 1);
        return page === 1 ? { items: rows(0, 10), next: '/items?page=2', token: 2 } : { items: rows(10, 9), ...body };
      };

    it.each<[string, object, object]>([
      ['has_more after a short page', PAGES, { has_more: true }],
      ['another next address', { method: 'response.url', urlKey: 'next' }, { links: { next: '/items?page=3' } }],
      ['has_more without a token', { ...TOKEN, queryParam: 'page' }, { has_more: true }],
    ])('%s', async (_, pagination, body) => {
      expect((await play(second(body), { pagination })).codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
    });

    it('an address that stands on every page says nothing on the last one', async () => {
      const answer = (url: URL): unknown => ({
        items: rows(param(url, 'offset'), param(url, 'offset') === 0 ? 10 : 4),
        next: '/x',
      });
      expect((await play(answer, { pagination: OFFSET })).error).toBeUndefined();
    });

    it('an empty first page that says that there is more', async () => {
      expect((await play(() => ({ items: [], has_more: true }), { pagination: PAGES })).codes).toEqual([
        'NEXT_PAGE_NOT_TAKEN',
      ]);
    });

    it('a number of pages, or of the items of this page, does not outvote a next address', async () => {
      const one = { total: 10, items: rows(0, 10), next: '/items?page=2' };
      expect((await play(() => one, {})).codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
      const pages = { pagination: { page: 1, total: 5, has_more: true }, items: rows(0, 10) };
      expect((await play(() => pages, {})).codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
    });
  });

  describe('after pages of lists', () => {
    const third =
      (body: unknown) =>
      (url: URL): unknown =>
        param(url, 'offset') < 20 ? { items: rows(param(url, 'offset'), 10) } : body;

    it.each<[string, Json]>([
      ['a code and a message', { code: 401, message: 'token expired' }],
      ['a message', { message: 'Internal error' }],
      ['a problem', { status: 500, title: 'Oops' }],
      ['a detail', { detail: 'throttled' }],
      ['err', { err: 'x' }],
      ['success as a string', { success: 'false', x: 1 }],
      ['an error in the response', { response: { error: 'x' } }],
      ['a status in meta', { meta: { status: 'error' } }],
      ['items that stand elsewhere', { data: { items: [{ id: 1 }] } }],
      ['an object of other keys', { maintenance: { until: '10:00' } }],
      ['facts about the request', { requestId: 'abc', timestamp: 1 }],
      ['a word', { state: 'queued' }],
    ])('%s is a failure', async (_, body) => {
      expect((await play(third(body), { pagination: OFFSET })).error).toMatchObject({ code: 'API_SHAPE' });
    });

    it.each<[string, Json]>([
      ['nothing', {}],
      ['null', { items: null }],
      ['an empty list', { items: [] }],
      ['a number of none', { count: 0, next: null }],
    ])('%s is the end', async (_, body) => {
      const { error, items } = await play(third(body), { pagination: OFFSET });
      expect(error).toBeUndefined();
      expect(items).toHaveLength(20);
    });

    it('a body like those before, without the list, is the end', async () => {
      const answer = (url: URL): unknown =>
        param(url, 'offset') < 20
          ? { kind: 'list', message: 'ok', items: rows(param(url, 'offset'), 10) }
          : { kind: 'list', message: 'ok' };
      expect((await play(answer, { pagination: OFFSET })).error).toBeUndefined();
    });

    it.each<[string, unknown, string, unknown]>([
      ['an object after arrays', rows(0, 10), '.', { maintenance: { until: '10:00' } }],
      ['other keys on the way to the items', { data: { items: rows(0, 10) } }, 'data.items', { data: { queue: 4 } }],
      [
        'XML with another root',
        xml(`<r>${'<i><id>1</id></i>'.repeat(10)}</r>`),
        'r.i',
        xml('<html><h1>No</h1></html>'),
      ],
      [
        'a fault of SOAP',
        xml(`<r>${'<i><id>1</id></i>'.repeat(10)}</r>`),
        'r.i',
        xml(
          '<e:Envelope xmlns:e="x"><e:Body><e:Fault><faultstring>Timeout</faultstring></e:Fault></e:Body></e:Envelope>',
        ),
      ],
    ])('something else is a failure: %s', async (_, first, dataField, then) => {
      const format = dataField === 'r.i' ? { format: 'xml' } : {};
      const answer = (url: URL): unknown => (param(url, 'offset') === 0 ? first : then);
      const { error } = await play(answer, {
        pagination: OFFSET,
        jobs: [{ endpoint: 'items', ...(dataField === '.' ? {} : { dataField }), ...format }],
      });
      expect(error).toMatchObject({ code: 'API_SHAPE', message: expect.stringContaining('page 2') as string });
    });

    it('a first page of HTML in place of XML is an error in the body', async () => {
      const page = xml('<html><h1>Maintenance</h1></html>');
      const job = { endpoint: 'items', format: 'xml' };
      const { codes, message } = await play(() => page, { jobs: [{ ...job, dataField: 'r.i' }] });
      expect(codes).toEqual(['ERROR_IN_BODY']);
      expect(message).toContain('is a page of HTML');
      const read = await play(() => page, { jobs: [{ ...job, dataField: 'html' }] });
      expect(read.error).toBeUndefined();
    });

    it('nothing is the end after arrays and in XML', async () => {
      const then = (first: unknown, last: unknown) => (url: URL) => (param(url, 'offset') === 0 ? first : last);
      const inXml = [{ endpoint: 'items', format: 'xml', dataField: 'r.i' }];
      const items = xml(`<r>${'<i><id>1</id></i>'.repeat(10)}</r>`);
      for (const [answer, jobs] of [
        [then(rows(0, 10), {}), [{ endpoint: 'items' }]],
        [then(items, xml('<r/>')), inXml],
        [then(items, xml('<r><page>2</page></r>')), inXml],
      ] as const)
        expect((await play(answer, { pagination: OFFSET, jobs })).error).toBeUndefined();
    });

    it('a list of errors is no list of items', async () => {
      const jobs = [{ endpoint: 'items' }];
      const { error } = await play(third({ errors: [{ message: 'expired' }] }), { pagination: OFFSET, jobs });
      expect(error).toMatchObject({ code: 'API_SHAPE' });
      const first = await play(() => ({ errors: [{ message: 'expired' }] }), { pagination: OFFSET, jobs });
      expect(first.codes).toEqual(['ERROR_IN_BODY']);
    });

    it.each<[string, Json, string]>([
      ['GraphQL', { data: { items: [] }, errors: [{ message: 'no' }] }, 'data.items'],
      ['a flag', { items: [], ok: false }, 'items'],
    ])('an error beside an empty list is one: %s', async (_, body, dataField) => {
      expect((await play(() => body, { jobs: [{ endpoint: 'items', dataField }] })).codes).toEqual(['ERROR_IN_BODY']);
    });

    it('no errors beside an empty list are none', async () => {
      const { error } = await play(() => ({ items: [], errors: [], error: null, error_code: 0, ok: true }), {});
      expect(error).toBeUndefined();
    });

    it('a last page of XML with one item is a page', async () => {
      const page = (from: number, count: number): string =>
        `<r>${rows(from, count)
          .map(({ id }) => `<item><id>${id}</id></item>`)
          .join('')}</r>`;
      const answer = (url: URL): unknown =>
        bytes(page(param(url, 'offset'), param(url, 'offset') < 20 ? 10 : 1), { 'content-type': 'application/xml' });
      const jobs = [{ endpoint: 'items', dataField: 'r.item', format: 'xml' }];
      const { error, items } = await play(answer, { pagination: OFFSET, jobs });
      expect(error).toBeUndefined();
      expect(items).toHaveLength(21);
    });
  });

  describe('pages that are not the same', () => {
    it('in CSV, where only the first and last rows are', async () => {
      const answer = (url: URL): unknown => {
        const from = param(url, 'offset');
        const middle = [1, 2, 3].map((at) => `m,${from + at}`);
        return bytes(from < 20 ? ['k,n', 'h,0', ...middle, 't,9', ''].join('\n') : 'k,n\n', {
          'content-type': 'text/csv',
        });
      };
      const jobs = [{ endpoint: 'items', format: 'csv' }];
      const { error, items } = await play(answer, { pagination: { method: 'offset', limit: 5 }, jobs });
      expect(error).toBeUndefined();
      expect(items).toHaveLength(20);
    });

    it('the last page that comes again behind the end is the end where the total says so', async () => {
      let at = 0;
      const answer = (url: URL): unknown => {
        const page = Math.min(param(url, 'page', 1), 3);
        return { ts: (at += 1), total: 30, items: rows((page - 1) * 10, 10) };
      };
      const { error, items } = await play(answer, { pagination: PAGES });
      expect(error).toBeUndefined();
      expect(items).toEqual(rows(0, 30));
    });
  });

  it('an IncompleteError is one for programs, too', async () => {
    const { error } = await play(() => ({ results: rows(0, 1) }), {});
    expect(error).toBeInstanceOf(IncompleteError);
    expect(error).toMatchObject({ code: 'INCOMPLETE', recovery: 'fatal', doubts: [{ path: 'config.jobs[0]' }] });
  });

  describe('pages that are counted from 0', () => {
    const ofSpring = (url: URL, all: number) => {
      const number = param(url, 'page');
      const content = rows(number * 10, Math.min(10, all - number * 10));
      return { content, number, totalPages: Math.ceil(all / 10), first: number === 0 };
    };
    const jobs = [{ endpoint: 'items', dataField: 'content' }];

    it.each([25, 30, 7])('are complete at the last one: %i items', async (all) => {
      const pagination = { ...PAGES, firstPage: 0 };
      const { error, items, finished } = await play((url) => ofSpring(url, all), { pagination, jobs });
      expect(error).toBeUndefined();
      expect(items).toEqual(rows(0, all));
      expect(finished).toMatchObject({ outcome: 'complete' });
    });

    it('are not at the first of several; they are at the only one', async () => {
      expect((await play((url) => ofSpring(url, 25), { jobs })).codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
      expect((await play((url) => ofSpring(url, 10), { jobs })).codes).toEqual([]);
    });
  });

  describe('a page that may be capped', () => {
    const jobs = [{ endpoint: 'items', dataField: 'items' }];
    const pagination = { method: 'offset', limit: 1000 };
    const warningsOf = async (body: object, settings: object = { pagination }) =>
      (await play(() => body, { jobs, ...settings })).warnings;

    it('is a warning where the number of its items is round', async () => {
      const { warnings, finished } = await play(() => ({ items: rows(0, 100) }), { jobs, pagination });
      expect(warnings).toEqual([expect.stringContaining('set "limit": 100 in api.pagination')]);
      expect(finished).toMatchObject({ outcome: 'complete' });
    });

    it.each([
      ['another number', { items: rows(0, 99) }],
      ['a total', { items: rows(0, 100), total: 100 }],
      ['a flag', { items: rows(0, 100), has_more: false }],
      ['no items', { items: [] }],
    ])('is none with %s', async (_, body) => {
      expect((await warningsOf(body)).filter((warning) => warning.includes('asked for'))).toEqual([]);
    });

    it('is none where nothing was asked for', async () => {
      expect((await warningsOf({ items: rows(0, 100) }, {})).join()).not.toContain('asked for');
    });
  });

  describe('an array of an item in place of the item', () => {
    const warningsOf = async (body: object, job: object = {}) =>
      (await play(() => body, { jobs: [{ endpoint: 'ships/7', ...job }] })).warnings;
    const ship = { id: 7, name: 'Ida', crew: [{ name: 'Ann' }, { name: 'Bo' }] };

    it('is a warning', async () => {
      expect(await warningsOf(ship)).toEqual([expect.stringMatching(/its array "crew" was taken .*"dataField": "\."/)]);
    });

    it.each([
      ['that is named', ship, { dataField: 'crew' }],
      ['where the object is the item', ship, { dataField: '.' }],
      ['of an envelope', { id: 'rpc-1', result: [{ id: 1 }] }, {}],
      ['of an object without an id', { name: 'Ida', crew: [{ id: 1 }] }, {}],
      ['without items', { id: 7, crew: [] }, {}],
    ])('is none for an array %s', async (_, body, job) => {
      expect((await warningsOf(body, job)).join()).not.toContain('was taken for the items');
    });
  });

  describe('limitStop by what is no number of items', () => {
    const jobs = [{ endpoint: 'items', dataField: 'items' }];
    const answer = (url: URL) => {
      const page = param(url, 'page', 1);
      return { items: rows(page * 10 - 10, 10), page, total_pages: 12, n: 120 };
    };

    it.each(['total_pages', 'page'])('is an error where the API says that there is more: %s', async (field) => {
      const pagination = { ...PAGES, limitStop: { field } };
      expect((await play(answer, { pagination, jobs })).codes).toEqual(['NEXT_PAGE_NOT_TAKEN']);
    });

    it('is a warning where the only full page has as many items as it says', async () => {
      const counted = (url: URL) => ({
        ...answer(url),
        page: undefined,
        total_pages: undefined,
        n: undefined,
        count: 10,
      });
      const pagination = { ...PAGES, limitStop: { field: 'count' } };
      const { error, warnings } = await play(counted, { pagination, jobs });
      expect(error).toBeUndefined();
      expect(warnings).toEqual([expect.stringContaining('limitStop ended items after its first page, which is full')]);
      const all = { ...PAGES, limitStop: { field: 'total' } };
      expect((await play(() => ({ items: rows(0, 10), total: 10 }), { pagination: all, jobs })).warnings).toEqual([]);
    });

    it('is none where it is one', async () => {
      const { error, items } = await play(answer, { pagination: { ...PAGES, limitStop: { field: 'n' } }, jobs });
      expect(error).toBeUndefined();
      expect(items).toHaveLength(120);
    });
  });

  describe('an order in which the pagination leaves items out', () => {
    const named = (id: number): object => ({ id: `cus_${id}x`, n: id });
    const newestFirst = (limit: number, itemOf: (id: number) => object) => (url: URL) => {
      const after = Number(/\d+/.exec(url.searchParams.get('after') ?? '0')?.[0]);
      const all = Array.from({ length: 10 }, (_, at) => 10 - at).filter((id) => id > after);
      return { items: all.slice(0, limit).map(itemOf) };
    };

    it('keyset behind keys of text: a page that has an item of the one before is an error', async () => {
      const pagination = { method: 'keyset', key: 'id', param: 'after', limit: 3 };
      const { codes, items } = await play(newestFirst(3, named), { pagination });
      expect(codes).toEqual(['PAGES_OVERLAP']);
      expect(items).toHaveLength(3);
    });

    const CURSOR = { method: 'cursor', idKey: 'id', param: 'after' };

    it.each([
      ['newest first', CURSOR, (id: number) => ({ id })],
      ['the mirror', { ...CURSOR, reverse: true }, (id: number) => ({ id: 20 - id })],
      ['no order', CURSOR, (id: number) => ({ id: (id * 7) % 11 })],
    ])('cursor: a first page that goes the other way is a warning: %s', async (_, pagination, itemOf) => {
      let page = 0;
      const answer = (): unknown => ({ items: (page += 1) === 1 ? [10, 9, 8].map(itemOf) : [] });
      const { error, warnings, finished } = await play(answer, { pagination });
      expect(error).toBeUndefined();
      expect(warnings).toContainEqual(expect.stringContaining('The first page of items is not in the order'));
      expect(finished).toMatchObject({ outcome: 'complete' });
    });

    it('cursor: a fraction that is cut is a warning, once, where the next page begins beyond the item', async () => {
      const all = [9.95, 9.8, 9.6, 9.4, 9.2, 8.9, 8.5, 8.1, 7].map((n) => ({ ts: n.toFixed(2) }));
      const answer = (url: URL) => {
        const before = Number(url.searchParams.get('latest') ?? Infinity);
        return { items: all.filter(({ ts }) => Number(ts) < before).slice(0, 3) };
      };
      const pagination = { method: 'cursor', idKey: 'ts', param: 'latest', reverse: true };
      const { items, warnings, finished } = await play(answer, { pagination });
      expect(items).toHaveLength(7);
      expect(warnings.filter((message) => message.includes('fraction'))).toEqual([
        expect.stringMatching(/such as "9.60", .* the next page begins at 9, .*missing, if there are any.*"keyset"/),
      ]);
      expect(finished).toMatchObject({ outcome: 'complete' });
      const keyset = { method: 'keyset', key: 'ts', param: 'latest' };
      const { items: whole, warnings: none } = await play(answer, { pagination: keyset });
      expect([whole, none.join()]).toEqual([all, expect.not.stringContaining('fraction')]);
    });

    it.each([
      ['a rising one', CURSOR, [{ id: 1 }, { id: 1 }, { id: 2 }]],
      ['a falling one in reverse', { ...CURSOR, reverse: true }, [{ id: 3 }, { id: 1 }]],
      ['one item', CURSOR, [{ id: 3 }]],
    ])('cursor: %s is in order', async (_, pagination, items) => {
      let page = 0;
      const { warnings } = await play(() => ({ items: (page += 1) === 1 ? items : [] }), { pagination });
      expect(warnings.join()).not.toContain('not in the order');
    });
  });

  describe('errors beside items and among them', () => {
    const jobs = [{ endpoint: 'items', dataField: 'items' }];

    it.each([
      ['an error', { error: 'aborted after 2' }, '"error"'],
      ['an object', { meta: { errors: [{ message: 'x' }] } }, '"meta.errors"'],
      ['no success', { success: false }, '"success"'],
      ['GitHub', { incomplete_results: true }, '"incomplete_results"'],
      ['Elasticsearch, late', { timed_out: true }, '"timed_out"'],
      ['Elasticsearch, in part', { _shards: { total: 5, failed: 2 } }, '"_shards"'],
    ])('beside them: %s', async (_, beside, where) => {
      const { error, warnings, items, finished } = await play(() => ({ items: rows(0, 2), ...beside }), { jobs });
      expect(error).toBeUndefined();
      expect(warnings).toEqual([expect.stringContaining(`says with ${where} that something went wrong`)]);
      expect(items).toHaveLength(2);
      expect(finished).toMatchObject({ outcome: 'incomplete' });
    });

    it.each([
      ['none', { error: null, errors: [], success: true, timed_out: false, _shards: { total: 5, failed: 0 } }],
      ['a number of none', { errors: 0, error: '' }],
    ])('nothing is wrong: %s', async (_, beside) => {
      expect((await play(() => ({ items: rows(0, 2), ...beside }), { jobs })).warnings).toEqual([]);
    });

    const lines =
      (...items: readonly object[]) =>
      () =>
        bytes(items.map((item) => `${JSON.stringify(item)}\n`).join(''), { 'content-type': 'application/x-ndjson' });
    const failed = { error: { message: 'export aborted' } };

    it.each([
      ['the last line', [{ id: 1 }, { id: 2 }, failed], 'The last of 3 items'],
      ['the only line', [failed], 'The only item'],
      ['a status', [{ id: 1 }, { status: 'error', message: 'gone' }], 'The last of 2 items'],
    ])('among them: %s', async (_, items, which) => {
      for (const stream of [undefined, { pageItems: 2 }]) {
        const job = { endpoint: 'items', format: 'jsonl', ...(stream === undefined ? {} : { stream }) };
        const { warnings } = await play(lines(...items), { jobs: [job] });
        expect(warnings).toEqual([expect.stringContaining('says that there was an error')]);
        if (stream === undefined) expect(warnings.join()).toContain(which);
      }
    });

    it.each([
      ['items with an error of their own', [{ id: 1 }, { id: 2, error: 'disk full' }]],
      ['items that are all so', [failed, failed]],
    ])('nothing is wrong: %s', async (_, items) => {
      const { warnings } = await play(lines(...items), { jobs: [{ endpoint: 'items', format: 'jsonl' }] });
      expect(warnings).toEqual([]);
    });

    it('a single object that only says so is a warning', async () => {
      const job = { endpoint: 'items', dataField: '.' };
      const { warnings } = await play(() => ({ ok: false, error: 'not_authed', data: null }), { jobs: [job] });
      expect(warnings).toEqual([expect.stringContaining('The only item of a response of items says')]);
      expect((await play(() => ({ id: 4, error: 'disk full' }), { jobs: [job] })).warnings).toEqual([]);
    });

    it('a line of text in place of CSV is a warning', async () => {
      const csv = (text: string) => () => bytes(text, { 'content-type': 'text/csv' });
      const warningsOf = async (text: string) =>
        (await play(csv(text), { jobs: [{ endpoint: 'items', format: 'csv' }] })).warnings;
      expect(await warningsOf('Your export is being prepared, please try again')).not.toEqual([]);
      expect(await warningsOf('No data available\n')).toContainEqual(expect.stringContaining('is one line of text'));
      expect(await warningsOf('id\n')).toEqual([]);
      expect(await warningsOf('Customer name\nAnn\n')).toEqual([]);
    });
  });
});

/** Lines of text in place of rows, keys that come twice, and other formats than a job reads (docs/completeness.md). */

describe('lines in place of rows', () => {
  const play = outcomesOf();
  const csv = (text: string): Answer => bytes(text, { 'content-type': 'text/csv' });
  const incomplete = (warnings: readonly string[]): readonly string[] =>
    warnings.filter((warning) => warning.startsWith('INCOMPLETE'));
  const jobs = [{ endpoint: 'items', format: 'csv' }];
  const streamed = [{ endpoint: 'items', format: 'csv', stream: true }];

  describe('a line of CSV without rows', () => {
    const pages =
      (third: string) =>
      (url: URL): Answer => {
        const page = Number(url.searchParams.get('page') ?? 1);
        return csv(page === 3 ? third : page > 3 ? 'id,n\n' : `id,n\n${page}1,a\n${page}2,b\n`);
      };
    const PAGES = { pagination: { method: 'pagenum' }, jobs };

    it.each(['Error,too many requests\n', 'Error: too many requests\n'])('that tells of an error: %j', async (line) => {
      const { codes, items } = await play(pages(line), PAGES);
      expect(codes).toEqual(['ERROR_IN_BODY']);
      expect(items).toHaveLength(4);
    });

    it.each(['Please come back tomorrow\n', 'a,b\n'])(
      'that is not the header of the pages before: %j',
      async (line) => {
        const { error, warnings, finished } = await play(pages(line), PAGES);
        expect(error).toBeUndefined();
        expect(incomplete(warnings)).toHaveLength(1);
        expect(finished?.outcome).toBe('incomplete');
      },
    );

    it.each(['id,n\n', '"id","n"\n', 'id,n,note\n', '\n'])('ends the pages in order: %j', async (line) => {
      const { error, warnings, finished } = await play(pages(line), PAGES);
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([]);
      expect(finished?.outcome).toBe('complete');
    });

    it.each([
      ['held', jobs],
      ['streamed', streamed],
    ])('that is the only response, %s, is a warning where it is a message', async (_, own) => {
      const { error, warnings, finished } = await play(() => csv('Error: too many requests\n'), { jobs: own });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([expect.stringContaining('reads like a message')]);
      expect(warnings.filter((warning) => warning.startsWith('EMPTY_BODY'))).toEqual([]);
      expect(finished?.outcome).toBe('incomplete');
    });

    it.each([
      ['held', jobs],
      ['streamed', streamed],
    ])('that has the names of columns, %s, is in order', async (_, own) => {
      const { error, warnings, finished } = await play(() => csv('id,error_message\n'), { jobs: own });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([]);
      expect(finished?.outcome).toBe('complete');
    });
  });

  describe('a streamed job', () => {
    it('that reads JSON takes no XML', async () => {
      const xml = bytes('<r><i>1</i></r>', { 'content-type': 'application/xml' });
      const { error } = await play(() => xml, { jobs: [{ endpoint: 'items', dataField: 'rows', stream: true }] });
      expect(error).toMatchObject({ code: 'API_NOT_JSON' });
    });
  });

  describe('a key that comes twice', () => {
    const list = JSON.stringify(rows(0, 35));
    it.each<[string, string, object]>([
      ['where the items are detected', `{"items":${list},"items":[{"id":99}]}`, {}],
      ['at dataField', `{"items":${list},"items":[{"id":99}]}`, { dataField: 'items' }],
      ['on the way there', `{"data":{"items":${list}},"data":{"items":[]}}`, { dataField: 'data.items' }],
    ])('%s is a warning', async (_, body, job) => {
      const { error, warnings } = await play(() => bytes(body, { 'content-type': 'application/json' }), {
        jobs: [{ endpoint: 'items', ...job }],
      });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([expect.stringContaining('twice, where its items are')]);
    });

    it('elsewhere is none', async () => {
      const body = `{"note":1,"note":2,"items":${list}}`;
      const { items, warnings } = await play(() => bytes(body, { 'content-type': 'application/json' }), {});
      expect(items).toHaveLength(35);
      expect(incomplete(warnings)).toEqual([]);
    });
  });

  describe('rows of CSV without a header', () => {
    const PAGES = ['id,n\n1,a\n2,b\n3,c\n', '4,d\n5,e\n6,f\n', '7,g\n8,h\n9,i\n'];
    const ONE_COLUMN = ['id\n1\n2\n', '3\n4\n', '5\n6\n'];
    const paged =
      (pages: readonly string[]) =>
      (url: URL): Answer =>
        csv(pages[Number(url.searchParams.get('page') ?? 1) - 1] ?? '');
    const told = [{ endpoint: 'items', format: 'csv' }];
    const guessed = [{ endpoint: 'items' }];

    it.each<[string, readonly string[], object, readonly object[]]>([
      ['are an error', PAGES, { method: 'pagenum' }, told],
      ['are an error by their content type', PAGES, { method: 'pagenum' }, guessed],
      ['are an error where the page is not full', PAGES, { method: 'pagenum', limit: 3 }, told],
      ['are an error with one column', ONE_COLUMN, { method: 'pagenum' }, told],
    ])('on later pages %s', async (_, pages, pagination, own) => {
      const { codes, message } = await play(paged(pages), { pagination, jobs: own });
      expect(codes).toContain('COLUMNS_DIFFER');
      expect(message).toContain(`"exclude", such as "id==id"`);
      expect(message).not.toContain('more of its calls');
    });

    it('are read as the message says', async () => {
      const own = [{ endpoint: 'items', format: { type: 'csv', header: ['id', 'n'] }, exclude: 'id==id' }];
      const { error, items } = await play(paged(PAGES), { pagination: { method: 'pagenum' }, jobs: own });
      expect(error).toBeUndefined();
      expect(items.map((item) => (item as { id: string }).id)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    });

    it.each([
      ['a column is added', 'id,n,note\n4,d,x\n'],
      ['a column is gone', 'id\n4\n'],
      ['columns have another order', 'n,id\nd,4\n'],
    ])('are none where %s', async (_, second) => {
      const answer = paged([PAGES[0] as string, second]);
      const { error, items } = await play(answer, { pagination: { method: 'pagenum' }, jobs: told });
      expect(error).toBeUndefined();
      expect(items).toHaveLength(4);
    });

    it.each([
      ['held', {}],
      ['streamed', { stream: true }],
    ])('in another call of a child, %s, are a warning', async (_, own) => {
      const answer = ({ pathname }: URL): unknown =>
        pathname === '/items' ? rows(1, 3) : csv(pathname.endsWith('/1') ? 'id,n\n1,a\n2,b\n' : '3,c\n4,d\n');
      const child = { endpoint: 'c/{i}', dataType: 'c', format: 'csv', placeholders: { i: 'id' }, ...own };
      const { error, warnings, finished } = await play(answer, { jobs: [{ endpoint: 'items', children: [child] }] });
      expect(error).toBeUndefined();
      expect(incomplete(warnings)).toEqual([expect.stringMatching(/2 calls of c\/\{i\} have columns .*"3", "c"/)]);
      expect(finished?.outcome).toBe('incomplete');
    });

    it('in another partition are an error', async () => {
      const answer = (url: URL): Answer => csv(url.searchParams.get('part') === 'a' ? 'id,n\n1,a\n' : '3,c\n4,d\n');
      const own = [
        { endpoint: 'items', format: 'csv', params: { part: { partition: 'part' } }, partitions: { part: ['a', 'b'] } },
      ];
      expect((await play(answer, { jobs: own })).codes).toEqual(['COLUMNS_DIFFER']);
    });
  });
});
