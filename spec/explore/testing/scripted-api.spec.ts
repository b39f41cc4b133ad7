import { lastValueFrom, toArray } from 'rxjs';
import { extract } from '../../../src';
import type { ExtractOptions, RunEvent } from '../../../src';
import { pagesOf, scriptedApi, scriptedLogins, virtualTime } from '../../../src/testing';

const START = Date.UTC(2024, 0);
const itemsOf = (config: unknown, options: ExtractOptions) =>
  lastValueFrom(extract(config, options).items$.pipe(toArray()));
const configuration = (api: object) => ({
  api: { baseUrl: 'http://api.example/', ...api },
  config: { jobs: [{ endpoint: 'rivers' }] },
});
const PAGED = { pagination: { method: 'pagenum', limit: 2 } };
const FIVE = [1, 2, 3, 4, 5].map((id) => ({ id }));

describe('scriptedApi', () => {
  it('gives pages made of items, and keeps the requests', async () => {
    const api = scriptedApi([{ path: '/rivers', answer: pagesOf(FIVE, { size: 2 }) }]);
    expect(await itemsOf(configuration(PAGED), { fetch: api.fetch })).toEqual(FIVE);
    expect(api.requests.map(({ method, url }) => `${method} ${url.pathname} ${url.searchParams.get('page')}`)).toEqual([
      'GET /rivers 1',
      'GET /rivers 2',
      'GET /rivers 3',
    ]);
  });

  it('gives pages by offset', async () => {
    const api = scriptedApi([{ path: '/rivers', answer: pagesOf(FIVE, { size: 2, offset: 'offset' }) }]);
    const config = configuration({ pagination: { method: 'offset', limit: 2 } });
    expect(await itemsOf(config, { fetch: api.fetch })).toEqual(FIVE);
  });

  it('answers what the script does not know with status 404', async () => {
    const api = scriptedApi([{ method: 'POST', path: '/rivers', answer: {} }]);
    await expect(itemsOf(configuration({}), { fetch: api.fetch })).rejects.toMatchObject({ status: 404 });
  });

  it('rejects nothing that nobody hears when a request is aborted after its answer', async () => {
    const api = scriptedApi([
      { path: '/rivers', answer: { json: [] } },
      { path: '/lakes', answer: { fails: 'reset' } },
    ]);
    const missed: unknown[] = [];
    const receive = (error: unknown): void => void missed.push(error);
    process.on('unhandledRejection', receive);
    for (const path of ['rivers', 'lakes']) {
      const aborting = new AbortController();
      await api.fetch(`http://api.example/${path}`, { signal: aborting.signal }).catch(() => undefined);
      aborting.abort();
      await new Promise(setImmediate);
    }
    process.off('unhandledRejection', receive);
    expect(missed).toEqual([]);
  });

  it('serves the same on the loopback interface', async () => {
    const api = scriptedApi([{ path: '/rivers', answer: pagesOf(FIVE, { size: 2 }) }]);
    const { url, close } = await api.listen();
    try {
      const config = configuration({ ...PAGED, baseUrl: url });
      expect(await itemsOf(config, { ownConnections: true })).toEqual(FIVE);
      expect(api.requests).toHaveLength(3);
    } finally {
      await close();
    }
  });
});

