/** Credentials over whole runs, against a real server (specification 5). */
import { setTimeout as wait } from 'node:timers/promises';
import { lastValueFrom, toArray } from 'rxjs';
import { JobsFailedError, extract } from '../../../src';
import type { RunEvent } from '../../../src';
import { ALL_CASES } from '../../support/cases';
import { afterDelay, broken, brokenAfter, bytes, closed, json } from '../../support/answers';
import type { Answer } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, ReceivedRequest } from '../../support/api-server';
import { jobsAt, tokenLogin } from '../../support/configurations';
import { refusedOrigin } from '../../support/own-port';

interface TokenServer {
  readonly server: ApiServer;
  readonly logins: () => number;
  /** The tokens that requests carried, in order of arrival. */
  readonly used: readonly string[];
}

/** Gives out token-1, token-2, …; answers other requests as told. */
async function tokenServer(answer: (request: ReceivedRequest, token: string) => Answer, ttl = 3): Promise<TokenServer> {
  let logins = 0;
  const used: string[] = [];
  const server = await startServer((request) => {
    if (request.url.startsWith('/login')) return json({ token: `token-${(logins += 1)}`, ttl });
    const token = String(request.headers['x-token']);
    used.push(token);
    return answer(request, token);
  });
  return { server, logins: () => logins, used };
}
const refuse = json({ error: 'stale token' }, 401);
const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `job-${at}`);
const itemsOf = (config: object, concurrency = 1): Promise<unknown[]> =>
  lastValueFrom(extract(config, { concurrency }).items$.pipe(toArray()));
const count = (values: readonly string[]): Record<string, number> =>
  values.reduce<Record<string, number>>((sums, value) => ({ ...sums, [value]: (sums[value] ?? 0) + 1 }), {});

/** Seconds. */
const HOUR = 3600;
/** The clock alone is set by a spec; sockets and timers are real. */
const REAL_TIMERS = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

