import { configured, HOME, login, LOGIN_ONCE, onePerPage, page, Raw, sent, useClock, useScript } from './support';
import type { Exchange } from './support';

describe('specification 5: the life of credentials', () => {
  const play = useScript();
  const clock = useClock('2030-01-01T00:00:00Z');

  it('5 rule 3: without expires the login is sent once, before all other requests', async () => {
    const config = {
      api: { baseUrl: HOME, ...login() },
      config: { jobs: [{ endpoint: 'users' }, { endpoint: 'groups' }, { endpoint: 'teams' }] },
    };
    const outcome = await play(config, [
      ['GET /login', { token: 'T' }],
      ['GET /users', clock.taking(1_000_000_000, [1])],
      ['GET /groups', [2]],
      ['GET /teams', [3]],
    ]);
    expect(sent(outcome)).toEqual(['T', 'T', 'T']);
  });

  it.each([60, '60'])('5 rule 4: expires %j repeats the login every 60 seconds', async (expires) => {
    const outcome = await play(onePerPage(expires), [
      ['GET /login', { token: 'T1' }],
      page(0, clock.taking(59, [1])),
      page(1, clock.taking(1, [2])),
      ['GET /login', { token: 'T2' }],
      page(2, clock.taking(59, [3])),
      page(3, clock.taking(2, [4])),
      ['GET /login', { token: 'T3' }],
      page(4, []),
    ]);
    expect(sent(outcome)).toEqual(['T1', 'T1', 'T2', 'T2', 'T3']);
  });

  it.each([0, '0'])('5 rule 5: expires %j sends the login before every request', async (expires) => {
    const outcome = await play(onePerPage(expires), [
      ['GET /login', { token: 'T1' }],
      page(0, [1]),
      ['GET /login', { token: 'T2' }],
      page(1, [2]),
      ['GET /login', { token: 'T3' }],
      page(2, []),
    ]);
    expect(sent(outcome)).toEqual(['T1', 'T2', 'T3']);
  });

  /** Three pages with logins that each give credentials for a minute; `ends` says so for a login in that second. */
  const minutes = (ends: (second: number) => unknown): readonly Exchange[] => {
    const start = Date.parse('2030-01-01T00:00:00Z') / 1000;
    const given = (token: string, second: number): object => ({ token, auth: { ends: ends(second) } });
    return [
      ['GET /login', given('T1', start)],
      page(0, clock.taking(59, [1])),
      page(1, clock.taking(1, [2])),
      ['GET /login', given('T2', start + 60)],
      page(2, []),
    ];
  };
  const dateText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');

  it.each([
    ['date-time text', (start: number) => dateText(start + 60)],
    ['a timestamp', (start: number) => start + 60],
    ['a timestamp as text', (start: number) => String(start + 60)],
  ])('5 rule 6: with relative false, %s is the moment of the end', async (_what, ends) => {
    const outcome = await play(onePerPage({ response: 'auth.ends', relative: false }), minutes(ends));
    expect(sent(outcome)).toEqual(['T1', 'T1', 'T2']);
  });

  it.each([60, '60'])('5 rule 6: with relative true, %j is the number of seconds of validity', async (ends) => {
    const outcome = await play(
      onePerPage({ response: 'auth.ends', relative: true }),
      minutes(() => ends),
    );
    expect(sent(outcome)).toEqual(['T1', 'T1', 'T2']);
  });
});

describe('specification 5: what logins give', () => {
  const play = useScript();
  const fromData = (changes: object = {}): object =>
    configured(
      login({}, { apiRequest: { headers: { 'x-token': 'data' }, query: { tok: { response: 'data' } } }, ...changes }),
    );

  it.each([
    ['plain words', 'abc def'],
    ['JSON', '{"token":"T"}'],
    ['a JSON scalar', '"T"'],
  ])('5 rule 1: with format text, a body of %s is referred to as data', async (_what, body) => {
    const outcome = await play(fromData({ format: 'text' }), [
      ['GET /login', new Raw(body)],
      [`GET /users?tok=${body}`, [1]],
    ]);
    expect(sent(outcome)).toEqual([body]);
  });

  it.each([
    ['a string', 'T-1', 'T-1'],
    ['a number', 42, '42'],
    ['true', true, '1'],
  ])('5 rule 2: with format json, %s is referred to as data', async (_what, body, value) => {
    const outcome = await play(fromData({ format: 'json' }), [
      ['GET /login', body],
      [`GET /users?tok=${value}`, [1]],
    ]);
    expect(sent(outcome)).toEqual([value]);
  });

  it('5 rule 7: login headers come before default headers, whatever their case', async () => {
    const http = { defaultOptions: { headers: { 'X-TOKEN': 'default', 'X-Other': 'o' } } };
    const outcome = await play(configured({ http, ...login() }), LOGIN_ONCE);
    expect(sent(outcome)).toEqual(['T']);
    expect(sent(outcome, 'x-other')).toEqual(['o']);
  });

  it('5 rule 7: login query values are sent beside default headers', async () => {
    const http = { defaultOptions: { headers: { tok: 'default' } } };
    const outcome = await play(configured({ http, ...login({}, { apiRequest: { query: { tok: 'token' } } }) }), [
      ['GET /login', { token: 'T' }],
      ['GET /users?tok=T', [1]],
    ]);
    expect(sent(outcome, 'tok')).toEqual(['default']);
  });

  it('5 rule 8: a header can be the base64 text of login and password', async () => {
    const args = [{ function: 'concat', args: [{ attr: '#login' }, ':', { attr: '#password' }] }];
    const headers = { Authorization: { function: 'base64_encode', args } };
    const outcome = await play(
      configured(login({}, { apiRequest: { headers } }), {}, { '#login': 'ann', '#password': 's3cret' }),
      LOGIN_ONCE,
    );
    expect(sent(outcome, 'authorization')).toEqual(['YW5uOnMzY3JldA==']);
  });

  it('5 rule 8: a query value can be the sha1 of the login and the token of the response', async () => {
    const args = [{ function: 'concat', args: [{ attr: '#login' }, ':', { response: 'token' }] }];
    const api = login({}, { apiRequest: { query: { sign: { function: 'sha1', args } } } });
    await play(configured(api, {}, { '#login': 'ann' }), [
      ['GET /login', { token: 'T' }],
      ['GET /users?sign=17c7ebc350e7f6841ed51881e7d43ca91e88278a', [1]],
    ]);
  });
});
