import { inspect } from 'node:util';
import { lastValueFrom, toArray } from 'rxjs';
import { extract, requestsOf } from '../../src';
import type { Har, RunEvent } from '../../src';
import { bytes, json, redirectTo } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';

describe('index', () => {
  const PASSWORD = 'pW5d-of-the-reader';
  const sid = (id: number): string => `sid=s3ss10n-${id}; Path=/; HttpOnly`;
  const loginRequest = { endpoint: 'login', method: 'FORM', params: { user: 'me', password: { attr: '#password' } } };
  const page = (text: string, status = 200, headers = {}): Answer =>
    bytes(`<p>${text}</p>`, { 'content-type': 'text/html', ...headers }, status);

  describe('session', () => {
    const servers: ApiServer[] = [];
    afterEach(async () => {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    });
    /** Logins set session 1, 2, …; `stranger` answers whoever has none from the second on. */
    const start = async (stranger: (request: ReceivedRequest) => Answer, valid = 2): Promise<ApiServer> => {
      let logins = 0;
      const server = await startServer((request) => {
        if (request.url === '/login' && request.method === 'POST')
          return page('Welcome', 200, { 'set-cookie': sid((logins += 1)) });
        if (request.url === '/login') return page('Log in, please');
        const known = Number(/s3ss10n-(\d)/.exec(request.headers.cookie ?? '')?.[1] ?? 0);
        return known >= valid ? json([{ url: request.url }]) : stranger(request);
      });
      servers.push(server);
      return server;
    };
    const run = async (server: ApiServer, options: object = {}, { api = {}, jobs = ['items'], config = {} } = {}) => {
      const events: RunEvent[] = [];
      let recorded: Har | undefined;
      const written = {
        api: { baseUrl: server.origin, authentication: { type: 'session', loginRequest, ...options }, ...api },
        config: { '#password': PASSWORD, jobs: jobs.map((endpoint) => ({ endpoint })), ...config },
      };
      const { items$ } = extract(written, {
        onEvent: (event) => events.push(event),
        record: (har) => (recorded = har),
      });
      let error: unknown;
      const items = await lastValueFrom(items$.pipe(toArray())).catch((thrown: unknown) => {
        error = thrown;
        return [];
      });
      const planned = requestsOf(written);
      const reported = inspect([events, recorded, error, planned], { depth: 12, maxStringLength: Infinity });
      expect(reported).not.toContain('s3ss10n');
      expect(reported).not.toContain(PASSWORD);
      return { items, error };
    };
    const lines = ({ requests }: ApiServer): string[] =>
      requests.map(({ method, url, headers }) => `${method} ${url} ${headers.cookie ?? '-'}`);

    it('logs in again, without the old cookie, after a status that says that the session is over', async () => {
      const server = await start(() => json({}, 403));
      const { items } = await run(server, { refusedStatusCodes: [401, 403] });
      expect(items).toEqual([{ url: '/items' }]);
      expect(lines(server)).toEqual([
        'POST /login -',
        'GET /items sid=s3ss10n-1',
        'POST /login -',
        'GET /items sid=s3ss10n-2',
      ]);
    });

    it('logs in again after a redirect to the login page', async () => {
      const server = await start(() => redirectTo('/login'));
      const { items } = await run(server, { loginPage: '/login' });
      expect(items).toEqual([{ url: '/items' }]);
      expect(lines(server).filter((line) => line.startsWith('POST'))).toHaveLength(2);
    });

    it('a second redirect to the login page is an error, and no empty result', async () => {
      const server = await start(() => redirectTo('/login'), 9);
      const { items, error } = await run(server, { loginPage: '/login' });
      expect(items).toEqual([]);
      expect(error).toMatchObject({ code: 'LOGIN_RESPONSE' });
      expect(String(error)).toContain('although the login was repeated');
    });

    it('logs in again after a text that a rule knows', async () => {
      const server = await start(() => page('Your session has expired'));
      const rules = [{ when: { matches: 'session has expired' }, do: 'renew' }];
      const { items } = await run(server, {}, { api: { http: { rules } } });
      expect(items).toEqual([{ url: '/items' }]);
    });

    it('a login without a cookie is an error before any other request', async () => {
      const server = await startServer(() => page('Wrong password'));
      servers.push(server);
      const { error } = await run(server);
      expect(error).toMatchObject({ code: 'LOGIN_RESPONSE' });
      expect(String(error)).toContain('the login set no cookie for the API');
      expect(server.requests).toHaveLength(1);
    });

    it('takes the cookie of a redirect, and one for another path than that of the login', async () => {
      const server = await startServer(({ url, headers }) => {
        if (url === '/login') return bytes('', { location: '/home', 'set-cookie': 'sid=s3ss10n-1; Path=/items' }, 302);
        if (url === '/home') return page('Welcome');
        return headers.cookie === 'sid=s3ss10n-1' ? json([1]) : json({}, 401);
      });
      servers.push(server);
      const { items } = await run(server);
      expect(items).toEqual([1]);
      expect(lines(server)).toEqual(['POST /login -', 'GET /home -', 'GET /items sid=s3ss10n-1']);
    });

    it('a cookie goes to no other host, though that is requested or led to, and not where its path forbids it', async () => {
      const other = await startServer(() => json([2]));
      servers.push(other);
      const elsewhere = other.origin.replace('localhost', '127.0.0.1');
      const server = await startServer(({ url, headers }) => {
        const cookies = [sid(1), 'area=s3ss10n-area; Path=/admin', `not=s3ss10n-not; Domain=127.0.0.1`];
        if (url === '/login') return page('Welcome', 200, { 'set-cookie': cookies });
        return url === '/leads'
          ? redirectTo(`${elsewhere}/taken`)
          : json([{ cookie: headers.cookie?.replaceAll('s3ss10n', 'S') }]);
      });
      servers.push(server);
      const { items } = await run(server, {}, { jobs: ['items', `${elsewhere}/named`] });
      expect(items).toEqual([{ cookie: 'sid=S-1' }, 2]);
      const { error } = await run(server, {}, { jobs: ['leads'] });
      expect(error).toMatchObject({ code: 'ORIGIN_REFUSED' });
      expect(lines(other)).toEqual(['GET /named -']);
    });

    it('a cookie for TLS alone is not sent without it', async () => {
      const seen: string[] = [];
      const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
        const url = input instanceof Request ? input.url : input.toString();
        seen.push(`${url} ${new Headers(init?.headers).get('cookie') ?? '-'}`);
        const headers = { 'set-cookie': 'tls=s3ss10n-tls; Path=/; Secure' };
        return Promise.resolve(url.endsWith('login') ? new Response('Welcome', { headers }) : Response.json([1]));
      };
      const items = (baseUrl: string): Promise<unknown> =>
        lastValueFrom(
          extract(
            {
              api: { baseUrl, authentication: { type: 'session', loginRequest } },
              config: { '#password': PASSWORD, jobs: [{ endpoint: 'items' }] },
            },
            { fetch },
          ).items$,
        );
      await expect(items('http://river.example/')).rejects.toMatchObject({ code: 'LOGIN_RESPONSE' });
      expect(await items('https://river.example/')).toBe(1);
      expect(seen).toEqual([
        'http://river.example/login -',
        'https://river.example/login -',
        'https://river.example/items tls=s3ss10n-tls',
      ]);
    });

    it('adds what the login answers where the API wants that, too', async () => {
      const server = await startServer(({ url, headers }) =>
        url === '/login' ? json({ csrf: 'cs-1' }, 200, { 'set-cookie': sid(1) }) : json([{ csrf: headers['x-csrf'] }]),
      );
      servers.push(server);
      const { items } = await run(server, { format: 'json', apiRequest: { headers: { 'X-Csrf': 'csrf' } } });
      expect(items).toEqual([{ csrf: 'cs-1' }]);
    });
  });
});

