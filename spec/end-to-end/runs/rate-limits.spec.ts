/** Caps and rates over whole runs (docs/language/rate-limits.md). Real time, so it is counts and order that matter. */
import { setTimeout as wait } from 'node:timers/promises';
import { firstValueFrom, lastValueFrom } from 'rxjs';
import { extract } from '../../../src';
import type { RunEvent } from '../../../src';
import { afterDelay, json, together } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler } from '../../support/api-server';
import { jobsAt, tokenLogin } from '../../support/configurations';
import { asked, example, pagesOf } from '../example-runs';

interface Written {
  readonly api: object;
  readonly config: object;
}

/** Milliseconds that a busy machine may take from a start to its event; without a limit nothing is even that far apart. */
const SLACK = 40;

/** What a server saw beside its requests. */
interface Load {
  most: number;
  readonly arrivals: number[];
}

describe('docs/language/rate-limits.md', () => {
  let server: ApiServer;
  let load: Load;
  const serve = async (answers: Handler): Promise<void> => {
    load = { most: 0, arrivals: [] };
    let inFlight = 0;
    server = await startServer((request) => async (response) => {
      inFlight += 1;
      load.most = Math.max(load.most, inFlight);
      load.arrivals.push(performance.now());
      response.once('close', () => (inFlight -= 1));
      await answers(request)(response);
    });
  };
  afterEach(() => server.close());

  const slow: Handler = () => afterDelay(20, json([{ a: 1 }]));
  const endpoints = ['a', 'b', 'c', 'd', 'e', 'f'];
  const written = (http: object, config: object = {}, api: object = {}): Written =>
    jobsAt('https://api.example/', endpoints, { http, ...api }, config) as Written;
  const pathsOf = (): string[] => server.requests.map(({ url }) => url.replace('/api/', ''));
  const received = () => {
    const events: RunEvent[] = [];
    const sent: number[] = [];
    const onEvent = (event: RunEvent): void => {
      events.push(event);
      if (event.type === 'request.sent') sent.push(Date.now());
    };
    return { events, sent, onEvent };
  };

  it('rate-limits.json: every request is sent, in the order of the jobs', async () => {
    await serve(({ url }) => json(url === '/api/stations' ? [{ id: 1 }, { id: 2 }] : [{ a: 1 }]));
    await pagesOf(server, example('rate-limits.json'));
    expect(asked(server)).toEqual([
      'GET /api/stations',
      'GET /api/levels/1',
      'GET /api/levels/2',
      'GET /api/search/bulletins',
    ]);
  });

  it('maxRequests holds for all jobs together, whatever runs at once', async () => {
    const pair = together(2, json([{ a: 1 }]));
    await serve(() => pair);
    const { events, onEvent } = received();
    await pagesOf(server, written({ maxRequests: 2 }), { concurrency: 6, onEvent });
    expect(load.most).toBe(2);
    expect(pathsOf().sort()).toEqual(endpoints);
    expect(events.filter(({ type }) => type === 'request.held')).toHaveLength(4);
  });

  it('without these keys as many requests run as jobs, and nobody waits', async () => {
    const all = together(6, json([{ a: 1 }]));
    await serve(() => all);
    const { events, onEvent } = received();
    await pagesOf(server, written({}), { concurrency: 6, onEvent });
    expect(load.most).toBe(6);
    expect(events.map(({ type }) => type)).not.toContain('request.held');
  });

  it('maxRequestsPerOrigin counts for each host alone', async () => {
    await serve(slow);
    const other = await startServer(() => afterDelay(20, json([{ a: 1 }])));
    const { api, config } = written({ maxRequestsPerOrigin: 1 });
    const jobs = [...endpoints, `${other.origin}/x`, `${other.origin}/y`].map((endpoint) => ({ endpoint }));
    await pagesOf(server, { api, config: { ...config, jobs } }, { concurrency: 8 });
    expect(load.most).toBe(1);
    expect(server.requests.length + other.requests.length).toBe(8);
    await other.close();
  });

  it('a login under a cap of 1 does not wait for the request that waits for it', async () => {
    await serve(({ url }) => json(url === '/api/login' ? { token: 't' } : [{ a: 1 }]));
    await pagesOf(server, written({ maxRequests: 1 }, {}, tokenLogin(0)), { concurrency: 6 });
    expect(load.most).toBe(1);
    expect(server.requests).toHaveLength(12);
  });

  it('a rate spreads the requests of all jobs', async () => {
    await serve(() => json([{ a: 1 }]));
    const { sent, onEvent } = received();
    await pagesOf(server, written({ rateLimit: { requests: 2, seconds: 0.1 } }), { concurrency: 6, onEvent });
    const spans = sent.slice(2).map((moment, at) => moment - (sent[at] ?? 0));
    expect(spans).toHaveLength(4);
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(100 - SLACK);
  });

  it('the rate of a child counts all of its calls, and no other requests', async () => {
    await serve(({ url }) => json(url === '/api/a' ? [{ id: 1 }, { id: 2 }, { id: 3 }] : [{ x: 1 }]));
    const child = { endpoint: 'c/{id}', placeholders: { id: 'id' }, rateLimit: { requests: 1, seconds: 0.1 } };
    const jobs = [{ endpoint: 'a', children: [child] }, { endpoint: 'b' }];
    const { sent, events, onEvent } = received();
    await pagesOf(server, { api: {}, config: { jobs } }, { onEvent });
    expect(pathsOf()).toEqual(['a', 'c/1', 'c/2', 'c/3', 'b']);
    const [, first = 0, second = 0, third = 0] = sent;
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(100 - SLACK);
    const held = events.flatMap((event) => (event.type === 'request.held' ? [new URL(event.url).pathname] : []));
    // Where a response takes longer than the span, on a busy machine, the next request is not held.
    expect(['/api/c/2', '/api/c/3']).toEqual(expect.arrayContaining(held));
  });

  it('iterations share a rate', async () => {
    await serve(() => json([{ a: 1 }]));
    const rateLimit = { requests: 2, seconds: 0.1 };
    const config = { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }] };
    const api = { baseUrl: `${server.origin}/api/`, http: { rateLimit } };
    const { sent, onEvent } = received();
    await lastValueFrom(extract({ api, config, iterations: [{ n: 1 }, { n: 2 }] }, { onEvent }).pages$);
    const [first = 0, , third = 0] = sent;
    expect(sent).toHaveLength(4);
    expect(third - first).toBeGreaterThanOrEqual(100 - SLACK);
  });

  it('a 429 pauses the requests of the other jobs too', async () => {
    let refused = false;
    await serve(() => {
      if (refused) return json([{ a: 1 }]);
      refused = true;
      return json({}, 429, { 'retry-after': '1' });
    });
    const { events, onEvent } = received();
    await pagesOf(server, written({ rateLimit: { requests: 1000, seconds: 0.01 }, maxRequests: 1 }), {
      concurrency: 6,
      onEvent,
    });
    const [first = 0, ...others] = load.arrivals;
    expect(others).toHaveLength(6);
    expect(Math.min(...others) - first).toBeGreaterThan(900);
    expect(events.filter(({ type }) => type === 'requests.paused')).toHaveLength(1);
  });

  it('headers say what is left, until the reset', async () => {
    const reset = Date.now() + 400;
    await serve(() => {
      const left = Math.max(0, 3 - server.requests.length);
      return json([{ a: 1 }], 200, { 'x-left': `${left}`, 'x-reset': `${reset}` });
    });
    await pagesOf(server, written({ rateLimit: { headers: { remaining: 'X-Left', reset: 'X-Reset' } } }));
    expect(server.requests).toHaveLength(6);
    // A busy machine may be late with the first three.
    const others = load.arrivals.slice(3).map((at) => performance.timeOrigin + at);
    expect(Math.min(...others)).toBeGreaterThanOrEqual(reset - 5);
  });

  it('unsubscribing ends the wait: nothing more is sent', async () => {
    await serve(() => json([{ a: 1 }]));
    const { api, config } = written({ rateLimit: { requests: 1, seconds: 0.1 } });
    const pages$ = extract({ api: { ...api, baseUrl: `${server.origin}/api/` }, config }).pages$;
    await firstValueFrom(pages$);
    await wait(150);
    expect(pathsOf()).toEqual(['a']);
  });
});
