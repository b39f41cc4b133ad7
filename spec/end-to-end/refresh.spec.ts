/** Runs whose login gives a refresh token (docs/language/authentication.md#refreshing), against a real server. */
import { lastValueFrom, toArray } from 'rxjs';
import { extract, sinks, validate } from '../../src';
import type { ExtractOptions, JsonObject } from '../../src';
import { json } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer } from '../support/api-server';
import { jobsAt } from '../support/configurations';
import { load } from '../support/load';

const NOWHERE = sinks.transient('nowhere', { write: () => Promise.resolve(), close: () => Promise.resolve() });
const AUTHENTICATION = {
  type: 'login',
  loginRequest: { endpoint: 'login', method: 'POST', params: { password: { attr: '#password' } } },
  refreshRequest: { endpoint: 'refresh', method: 'POST', params: { token: { state: 'refresh' } } },
  apiRequest: { headers: { 'X-Token': 'token' } },
  persist: { refresh: { response: 'refresh_token' } },
};

describe('refreshRequest', () => {
  let server: ApiServer;
  /** Takes the place of what the refresh answers. */
  let refreshAnswer: Answer | undefined;
  /** Tokens that are refused. */
  let dead: readonly string[];
  /** Whether a login gives a refresh token. */
  let gives: boolean;

  beforeEach(async () => {
    refreshAnswer = undefined;
    dead = [];
    gives = true;
    let given = 0;
    let good = '';
    const tokens = (): Answer => {
      given += 1;
      good = `refresh-${given}`;
      return json({ token: `token-${given}`, ...(gives ? { refresh_token: good } : {}) });
    };
    server = await startServer(({ url, body, headers }) => {
      if (url === '/login') return tokens();
      if (url === '/refresh')
        return refreshAnswer ?? (body === `{"token":"${good}"}` ? tokens() : json({ error: body }, 400));
      const token = String(headers['x-token']);
      return token !== `token-${given}` || dead.includes(token) ? json({}, 401) : json([{ url }]);
    });
  });
  afterEach(() => server.close());

  const config = (changes: object = {}): object =>
    jobsAt(
      server.origin,
      ['a', 'b', 'c'],
      { authentication: { ...AUTHENTICATION, ...changes } },
      { '#password': 'p4ss' },
    );
  const run = (options: ExtractOptions = {}, changes: object = {}): Promise<unknown[]> =>
    lastValueFrom(extract(config(changes), options).items$.pipe(toArray()));
  const asked = (): string[] => server.requests.flatMap(({ url, body }) => (body === '' ? [] : [`${url} ${body}`]));
  const LOGIN = '/login {"password":"p4ss"}';

  it('renews with what the last login, or the last refresh, gave', async () => {
    dead = ['token-1', 'token-2'];
    await expect(run()).rejects.toMatchObject({ code: 'API_STATUS' });
    expect(asked()).toEqual([LOGIN, '/refresh {"token":"refresh-1"}']);
    dead = ['token-3'];
    expect(await run()).toHaveLength(3);
    expect(asked().slice(2)).toEqual([LOGIN, '/refresh {"token":"refresh-3"}']);
  });

  it.each([400, 401, 403, 404])('a refresh that is refused with %d is followed by a login', async (status) => {
    dead = ['token-1'];
    refreshAnswer = json({ error: 'invalid_grant' }, status);
    expect(await run()).toHaveLength(3);
    expect(asked()).toEqual([LOGIN, '/refresh {"token":"refresh-1"}', LOGIN]);
  });

  it('without a refresh token there is a login', async () => {
    gives = false;
    dead = ['token-1'];
    expect(await run()).toHaveLength(3);
    expect(asked()).toEqual([LOGIN, LOGIN]);
  });

  it('a token that was refused is not tried again', async () => {
    refreshAnswer = json({}, 400);
    dead = ['token-1'];
    const state = await load(config(), NOWHERE);
    gives = false;
    dead = ['token-3'];
    const before = server.requests.length;
    await load(config(), NOWHERE, { state });
    const later = server.requests.slice(before).map(({ url }) => url);
    expect(later.filter((url) => url === '/refresh')).toHaveLength(1);
    expect(later.filter((url) => url === '/login')).toHaveLength(2);
  });

  it('an API that is out of order is no refusal: the run fails', async () => {
    dead = ['token-1'];
    refreshAnswer = json({}, 501);
    await expect(run()).rejects.toMatchObject({ code: 'API_STATUS' });
    expect(asked()).toEqual([LOGIN, '/refresh {"token":"refresh-1"}']);
  });

  it('the next run begins with a refresh, and each rotation is kept', async () => {
    const kept = (state: JsonObject): unknown => JSON.stringify(state['headwater.credentials']);
    const first = await load(config(), NOWHERE);
    expect(kept(first)).toContain('"refresh-1"');
    const second = await load(config(), NOWHERE, { state: first });
    expect(kept(second)).toContain('"refresh-2"');
    expect(asked()).toEqual([LOGIN, '/refresh {"token":"refresh-1"}']);
  });

  it('a refresh that gives no new token leaves the old one in force, without a warning', async () => {
    let refreshes = 0;
    dead = ['token-1', 'token-r1'];
    const codes: string[] = [];
    refreshAnswer = (response) => json({ token: `token-r${(refreshes += 1)}` })(response);
    await expect(run({ onEvent: (event) => event.type === 'warning' && codes.push(event.code) })).rejects.toMatchObject(
      { code: 'API_STATUS' },
    );
    expect(asked()).toEqual([LOGIN, '/refresh {"token":"refresh-1"}']);
    expect(codes).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    ['persist', { persist: undefined }, /refreshRequest: needs "persist"/],
    ['a kept value', { refreshRequest: { endpoint: 'refresh' } }, /refreshRequest: sends nothing of "persist"/],
    [
      'a name of persist',
      { refreshRequest: { endpoint: 'refresh', params: { t: { state: 'other' } } } },
      /refreshRequest\.params\.t: .*state 'other' not found/,
    ],
  ])('is a fault without %s', (_, changes, fault) => {
    expect(() => validate(config(changes))).toThrow(fault);
  });
});
