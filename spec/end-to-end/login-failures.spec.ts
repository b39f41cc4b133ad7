/** Logins that fail, and statuses that refuse credentials, over whole runs against a real server (docs/extensions/credentials.md). */
import { lastValueFrom, toArray } from 'rxjs';
import { extract, JobsFailedError } from '../../src';
import type { RunEvent } from '../../src';
import { broken, brokenAfter, closed, json } from '../support/answers';
import type { Answer } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';
import { jobsAt, tokenLogin } from '../support/configurations';
import { refusedOrigin } from '../support/own-port';

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