/** Sessions that end while pages are read, and that never began (docs/language/authentication/session.md). */

describe('lost', () => {
  const rows = Array.from({ length: 25 }, (_, id) => ({ id }));
  const sid = (id: number): string => `sid=s3ss10n-${id}; Path=/`;
  const GONE = 'sid=; Path=/; Max-Age=0';
  const GUEST = 'sid=guest-of-the-house; Path=/';

  interface Played {
    /** What whoever has no session gets. */
    readonly stranger: () => Answer;
    /** How many pages each session is good for; absent: all. */
    readonly lasts?: number;
    readonly login?: (id: number) => Answer;
    /** What the header of a page says; absent: none. */
    readonly cookie?: (page: number) => string | undefined;
    readonly items?: readonly object[];
    readonly options?: object;
  }

  describe('a session', () => {
    let server: ApiServer;
    afterEach(() => server.close());

    const play = async ({ stranger, lasts = Infinity, login, cookie, items = rows, options = {} }: Played) => {
      let logins = 0;
      let left = 0;
      let pages = 0;
      const answer = ({ url, method, headers }: ReceivedRequest): Answer => {
        const { pathname, searchParams } = new URL(url, 'http://localhost');
        if (pathname === '/login' && method === 'POST') {
          left = lasts;
          logins += 1;
          return login?.(logins) ?? bytes('Welcome', { 'set-cookie': sid(logins) });
        }
        if (!(headers.cookie ?? '').includes(`s3ss10n`) || (left -= 1) < 0) return stranger();
        const offset = Number(searchParams.get('offset') ?? 0);
        const line = cookie?.((pages += 1));
        return json({ items: items.slice(offset, offset + 10) }, 200, line === undefined ? {} : { 'set-cookie': line });
      };
      server = await startServer(answer);
      const loginRequest = { endpoint: 'login', method: 'FORM', params: { user: 'me' } };
      const config = {
        api: {
          baseUrl: server.origin,
          authentication: { type: 'session', loginRequest, ...options },
          pagination: { method: 'offset', limit: 10 },
        },
        config: { jobs: [{ endpoint: 'items', dataField: 'items' }] },
      };
      const given: { items?: readonly unknown[]; error?: unknown } = await lastValueFrom(
        extract(config).items$.pipe(toArray()),
      ).then(
        (all) => ({ items: all }),
        (error: unknown) => ({ error }),
      );
      return { ...given, logins };
    };

    it.each<[string, () => Answer]>([
      ['takes its cookie away', () => json({ items: [] }, 200, { 'set-cookie': GONE })],
      ['empties its cookie', () => json({ items: [] }, 200, { 'set-cookie': 'sid=; Path=/' })],
      ['gives a cookie for guests', () => json({ items: [] }, 200, { 'set-cookie': GUEST })],
    ])('that ends with an empty list which %s is begun again', async (_, stranger) => {
      const { items, logins } = await play({ stranger, lasts: 2 });
      expect(items).toEqual(rows);
      expect(logins).toBe(2);
    });

    it.each<[string, string]>([
      ['takes its cookie away', GONE],
      ['gives a cookie for guests', GUEST],
    ])('that cannot be begun again is an error, where an empty list %s', async (_, line) => {
      const stranger = (): Answer => json({ items: [] }, 200, { 'set-cookie': line });
      const login = (id: number): Answer => bytes('', { 'set-cookie': id === 1 ? sid(1) : 'sid=n0body; Path=/' });
      const { error, logins } = await play({ stranger, lasts: 1, login });
      expect(error).toMatchObject({ code: 'LOGIN_RESPONSE' });
      expect(String(error)).toContain('ends the session');
      expect(logins).toBe(2);
    });

    it.each<[string, (page: number) => string]>([
      ['with each response', (page) => `sid=s3ss10n-${page}00; Path=/`],
      ['of messages', (page) => `flash=${page}; Path=/`],
      ['that was never there', () => 'rememberMe=deleteMe; Path=/; Max-Age=0'],
      ['against forged requests', (page) => `XSRF-TOKEN=token-${page}; Path=/`],
    ])('whose API gives a new cookie %s ends as any other', async (_, cookie) => {
      const played = { stranger: () => json({}, 401), cookie };
      expect(await play(played)).toMatchObject({ items: rows, logins: 1 });
      await server.close();
      expect(await play({ ...played, items: rows.slice(0, 20) })).toMatchObject({
        items: rows.slice(0, 20),
        logins: 1,
      });
      await server.close();
      expect(await play({ ...played, items: [] })).toMatchObject({ items: [], logins: 1 });
    });

    it('whose cookie of messages is taken away goes on', async () => {
      const login = (id: number): Answer => bytes('', { 'set-cookie': [sid(id), 'flash=Welcome; Path=/'] });
      const cookie = (): string => 'flash=; Path=/; Max-Age=0';
      const played = { stranger: () => json({}, 401), login, cookie, items: [] };
      expect(await play(played)).toMatchObject({ items: [], logins: 1 });
    });

    it('with a login before each request may end with each response', async () => {
      const played = { stranger: () => json({}, 401), cookie: () => GONE, items: rows.slice(0, 20) };
      expect(await play({ ...played, options: { expires: 0 } })).toMatchObject({ items: rows.slice(0, 20), logins: 3 });
    });

    it('that a page with a form for a password answers never began', async () => {
      const page = '<form action=/login><input name=p TYPE="password"></form> Wrong password';
      const login = (): Answer => bytes(page, { 'content-type': 'text/html; charset=utf-8', 'set-cookie': GUEST });
      const { error } = await play({ stranger: () => json({ items: [] }), login });
      expect(error).toMatchObject({ code: 'LOGIN_RESPONSE' });
      expect(String(error)).toContain('asks for a password');
    });
  });
});