describe('credentials of a run', () => {
  let tokens: TokenServer;
  afterEach(async () => {
    jest.useRealTimers();
    await tokens.server.close();
  });

  it('hundreds of requests at once share one login; at its expiry they share exactly one more', async () => {
    const atOnce = ALL_CASES ? 1000 : 200;
    jest.useFakeTimers({ now: Date.now(), doNotFake: REAL_TIMERS });
    const waiting: (() => void)[] = [];
    // Holds the first page of every job back until all have arrived and the credentials have expired.
    const held: Answer = async (response) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length < atOnce) return;
        jest.setSystemTime(Date.now() + HOUR * 1000);
        for (const release of waiting) release();
      });
      await json([{ page: 1 }])(response);
    };
    tokens = await tokenServer(({ url }) => (url.includes('offset=0') ? held : json([])), HOUR);
    const api = { ...tokenLogin({ response: 'ttl', relative: true }), pagination: { method: 'offset', limit: 1 } };
    const items = await itemsOf(jobsAt(tokens.server.origin, names(atOnce), api, { ordered: false }), atOnce);
    expect(items).toHaveLength(atOnce);
    expect(tokens.logins()).toBe(2);
    expect(count(tokens.used)).toEqual({ 'token-1': atOnce, 'token-2': atOnce });
  });

  it('no login follows the end of the run', async () => {
    tokens = await tokenServer(() => json([{ page: 1 }]), 1);
    await itemsOf(jobsAt(tokens.server.origin, names(3), tokenLogin({ response: 'ttl', relative: true })), 3);
    const before = tokens.logins();
    await wait(1500);
    expect(tokens.logins()).toBe(before);
  });

  it('specification 5 rule 5: expires 0 sends exactly one login before each request, several jobs at once', async () => {
    tokens = await tokenServer(({ url }) => json(url.includes('offset=0') ? [{ url }] : []));
    const api = { ...tokenLogin(0), pagination: { method: 'offset', limit: 1 } };
    await itemsOf(jobsAt(tokens.server.origin, names(20), api), 8);
    expect(tokens.used).toHaveLength(40);
    expect(tokens.logins()).toBe(40);
    expect(new Set(tokens.used).size).toBe(40);
  });

  it('an expiry that has passed already means the same', async () => {
    tokens = await tokenServer(({ url }) => json([{ url }]));
    const expired = await startServer(({ url }) =>
      url.startsWith('/login') ? json({ token: 't', ends: '2001-01-01 00:00:00' }) : json([{ url }]),
    );
    const warnings: string[] = [];
    const extraction = extract(jobsAt(expired.origin, names(12), tokenLogin({ response: 'ends' })), {
      concurrency: 6,
      onEvent: (event) => event.type === 'warning' && warnings.push(event.code),
    });
    await lastValueFrom(extraction.items$.pipe(toArray()));
    expect(expired.requests.filter(({ url }) => url === '/login')).toHaveLength(12);
    expect(warnings).toEqual(['CREDENTIALS_EXPIRED']);
    await expired.close();
  });

  it('many requests whose credentials are refused renew them once, and each is repeated once', async () => {
    tokens = await tokenServer(({ url }, token) => (token === 'token-1' ? refuse : json([{ url }])));
    const items = await itemsOf(jobsAt(tokens.server.origin, names(200), tokenLogin()), 200);
    expect(items).toHaveLength(200);
    expect(tokens.logins()).toBe(2);
    expect(count(tokens.used)).toEqual({ 'token-1': 200, 'token-2': 200 });
  });

  it('a request that is refused with new credentials too fails with the answer of the API', async () => {
    tokens = await tokenServer(() => refuse);
    const failure = itemsOf(jobsAt(tokens.server.origin, ['users'], tokenLogin()));
    await expect(failure).rejects.toMatchObject({ code: 'API_STATUS' });
    await expect(failure).rejects.toThrow(/\[401\] GET .*\/users: \{"error":"stale token"\}/);
    expect(tokens.used).toEqual(['token-1', 'token-2']);
  });

  it('a run that sends no request does not log in', async () => {
    tokens = await tokenServer(() => json([]));
    const { pages } = extract(jobsAt(tokens.server.origin, ['users'], tokenLogin()));
    const iterator = pages()[Symbol.asyncIterator]();
    await iterator.return?.();
    expect(tokens.server.requests).toEqual([]);
  });

  it('a lifetime in milliseconds is one: no request carries a dead token, as Directus would refuse it', async () => {
    const lives = 400;
    const endOf = new Map<string, number>();
    let refused = 0;
    const directus = await startServer(({ url, headers }) => {
      if (url.startsWith('/login')) {
        const token = `token-${endOf.size + 1}`;
        endOf.set(token, Date.now() + lives);
        return json({ token, expires: lives });
      }
      const isAlive = Date.now() < (endOf.get(String(headers['x-token'])) ?? 0);
      if (!isAlive) refused += 1;
      return isAlive ? afterDelay(100, json([{ url }])) : refuse;
    });
    const expires = { response: 'expires', relative: true, unit: 'ms', margin: 0.15 };
    expect(await itemsOf(jobsAt(directus.origin, names(12), tokenLogin(expires)))).toHaveLength(12);
    expect(refused).toBe(0);
    expect(endOf.size).toBeGreaterThan(2);
    await directus.close();
  });

  it.each<[string, number, unknown, readonly string[]]>([
    ['900000', 900_000, undefined, ['EXPIRY_UNIT']],
    ['900000 with a unit', 900_000, 's', []],
    ['900', 900, undefined, []],
  ])('a lifetime of %s is warned of once, if it looks like milliseconds', async (_, ttl, unit, codes) => {
    const server = await startServer(({ url, headers }) => {
      if (url.startsWith('/login')) return json({ token: `token-${server.requests.length}`, ttl });
      return headers['x-token'] === 'token-1' ? refuse : json([{ url }]);
    });
    const warnings: string[] = [];
    const expires = { response: 'ttl', relative: true, ...(unit === undefined ? {} : { unit }) };
    const { items$ } = extract(jobsAt(server.origin, names(3), tokenLogin(expires)), {
      onEvent: (event) => event.type === 'warning' && warnings.push(event.code),
    });
    await lastValueFrom(items$.pipe(toArray()));
    expect(server.requests.filter(({ url }) => url === '/login')).toHaveLength(2);
    expect(warnings).toEqual(codes);
    await server.close();
  });

  it('a token in a header of the login response, which has no body, is used, renewed and kept, and never shown', async () => {
    let logins = 0;
    const given: unknown[] = [];
    const keystone = await startServer(({ method, headers, body, url }) => {
      if (method === 'POST') {
        given.push(JSON.parse(body));
        return bytes('', { 'x-subject-token': `gAAAA-${(logins += 1)}`, 'x-lives': '60' }, 201);
      }
      return headers['x-auth-token'] === 'gAAAA-1' ? json({ error: 'gAAAA-1 is over' }, 401) : json([{ url }]);
    });
    const api = {
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'v3/auth/tokens', method: 'POST', params: { last: { state: 'last' } } },
        apiRequest: { headers: { 'X-Auth-Token': { responseHeader: 'X-Subject-Token' } } },
        expires: { responseHeader: 'X-Lives', relative: true },
        persist: { last: { responseHeader: 'X-Subject-Token' } },
      },
    };
    const shown: string[] = [];
    const config = jobsAt(keystone.origin, ['projects'], api);
    const extraction = extract(config, { onEvent: (event) => shown.push(JSON.stringify(event, plain)) });
    expect(await lastValueFrom(extraction.items$.pipe(toArray()))).toHaveLength(1);
    expect(given).toEqual([{ last: '' }, { last: 'gAAAA-1' }]);
    expect(shown.join()).toContain('credentials.renewed');
    expect(shown.join()).toContain('"expiresAt":');
    expect(shown.join()).not.toContain('gAAAA');
    await keystone.close();
  });

  it('each subscription logs in for itself', async () => {
    tokens = await tokenServer(() => json([1]));
    const { items$ } = extract(jobsAt(tokens.server.origin, ['users'], tokenLogin()));
    await Promise.all([lastValueFrom(items$), lastValueFrom(items$)]);
    expect([...tokens.used].sort()).toEqual(['token-1', 'token-2']);
  });
});

