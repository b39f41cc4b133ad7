import { configured, faultPaths, HOME, login, offset, responseUrl, sent, useScript } from './support';

describe('specification 2: resources and their fields', () => {
  const play = useScript();

  it('2 path: keys are joined by dots, and a number is the index in an array', async () => {
    const response = { parts: [{ rows: ['x'] }, { rows: [1, 2] }], other: [] };
    const { items } = await play(configured({}, { dataField: 'parts.1.rows' }), [['GET /users', response]]);
    expect(items).toEqual([1, 2]);
  });
});

describe('specification 2.1: api', () => {
  const play = useScript();

  it('2.1 baseUrl: is required', () => {
    expect(faultPaths({ api: { http: {} }, config: { jobs: [{ endpoint: 'users' }] } })).toEqual(['api.baseUrl']);
  });

  it.each([`${HOME}/v1`, `${HOME}/v1/`])('2.1 baseUrl: %s is the address that endpoints are below', async (baseUrl) => {
    await play(configured({ baseUrl }), [['GET /v1/users', [1]]]);
  });

  it('2.1 http.defaultOptions.headers: are sent with every page of every job', async () => {
    const http = { defaultOptions: { headers: { 'X-Version': '3' } } };
    const config = {
      api: { baseUrl: HOME, http, ...offset({ limit: 1 }) },
      config: { jobs: [{ endpoint: 'users' }, { endpoint: 'groups' }] },
    };
    const outcome = await play(config, [
      ['GET /users?limit=1&offset=0', [1]],
      ['GET /users?limit=1&offset=1', []],
      ['GET /groups?limit=1&offset=0', []],
    ]);
    expect(sent(outcome, 'x-version')).toEqual(['3', '3', '3']);
  });

  it('2.1 http.defaultOptions.params: are sent with every page', async () => {
    await play(configured({ http: { defaultOptions: { params: { v: 3 } } }, ...offset({ limit: 1 }) }), [
      ['GET /users?v=3&limit=1&offset=0', [1]],
      ['GET /users?v=3&limit=1&offset=1', []],
    ]);
  });

  it('2.1 http.defaultOptions.params: are sent with a next page that the response names', async () => {
    await play(configured({ http: { defaultOptions: { params: { v: 3 } } }, ...responseUrl() }), [
      ['GET /users?v=3', { rows: [1], next_page: '/users?page=2' }],
      ['GET /users?page=2&v=3', { rows: [2] }],
    ]);
  });

  it('2.1 authentication: is applied to API requests', async () => {
    const outcome = await play(configured(login()), [
      ['GET /login', { token: 'T' }],
      ['GET /users', [1]],
    ]);
    expect(sent(outcome)).toEqual(['T']);
  });

  it('2.1 authentication: is optional', async () => {
    expect((await play(configured(), [['GET /users', [1]]])).items).toEqual([1]);
  });

  it('2.1 pagination: is optional, and without it a job is one request', async () => {
    expect((await play(configured(), [['GET /users', { rows: [1], next_page: '/users?page=2' }]])).items).toEqual([1]);
  });
});

describe('specification 2.2: config', () => {
  const play = useScript();

  it('2.2 jobs: are the endpoints to extract', async () => {
    const config = { api: { baseUrl: HOME }, config: { jobs: [{ endpoint: 'users' }, { endpoint: 'groups' }] } };
    const { items } = await play(config, [
      ['GET /users', [1]],
      ['GET /groups', [2]],
    ]);
    expect(items).toEqual([1, 2]);
  });

  it.each([true, false])('2.2 debug: %j changes nothing of what is extracted', async (debug) => {
    expect((await play(configured({}, {}, { debug }), [['GET /users', [1]]])).items).toEqual([1]);
  });

  it('2.2 outputBucket: changes nothing of what is extracted', async () => {
    expect((await play(configured({}, {}, { outputBucket: 'b' }), [['GET /users', [1]]])).items).toEqual([1]);
  });

  it('2.2 user attributes: are referred to by their keys', async () => {
    const api = login({ params: { user: { attr: '#login' }, password: { attr: '#password' } } });
    await play(configured(api, {}, { '#login': 'ann', '#password': 's3cret' }), [
      ['GET /login?user=ann&password=s3cret', { token: 'T' }],
      ['GET /users', [1]],
    ]);
  });
});

