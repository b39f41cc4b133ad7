/** Runs against real servers whose sessions are cookies (docs/language/requests.md#cookies). */
import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { RunEvent } from '../../../src';
import { afterDelay, json, redirectTo, together } from '../../support/answers';
import type { Answer } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';
import { jobsAt } from '../../support/configurations';

const session = (id: number): string => `session=s3ss10n-${id}; Path=/; HttpOnly`;

describe('api.http.cookies', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  /** Logins set session 1, 2, …; the first of them is over at once. A guest gets 403. */
  const start = async (instead: (request: ReceivedRequest) => Answer | undefined = () => undefined): Promise<void> => {
    let logins = 0;
    server = await startServer((request) => {
      const other = instead(request);
      if (other !== undefined) return other;
      if (request.url === '/login') return json({}, 200, { 'set-cookie': session((logins += 1)) });
      const isKnown = request.headers.cookie === 'session=s3ss10n-2';
      return isKnown ? json([{ url: request.url }]) : json({ error: `guest ${request.headers.cookie ?? ''}` }, 403);
    });
  };
  const itemsOf = async (api: object, endpoints = ['items']): Promise<{ items: unknown[]; shown: string }> => {
    const events: RunEvent[] = [];
    const { items$ } = extract(jobsAt(server.origin, endpoints, api), { onEvent: (event) => events.push(event) });
    const items = await lastValueFrom(items$.pipe(toArray()));
    const shown = JSON.stringify(events.map((event) => ({ ...event, page: undefined })));
    return { items, shown };
  };
  const login = { type: 'login', loginRequest: { endpoint: 'login', method: 'POST' } };

  it('a login whose response has nothing but a cookie logs in, and is renewed when it is refused', async () => {
    await start();
    const authentication = { ...login, refusedStatusCodes: [401, 403] };
    const { items, shown } = await itemsOf({ http: { cookies: true }, authentication }, ['items', 'more']);
    expect(items).toEqual([{ url: '/items' }, { url: '/more' }]);
    expect(server.requests.map(({ url }) => url)).toEqual(['/login', '/items', '/login', '/items', '/more']);
    expect(shown).not.toContain('s3ss10n');
  });

  it('a login that is sent again begins without the cookies of the session before, which the API would refuse', async () => {
    // Directus answers a login with the cookie of a session that is over with 401.
    await start(({ url, headers }) =>
      url === '/login' && headers.cookie !== undefined ? json({ error: 'Token expired.' }, 401) : undefined,
    );
    const authentication = { ...login, refusedStatusCodes: [401, 403] };
    const { items } = await itemsOf({ http: { cookies: true }, authentication });
    expect(items).toEqual([{ url: '/items' }]);
    expect(server.requests.map(({ url, headers }) => `${url} ${headers.cookie ?? '-'}`)).toEqual([
      '/login -',
      '/items session=s3ss10n-1',
      '/login -',
      '/items session=s3ss10n-2',
    ]);
  });

  it('a refresh has the cookies of the session that it prolongs', async () => {
    await start(({ url, headers }) =>
      url === '/refresh'
        ? json({}, headers.cookie === 'session=s3ss10n-1' ? 200 : 401, { 'set-cookie': session(2) })
        : url === '/login'
          ? json({ key: 'k' }, 200, { 'set-cookie': session(1) })
          : undefined,
    );
    const authentication = {
      ...login,
      persist: { key: { response: 'key' } },
      refreshRequest: { endpoint: 'refresh', method: 'POST', params: { key: { state: 'key' } } },
      refusedStatusCodes: [401, 403],
    };
    const { items } = await itemsOf({ http: { cookies: true }, authentication });
    expect(items).toEqual([{ url: '/items' }]);
    expect(server.requests.map(({ url }) => url)).toEqual(['/login', '/items', '/refresh', '/items']);
  });

  it('without it there are no cookies: the API sees a guest', async () => {
    await start();
    await expect(itemsOf({ authentication: { ...login, refusedStatusCodes: [401, 403] } })).rejects.toThrow(/\[403\]/);
    expect(server.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });

  it('a cookie of a redirect is sent with the request that follows, without a login', async () => {
    await start(({ url, headers }) => {
      if (url === '/items' && headers.cookie === undefined)
        return (response) => {
          response.setHeader('set-cookie', session(2));
          return redirectTo('/items')(response);
        };
      return undefined;
    });
    const { items } = await itemsOf({ http: { cookies: true } });
    expect(items).toEqual([{ url: '/items' }]);
  });

  it('each run has a jar of its own', async () => {
    await start(({ url }) => (url === '/items' ? json([1], 200, { 'set-cookie': session(1) }) : undefined));
    await itemsOf({ http: { cookies: true } });
    await itemsOf({ http: { cookies: true } });
    expect(server.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });

  it('switches a cache off, with a warning', async () => {
    await start(() => json([1]));
    const warnings: string[] = [];
    const config = { ...jobsAt(server.origin, ['items'], { http: { cookies: true } }), cache: true };
    const { items$ } = extract(config, {
      onEvent: (event) => event.type === 'warning' && warnings.push(event.message),
    });
    await lastValueFrom(items$.pipe(toArray()));
    expect(warnings).toContain('cache: has no effect with api.http.cookies: a cached response would set no cookie');
  });
});

/** Pages that are requested ahead, of APIs whose cookies change (docs/language/concurrency.md#parallel-pages). */

const ALL = Array.from({ length: 21 }, (_, at) => ({ id: at + 1 }));

describe('api.http.cookies with parallel', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  const offsetOf = ({ url }: ReceivedRequest): number =>
    Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
  const cookieOf = ({ headers }: ReceivedRequest, name: string): string | undefined =>
    new RegExp(`(?:^|; )${name}=([^;]*)`).exec(headers.cookie ?? '')?.[1];
  const page = (from: number, cookie?: string): Answer =>
    json(ALL.slice(from, from + 3), 200, cookie === undefined ? {} : { 'set-cookie': `${cookie}; Path=/` });

  async function itemsOf(answer: (request: ReceivedRequest) => Answer): Promise<unknown[]> {
    // The sooner a page was asked for, the later it comes.
    server = await startServer((request) => afterDelay(10 + (offsetOf(request) % 4), answer(request)));
    const pagination = { method: 'offset', limit: 3, parallel: 4 };
    const { items$ } = extract({
      api: { baseUrl: server.origin, pagination, http: { cookies: true }, retryConfig: { maxRetries: 0 } },
      config: { jobs: [{ endpoint: 'items' }] },
    });
    return lastValueFrom(items$.pipe(toArray()));
  }

  it('gives all items of an API whose place stands in a cookie', async () => {
    const items = await itemsOf((request) => {
      const from = Number(cookieOf(request, 'cursor') ?? 0);
      return page(from, `cursor=${from + 3}`);
    });
    expect(items).toEqual(ALL);
  });

  it('gives all items of an API whose cookie changes with each response', async () => {
    let given = 0;
    expect(await itemsOf((request) => page(offsetOf(request), `visit=${(given += 1)}`))).toEqual(ALL);
  });

  it('begins the session with the first page alone, and requests the others at once', async () => {
    let sessions = 0;
    // The four pages behind the first one are answered when all of them are requested: one at a time would wait for ever.
    const allFour = together(4, () => undefined);
    const items = await itemsOf((request) => {
      const from = offsetOf(request);
      const answer = page(from, cookieOf(request, 'sid') === undefined ? `sid=${(sessions += 1)}` : undefined);
      if (from === 0 || from > 12) return answer;
      return async (response) => {
        await allFour(response);
        await answer(response);
      };
    });
    expect(items).toEqual(ALL);
    expect(sessions).toBe(1);
    expect(new Set(server.requests.map(({ url }) => url)).size).toBe(server.requests.length);
  });

  it('gives all items of an API that refuses all cookies but the last', async () => {
    let last = 0;
    const items = await itemsOf((request) => {
      const isLast = last === 0 || cookieOf(request, 'visit') === String(last);
      return isLast ? page(offsetOf(request), `visit=${(last += 1)}`) : json({ error: 'stale' }, 401);
    });
    expect(items).toEqual(ALL);
  });
});
