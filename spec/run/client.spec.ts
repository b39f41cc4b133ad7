/** A client against real servers: what its runs share, and what they do not. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  firstValueFrom,
  from,
  interval,
  lastValueFrom,
  map,
  mergeMap,
  retry,
  Subject,
  switchMap,
  take,
  toArray,
} from 'rxjs';
import { client, ConfigurationError, extract, FatalError, HeadwaterError, sinks } from '../../src';
import type { Client, ClientCredentials, ClientOptions, Destination, RunEvent } from '../../src';
import { afterDelay, json, never } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';

/** A server with a login, whose tokens are numbered and end when it says so. */
interface TokenApi {
  readonly server: ApiServer;
  /** Tokens up to this number are refused. */
  refused: number;
  readonly logins: () => number;
  readonly pages: () => readonly ReceivedRequest[];
}

const opened: { readonly close: () => Promise<void> }[] = [];
const closingAtEnd = <T extends { readonly close: () => Promise<void> }>(one: T): T => {
  opened.push(one);
  return one;
};
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

const ITEMS = json([{ id: 1 }]);
async function tokenApi(answer: (request: ReceivedRequest) => Answer = () => ITEMS, life?: number): Promise<TokenApi> {
  let logins = 0;
  const isLogin = ({ url }: ReceivedRequest): boolean => url.startsWith('/login');
  const api: TokenApi = {
    server: await startServer((request) => {
      if (isLogin(request)) {
        logins += 1;
        const token = `token-of-${new URL(request.url, 'http://h').searchParams.get('user') ?? ''}-${logins}`;
        return json({ token, ...(life === undefined ? {} : { expires_in: life }) });
      }
      const [, number] = /-(\d+)$/.exec(String(request.headers['x-token'])) ?? [];
      return Number(number ?? 0) > api.refused ? answer(request) : json({ error: 'stale' }, 401);
    }),
    refused: 0,
    logins: () => logins,
    pages: () => api.server.requests.filter((request) => !isLogin(request)),
  };
  closingAtEnd(api.server);
  return api;
}

const withLogin = ({ server }: Pick<TokenApi, 'server'>, more: object = {}, expires?: object): object => ({
  baseUrl: `${server.origin}/`,
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login', params: { user: { attr: 'user' }, secret: { attr: '#secret' } } },
    apiRequest: { headers: { 'x-token': 'token' } },
    ...(expires === undefined ? {} : { expires }),
  },
  ...more,
});
const CREDENTIALS = { user: 'acme', '#secret': 'the-password' };
const made = (api: object, options: ClientOptions = {}): Client =>
  closingAtEnd(client(api, { credentials: CREDENTIALS, ...options }));
const job = (endpoint: string): object => ({ jobs: [{ endpoint }] });
const ENDS: ReadonlySet<string> = new Set(['run.finished', 'run.failed', 'run.cancelled']);
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The second page of a, and the fourth of b. */
const BEHIND = /(a.*offset=1|b.*offset=3)$/;
/** How many pages lie before the place where a run can go on. */
const pagesBefore = (error: unknown): number | undefined => {
  if (!(error instanceof HeadwaterError)) throw error;
  return [...(error.resume?.progress.values() ?? [])][0]?.pages;
};