/** Logins that fail, and statuses that refuse credentials, over whole runs against a real server (docs/language/authentication.md#renewal). */

describe('logins', () => {
  let server: ApiServer;
  afterEach(() => server.close());

  /** Answers logins one after the other, the last one for good; each good one gives another token. */
  const serve = async (
    logins: readonly Answer[],
    answer: (request: ReceivedRequest, token: string) => Answer = () => json([{ id: 1 }]),
  ): Promise<void> => {
    let count = 0;
    server = await startServer((request) => {
      if (request.url !== '/login') return answer(request, String(request.headers['x-token']));
      count += 1;
      return logins[count - 1] ?? logins.at(-1) ?? json({ token: `t${count}` });
    });
  };
  const good = json({ token: 't' });
  const run = async (api: object = {}, jobs = ['items']) => {
    const events: RunEvent[] = [];
    const config = jobsAt(server.origin, jobs, { ...tokenLogin(), ...api });
    const { items$ } = extract(config, { plainRetries: true, onEvent: (event) => events.push(event) });
    const items = await lastValueFrom(items$.pipe(toArray()));
    const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.code] : []));
    const pauses = events.flatMap((event) =>
      event.type === 'retry.scheduled' ? [[event.purpose.kind, event.delayMilliseconds]] : [],
    );
    return { items, warnings, pauses };
  };
  const asked = (): string[] => server.requests.map(({ url, headers }) => `${url} ${String(headers['x-token'] ?? '')}`);
  const authentication = (changes: object): object => {
    const written = tokenLogin();
    return { authentication: { ...written.authentication, ...changes } };
  };

  it.each<[string, Answer]>([
    ['a connection that breaks before the answer', broken],
    ['a connection that closes without an answer', closed],
    ['a connection that breaks in the body', brokenAfter('{"token": ')],
    ['status 500', json({ error: 'no' }, 500)],
    ['status 503', json({ error: 'no' }, 503)],
    ['status 429', json({ error: 'slow down' }, 429)],
  ])('are repeated a second after %s', async (_, failure) => {
    await serve([failure, good]);
    const { items, pauses } = await run();
    expect(items).toEqual([{ id: 1 }]);
    expect(pauses).toEqual([['login', 1000]]);
    expect(asked()).toEqual(['/login ', '/login ', '/items t']);
  });

  it('jobs that wait for one login which fails have errors of their own', async () => {
    await serve([json({}, 403)]);
    const config = jobsAt(server.origin, ['a', 'b'], tokenLogin());
    const { items$ } = extract(config, { concurrency: 2, onJobError: 'continue' });
    const failure: unknown = await lastValueFrom(items$).catch((error: unknown) => error);
    if (!(failure instanceof JobsFailedError)) throw failure;
    expect(failure.failures).toMatchObject(
      ['a', 'b'].map((endpoint) => ({ job: { endpoint }, error: { job: { endpoint } } })),
    );
    expect(asked()).toEqual(['/login ']);
  });

  it('are repeated after a time-out', async () => {
    await serve([() => undefined, good]);
    const { pauses } = await run({ http: { requestTimeout: 0.5 } });
    expect(pauses).toEqual([['login', 1000]]);
  });

  it.each([429, 503])('wait as long as Retry-After says with status %d', async (status) => {
    await serve([json({}, status, { 'retry-after': '2' }), good]);
    const started = Date.now();
    const { pauses } = await run();
    expect(pauses).toEqual([['login', 2000]]);
    expect(Date.now() - started).toBeGreaterThanOrEqual(2000);
  });

  it('are repeated when the connection is refused', async () => {
    await serve([good]);
    const loginRequest = { endpoint: `${await refusedOrigin()}/login` };
    const failure = run({ ...authentication({ loginRequest }), retryConfig: { maxRetries: 1 } });
    await expect(failure).rejects.toMatchObject({ code: 'NETWORK_CONNECT', recovery: 'retry' });
  });

  it('that fail for good are not repeated by the page that waits for them; what remains may be tried again', async () => {
    await serve([broken]);
    const failure = run({ retryConfig: { maxRetries: 1 } });
    await expect(failure).rejects.toMatchObject({ recovery: 'retry' });
    expect(server.requests).toHaveLength(2);
  });

  it('that are refused are not repeated', async () => {
    await serve([json({ error: 'wrong password' }, 401)]);
    await expect(run()).rejects.toMatchObject({ code: 'API_STATUS' });
    expect(server.requests).toHaveLength(1);
  });

  describe('after a status of refusedStatusCodes', () => {
    const stale = (status: number) => (_: ReceivedRequest, token: string) =>
      token === 't1' ? json({ error: 'stale' }, status) : json([{ id: 1 }]);
    const always = (status: number) => () => json([{ id: status }], status);

    it.each([401, 403, 419, 500])('%d: one login, one repetition', async (status) => {
      await serve([], stale(status));
      const { items, pauses } = await run(authentication({ refusedStatusCodes: [401, 403, 419, 500] }));
      expect(items).toEqual([{ id: 1 }]);
      expect(asked()).toEqual(['/login ', '/items t1', '/login ', '/items t2']);
      expect(pauses).toEqual([]);
    });

    it.each([
      ['403 by default', undefined, 403],
      ['401 when the list is empty', [], 401],
    ])('%s is an error at once', async (_, refusedStatusCodes, status) => {
      await serve([], stale(status));
      await expect(run(authentication({ refusedStatusCodes }))).rejects.toMatchObject({ code: 'API_STATUS' });
      expect(asked()).toEqual(['/login ', '/items t1']);
    });

    it('with expires 0 too', async () => {
      await serve([], stale(403));
      await run(authentication({ refusedStatusCodes: [403], expires: 0 }));
      expect(asked()).toEqual(['/login ', '/items t1', '/login ', '/items t2']);
    });

    it('the second such answer is an error', async () => {
      await serve([], always(403));
      await expect(run(authentication({ refusedStatusCodes: [403] }))).rejects.toMatchObject({ code: 'API_STATUS' });
      expect(asked()).toEqual(['/login ', '/items t1', '/login ', '/items t2']);
    });

    it('ignoreErrors sees the second answer, and only that', async () => {
      const ignoring = { ...authentication({ refusedStatusCodes: [403] }), http: { ignoreErrors: [403] } };
      await serve([], always(403));
      const { items, warnings } = await run(ignoring);
      expect(items).toEqual([{ id: 403 }]);
      expect(warnings).toEqual(['STATUS_IGNORED']);
      expect(asked()).toEqual(['/login ', '/items t1', '/login ', '/items t2']);
    });

    it('retries come after the repetition, and renew the credentials once each', async () => {
      const codes = { retryConfig: { maxRetries: 1, http: { codes: [403] } } };
      let calls = 0;
      await serve([], () => ((calls += 1) < 4 ? json({}, 403, { 'retry-after': '1' }) : json([{ id: 1 }])));
      const { items, pauses } = await run({ ...authentication({ refusedStatusCodes: [403] }), ...codes });
      expect(items).toEqual([{ id: 1 }]);
      expect(pauses).toEqual([['page', 1000]]);
      expect(asked()).toEqual(['/login ', '/items t1', '/login ', '/items t2', '/items t2', '/login ', '/items t3']);
    });
  });
});
