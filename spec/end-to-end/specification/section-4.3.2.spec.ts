import { configured, HOME, responseUrl, useScript } from './support';

describe('specification 4.3.2: response.url pagination', () => {
  const play = useScript();
  const paged = (options: object = {}, params: object = {}): object => configured(responseUrl(options), { params });
  const last = { rows: [3] };

  it.each(['links.next', 'links.0.next'])('4.3.2 urlKey: %s is the path of the address', async (urlKey) => {
    const next = '/users?page=2';
    const links = urlKey === 'links.next' ? { next } : [{ next }];
    const { items } = await play(configured(responseUrl({ urlKey }), { dataField: 'rows' }), [
      ['GET /users', { rows: [1, 2], links }],
      ['GET /users?page=2', last],
    ]);
    expect(items).toEqual([1, 2, 3]);
  });

  it('4.3.2 urlKey: is next_page by default', async () => {
    const { items } = await play(paged(), [
      ['GET /users', { rows: [1, 2], next_page: '/users?page=2' }],
      ['GET /users?page=2', last],
    ]);
    expect(items).toEqual([1, 2, 3]);
  });

  it('4.3.2 delimiter: separates the keys, which may then hold dots', async () => {
    await play(paged({ urlKey: 'v1.links|next', delimiter: '|' }), [
      ['GET /users', { rows: [1], 'v1.links': { next: '/users?page=2' } }],
      ['GET /users?page=2', last],
    ]);
  });

  it('4.3.2 delimiter: is a dot by default', async () => {
    await play(paged({ urlKey: 'links.next' }), [
      ['GET /users', { rows: [1], links: { next: '/users?page=2' } }],
      ['GET /users?page=2', last],
    ]);
  });

  it.each(['?page=2&after=a', 'page=2&after=a'])('4.3.2 paramIsQuery: true takes %s as the query', async (next) => {
    await play(configured(responseUrl({ paramIsQuery: true }), { endpoint: 'v1/users' }), [
      ['GET /v1/users', { rows: [1], next_page: next }],
      ['GET /v1/users?page=2&after=a', last],
    ]);
  });

  it.each([{ paramIsQuery: false }, {}])('4.3.2 paramIsQuery: %j takes the value as a URL', async (given) => {
    await play(paged(given), [
      ['GET /users', { rows: [1], next_page: '/v2/people?page=2' }],
      ['GET /v2/people?page=2', last],
    ]);
  });

  it.each([
    ['job', false, '/users?page=2&after=a', 'page=1&after=a&sort=up'],
    ['response', true, '?page=2&after=a', 'page=2&sort=up&after=a'],
  ])('4.3.2 paramIsQuery: the parameter of the %s wins when it is %j', async (_who, paramIsQuery, next, query) => {
    await play(paged({ paramIsQuery, includeParams: true }, { page: 1, sort: 'up' }), [
      ['GET /users?page=1&sort=up', { rows: [1], next_page: next }],
      [`GET /users?${query}`, last],
    ]);
  });

  it('4.3.2 includeParams: true adds the job params to every next page', async () => {
    await play(paged({ includeParams: true }, { sort: 'up' }), [
      ['GET /users?sort=up', { rows: [1], next_page: '/users?page=2' }],
      ['GET /users?page=2&sort=up', { rows: [2], next_page: '/users?page=3' }],
      ['GET /users?page=3&sort=up', last],
    ]);
  });

  it.each([{ includeParams: false }, {}])(
    '4.3.2 includeParams: %j sends them with the first page only',
    async (given) => {
      await play(paged(given, { sort: 'up' }), [
        ['GET /users?sort=up', { rows: [1], next_page: '/users?page=2' }],
        ['GET /users?page=2', { rows: [2], next_page: '/users?page=3' }],
        ['GET /users?page=3', last],
      ]);
    },
  );

  it.each([false, true])(
    '4.3.2 includeParams: false beside paramIsQuery %j takes the response alone',
    async (query) => {
      const next = query ? '?page=2&after=a' : '/users?page=2&after=a';
      await play(paged({ paramIsQuery: query, includeParams: false }, { page: 1, sort: 'up' }), [
        ['GET /users?page=1&sort=up', { rows: [1], next_page: next }],
        ['GET /users?page=2&after=a', last],
      ]);
    },
  );

  it.each([
    ['an absolute link', `${HOME}/other/users?page=2`, 'GET /other/users?page=2'],
    ['an absolute path', '/other/users?page=2', 'GET /other/users?page=2'],
    ['a relative path', 'page/2?size=9', 'GET /v1/users/page/2?size=9'],
    ['a relative path to an endpoint that ends with a slash', '2', 'GET /v1/users/2', 'users/'],
    ['a relative path to an endpoint with a query', '2?x=1', 'GET /v1/users/2?x=1', 'users?sort=up'],
  ])('4.3.2 rule 1: the value may be %s', async (_what, next, line, endpoint = 'users') => {
    await play(configured({ baseUrl: `${HOME}/v1`, ...responseUrl() }, { endpoint }), [
      [`GET /v1/${endpoint}`, { rows: [1], next_page: next }],
      [line, last],
    ]);
  });

  it('4.3.2 rule 1: a relative path is appended to the endpoint URL, not to the page before', async () => {
    await play(configured({ baseUrl: `${HOME}/v1`, ...responseUrl() }), [
      ['GET /v1/users', { rows: [1], next_page: 'page/2' }],
      ['GET /v1/users/page/2', { rows: [2], next_page: 'page/3' }],
      ['GET /v1/users/page/3', last],
    ]);
  });

  it.each([
    ['absent', {}],
    ['null', { next_page: null }],
    ['an empty text', { next_page: '' }],
    ['false', { next_page: false }],
  ])('4.3.2 rule 2: a value that is %s stops paging', async (_what, end) => {
    const { items } = await play(paged(), [
      ['GET /users', { rows: [1], next_page: '/users?page=2' }],
      ['GET /users?page=2', { rows: [2], ...end }],
    ]);
    expect(items).toEqual([1, 2]);
  });

  it('4.3.2 rule 2: an empty page does not, while there is an address', async () => {
    const { items } = await play(paged(), [
      ['GET /users', { rows: [1], next_page: '/users?page=2' }],
      ['GET /users?page=2', { rows: [], next_page: '/users?page=3' }],
      ['GET /users?page=3', last],
    ]);
    expect(items).toEqual([1, 3]);
  });

  it('4.3.2 rule 2: a misspelled urlKey ends extraction after the first page', async () => {
    const { items, doubts } = await play(paged({ urlKey: 'nextpage' }), [
      ['GET /users', { rows: [1, 2], next_page: '/users?page=2' }],
    ]);
    expect(items).toEqual([1, 2]);
    expect(doubts).toEqual(['NEXT_PAGE_NOT_TAKEN']);
  });

  it('4.3.2 rule 3: the job param overwrites the page number of the address, which ends paging', async () => {
    const first = { rows: [1], next_page: '/users?page=2&size=9' };
    const { items, doubts } = await play(paged({ includeParams: true }, { page: 1 }), [
      ['GET /users?page=1', first],
      ['GET /users?page=1&size=9', first],
      ['GET /users?page=1&size=9', first],
    ]);
    expect(items).toEqual([1, 1]);
    expect(doubts).toEqual(['PAGE_RING']);
  });

  it('4.3.2 rule 4: later requests use the response value, and keep the other job params', async () => {
    const { items } = await play(paged({ paramIsQuery: true, includeParams: true }, { page: 1, sort: 'up' }), [
      ['GET /users?page=1&sort=up', { rows: [1], next_page: '?page=2' }],
      ['GET /users?page=2&sort=up', { rows: [2], next_page: '?page=3' }],
      ['GET /users?page=3&sort=up', last],
    ]);
    expect(items).toEqual([1, 2, 3]);
  });
});