describe('client: one login', () => {
  it('50 switches of a setting cost one login, and 51 with extract', async () => {
    const api = await tokenApi(() => afterDelay(5, ITEMS));
    const switched = (itemsOf: (at: number) => ReturnType<Client['extract']>['items$']): Promise<unknown> =>
      lastValueFrom(interval(4).pipe(take(51), switchMap(itemsOf)));
    const acme = made(withLogin(api));
    await switched((at) => acme.extract({ ...job(`levels/${at}`), river: `river ${at}` }).items$);
    expect(api.logins()).toBe(1);

    const alone = await tokenApi(() => ITEMS);
    await lastValueFrom(
      interval(20).pipe(
        take(51),
        mergeMap((at) => extract({ api: withLogin(alone), config: { ...CREDENTIALS, ...job(`levels/${at}`) } }).items$),
      ),
    );
    expect(alone.logins()).toBe(51);
  });

  it('a login that another run waits for goes on when the run that asked for it is left; its events add up', async () => {
    const events: RunEvent[] = [];
    const api = await tokenApi();
    let logIn = (): void => undefined;
    const slow = await startServer(({ url }) =>
      url.startsWith('/login') ? (response) => void (logIn = () => void json({ token: 't' })(response)) : ITEMS,
    );
    closingAtEnd(slow);
    const acme = made(withLogin({ ...api, server: slow }), { onEvent: (event) => events.push(event) });
    const left = acme.extract(job('a')).items$.subscribe();
    const other = lastValueFrom(acme.extract(job('b')).items$);
    await slow.received(0);
    left.unsubscribe();
    logIn();
    expect(await other).toEqual({ id: 1 });
    expect(slow.requests.map(({ url }) => url.split('?', 1)[0])).toEqual(['/login', '/b']);
    const reported = (type: RunEvent['type']): number => events.filter((event) => event.type === type).length;
    expect(reported('request.sent')).toBe(2);
    expect(reported('response.received')).toBe(2);
    expect(reported('credentials.renewed')).toBe(1);
  });

  it('the events of a login belong to one run, the first that asked', async () => {
    const api = await tokenApi();
    const acme = made(withLogin(api));
    const eventTypes: RunEvent['type'][][] = [[], [], []];
    await Promise.all(
      eventTypes.map((events, at) =>
        lastValueFrom(acme.extract(job(`p${at}`), { onEvent: ({ type }) => events.push(type) }).items$),
      ),
    );
    expect(eventTypes.map((types) => types.filter((type) => type === 'request.sent').length)).toEqual([2, 1, 1]);
    expect(eventTypes.map((types) => types.includes('credentials.renewed'))).toEqual([true, false, false]);
  });

  it('credentials that end during runs are renewed once', async () => {
    const api = await tokenApi(() => afterDelay(20, ITEMS));
    const acme = made(withLogin(api));
    await lastValueFrom(acme.extract(job('first')).items$);
    api.refused = 1;
    const runs = Array.from({ length: 8 }, (_, at) => lastValueFrom(acme.extract(job(`p${at}`)).items$));
    expect(await Promise.all(runs)).toHaveLength(8);
    expect(api.logins()).toBe(2);
  });

  it('runs that wait for a login which fails have errors of their own: of their job, and where they can go on', async () => {
    let mayLogIn = true;
    const api = await tokenApi();
    const server = closingAtEnd(
      await startServer(({ url }) => {
        if (url.startsWith('/login')) return mayLogIn ? json({ token: 't' }) : afterDelay(50, json({}, 403));
        const isStale = BEHIND.test(url);
        mayLogIn &&= !isStale;
        return isStale ? json({}, 401) : json([{ url }]);
      }),
    );
    const acme = made(withLogin({ ...api, server }, { pagination: { method: 'offset', limit: 1 } }));
    const failures = await Promise.all(
      ['a', 'b'].map((name) => errorOf(lastValueFrom(acme.extract(job(name)).items$))),
    );
    expect(failures).toMatchObject(['a', 'b'].map((endpoint) => ({ status: 403, job: { endpoint } })));
    expect(failures[0]).not.toBe(failures[1]);
  });

  it('credentials that are over when they come cost a login for each request, and none while nobody asks', async () => {
    const api = await tokenApi(() => ITEMS, -5);
    const acme = made(withLogin(api, {}, { response: 'expires_in', relative: true }));
    for (const name of ['a', 'b']) await lastValueFrom(acme.extract(job(name)).items$);
    await wait(50);
    expect(api.logins()).toBe(2);
  });

  it('two tenants have a login and a session each; nothing of one is with the other', async () => {
    const api = await tokenApi();
    const [acme, beta] = ['acme', 'beta'].map((user) =>
      made(withLogin(api), { credentials: { ...CREDENTIALS, user } }),
    ) as [Client, Client];
    for (let count = 0; count < 3; count += 1)
      await Promise.all([acme, beta].map((each) => lastValueFrom(each.extract(job('a')).items$)));
    expect(api.logins()).toBe(2);
    const tokens = new Set(api.pages().map(({ headers }) => headers['x-token']));
    expect([...tokens].sort()).toEqual(['token-of-acme-1', 'token-of-beta-2']);
  });

  it('an iteration that logs in as somebody else has a session of its own', async () => {
    const api = await tokenApi();
    const acme = made(withLogin(api));
    const iterations = [{}, { user: 'other' }, { river: 'Aare' }];
    const run = () => lastValueFrom(acme.extract(job('a'), { iterations }).items$.pipe(toArray()));
    await run();
    await run();
    expect(api.logins()).toBe(2);
    expect(api.pages().map(({ headers }) => headers['x-token'])).toEqual(
      [1, 2].flatMap(() => ['token-of-acme-1', 'token-of-other-2', 'token-of-acme-1']),
    );
  });

  it('what one run learns of a login is masked in the others, and in those of no other client', async () => {
    const api = await tokenApi(({ url }) => (url === '/bad' ? json({ said: 'token-of-acme-1' }, 400) : ITEMS));
    const acme = made(withLogin(api));
    await lastValueFrom(acme.extract(job('a')).items$);
    const error = await errorOf(lastValueFrom(acme.extract(job('bad')).items$));
    expect(error).toBeInstanceOf(HeadwaterError);
    expect(String(error)).toContain('***');
    expect(String(error)).not.toContain('token-of-acme-1');
    const other = made(
      { baseUrl: `${api.server.origin}/`, http: { headers: { 'x-token': 'a-9' } } },
      { credentials: {} },
    );
    expect(String(await errorOf(lastValueFrom(other.extract(job('bad')).items$)))).toContain('token-of-acme-1');
  });
});

