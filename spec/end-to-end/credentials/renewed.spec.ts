/** Runs whose login gives a refresh token (docs/language/authentication.md#refreshing), against a real server. */
import { lastValueFrom, toArray } from 'rxjs';
import { extract, sinks, validate } from '../../../src';
import type { ExtractOptions, JsonObject, RunEvent } from '../../../src';
import { json } from '../../support/answers';
import type { Answer } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';
import { jobsAt } from '../../support/configurations';
import { load } from '../../support/load';
import { asked, example } from '../example-runs';
import { exampleAt } from '../examples';

describe('refresh', () => {
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
      await expect(
        run({ onEvent: (event) => event.type === 'warning' && codes.push(event.code) }),
      ).rejects.toMatchObject({ code: 'API_STATUS' });
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
});

/** docs/language/authentication.md#renewal over whole runs. The clock stands still unless an answer moves it. */

interface Written {
  readonly api: { readonly authentication: { readonly expires: object } };
  readonly config: object;
}

describe('when credentials are renewed', () => {
  const START = Date.UTC(2030, 0, 1);
  let now = START;
  let server: ApiServer;
  beforeEach(() => {
    now = START;
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await server.close();
  });

  /** Lives `ttl` seconds; the logins take as long as this, and the pages come at these seconds after the start. */
  async function play(ttl: number, loginTakes: number, moments: readonly number[]): Promise<void> {
    let pages = 0;
    server = await startServer(({ url }) => {
      if (url === '/login') {
        const ends = now / 1000 + ttl;
        now += loginTakes * 1000;
        return json({ token: 't', ttl, ends });
      }
      now = START + (moments[pages] ?? 0) * 1000;
      pages += 1;
      return json(Array.from({ length: pages > moments.length ? 0 : 100 }, () => ({ page: pages })));
    });
  }
  /** Runs the example; gives what was asked, `login` and `page`. */
  async function run(changes: object, options: ExtractOptions = {}): Promise<readonly string[]> {
    const { api, config } = example('credentials.json') as unknown as Written;
    const authentication = { ...api.authentication, ...changes };
    const moved = { api: { ...api, baseUrl: server.origin, authentication }, config };
    await lastValueFrom(extract(moved, options).items$.pipe(toArray()));
    return asked(server).map((line) => (line.includes('/login') ? 'login' : 'page'));
  }
  const relative = { response: 'ttl', relative: true };

  it('examples/extensions/credentials.json names a margin of its own', async () => {
    await play(60, 0, [49.9, 50]);
    expect(await run({})).toEqual(['login', 'page', 'page', 'login', 'page']);
  });

  it.each<[string, object, number, number, number]>([
    ['a number', { expires: 60 }, 60, 53.9, 54],
    ['seconds in the response', { expires: relative }, 60, 53.9, 54],
    ['a moment', { expires: { response: 'ends' } }, 60, 53.9, 54],
    ['an hour', { expires: 3600 }, 3600, 3569, 3570],
    ['a margin of 0', { expires: 60, margin: 0 }, 60, 59.9, 60],
    ['a margin beside the object', { expires: relative, margin: 20 }, 60, 39.9, 40],
    ['a margin that is too long', { expires: relative, margin: 200 }, 60, 29.9, 30],
  ])('%s: at the end less the margin, and not before', async (_, changes, ttl, before, then) => {
    await play(ttl, 0, [before, then]);
    expect(await run(changes)).toEqual(['login', 'page', 'page', 'login', 'page']);
  });

  it.each<[string, object]>([
    ['a number', { expires: 60 }],
    ['seconds in the response', { expires: relative }],
    ['a moment', { expires: { response: 'ends' } }],
  ])('%s: a lifetime counts from the moment the login was sent', async (_, changes) => {
    await play(60, 20, [53.9, 54]);
    expect(await run(changes)).toEqual(['login', 'page', 'page', 'login', 'page']);
  });

  it('with renewEarly false, as in headwater component: when the lifetime has passed', async () => {
    await play(60, 0, [59.9, 60]);
    expect(await run({ expires: 60 }, { renewEarly: false })).toEqual(['login', 'page', 'page', 'login', 'page']);
  });

  it('a login that takes longer than its credentials live: each request logs in, with one warning', async () => {
    await play(60, 61, [100, 200]);
    const messages: string[] = [];
    const onEvent: ExtractOptions['onEvent'] = (event) => {
      if (event.type === 'warning' && event.code === 'CREDENTIALS_EXPIRED') messages.push(event.message);
    };
    expect(await run({}, { onEvent })).toEqual(['login', 'page', 'login', 'page', 'login', 'page']);
    expect(messages).toEqual([
      'A login took 61.0 s; its credentials are good for 50.0 s. ' +
        'Headwater logs in before every request; check the clocks and api.authentication.expires.',
    ]);
  });
});

/** docs/language/authentication.md#kept-tokens over whole runs. */

