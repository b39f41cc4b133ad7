/** Logins by a person against a real authorization server, and the runs that follow. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { lastValueFrom, toArray } from 'rxjs';
import { extract, logIn } from '../../../src';
import type { JsonObject, LoginOptions } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';

/** What the person at the browser does with the address. */
type Person = (address: URL) => Promise<unknown>;

describe('logIn', () => {
  let server: ApiServer;
  let allowed: { readonly challenge: string; readonly redirectUri: string } | undefined;
  let isPending: boolean;
  let refreshTokens: boolean;
  let good: string;
  beforeEach(async () => {
    allowed = undefined;
    isPending = true;
    refreshTokens = true;
    good = 'r-1';
    server = await startServer(({ url, body, headers }) => {
      const form = new URLSearchParams(body);
      if (url === '/device')
        return json({
          device_code: 'd3vice',
          user_code: 'WDJB',
          verification_uri: 'http://go.example',
          interval: 0.01,
        });
      if (url !== '/token') return json([{ token: headers.authorization }]);
      const tokens = json({
        access_token: 'acc3ss',
        expires_in: 3600,
        ...(refreshTokens ? { refresh_token: good } : {}),
      });
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      switch (form.get('grant_type')) {
        case 'authorization_code':
          return form.get('code') === 'c0de' &&
            allowed?.challenge === challenge &&
            allowed.redirectUri === form.get('redirect_uri')
            ? tokens
            : json({ error: 'invalid_grant' }, 400);
        case 'refresh_token':
          return form.get('refresh_token') === good ? tokens : json({ error: 'invalid_grant' }, 400);
        default:
          if (!isPending) return tokens;
          isPending = false;
          return json({ error: 'authorization_pending' }, 400);
      }
    });
  });
  afterEach(() => server.close());

  const config = (authentication: object = {}) => ({
    api: {
      baseUrl: server.origin,
      authentication: {
        type: 'oauth2',
        grant: 'authorization_code',
        tokenEndpoint: 'token',
        authorizationEndpoint: 'authorize?tenant=t',
        deviceAuthorizationEndpoint: 'device',
        clientAuthentication: 'none',
        scope: 'read offline_access',
        authorizationParams: { prompt: 'consent' },
        ...authentication,
      },
    },
    config: { clientId: 'river', jobs: [{ endpoint: 'items' }] },
  });

  /** Allows the login in the browser, which goes back with these parameters in place of its own. */
  const allow =
    (changes: Readonly<Record<string, string>> = {}): Person =>
    (address) => {
      const { searchParams: asked } = address;
      allowed = { challenge: asked.get('code_challenge') ?? '', redirectUri: asked.get('redirect_uri') ?? '' };
      const back = new URL(allowed.redirectUri);
      back.search = String(new URLSearchParams({ code: 'c0de', state: asked.get('state') ?? '', ...changes }));
      return fetch(back);
    };

  const login = async (person: Person, authentication: object = {}, options: Partial<LoginOptions> = {}) => {
    const reported: string[] = [];
    const states: JsonObject[] = [];
    await logIn(config(authentication), {
      print: (text) => {
        reported.push(text);
        const address = /http\S+authorize\S+/.exec(text)?.[0];
        if (address !== undefined) void person(new URL(address));
      },
      onCredentials: (state) => void states.push(state),
      timeoutSeconds: 20,
      ...options,
    });
    return { reported, state: states.at(-1) ?? {} };
  };
  const run = (authentication: object, state: JsonObject) =>
    lastValueFrom(extract(config(authentication), { state }).items$.pipe(toArray()));

  it('by code with PKCE: what it keeps is good for runs, and nothing of it is told', async () => {
    let asked: URLSearchParams | undefined;
    const { reported, state } = await login((address) => {
      asked = address.searchParams;
      return allow()(address);
    });
    expect(Object.fromEntries(asked ?? [])).toMatchObject({
      tenant: 't',
      response_type: 'code',
      client_id: 'river',
      scope: 'read offline_access',
      prompt: 'consent',
      code_challenge_method: 'S256',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/) as string,
    });
    expect(reported.join()).not.toMatch(/r-1|acc3ss|c0de/);
    await expect(run({}, state)).resolves.toEqual([{ token: 'Bearer acc3ss' }]);
    expect(server.requests.map(({ url }) => url)).toEqual(['/token', '/token', '/items']);
  });

  it('by device: asks until somebody has entered the code', async () => {
    const grant = { grant: 'device_code' };
    const { reported, state } = await login(() => Promise.resolve(), grant);
    expect(reported).toEqual(['To log in, open http://go.example in any browser, and enter the code WDJB']);
    expect(server.requests.map(({ body }) => body)).toEqual([
      'client_id=river&prompt=consent&scope=read%20offline_access',
      ...Array<string>(2).fill(
        'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=d3vice&client_id=river',
      ),
    ]);
    await expect(run(grant, state)).resolves.toEqual([{ token: 'Bearer acc3ss' }]);
  });

  it('a browser with another state is refused and told, and the right one still counts', async () => {
    const statuses: number[] = [];
    const { reported } = await login(async (address) => {
      const wrong = (await allow({ state: 'forged', code: 'st0len' })(address)) as globalThis.Response;
      statuses.push(wrong.status, ((await allow()(address)) as globalThis.Response).status);
    });
    expect(statuses).toEqual([400, 200]);
    expect(reported[1]).toMatch(/another state.*refused/);
    expect(server.requests.map(({ body }) => body).join()).not.toContain('st0len');
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['denied', { error: 'access_denied' }, /Access was denied/],
    ['without a code', { code: '' }, /without a code/],
    ['with another code', { code: 'other' }, /invalid_grant/],
  ])('a login that is %s fails', async (_, changes, message) => {
    await expect(login(allow(changes))).rejects.toMatchObject({
      code: 'LOGIN_FAILED',
      message: expect.stringMatching(message) as string,
    });
  });

  it('fails where there is no refresh token, with what to ask for', async () => {
    refreshTokens = false;
    await expect(login(allow())).rejects.toThrow(/gave no refresh token.*offline_access/);
  });

  it('ends when nobody logs in, and when it is aborted', async () => {
    const nobody: Person = () => Promise.resolve();
    await expect(login(nobody, {}, { timeoutSeconds: 0.05 })).rejects.toThrow(
      /Nobody has logged in within 0.05 seconds/,
    );
    const abort = new AbortController();
    const ended = login(nobody, { grant: 'device_code' }, { signal: abort.signal });
    abort.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
  });

  it('comes back to the port that is asked for, unless it is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(login(allow(), {}, { port })).rejects.toThrow(/cannot be used \(EADDRINUSE\).*--port/);
    await new Promise((resolve) => other.close(resolve));
    const { reported } = await login(allow(), {}, { port });
    expect(reported[0]).toContain(`127.0.0.1%3A${port}%2Fcallback`);
  });

  it('a run without a login, or with one that is refused, says to log in first', async () => {
    await expect(run({}, {})).rejects.toMatchObject({
      code: 'LOGIN_REQUIRED',
      message: expect.stringMatching(/Nothing is kept.*headwater login CONFIG --state FILE/) as string,
    });
    const { state } = await login(allow());
    good = 'r-2';
    await expect(run({}, state)).rejects.toThrow(/refuses what is kept.*headwater login/);
    expect(server.requests.some(({ url }) => url === '/items')).toBe(false);
  });

  it('refuses a configuration that needs no person, or lacks an endpoint', async () => {
    await expect(login(allow(), { grant: 'client_credentials' })).rejects.toThrow(/needs no person to log in/);
    await expect(login(allow(), { authorizationEndpoint: null })).rejects.toThrow(
      /authorizationEndpoint: required by the grant "authorization_code"/,
    );
    await expect(login(allow(), { grant: 'device_code', deviceAuthorizationEndpoint: null })).rejects.toThrow(
      /deviceAuthorizationEndpoint: required by the grant "device_code"/,
    );
  });
});