describe('client: one set of limits and connections', () => {
  const rated = ({ origin }: ApiServer, rateLimit: object): object => ({ baseUrl: `${origin}/`, http: { rateLimit } });

  it('6 subscriptions at once under 5 requests a second send 5 in the first second, the sixth later', async () => {
    const server = closingAtEnd(await startServer(() => ITEMS));
    const acme = made(rated(server, { requests: 5, seconds: 1 }));
    const one = acme.extract(job('same'));
    const start = performance.now();
    const runs = Array.from({ length: 6 }, (_, at) =>
      lastValueFrom((at % 2 === 0 ? one : acme.extract(job(`p${at}`))).items$).then(() => performance.now() - start),
    );
    const ended = (await Promise.all(runs)).sort((a, b) => a - b);
    expect(server.requests).toHaveLength(6);
    // When requests arrive says little on a busy machine; the sixth is never sent before the second is over.
    expect(ended[5]).toBeGreaterThan(950);
  });

  it('a pause that a 429 asks for holds for all extractions', async () => {
    const arrivals: number[] = [];
    const server = closingAtEnd(
      await startServer(() => {
        arrivals.push(performance.now());
        return arrivals.length === 1 ? json({}, 429, { 'retry-after': '1' }) : ITEMS;
      }),
    );
    const acme = made(rated(server, { requests: 100, seconds: 1 }));
    const paused = new Subject<void>();
    const onEvent = ({ type }: RunEvent): void => {
      if (type === 'requests.paused') paused.next();
    };
    const first = lastValueFrom(acme.extract(job('a'), { onEvent }).items$);
    await firstValueFrom(paused);
    await Promise.all([first, lastValueFrom(acme.extract(job('b')).items$)]);
    expect(arrivals).toHaveLength(3);
    expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(850);
  });

  it('connections are reused from run to run, closed with the client, and not with a run', async () => {
    const server = closingAtEnd(await startServer(() => ITEMS));
    const acme = made({ baseUrl: `${server.origin}/` });
    for (let count = 0; count < 10; count += 1) await lastValueFrom(acme.extract(job('a')).items$);
    expect(server.connections()).toBe(1);
    expect(server.openConnections()).toBe(1);
    await acme.close();
    // The server hears of it a little later, and never of a connection that stays open.
    while (server.openConnections() > 0) await wait(5);
  });

  it('concurrency is that of all extractions together; one that is left leaves the queue', async () => {
    let [inFlight, most] = [0, 0];
    const server = closingAtEnd(
      await startServer(() => async (response) => {
        most = Math.max(most, (inFlight += 1));
        response.once('close', () => (inFlight -= 1));
        await afterDelay(30, ITEMS)(response);
      }),
    );
    const acme = made({ baseUrl: `${server.origin}/` }, { concurrency: 2 });
    const runs = Array.from({ length: 6 }, (_, at) => lastValueFrom(acme.extract(job(`p${at}`)).items$));
    const left = acme.extract(job('left')).items$.subscribe();
    await server.received(0);
    left.unsubscribe();
    await Promise.all(runs);
    expect(most).toBe(2);
    expect(server.requests).toHaveLength(6);
  });

  it('a delivery whose commit fails is a failed run to the client, too', async () => {
    const server = closingAtEnd(await startServer(() => ITEMS));
    const types: string[] = [];
    const acme = made({ baseUrl: `${server.origin}/` }, { onEvent: ({ type }) => types.push(type) });
    const folder = await mkdtemp(join(tmpdir(), 'headwater-client-'));
    const failing: Destination = (...given) => ({
      ...sinks.ndjson(folder)(...given),
      commit: () => Promise.reject(new Error('full')),
    });
    expect(await errorOf(acme.deliver(job('a'), [failing]))).toMatchObject({ message: 'full' });
    expect(types.filter((type) => ENDS.has(type))).toEqual(['run.failed']);
    await acme.deliver(job('a'), [sinks.ndjson(folder)]);
    expect(types.filter((type) => ENDS.has(type))).toEqual(['run.failed', 'run.finished']);
    await rm(folder, { recursive: true });
  });

  it('cookies of one run are those of the next', async () => {
    const server = closingAtEnd(
      await startServer(() => json([{ id: 1 }], 200, { 'set-cookie': 'session=of-acme; Path=/' })),
    );
    const acme = made({ baseUrl: `${server.origin}/`, http: { cookies: true } });
    await lastValueFrom(acme.extract(job('a')).items$);
    await lastValueFrom(acme.extract(job('b')).items$);
    expect(server.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'session=of-acme']);
  });

  it('rates of the jobs of later extractions hold, too', async () => {
    const server = closingAtEnd(await startServer(() => ITEMS));
    const acme = made({ baseUrl: `${server.origin}/` });
    await lastValueFrom(acme.extract(job('a')).items$);
    const slow = { jobs: [{ id: 'slow', endpoint: 'b', rateLimit: { requests: 1, seconds: 0.3 } }] };
    const begun = performance.now();
    await Promise.all([1, 2].map(() => lastValueFrom(acme.extract(slow).items$)));
    expect(performance.now() - begun).toBeGreaterThan(280);
  });
});

