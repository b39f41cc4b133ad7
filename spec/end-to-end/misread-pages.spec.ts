/** Pages that a configuration misreads, told by what the API says of them (docs/completeness.md), at real servers. */
import { json } from '../support/answers';
import { outcomesOf, rows } from '../support/completeness';

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

  it.each(['pagenum', 'offset'])('is a warning where fewer items than that end the pagination: %s', async (method) => {
    const { items, codes, warnings, finished } = await play(sized, { pagination: { method, ...LATER }, jobs: JOBS });
    expect([items.length, codes]).toEqual([OWN, []]);
    expect(incomplete(warnings)).toEqual([
      expect.stringMatching(/has 15 items and was requested without a page size.*"limit": 15/),
    ]);
    expect(finished).toMatchObject({ outcome: 'complete' });
  });

  it('is an error where the API counts more, and the next page begins too far on', async () => {
    const answer = (url: URL): object => ({ items: sized(url), total: ALL });
    const { codes, message } = await play(answer, { pagination: { method: 'pagenum', ...LATER } });
    expect(codes).toContain('PAGE_CAPPED');
    expect(message).toContain('the next page begins further on, since "limit" is 30');
  });

  it.each<[string, object, object]>([
    ['the job sends it', { pagination: { method: 'pagenum', ...LATER } }, { endpoint: 'items', params: { limit: 30 } }],
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
