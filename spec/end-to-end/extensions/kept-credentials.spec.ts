/** docs/extensions/kept-credentials.md over whole runs. */
import { extract, sinks, validate } from '../../../src';
import type { JsonObject, RunEvent } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';
import { load } from '../../support/load';
import { exampleAt } from './examples';

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