describe('client: credentials$ and request', () => {
  it('gives the credentials of the extractions, for URLs that may have them', async () => {
    const api = await tokenApi();
    const acme = made(withLogin(api));
    const { apply, expiresAt } = await firstValueFrom(acme.credentials$);
    await lastValueFrom(acme.extract(job('a')).items$);
    expect(api.logins()).toBe(1);
    expect(expiresAt).toBeUndefined();
    const url = `${api.server.origin}/own`;
    expect(apply({ url, headers: { 'X-Mine': '1' } })).toEqual({
      url,
      headers: { 'x-mine': '1', 'x-token': 'token-of-acme-1' },
    });
    for (const other of ['https://evil.example/', 'own', `${api.server.origin.replace('localhost', '127.0.0.1')}/`])
      expect(() => apply({ url: other })).toThrow(expect.objectContaining({ code: 'ORIGIN_REFUSED' }) as Error);
  });

  it('emits again when they expire or are refused, once for all', async () => {
    const api = await tokenApi(() => ITEMS, 2);
    const acme = made(withLogin(api, {}, { response: 'expires_in', relative: true }), { renewEarly: false });
    const seen: string[] = [];
    const watching = acme.credentials$.subscribe(({ apply }) =>
      seen.push(String(apply({ url: `${api.server.origin}/` }).headers['x-token'])),
    );
    await lastValueFrom(acme.extract(job('a')).items$);
    const { refused } = await firstValueFrom(acme.credentials$);
    refused();
    await lastValueFrom(acme.extract(job('b')).items$);
    expect(seen).toEqual(['token-of-acme-1', 'token-of-acme-2']);
    await wait(2_300);
    expect(seen).toEqual(['token-of-acme-1', 'token-of-acme-2', 'token-of-acme-3']);
    watching.unsubscribe();
    expect(api.logins()).toBe(3);
  });

  it('fail for all who wait with a login that fails; the next subscriber, and retry, log in again', async () => {
    let logins = 0;
    const server = closingAtEnd(
      await startServer(({ url }) => {
        if (!url.startsWith('/login')) return ITEMS;
        return (logins += 1) % 2 === 1 ? afterDelay(30, json({}, 403)) : json({ token: `t${logins}` });
      }),
    );
    const acme = made(withLogin({ server }));
    const first = firstValueFrom(acme.credentials$);
    const waiting = [
      errorOf(first),
      errorOf(firstValueFrom(acme.credentials$)),
      errorOf(lastValueFrom(acme.extract(job('a')).items$)),
    ];
    const failed = expect.objectContaining({ status: 403 }) as unknown;
    expect(await Promise.all(waiting)).toEqual([failed, failed, failed]);
    expect(logins).toBe(1);
    const { refused } = await firstValueFrom(acme.credentials$);
    expect(logins).toBe(2);
    refused();
    const tokenOf = ({ apply }: ClientCredentials): unknown => apply({ url: `${server.origin}/` }).headers['x-token'];
    expect(await firstValueFrom(acme.credentials$.pipe(retry(1), map(tokenOf)))).toBe('t4');
  });

  it('an API without authentication: one value that adds nothing', async () => {
    const acme = made({ baseUrl: 'http://api.example/' });
    const { apply } = await firstValueFrom(acme.credentials$);
    expect(apply({ url: 'http://api.example/a' })).toEqual({ url: 'http://api.example/a', headers: {} });
  });

  it('request: with credentials, renewal and retries of the client', async () => {
    let tries = 0;
    const api = await tokenApi(({ url }) =>
      url.startsWith('/own') && (tries += 1) === 1
        ? json({}, 503, { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' })
        : ITEMS,
    );
    const types: string[] = [];
    const acme = made(withLogin(api), { onEvent: ({ type }) => types.push(type) });
    await firstValueFrom(acme.credentials$);
    api.refused = 1;
    const response = await firstValueFrom(acme.request({ url: 'own?a=1', method: 'POST', body: '{}' }));
    expect(response.status).toBe(200);
    expect(api.logins()).toBe(2);
    expect(api.pages().map(({ method, url }) => `${method} ${url}`)).toEqual(Array(3).fill('POST /own?a=1'));
    expect(types.filter((type) => type === 'retry.scheduled')).toHaveLength(1);
    expect(types.filter((type) => type === 'request.sent')).toHaveLength(5);
    expect(await errorOf(firstValueFrom(acme.request({ url: 'http://' })))).toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

describe('client: its end', () => {
  it('close: what runs fails with CLIENT_CLOSED, and nothing new begins', async () => {
    const server = closingAtEnd(await startServer(() => never));
    const acme = made({ baseUrl: `${server.origin}/` });
    const prepared = acme.extract(job('later'));
    const running = errorOf(lastValueFrom(acme.extract(job('a')).items$));
    const own = errorOf(firstValueFrom(acme.request({ url: 'own' })));
    await server.received(1);
    const closed = acme.close();
    expect(acme.close()).toBe(closed);
    await closed;
    for (const error of [await running, await own]) {
      expect(error).toBeInstanceOf(FatalError);
      expect(error).toMatchObject({ code: 'CLIENT_CLOSED' });
    }
    expect(() => acme.extract(job('b'))).toThrow(expect.objectContaining({ code: 'CLIENT_CLOSED' }) as Error);
    for (const late of [prepared.items$, acme.credentials$, acme.request({ url: 'c' })])
      expect(await errorOf(lastValueFrom(from(late)))).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(await errorOf(acme.deliver(job('b'), []))).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(server.requests).toHaveLength(2);
  });

  it('a run that is closed tells its end, and fails with an error of its own, which tells where it can go on', async () => {
    const server = closingAtEnd(await startServer(({ url }) => (BEHIND.test(url) ? never : json([{ url }]))));
    const types: string[] = [];
    const acme = made(
      { baseUrl: `${server.origin}/`, pagination: { method: 'offset', limit: 1 } },
      { onEvent: ({ type }) => types.push(type) },
    );
    const eventTypes: string[] = [];
    const failures = ['a', 'b'].map((name) =>
      errorOf(lastValueFrom(acme.extract(job(name), { onEvent: ({ type }) => eventTypes.push(type) }).items$)),
    );
    await server.received(5);
    await acme.close();
    expect([eventTypes, types].map((all) => all.filter((type) => type === 'run.cancelled'))).toEqual(
      Array(2).fill(['run.cancelled', 'run.cancelled']),
    );
    expect((await Promise.all(failures)).map(pagesBefore)).toEqual([1, 3]);
  });

  it('is closed by Symbol.asyncDispose, and by its signal with the reason of that', async () => {
    const server = closingAtEnd(await startServer(() => ITEMS));
    const acme = made({ baseUrl: `${server.origin}/` });
    await acme[Symbol.asyncDispose]();
    expect(() => acme.extract(job('a'))).toThrow('The client is closed');
    const ending = new AbortController();
    const beta = made({ baseUrl: `${server.origin}/` }, { signal: ending.signal });
    await lastValueFrom(beta.extract(job('a')).items$);
    ending.abort(new Error('shutting down'));
    expect(() => beta.extract(job('a'))).toThrow('shutting down');
  });
});

describe('client: a configuration that comes again', () => {
  it('is what it says now: other values, variables, and what is no JSON any more', async () => {
    const asked: string[] = [];
    const server = closingAtEnd(
      await startServer(({ url }) => {
        asked.push(url);
        return ITEMS;
      }),
    );
    const env: Record<string, string> = { PART: 'a' };
    const api = closingAtEnd(client({ baseUrl: server.origin }, { env }));
    const job: Record<string, unknown> = { endpoint: 'items', params: { p: 1 } };
    const config = { jobs: [job] };
    const run = (given: object): Promise<unknown> => lastValueFrom(api.extract(given).items$);
    await run(config);
    await run(config);
    job['params'] = { p: 2 };
    await run(config);
    const referring = { jobs: [{ endpoint: 'items', params: { '#p': { env: 'PART' } } }] };
    await run(referring);
    env['PART'] = 'b';
    await run(referring);
    expect(asked.map((url) => new URL(url, server.origin).search.replace('%23', '#'))).toEqual([
      ...['?p=1', '?p=1', '?p=2'],
      ...['?#p=a', '?#p=b'],
    ]);
    job['itself'] = job;
    expect(() => api.extract(config)).toThrow(ConfigurationError);
  });
});

describe('client: what it refuses', () => {
  it('faults of the section api, all at once', () => {
    const faulty = { baseUrl: 'nowhere', pagination: { method: 'ofset' }, authentication: { type: 'basic' } };
    const error = (() => {
      try {
        client(faulty);
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as ConfigurationError).faults.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['api.pagination.method', 'config.#username']),
    );
  });

  it('a key that stands in the credentials and in config; options that are those of the client', () => {
    const acme = made({ baseUrl: 'http://api.example/' });
    expect(() => acme.extract({ ...job('a'), '#secret': 'other' })).toThrow('config.#secret');
    expect(() => acme.extract(job('a'), { fetch } as object)).toThrow('The option "fetch" belongs to the client');
    expect(() => acme.tune({ job: 'a', rate: 1 } as object)).toThrow('a client has no jobs');
  });

  it('OAuth credentials of a host stand in sections', async () => {
    const server = closingAtEnd(await startServer(() => ITEMS));
    const api = {
      baseUrl: `${server.origin}/`,
      authentication: {
        type: 'oauth20',
        format: 'json',
        headers: { authorization: { authorization: 'data.access_token' } },
      },
    };
    const credentials = { '#data': '{"access_token":"of-host"}', appKey: 'app', '#appSecret': 'app-secret' };
    const acme = made(api, { credentials: {}, sections: { authorization: { oauth_api: { credentials } } } });
    await lastValueFrom(acme.extract(job('a')).items$);
    expect(server.requests[0]?.headers.authorization).toBe('of-host');
    expect(() => client(api)).toThrow('authorization.oauth_api.credentials');
  });
});
