import { configured, HOME, login, offset, responseUrl, sent, useScript } from './support';

describe('specification 4.2: job requests', () => {
  const play = useScript();
  const defaults = (defaultOptions: object): object => ({ http: { defaultOptions } });
  const loginQuery = (query: object): object => login({}, { apiRequest: { query } });

  it('4.2 request: is a GET of the endpoint below the base URL, with the query and without a body', async () => {
    const { asked } = await play(
      configured({ baseUrl: `${HOME}/v1` }, { endpoint: 'users/all', params: { sort: 'up' } }),
      [['GET /v1/users/all?sort=up', [1]]],
    );
    expect(asked[0]?.body).toBe('');
  });

  it('4.2 rule 1: the query holds default params, job params, page parameters and login values', async () => {
    const api = { ...defaults({ params: { v: 3 } }), ...offset(), ...loginQuery({ tok: 'token' }) };
    await play(configured(api, { params: { sort: 'up' } }), [
      ['GET /login', { token: 'T' }],
      ['GET /users?v=3&sort=up&limit=2&offset=0&tok=T', [1, 2]],
      ['GET /users?v=3&sort=up&limit=2&offset=2&tok=T', []],
    ]);
  });

  it('4.2 rule 1: login values are in the query of a next page that the response names', async () => {
    await play(configured({ ...responseUrl(), ...loginQuery({ tok: 'token' }) }), [
      ['GET /login', { token: 'T' }],
      ['GET /users?tok=T', { rows: [1], next_page: '/users?page=2' }],
      ['GET /users?page=2&tok=T', { rows: [2] }],
    ]);
  });

  it('4.2 rule 2: the headers are the default headers and the login headers', async () => {
    const { asked } = await play(configured({ ...defaults({ headers: { 'X-Version': '3' } }), ...login() }), [
      ['GET /login', { token: 'T' }],
      ['GET /users', [1]],
    ]);
    expect(asked[1]?.headers).toMatchObject({ 'x-version': '3', 'x-token': 'T' });
  });

  it('4.2 rule 3: a query name of the job and of the login is sent as an indexed pair', async () => {
    await play(configured(loginQuery({ key: 'token' }), { params: { key: 'J', sort: 'up' } }), [
      ['GET /login', { token: 'T' }],
      ['GET /users?sort=up&key[0]=J&key[1]=T', [1]],
    ]);
  });

  it('4.2 rule 3: equal values are sent both', async () => {
    await play(configured(loginQuery({ key: 'token' }), { params: { key: 'T' } }), [
      ['GET /login', { token: 'T' }],
      ['GET /users?key[0]=T&key[1]=T', [1]],
    ]);
  });

  it('4.2 rule 3: a default param that the job overrides is not in the pair', async () => {
    const api = { ...defaults({ params: { key: 'D' } }), ...loginQuery({ key: 'token' }) };
    await play(configured(api, { params: { key: 'J' } }), [
      ['GET /login', { token: 'T' }],
      ['GET /users?key[0]=J&key[1]=T', [1]],
    ]);
  });

  it('4.2 rule 3: the pair is sent with every page', async () => {
    await play(configured({ ...offset(), ...loginQuery({ key: 'token' }) }, { params: { key: 'J' } }), [
      ['GET /login', { token: 'T' }],
      ['GET /users?limit=2&offset=0&key[0]=J&key[1]=T', [1, 2]],
      ['GET /users?limit=2&offset=2&key[0]=J&key[1]=T', []],
    ]);
  });

  it('4.2 rule 3: each shared name is a pair of its own', async () => {
    await play(configured(loginQuery({ key: 'token', app: 'id', tok: 'token' }), { params: { app: 'A', key: 'J' } }), [
      ['GET /login', { token: 'T', id: 7 }],
      ['GET /users?tok=T&key[0]=J&key[1]=T&app[0]=A&app[1]=7', [1]],
    ]);
  });

  it('4.2 rule 4: a job param overrides the default param of that name, and no other', async () => {
    await play(configured(defaults({ params: { sort: 'down', v: 3 } }), { params: { sort: 'up' } }), [
      ['GET /users?sort=up&v=3', [1]],
    ]);
  });

  it.each([0, '', false])('4.2 rule 4: the job param %j overrides as well', async (sort) => {
    const { asked } = await play(configured(defaults({ params: { sort: 'down' } }), { params: { sort } }), [
      [`GET /users?sort=${sort === '' ? '' : '0'}`, [1]],
    ]);
    expect(asked).toHaveLength(1);
  });

  it('4.2 rule 5: a login header overrides the default header of that name, and no other', async () => {
    const outcome = await play(
      configured({ ...defaults({ headers: { 'X-Token': 'default', 'X-Version': '3' } }), ...login() }),
      [
        ['GET /login', { token: 'T' }],
        ['GET /users', [1]],
      ],
    );
    expect(sent(outcome)).toEqual(['T']);
    expect(sent(outcome, 'x-version')).toEqual(['3']);
  });

  it('4.2 rule 6: the items are the array at dataField', async () => {
    const { items } = await play(configured({}, { dataField: 'rows' }), [['GET /users', { rows: [1], errors: ['e'] }]]);
    expect(items).toEqual([1]);
  });

  it('4.2 rule 6: the items are the array that is detected', async () => {
    expect((await play(configured(), [['GET /users', { total: 1, rows: [1] }]])).items).toEqual([1]);
  });
});