describe('kept credentials', () => {
  const FIRST = 'the-first-token';
  const NOWHERE = sinks.transient('nowhere', { write: () => Promise.resolve(), close: () => Promise.resolve() });

  /** An API whose refresh tokens are good for one login each. */
  class TokenApi {
    #logins = 0;
    good = FIRST;
    readonly seen: string[] = [];
    tokenSeconds = 3600;

    readonly answer = ({ url, body, headers }: ReceivedRequest) => {
      if (url !== '/oauth/token')
        return headers.authorization === `Bearer access-${this.#logins}` ? this.data(url) : json({}, 401);
      const sent = new URLSearchParams(body).get('refresh_token') ?? '';
      this.seen.push(sent);
      if (sent !== this.good) return json({ error: 'invalid_grant' }, 400);
      this.#logins += 1;
      this.good = `rotated-token-${this.#logins}`;
      const token = { access_token: `access-${this.#logins}`, expires_in: this.tokenSeconds };
      return json({ ...token, refresh_token: this.good });
    };

    data = (url: string) => (url === '/broken' ? json({ error: 'no' }, 404) : json([{ id: 1 }]));
  }

  describe('credentials that replace themselves', () => {
    let api: TokenApi;
    let server: ApiServer;
    beforeEach(async () => {
      api = new TokenApi();
      server = await startServer((request) => api.answer(request));
    });
    afterEach(() => server.close());

    const example = (config: object = {}) => {
      const { api: itsApi, config: itsConfig } = exampleAt(server.origin, 'kept-credentials.json');
      return { api: itsApi, config: { ...itsConfig, ...config } };
    };
    const withAuthentication = (changes: object): object => {
      const { api: itsApi, config } = example();
      return { api: { ...itsApi, authentication: { ...itsApi.authentication, ...changes } }, config };
    };

    it('examples/extensions/kept-credentials.json is valid; each run logs in with what the last one got', async () => {
      expect(validate(example())).toMatchObject({ jobs: 1, warnings: [] });
      const first = await load(example(), NOWHERE, { state: { mine: 1 } });
      expect(first).toMatchObject({
        mine: 1,
        'headwater.credentials': [
          { '#login': expect.any(String) as string, values: { '#refreshToken': 'rotated-token-1' } },
        ],
      });
      await load(example(), NOWHERE, { state: first });
      expect(api.seen).toEqual([FIRST, 'rotated-token-1']);
    });

    it('so does each login of a run', async () => {
      api.tokenSeconds = 0;
      await load(example({ jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] }), NOWHERE);
      expect(api.seen).toEqual([FIRST, 'rotated-token-1']);
    });

    it('the state is given away before the first request that uses the login, also when the run fails', async () => {
      const states: JsonObject[] = [];
      const onCredentials = (state: JsonObject): void => {
        expect(server.requests.map(({ url }) => url)).toEqual(['/oauth/token']);
        states.push(state);
      };
      const broken = example({ jobs: [{ endpoint: 'broken' }] });
      const state = { time: { previousStart: 5 } };
      await expect(load(broken, NOWHERE, { state, onCredentials })).rejects.toMatchObject({ code: 'API_STATUS' });
      expect(states).toMatchObject([
        { ...state, 'headwater.credentials': [{ values: { '#refreshToken': 'rotated-token-1' } }] },
      ]);
      await load(example(), NOWHERE, { state: states[0] ?? {} });
      expect(api.seen).toEqual([FIRST, 'rotated-token-1']);
    });

    it('a run that cannot keep the values fails, and sends nothing more', async () => {
      const onCredentials = (): Promise<void> => Promise.reject(new Error('disk full'));
      await expect(load(example(), NOWHERE, { onCredentials })).rejects.toThrow('disk full');
      expect(server.requests).toHaveLength(1);
    });

    it('other credentials in the configuration make an end of what was kept', async () => {
      const state = await load(example(), NOWHERE);
      api.good = 'a-new-token';
      const next = await load(example({ '#refreshToken': 'a-new-token' }), NOWHERE, { state });
      expect(api.seen).toEqual([FIRST, 'a-new-token']);
      expect(next['headwater.credentials']).toHaveLength(1);
    });

    it('iterations with one account share what is kept, those with another have their own', async () => {
      const iterations = [{ n: 1 }, { n: 2 }, { '#refreshToken': 'of-another' }];
      await expect(load({ ...example(), iterations }, NOWHERE)).rejects.toMatchObject({ code: 'API_STATUS' });
      expect(api.seen).toEqual([FIRST, 'rotated-token-1', 'of-another']);
    });

    it('nothing at the path keeps what is known, with one warning', async () => {
      const warnings: string[] = [];
      const onEvent = (event: RunEvent): void => {
        if (event.type === 'warning') warnings.push(event.message);
      };
      api.tokenSeconds = 0;
      const config = withAuthentication({ persist: { refreshToken: 'refresh_tokn' } });
      await expect(load(config, NOWHERE, { onEvent })).resolves.not.toHaveProperty(['headwater.credentials']);
      expect(warnings).toEqual([
        expect.stringMatching(/^api\.authentication\.persist\.refreshToken: .* at "refresh_tokn"/),
      ]);
    });

    it('no event and no error shows a kept value', async () => {
      const shown: string[] = [];
      const onEvent = (event: RunEvent): void => void shown.push(JSON.stringify(event));
      api.data = () => json({ error: `bad ${api.good} ${FIRST}` }, 404);
      const failure = await load(example(), NOWHERE, { onEvent }).catch(String);
      expect(failure).toContain('bad *** ***');
      expect(shown.join('\n')).not.toMatch(/rotated-token|the-first-token/);
    });

    it('each subscription of one extraction uses what the last one got', async () => {
      const extraction = extract(example());
      for (const stream of [extraction, extraction]) for await (const item of stream) expect(item).toEqual({ id: 1 });
      expect(api.seen).toEqual([FIRST, 'rotated-token-1']);
    });

    it('a name that is not kept is a fault', () => {
      const params = { a: { state: 'refreshTokn' } };
      const config = withAuthentication({ loginRequest: { endpoint: 'oauth/token', params } });
      expect(() => validate(config)).toThrow(
        /api\.authentication\.loginRequest\.params\.a: .*state 'refreshTokn' not found! Did you mean 'refreshToken'\?/,
      );
    });
  });
});