describe('specification 2.3: job', () => {
  const play = useScript();

  it('2.3 endpoint: is required', () => {
    expect(faultPaths({ api: { baseUrl: HOME }, config: { jobs: [{ params: {} }] } })).toEqual([
      'config.jobs[0].endpoint',
    ]);
  });

  it('2.3 endpoint: is requested relative to the base URL', async () => {
    await play(configured({ baseUrl: `${HOME}/v1` }, { endpoint: 'users/active' }), [['GET /v1/users/active', [1]]]);
  });

  it('2.3 params: are the query of the job, over default params of the same name', async () => {
    const http = { defaultOptions: { params: { sort: 'down', v: 3 } } };
    await play(configured({ http }, { params: { sort: 'up', active: 1 } }), [['GET /users?sort=up&v=3&active=1', [1]]]);
  });

  it('2.3 params: may override the page size and the start offset', async () => {
    await play(configured(offset({ offsetFromJob: true }), { params: { limit: 5, offset: 20 } }), [
      ['GET /users?limit=5&offset=20', []],
    ]);
  });

  it('2.3 params: may be expressions', async () => {
    const params = { key: { function: 'sha1', args: [{ attr: '#key' }] } };
    await play(configured({}, { params }, { '#key': 'abc' }), [
      ['GET /users?key=a9993e364706816aba3e25717850c26c9cd0d89d', [1]],
    ]);
  });

  it('2.3 dataField: is the path of the array of items', async () => {
    const { items } = await play(configured({}, { dataField: 'result.rows' }), [
      ['GET /users', { result: { rows: [{ id: 1 }, { id: 2 }], errors: [] }, links: ['a'] }],
    ]);
    expect(items).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it.each([
    ['a response that is an array', [1, 2]],
    ['the only array of an object', { total: 2, rows: [1, 2], meta: { page: 1 } }],
  ])('2.3 dataField: when absent, %s is detected', async (_what, response) => {
    expect((await play(configured(), [['GET /users', response]])).items).toEqual([1, 2]);
  });

  it('2.3 dataType: names the kind of the items, which stay the same', async () => {
    const { items, pages } = await play(configured({}, { dataType: 'person' }), [['GET /users', [1]]]);
    expect(items).toEqual([1]);
    expect(pages.map(({ job }) => job.dataType)).toEqual(['person']);
  });
});

describe('specification 2.4: value expressions', () => {
  const play = useScript();
  const ATTRIBUTES = { '#login': 'ann', '#password': 's3cret', region: 'eu' };
  const RESPONSE = { token: 'T', authentication: [{ secret: 'S' }], id: 7 };

  /** What an expression in `apiRequest.headers` sends. */
  const headerOf = async (expression: unknown): Promise<string | undefined> => {
    const api = login({}, { apiRequest: { headers: { 'x-value': expression } } });
    const outcome = await play(configured(api, {}, ATTRIBUTES), [
      ['GET /login', RESPONSE],
      ['GET /users', [1]],
    ]);
    return sent(outcome, 'x-value')[0];
  };
  const faultsOf = (expression: unknown): string[] =>
    faultPaths(configured(login({}, { apiRequest: { headers: { 'x-value': expression } } }), {}, ATTRIBUTES));
  const WHERE = 'api.authentication.apiRequest.headers.x-value';
  const call = (name: string, ...args: readonly unknown[]): object => ({ function: name, args });

  it('2.4 literal: plain texts and numbers of loginRequest are sent as they are', async () => {
    const loginRequest = { params: { user: 'token', pin: 7 }, headers: { 'x-app': 'token', 'x-level': 2 } };
    const { asked } = await play(configured(login(loginRequest)), [
      ['GET /login?user=token&pin=7', RESPONSE],
      ['GET /users', [1]],
    ]);
    expect(asked[0]?.headers).toMatchObject({ 'x-app': 'token', 'x-level': '2' });
  });

  it.each([
    ['token', 'T'],
    ['authentication.0.secret', 'S'],
    ['id', '7'],
  ])('2.4 {response}: %s is read from the login response', async (response, value) => {
    expect(await headerOf({ response })).toBe(value);
  });

  it('2.4 {response}: a bare text in apiRequest is such a path', async () => {
    expect(await headerOf('authentication.0.secret')).toBe('S');
  });

  it.each([
    ['#login', 'ann'],
    ['region', 'eu'],
  ])('2.4 {attr}: %s is a user attribute', async (attr, value) => {
    expect(await headerOf({ attr })).toBe(value);
  });

  it('2.4 {function}: arguments are literals, references and functions, nested', async () => {
    const inner = call('concat', { attr: '#login' }, ':', call('sha1', { response: 'token' }));
    // base64 of `ann:` and the SHA-1 of `T`
    expect(await headerOf(call('base64_encode', inner))).toBe(
      'YW5uOmMyYzUzZDY2OTQ4MjE0MjU4YTI2Y2E5Y2E4NDVkN2FjMGMxN2Y4ZTc=',
    );
  });

  it('2.4 base64_encode: takes one argument', async () => {
    expect(await headerOf(call('base64_encode', 'ann:s3cret'))).toBe('YW5uOnMzY3JldA==');
    expect(faultsOf(call('base64_encode'))).toEqual([WHERE]);
    expect(faultsOf(call('base64_encode', 'a', 'b'))).toEqual([WHERE]);
  });

  it('2.4 concat: takes any number of arguments, and joins them in order', async () => {
    expect(await headerOf(call('concat', 'a'))).toBe('a');
    expect(await headerOf(call('concat', 'Basic ', { attr: '#login' }, ':', 7, { response: 'token' }))).toBe(
      'Basic ann:7T',
    );
  });

  it('2.4 sha1: takes one argument, and gives hexadecimal text', async () => {
    expect(await headerOf(call('sha1', 'abc'))).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
    expect(faultsOf(call('sha1'))).toEqual([WHERE]);
    expect(faultsOf(call('sha1', 'a', 'b'))).toEqual([WHERE]);
  });
});
