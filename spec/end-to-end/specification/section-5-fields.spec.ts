import {
  configured,
  faultPaths,
  HOME,
  login,
  LOGIN_ONCE,
  offset,
  onePerPage,
  page,
  sent,
  useClock,
  useScript,
} from './support';

describe('specification 5: the fields of authentication', () => {
  const play = useScript();
  const clock = useClock('2030-01-01T00:00:00Z');

  it('5 type: login sends the login request', async () => {
    expect(sent(await play(configured(login()), LOGIN_ONCE))).toEqual(['T']);
  });

  it('5 type: an unknown one is refused', () => {
    expect(faultPaths(configured(login({}, { type: 'logon' })))).toContain('api.authentication.type');
  });

  it('5 loginRequest.endpoint: is required', () => {
    const without = { authentication: { type: 'login', loginRequest: { method: 'GET' } } };
    expect(faultPaths(configured(without))).toEqual(['api.authentication.loginRequest.endpoint']);
  });

  it('5 loginRequest.endpoint: is below the base URL', async () => {
    await play(configured({ baseUrl: `${HOME}/v1`, ...login({ endpoint: 'auth/token' }) }), [
      ['GET /v1/auth/token', { token: 'T' }],
      ['GET /v1/users', [1]],
    ]);
  });

  it('5 loginRequest.params: are expressions, as in jobs', async () => {
    const params = {
      user: { attr: '#login' },
      key: { function: 'concat', args: [{ attr: '#login' }, '-', 7] },
      scope: { read: { attr: 'scope' } },
    };
    await play(configured(login({ params }), {}, { '#login': 'ann', scope: 'all' }), [
      ['GET /login?user=ann&key=ann-7&scope[read]=all', { token: 'T' }],
      ['GET /users', [1]],
    ]);
  });

  it('5 loginRequest.method: chooses how params are sent', async () => {
    await play(configured(login({ method: 'POST', params: { user: 'ann' } })), [
      ['POST /login', { token: 'T' }],
      ['GET /users', [1]],
    ]);
  });

  it('5 loginRequest.method: is GET by default', async () => {
    await play(configured(login({ params: { user: 'ann' } })), [
      ['GET /login?user=ann', { token: 'T' }],
      ['GET /users', [1]],
    ]);
  });

  it('5 loginRequest.headers: are expressions', async () => {
    const headers = { 'X-Plain': 'p', 'X-User': { attr: '#login' }, 'X-Sum': { function: 'sha1', args: ['abc'] } };
    const { asked } = await play(configured(login({ headers }), {}, { '#login': 'ann' }), LOGIN_ONCE);
    expect(asked[0]?.headers).toMatchObject({
      'x-plain': 'p',
      'x-user': 'ann',
      'x-sum': 'a9993e364706816aba3e25717850c26c9cd0d89d',
    });
  });

  it.each([{ format: 'json' }, {}])('5 format: %j reads the response as JSON', async (given) => {
    expect(sent(await play(configured(login({}, given)), LOGIN_ONCE))).toEqual(['T']);
  });

  it('5 format: is json or text', () => {
    const paths = ['json', 'text', 'xml'].map((format) => faultPaths(configured(login({}, { format }))));
    expect(paths).toEqual([[], [], ['api.authentication.format']]);
  });

  it('5 apiRequest.headers: paths and expressions become headers of all later requests', async () => {
    const headers = { 'X-Token': 'auth.token', 'X-User': { response: 'user' }, 'X-Region': { attr: 'region' } };
    const { asked } = await play(
      configured({ ...offset({ limit: 1 }), ...login({}, { apiRequest: { headers } }) }, {}, { region: 'eu' }),
      [
        ['GET /login', { auth: { token: 'T' }, user: 7 }],
        ['GET /users?limit=1&offset=0', [1]],
        ['GET /users?limit=1&offset=1', []],
      ],
    );
    const expected = { 'x-token': 'T', 'x-user': '7', 'x-region': 'eu' };
    expect(asked.slice(1).map(({ headers }) => headers)).toEqual([
      expect.objectContaining(expected),
      expect.objectContaining(expected),
    ]);
  });

  it('5 apiRequest.query: paths and expressions become query parameters of all later requests', async () => {
    const query = { tok: 'auth.token', user: { response: 'user' }, region: { attr: 'region' } };
    await play(configured({ ...offset({ limit: 1 }), ...login({}, { apiRequest: { query } }) }, {}, { region: 'eu' }), [
      ['GET /login', { auth: { token: 'T' }, user: 7 }],
      ['GET /users?limit=1&offset=0&tok=T&user=7&region=eu', [1]],
      ['GET /users?limit=1&offset=1&tok=T&user=7&region=eu', []],
    ]);
  });

  it.each([0, 60, '60', '0', { response: 'ends' }])('5 expires: %j is accepted', (expires) => {
    expect(faultPaths(configured(login({}, { expires })))).toEqual([]);
  });

  it.each(['soon', 1.5, true, [60]])('5 expires: %j is refused', (expires) => {
    expect(faultPaths(configured(login({}, { expires })))).toEqual(['api.authentication.expires']);
  });

  it('5 expires.response: is required in an object', () => {
    expect(faultPaths(configured(login({}, { expires: { relative: true } })))).toEqual([
      'api.authentication.expires.response',
    ]);
  });

  it('5 expires.response: is a path in the login response', async () => {
    const outcome = await play(onePerPage({ response: 'auth.0.ends', relative: true }), [
      ['GET /login', { token: 'T1', auth: [{ ends: 60 }] }],
      page(0, clock.taking(60, [1])),
      ['GET /login', { token: 'T2', auth: [{ ends: 60 }] }],
      page(1, []),
    ]);
    expect(sent(outcome)).toEqual(['T1', 'T2']);
  });

  it('5 expires.relative: true counts the seconds from the login', async () => {
    await play(onePerPage({ response: 'ttl', relative: true }), [
      ['GET /login', { token: 'T', ttl: 60 }],
      page(0, clock.taking(59, [1])),
      page(1, []),
    ]);
  });

  it.each([{ relative: false }, {}])('5 expires.relative: %j means an absolute time', async (given) => {
    const expires = { response: 'ends', ...given };
    const outcome = await play(onePerPage(expires), [
      ['GET /login', { token: 'T1', ends: '2030-01-01 01:00:00' }],
      page(0, clock.taking(3599, [1])),
      page(1, clock.taking(1, [2])),
      ['GET /login', { token: 'T2', ends: '2030-01-01 02:00:00' }],
      page(2, []),
    ]);
    expect(sent(outcome)).toEqual(['T1', 'T1', 'T2']);
  });
});
