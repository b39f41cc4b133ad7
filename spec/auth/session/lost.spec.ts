/** Sessions that end while pages are read, and that never began (docs/language/authentication/session.md). */
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import { bytes, json } from '../../support/answers';
import type { Answer } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';

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
  ])('that ends with an empty list which %s is begun anew', async (_, stranger) => {
    const { items, logins } = await play({ stranger, lasts: 2 });
    expect(items).toEqual(rows);
    expect(logins).toBe(2);
  });

  it.each<[string, string]>([
    ['takes its cookie away', GONE],
    ['gives a cookie for guests', GUEST],
  ])('that cannot be begun anew is an error, where an empty list %s', async (_, line) => {
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
    expect(await play({ ...played, items: rows.slice(0, 20) })).toMatchObject({ items: rows.slice(0, 20), logins: 1 });
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
