import { configured, faultPaths, HOME, offset, Raw, useScript } from './support';

describe('specification 4.3.1: offset pagination', () => {
  const play = useScript();
  const paged = (options: object, params?: object): object =>
    configured(offset(options), params === undefined ? {} : { params });

  it('4.3.1 limit: is required', () => {
    expect(faultPaths(configured({ pagination: { method: 'offset' } }))).toEqual(['api.pagination.limit']);
    expect(faultPaths(paged({ limit: 'many' }))).toEqual(['api.pagination.limit']);
  });

  it.each([2, '2'])('4.3.1 limit: %j is the page size', async (limit) => {
    const { items } = await play(paged({ limit }), [
      ['GET /users?limit=2&offset=0', [1, 2]],
      ['GET /users?limit=2&offset=2', [3]],
    ]);
    expect(items).toEqual([1, 2, 3]);
  });

  it('4.3.1 limitParam: names the parameter of the page size', async () => {
    await play(paged({ limitParam: 'count' }), [['GET /users?count=2&offset=0', []]]);
  });

  it('4.3.1 limitParam: is limit by default', async () => {
    await play(paged({ offsetParam: 'from' }), [['GET /users?limit=2&from=0', []]]);
  });

  it('4.3.1 offsetParam: names the parameter of the item offset, on every page', async () => {
    await play(paged({ offsetParam: 'from' }), [
      ['GET /users?limit=2&from=0', [1, 2]],
      ['GET /users?limit=2&from=2', []],
    ]);
  });

  it('4.3.1 offsetParam: is offset by default', async () => {
    await play(paged({ limitParam: 'count' }), [['GET /users?count=2&offset=0', []]]);
  });

  it('4.3.1 firstPageParams: false requests the first page without page parameters, and the next with them', async () => {
    const { items } = await play(paged({ firstPageParams: false }, { sort: 'up' }), [
      ['GET /users?sort=up', [1, 2]],
      ['GET /users?sort=up&limit=2&offset=2', [3]],
    ]);
    expect(items).toEqual([1, 2, 3]);
  });

  it.each([{ firstPageParams: true }, {}])(
    '4.3.1 firstPageParams: %j sends them with the first page',
    async (given) => {
      await play(paged(given), [['GET /users?limit=2&offset=0', []]]);
    },
  );

  it('4.3.1 offsetFromJob: true starts at the job param', async () => {
    const { items } = await play(paged({ offsetFromJob: true }, { offset: 10 }), [
      ['GET /users?offset=10&limit=2', [11, 12]],
      ['GET /users?offset=12&limit=2', [13]],
    ]);
    expect(items).toEqual([11, 12, 13]);
  });

  it.each([{ offsetFromJob: false }, {}])('4.3.1 offsetFromJob: %j ignores the job param', async (given) => {
    await play(paged(given, { offset: 10 }), [
      ['GET /users?offset=0&limit=2', [1, 2]],
      ['GET /users?offset=2&limit=2', []],
    ]);
  });

  it('4.3.1 offsetFromJob: false ignores the job param on a first page without page parameters as well', async () => {
    await play(paged({ firstPageParams: false }, { offset: 10, sort: 'up' }), [
      ['GET /users?sort=up', [1, 2]],
      ['GET /users?offset=2&sort=up&limit=2', []],
    ]);
  });

  it('4.3.1 rule 1: the first request sends the page size and offset 0', async () => {
    await play(paged({ limit: 50 }), [['GET /users?limit=50&offset=0', []]]);
  });

  it('4.3.1 rule 2: the offsets are 0, N, 2N and so on', async () => {
    const { items } = await play(paged({ limit: 3 }), [
      ['GET /users?limit=3&offset=0', [1, 2, 3]],
      ['GET /users?limit=3&offset=3', [4, 5, 6]],
      ['GET /users?limit=3&offset=6', [7, 8, 9]],
      ['GET /users?limit=3&offset=9', [10]],
    ]);
    expect(items).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it.each([3, '3'])('4.3.1 rule 3: the job param %j is the page size of that job', async (limit) => {
    const config = {
      api: { baseUrl: HOME, ...offset() },
      config: { jobs: [{ endpoint: 'users', params: { limit } }, { endpoint: 'groups' }] },
    };
    const { items } = await play(config, [
      ['GET /users?limit=3&offset=0', [1, 2, 3]],
      ['GET /users?limit=3&offset=3', [4, 5]],
      ['GET /groups?limit=2&offset=0', [6]],
    ]);
    expect(items).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('4.3.1 rule 3: the job param is the one that limitParam names', async () => {
    await play(paged({ limitParam: 'count' }, { count: 1, limit: 'low' }), [
      ['GET /users?count=1&limit=low&offset=0', ['a']],
      ['GET /users?count=1&limit=low&offset=1', []],
    ]);
  });

  it('4.3.1 rule 4: the job param is the one that offsetParam names, numeric text included', async () => {
    await play(paged({ offsetFromJob: true, offsetParam: 'from' }, { from: '4', offset: 9 }), [
      ['GET /users?from=4&offset=9&limit=2', [5, 6]],
      ['GET /users?from=6&offset=9&limit=2', []],
    ]);
  });

  it('4.3.1 rule 4: without a job param the offset starts at 0', async () => {
    await play(paged({ offsetFromJob: true }, { sort: 'up' }), [['GET /users?sort=up&limit=2&offset=0', []]]);
  });

  it('4.3.1 rule 5: fewer items than the page size stop paging', async () => {
    expect((await play(paged({}), [['GET /users?limit=2&offset=0', [1]]])).items).toEqual([1]);
  });

  it('4.3.1 rule 5: a full last page leads to one more request', async () => {
    const { items, pages } = await play(paged({}), [
      ['GET /users?limit=2&offset=0', [1, 2]],
      ['GET /users?limit=2&offset=2', [3, 4]],
      ['GET /users?limit=2&offset=4', []],
    ]);
    expect(items).toEqual([1, 2, 3, 4]);
    expect(pages).toHaveLength(3);
  });

  it('4.3.1 rule 5: more items than the page size go on', async () => {
    await play(paged({}), [
      ['GET /users?limit=2&offset=0', [1, 2, 3]],
      ['GET /users?limit=2&offset=2', []],
    ]);
  });

  it.each([
    ['an empty list', []],
    ['an empty object', {}],
  ])('4.3.1 rule 5: %s as response stops paging', async (_what, response) => {
    expect((await play(paged({}), [['GET /users?limit=2&offset=0', response]])).items).toEqual([]);
  });

  it('4.3.1 rule 5: a response without a body stops paging', async () => {
    expect((await play(paged({}), [['GET /users?limit=2&offset=0', new Raw('')]])).items).toEqual([]);
  });

  it('4.3.1 rule 6: an empty array at dataField stops paging, however full the response is, with the warning', async () => {
    const { items, warnings } = await play(configured(offset(), { dataField: 'page.rows' }), [
      ['GET /users?limit=2&offset=0', { page: { rows: [1, 2] }, links: ['a'] }],
      ['GET /users?limit=2&offset=2', { page: { rows: [] }, links: ['a', 'b', 'c'], total: 2 }],
    ]);
    expect(items).toEqual([1, 2]);
    expect(warnings).toEqual(['dataField page.rows contains no data!']);
  });

  it('4.3.1 rule 6: an empty array that was detected stops paging, with the warning', async () => {
    const { items, warnings } = await play(paged({}), [
      ['GET /users?limit=2&offset=0', { rows: [1, 2], total: 2 }],
      ['GET /users?limit=2&offset=2', { rows: [], total: 2 }],
    ]);
    expect(items).toEqual([1, 2]);
    expect(warnings).toEqual(['dataField rows contains no data!']);
  });
});