describe('virtualTime', () => {
  it('takes the pauses of retries after statuses and broken connections without waiting', async () => {
    const time = virtualTime();
    const answer = [
      { status: 503 },
      { fails: 'reset' },
      { status: 503, headers: { 'retry-after': '600' } },
      { json: FIVE },
    ] as const;
    const api = scriptedApi([{ path: '/rivers', answer }], time);
    const began = performance.now();
    const config = configuration({ retryConfig: { maxDelay: 3600, jitter: 0 } });
    expect(await itemsOf(config, { fetch: api.fetch, scheduler: time.scheduler })).toEqual(FIVE);
    expect(time.elapsed()).toBe(1_000 + 2_000 + 600_000);
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it('ends a request that nobody answers by its time-out', async () => {
    const time = virtualTime();
    const api = scriptedApi([{ path: '/rivers', answer: { fails: 'silence' } }], time);
    const config = configuration({ http: { requestTimeout: 60 }, retryConfig: { maxRetries: 0 } });
    await expect(itemsOf(config, { fetch: api.fetch, scheduler: time.scheduler })).rejects.toMatchObject({
      code: 'NETWORK_TIMEOUT',
    });
    expect(time.elapsed()).toBe(60_000);
  });

  it('keeps rates', async () => {
    const time = virtualTime();
    const api = scriptedApi([{ path: '/rivers', answer: pagesOf(FIVE, { size: 1 }) }], time);
    const config = configuration({
      pagination: { method: 'pagenum', limit: 1 },
      http: { rateLimit: { requests: 1, seconds: 10 } },
    });
    expect(await itemsOf(config, { fetch: api.fetch, scheduler: time.scheduler })).toEqual(FIVE);
    expect(time.elapsed()).toBe(50_000);
  });

  it('lets credentials expire', async () => {
    const time = virtualTime();
    const { login, guarded } = scriptedLogins({ seconds: 60, scheduler: time.scheduler });
    const pages = pagesOf(FIVE, { size: 1 });
    const api = scriptedApi(
      [
        { method: 'POST', path: '/login', answer: login },
        { path: '/rivers', answer: guarded((request) => ({ ...pages(request), after: 25_000 })) },
      ],
      time,
    );
    const renewed: RunEvent[] = [];
    const config = configuration({
      pagination: { method: 'pagenum', limit: 1 },
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST' },
        apiRequest: { headers: { authorization: { function: 'concat', args: ['Bearer ', { response: 'token' }] } } },
        expires: { response: 'expires_in', relative: true },
      },
    });
    const items = await itemsOf(config, {
      fetch: api.fetch,
      scheduler: time.scheduler,
      onEvent: (event) => event.type === 'credentials.renewed' && renewed.push(event),
    });
    expect(items).toEqual(FIVE);
    expect(time.elapsed()).toBe(150_000);
    expect(api.requests.filter(({ url }) => url.pathname === '/login')).toHaveLength(renewed.length);
    expect(renewed[0]).toMatchObject({ expiresAt: expect.stringMatching('2024-01-01T00:00') as string });
    expect(renewed).toHaveLength(2);
  });

  it('asks for the result of an asynchronous job', async () => {
    const time = virtualTime();
    const api = scriptedApi(
      [
        { method: 'POST', path: '/exports', answer: { json: { id: 7 } } },
        { path: '/exports/7', answer: [{ json: { state: 'running' } }, { json: { state: 'done' } }] },
        { path: '/exports/7/rows', answer: { json: FIVE } },
      ],
      time,
    );
    const asynchronous = {
      submit: { endpoint: 'exports', values: { id: 'id' } },
      poll: { endpoint: 'exports/{submit.id}', every: 300, timeout: 1800, until: { field: 'state', is: 'done' } },
    };
    const config = {
      api: { baseUrl: 'http://api.example/' },
      config: { jobs: [{ endpoint: 'exports/{submit.id}/rows', asynchronous }] },
    };
    expect(await itemsOf(config, { fetch: api.fetch, scheduler: time.scheduler })).toEqual(FIVE);
    expect(time.elapsed()).toBe(300_000);
  });

  it('is the time that a run starts at', async () => {
    const { scheduler } = virtualTime(START + 5_000);
    const events: RunEvent[] = [];
    const { fetch } = scriptedApi([{ path: '/rivers', answer: { json: FIVE } }]);
    await itemsOf(configuration({}), { fetch, scheduler, onEvent: (event) => events.push(event) });
    expect(events[0]).toMatchObject({ type: 'run.started', startedAt: (START + 5_000) / 1000 });
  });
});
