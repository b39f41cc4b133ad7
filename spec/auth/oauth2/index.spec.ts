/** Whole runs against a token endpoint of RFC 6749. */
import { lastValueFrom, toArray } from 'rxjs';
import { extract, sinks } from '../../../src';
import type { RunEvent } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { load } from '../../support/load';

const NOWHERE = sinks.transient('nowhere', { write: () => Promise.resolve(), close: () => Promise.resolve() });
const CONFIG = {
  clientId: 'river',
  '#clientSecret': 'cl13nt',
  username: 'me',
  '#password': 'tr0ut',
  '#refreshToken': 'r-0',
};

describe('oauth2', () => {
  let server: ApiServer;
  let dead: readonly string[];
  let good: string;
  let refreshTokens: boolean;
  beforeEach(async () => {
    let given = 0;
    dead = [];
    good = 'r-0';
    refreshTokens = true;
    server = await startServer(({ url, body, headers }) => {
      if (url === '/token') {
        const form = new URLSearchParams(body);
        if (form.get('grant_type') === 'refresh_token' && form.get('refresh_token') !== good)
          return json({ error: 'invalid_grant' }, 400);
        given += 1;
        if (refreshTokens) good = `r-${given}`;
        const token = { access_token: `a-${given}`, token_type: 'bearer', expires_in: 3600 };
        return json(refreshTokens ? { ...token, refresh_token: good } : token);
      }
      const token = String(headers.authorization).replace('Bearer ', '');
      return dead.includes(token) ? json({ error: `dead ${token}` }, 401) : json([{ token }]);
    });
  });
  afterEach(() => server.close());

  const config = (authentication: object = {}, changes: object = {}) => ({
    api: { baseUrl: server.origin, authentication: { type: 'oauth2', tokenEndpoint: 'token', ...authentication } },
    config: { ...CONFIG, ...changes, jobs: [{ endpoint: 'items' }] },
  });
  const run = async (authentication: object = {}): Promise<{ items: unknown[]; events: RunEvent[] }> => {
    const events: RunEvent[] = [];
    const { items$ } = extract(config(authentication), { onEvent: (event) => events.push(event) });
    return { items: await lastValueFrom(items$.pipe(toArray())), events };
  };
  const asked = (): string[] => server.requests.filter(({ url }) => url === '/token').map(({ body }) => body);

  it('one line is enough: client credentials by basic authentication', async () => {
    refreshTokens = false;
    const { items, events } = await run();
    expect(items).toEqual([{ token: 'a-1' }]);
    expect(asked()).toEqual(['grant_type=client_credentials']);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('river:cl13nt').toString('base64')}`,
      accept: 'application/json',
    });
    expect(events.some((event) => event.type === 'credentials.renewed' && event.expiresAt !== undefined)).toBe(true);
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
  });

  it('a password in the body, then the refresh token that came with the token', async () => {
    dead = ['a-1'];
    const { items, events } = await run({ grant: 'password', clientAuthentication: 'body', scope: 'read write' });
    expect(items).toEqual([{ token: 'a-2' }]);
    const client = 'client_id=river&client_secret=cl13nt&scope=read%20write';
    expect(asked()).toEqual([
      `grant_type=password&username=me&password=tr0ut&${client}`,
      `grant_type=refresh_token&refresh_token=r-1&${client}`,
    ]);
    expect(JSON.stringify(events.filter(({ type }) => type !== 'page.extracted'))).not.toMatch(/tr0ut|cl13nt|r-1|a-1/);
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
  });

  it('a refresh token that is rotated is kept for the next run; when it is refused, the one of config counts', async () => {
    const authentication = { grant: 'refresh_token' };
    const state = await load(config(authentication), NOWHERE);
    await load(config(authentication), NOWHERE, { state });
    good = 'r-0';
    await load(config(authentication), NOWHERE, { state });
    expect(asked().map((body) => /refresh_token=(.*)/.exec(body)?.[1])).toEqual(['r-0', 'r-1', 'r-1', 'r-0']);
  });

  it('the refresh token of another grant lives as long as the run', async () => {
    await expect(load(config({ grant: 'password' }), NOWHERE)).resolves.not.toHaveProperty(['headwater.credentials']);
  });

  it('a response without a token is an error', async () => {
    await server.close();
    server = await startServer(() => json({ error: 'none' }));
    await expect(run()).rejects.toThrow(/response 'access_token' not found/);
  });
});
