import { configured, ELSEWHERE, faultPaths, login, offset, Raw, sent, useScript } from './support';

describe('specification 4.1: the login request', () => {
  const play = useScript();
  const token = { token: 'T' };
  const params = { user: 'ann lee', pin: 7, remember: true };
  const http = { defaultOptions: { headers: { 'X-Default': 'd' }, params: { v: 3 } } };

  it('4.1 Method: is GET by default', async () => {
    await play(configured(login()), [
      ['GET /login', token],
      ['GET /users', [1]],
    ]);
  });

  it('4.1 Method: is one of GET, POST and FORM', () => {
    const paths = ['GET', 'POST', 'FORM', 'PUT'].map((method) => faultPaths(configured(login({ method }))));
    expect(paths).toEqual([[], [], [], ['api.authentication.loginRequest.method']]);
  });

  it('4.1 Path: loginRequest.endpoint is required', () => {
    const without = { authentication: { type: 'login', loginRequest: { params: {} } } };
    expect(faultPaths(configured(without))).toEqual(['api.authentication.loginRequest.endpoint']);
  });

  it('4.1 Path: may differ from the endpoints of jobs', async () => {
    await play(configured(login({ endpoint: 'oauth/v2/token' }), { endpoint: 'v1/users' }), [
      ['GET /oauth/v2/token', token],
      ['GET /v1/users', [1]],
    ]);
  });

  it('4.1 Path: may be an address elsewhere', async () => {
    const outcome = await play(configured(login({ endpoint: `${ELSEWHERE}/token` })), [
      [`GET ${ELSEWHERE}/token`, token],
      ['GET /users', [1]],
    ]);
    expect(outcome.asked[1]?.headers['x-token']).toBe('T');
  });

  it('4.1 GET: params are the query string', async () => {
    const { asked } = await play(configured(login({ method: 'GET', params })), [
      ['GET /login?user=ann lee&pin=7&remember=1', token],
      ['GET /users', [1]],
    ]);
    expect(asked[0]?.body).toBe('');
    expect(asked[0]?.headers).not.toHaveProperty('content-type');
  });

  it('4.1 POST: params are a JSON body, with its content type', async () => {
    const { asked } = await play(configured(login({ method: 'POST', params })), [
      ['POST /login', token],
      ['GET /users', [1]],
    ]);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual(params);
    expect(asked[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('4.1 FORM: is a POST of the params as a form', async () => {
    const { asked } = await play(configured(login({ method: 'FORM', params })), [
      ['POST /login', token],
      ['GET /users', [1]],
    ]);
    expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toEqual({
      user: 'ann lee',
      pin: '7',
      remember: '1',
    });
    expect(asked[0]?.headers).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded' });
  });

  it('4.1 Headers: loginRequest.headers are sent, and none but those of every HTTP request beside them', async () => {
    const { asked } = await play(configured({ http, ...login({ headers: { 'X-App': 'hw' } }) }), [
      ['GET /login', token],
      ['GET /users?v=3', [1]],
    ]);
    const ofEveryRequest = ['accept', 'accept-encoding', 'host', 'user-agent'];
    const own = Object.entries(asked[0]?.headers ?? {}).filter(([name]) => !ofEveryRequest.includes(name));
    expect(own).toEqual([['x-app', 'hw']]);
  });

  it('4.1 Headers: loginRequest.headers are not sent with jobs', async () => {
    const outcome = await play(configured(login({ headers: { 'X-App': 'hw' } })), [
      ['GET /login', token],
      ['GET /users', [1]],
    ]);
    expect(sent(outcome, 'x-app')).toEqual([undefined]);
  });

  it.each([
    ['GET', 'GET /login?pin=7', ''],
    ['POST', 'POST /login', '{"pin":7}'],
    ['FORM', 'POST /login', 'pin=7'],
  ])('4.1 Ignored: default headers and params are not applied to a login by %s', async (method, line, body) => {
    const outcome = await play(configured({ http, ...login({ method, params: { pin: 7 } }) }), [
      [line, token],
      ['GET /users?v=3', [1]],
    ]);
    expect(outcome.asked[0]?.body).toBe(body);
    expect(outcome.asked.map(({ headers }) => headers['x-default'])).toEqual([undefined, 'd']);
  });

  it('4.1 Ignored: pagination is not applied to the login request', async () => {
    await play(configured({ ...offset(), ...login() }), [
      ['GET /login', token],
      ['GET /users?limit=2&offset=0', []],
    ]);
  });

  it('4.1 Response: is JSON by default', async () => {
    const outcome = await play(configured(login()), [
      ['GET /login', token],
      ['GET /users', [1]],
    ]);
    expect(sent(outcome)).toEqual(['T']);
  });

  it('4.1 Response: is plain text when format says so', async () => {
    const api = login({}, { format: 'text', apiRequest: { headers: { 'x-token': 'data' } } });
    const outcome = await play(configured(api), [
      ['GET /login', new Raw('T-text')],
      ['GET /users', [1]],
    ]);
    expect(sent(outcome)).toEqual(['T-text']);
  });
});
