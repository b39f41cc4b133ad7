/** What the errors of whole runs tell, and when a run gives up (docs/language/retries.md, docs/library.md). */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { lastValueFrom } from 'rxjs';
import { Agent } from 'undici';
import { FatalError, HeadwaterError, RetryableError, extract, validate } from '../../../src';
import type { ExtractOptions, RunEvent } from '../../../src';
import * as answers from '../../support/answers';
import { bytes, json } from '../../support/answers';
import type { Answer } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler, Routes } from '../../support/api-server';
import { jobsAt, tokenLogin } from '../../support/configurations';
import { refusedOrigin } from '../../support/own-port';
import { asked, example, pagesOf } from '../example-runs';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  jest.useRealTimers();
  for (const close of closing.splice(0).reverse()) await close();
});

async function originOf(answer: Handler | Routes): Promise<string> {
  const server = await startServer(answer);
  closing.push(server.close);
  return server.origin;
}

/** Takes connections and never says a word. */
async function silentPort(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

/** How a run ends, what it does until then, and how long that takes. */
async function ended(config: object, options: ExtractOptions = {}) {
  const events: RunEvent[] = [];
  const startedAt = Date.now();
  const run = extract(config, { ...options, onEvent: (event) => events.push(event) });
  const error = await lastValueFrom(run.items$, { defaultValue: undefined }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const delays = events.flatMap((event) => (event.type === 'retry.scheduled' ? [event.delayMilliseconds] : []));
  if (!(error instanceof HeadwaterError)) throw new Error(`not an error of a run: ${inspect(error)}`);
  return { error, delays, milliseconds: Date.now() - startedAt };
}

const coded = (code: string): Error => Object.assign(new Error(code), { code });

describe('errors carry the facts of their request', () => {
  it('a status: status, method, URL, job, attempt', async () => {
    const origin = await originOf({ '/items': answers.json({ error: 'busy' }, 503) });
    const config = jobsAt(origin, ['items?key=s3cret'], {
      retryConfig: { maxRetries: 1, maxDelay: 0.01 },
      http: { defaultOptions: { params: { token: { '#secret': 1 } } } },
    });
    const { error } = await ended(config);
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({
      code: 'API_STATUS',
      recovery: 'retry',
      status: 503,
      method: 'GET',
      attempt: 2,
      job: { path: 'config.jobs[0]', endpoint: 'items?key=s3cret', dataType: expect.any(String) as string },
    });
    expect(error.url).toMatch(`${origin}/items`);
    expect(error.message).toContain('[503]');
    expect(error.message).toContain('after 2 attempts');
  });

  it('of a child, the child, with its placeholders', async () => {
    const origin = await originOf({ '/a': answers.json([{ id: 7 }]), '/a/7': answers.json({ error: 'gone' }, 410) });
    const { error } = await ended({
      api: { baseUrl: origin },
      config: {
        jobs: [{ endpoint: 'a', children: [{ id: 'kid', endpoint: 'a/{id}', placeholders: { id: 'id' } }] }],
      },
    });
    expect(error).toBeInstanceOf(FatalError);
    expect(error).toMatchObject({
      recovery: 'fatal',
      status: 410,
      attempt: 1,
      job: { id: 'kid', path: 'config.jobs[0].children[0]', placeholders: { id: '7' } },
    });
  });

  it('of a body that cannot be read, and of one without items', async () => {
    const origin = await originOf({ '/a': answers.bytes('<html><title>Hi</title>'), '/b': answers.json('text') });
    expect((await ended(jobsAt(origin, ['a']))).error).toMatchObject({
      code: 'API_NOT_JSON',
      status: 200,
      url: `${origin}/a`,
      job: { endpoint: 'a' },
    });
    expect((await ended(jobsAt(origin, ['b']))).error).toMatchObject({
      code: 'API_SHAPE',
      status: 200,
      method: 'GET',
      url: `${origin}/b`,
      headers: { 'content-type': 'application/json' },
      attempt: 1,
      job: { endpoint: 'b' },
    });
  });

  it('of a next page, and of too many pages: the response that led there', async () => {
    const origin = await originOf({
      '/a': answers.json({ items: [1], next: 7 }, 200, { 'x-request-id': 'r1' }),
      '/b': answers.json({ items: [1, 2] }),
    });
    const byUrl = { method: 'response.url', urlKey: 'next' };
    const response = { status: 200, method: 'GET', attempt: 1 };
    expect((await ended(jobsAt(origin, ['a'], { pagination: byUrl }))).error).toMatchObject({
      code: 'NEXT_PAGE',
      ...response,
      url: `${origin}/a`,
      headers: { 'x-request-id': 'r1' },
    });
    const byOffset = { pagination: { method: 'offset', limit: 2 } };
    const limited = jobsAt(origin, ['b'], byOffset, { requestLimit: 1, completeness: 'off' });
    expect((await ended(limited)).error).toMatchObject({ code: 'PAGE_LIMIT', ...response, job: { endpoint: 'b' } });
  });

  it('of redirects without end, and of one that leads away', async () => {
    const origin = await originOf({
      '/a': answers.json({}, 302, { location: '/a' }),
      '/b': answers.json({}, 302, { location: 'https://other.example/' }),
    });
    expect((await ended(jobsAt(origin, ['a']))).error).toMatchObject({
      code: 'TOO_MANY_REDIRECTS',
      status: 302,
      headers: { location: '/a' },
      attempt: 1,
    });
    expect((await ended(jobsAt(origin, ['b']))).error).toMatchObject({
      code: 'ORIGIN_REFUSED',
      url: 'https://other.example/',
      job: { endpoint: 'b' },
    });
  });

  it('of a response that breaks off: what had arrived of it', async () => {
    const origin = await originOf({ '/a': answers.brokenAfter('[1') });
    const { error } = await ended(jobsAt(origin, ['a'], { retryConfig: { maxRetries: 1, maxDelay: 0.01 } }));
    expect(error).toMatchObject({
      code: 'NETWORK_RESET',
      status: 200,
      headers: { 'content-length': '1000' },
      attempt: 2,
      job: { endpoint: 'a' },
    });
  });

  it('of a login response that cannot be used', async () => {
    const origin = await originOf({ '/login': answers.json([]) });
    const { error } = await ended(jobsAt(origin, ['a'], tokenLogin()));
    expect(error).toMatchObject({
      code: 'LOGIN_RESPONSE',
      status: 200,
      url: `${origin}/login`,
      job: { endpoint: 'a' },
    });
  });

  it('of an expression: where it stands', async () => {
    const origin = await originOf({ '/a': answers.json([{ id: { x: 1 } }]) });
    const children = [{ endpoint: 'a/{id}', placeholders: { id: 'id' } }];
    const { error } = await ended({ api: { baseUrl: origin }, config: { jobs: [{ endpoint: 'a', children }] } });
    const fault = { path: 'config.jobs[0].children[0].placeholders.id', message: expect.any(String) as string };
    expect(error).toMatchObject({ code: 'EXPRESSION_FAILED', fault, job: { endpoint: 'a' } });
    expect(error.message).toBe(`${error.fault?.path}: ${error.fault?.message}`);
  });

  it('of headers, those that may be shown', async () => {
    const headers = {
      'set-cookie': ['sid=abcdefghijk; HttpOnly', 'theme=dark'],
      'x-auth-token': 't0psecret',
      'x-request-id': 'about hunter22',
      location: 'https://bob:pw@api.example/?access_token=abcdef123456',
    };
    const origin = await originOf({ '/a': answers.json({}, 400, headers) });
    const config = { api: { baseUrl: origin }, config: { '#key': 'hunter22', jobs: [{ endpoint: 'a' }] } };
    const { error } = await ended(config);
    expect(error.headers).toMatchObject({
      'set-cookie': ['***', '***'],
      'x-auth-token': '***',
      'x-request-id': 'about ***',
      location: 'https://***@api.example/?access_token=***',
      'content-type': 'application/json',
    });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      name: 'FatalError',
      code: 'API_STATUS',
      recovery: 'fatal',
      status: 400,
      method: 'GET',
      url: `${origin}/a`,
      headers: error.headers,
      attempt: 1,
      job: { path: 'config.jobs[0]' },
      message: error.message,
    });
  });

  it('of a login', async () => {
    const origin = await originOf({ '/login': answers.json({}, 400) });
    const { error } = await ended(jobsAt(origin, ['a'], tokenLogin()));
    const facts = { status: 400, url: `${origin}/login`, attempt: 1, job: { endpoint: 'a' } };
    expect(error).toMatchObject({ code: 'API_STATUS', recovery: 'fatal', ...facts });
  });

  it('shows no secret in any field', async () => {
    const origin = await originOf({ '/login': answers.json({ token: 's3cret-token' }) });
    const config = {
      api: {
        baseUrl: origin,
        authentication: {
          type: 'login',
          loginRequest: { endpoint: 'login' },
          apiRequest: { query: { token: 'token' } },
        },
      },
      config: { '#key': 'hunter22', jobs: [{ endpoint: 'x/hunter22?token=s3cret-token' }] },
    };
    const { error } = await ended(config);
    expect(error).toMatchObject({
      status: 404,
      url: `${origin}/x/***?token=***`,
      job: { endpoint: 'x/***?token=***' },
    });
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toMatch(/hunter22|s3cret/);
  });
});

describe('the first connection of a run', () => {
  const patient = (firstConnection?: number, more: object = {}): object => ({
    retryConfig: { ...(firstConnection === undefined ? {} : { firstConnection }), ...more },
  });

  it.each([
    ['NETWORK_CONNECT', 'ECONNREFUSED'],
    ['NETWORK_RESOLVE', 'ENOTFOUND'],
    ['NETWORK_RESOLVE', 'EAI_AGAIN'],
    ['NETWORK_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT'],
    ['NETWORK_TLS', 'EPROTO'],
  ])('that fails (%s, %s) ends the run within 20 seconds', async (code, reason) => {
    jest.useFakeTimers();
    const run = ended(jobsAt('https://api.example', ['a']), { fetch: () => Promise.reject(coded(reason)) });
    await jest.advanceTimersByTimeAsync(20_000);
    const { error, delays } = await run;
    expect(error).toMatchObject({ code, recovery: 'retry', attempt: delays.length + 1, url: 'https://api.example/a' });
    expect(delays.length).toBeGreaterThan(2);
    expect(error.message).toContain('api.example');
    expect(error.message).toContain('firstConnection');
    expect(error.message).not.toMatch(/curl/i);
  });

  it('has a limit of its own: api.retryConfig.firstConnection', async () => {
    const origin = await refusedOrigin();
    const { error, milliseconds } = await ended(jobsAt(origin, ['a'], patient(1, { maxDelay: 0.05 })));
    expect(error).toMatchObject({ code: 'NETWORK_CONNECT', recovery: 'retry' });
    expect(error.attempt).toBeGreaterThan(2);
    expect(milliseconds).toBeLessThan(15_000);
    expect(error.message).toMatch(`Cannot connect to ${new URL(origin).host} (GET ${origin}/a): the host refused`);
  });

  it('with 0 has all retries', async () => {
    const origin = await refusedOrigin();
    const api = patient(0, { maxRetries: 5, maxDelay: 0.01, jitter: 0 });
    expect(await ended(jobsAt(origin, ['a'], api))).toMatchObject({
      error: { attempt: 6 },
      delays: [10, 10, 10, 10, 10],
    });
  });

  it.each([false, true])('that hangs ends as well (connections of its own: %s)', async (ownConnections) => {
    const origin = `https://127.0.0.1:${await silentPort()}`;
    const { error, milliseconds } = await ended(jobsAt(origin, ['a'], patient(0.5)), { ownConnections });
    expect(error).toMatchObject({ code: 'NETWORK_TIMEOUT', recovery: 'retry', attempt: 1 });
    expect(error.message).toMatch(/^Cannot connect to 127\.0\.0\.1:\d+ /);
    expect(milliseconds).toBeLessThan(15_000);
  });

  it('that hangs in the dispatcher of an application ends as well', async () => {
    const dispatcher = new Agent({ connect: () => undefined });
    closing.push(() => dispatcher.destroy());
    const config = jobsAt('http://api.example', ['a'], { ...patient(0.3), http: { requestTimeout: 0.1 } });
    const { error, milliseconds } = await ended(config, { dispatcher });
    expect(error.code).toBe('NETWORK_TIMEOUT');
    expect(milliseconds).toBeLessThan(15_000);
  });

  it('of several jobs at once: each keeps to the limit', async () => {
    const origin = `https://127.0.0.1:${await silentPort()}`;
    const config = jobsAt(origin, ['a', 'b', 'c', 'd'], patient(0.5), { concurrency: 4 });
    expect((await ended(config)).milliseconds).toBeLessThan(15_000);
  });

  it('of a login counts as well', async () => {
    const origin = `https://127.0.0.1:${await silentPort()}`;
    const { error, milliseconds } = await ended(jobsAt(origin, ['a'], { ...tokenLogin(), ...patient(0.5) }));
    expect(error.code).toBe('NETWORK_TIMEOUT');
    expect(milliseconds).toBeLessThan(15_000);
  });

  it('a slow answer is no failed connection', async () => {
    const origin = await originOf({ '/a': answers.afterDelay(700, answers.json([1])) });
    const config = jobsAt(origin, ['a'], patient(0.2));
    await expect(lastValueFrom(extract(config).items$)).resolves.toBe(1);
    await expect(lastValueFrom(extract(config, { ownConnections: true }).items$)).resolves.toBe(1);
  });

  it('a host that was reached once gets all retries', async () => {
    jest.useFakeTimers();
    let calls = 0;
    const fetch = (): Promise<Response> =>
      (calls += 1) === 1 ? Promise.resolve(new Response('[1]')) : Promise.reject(coded('ECONNREFUSED'));
    const run = ended(jobsAt('https://api.example', ['a', 'b']), { fetch });
    await jest.advanceTimersByTimeAsync(1_200_000);
    const { error, delays } = await run;
    expect(error).toMatchObject({ code: 'NETWORK_CONNECT', attempt: 11 });
    expect(delays).toHaveLength(10);
    expect(Math.max(...delays)).toBeLessThanOrEqual(120_000);
    expect(error.message).toMatch(/after 11 attempts\.$/);
  });

  it('language 2.7: plain retries are those of the language, with delays of 1, 2, 4, … 512 seconds', async () => {
    jest.useFakeTimers();
    const fetch = (): Promise<never> => Promise.reject(coded('ECONNREFUSED'));
    const run = ended(jobsAt('https://api.example', ['a']), { fetch, plainRetries: true });
    await jest.advanceTimersByTimeAsync(1_023_000);
    expect((await run).delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((seconds) => seconds * 1000));
  });
});

describe('the delays of retries', () => {
  const answering = (answer: () => Response) => () => Promise.resolve(answer());

  it('end at 120 seconds, and vary', async () => {
    jest.useFakeTimers();
    const run = ended(jobsAt('https://api.example', ['a']), {
      fetch: answering(() => new Response('busy', { status: 503 })),
    });
    await jest.advanceTimersByTimeAsync(10 * 120_000);
    const { error, delays } = await run;
    expect(error).toMatchObject({ status: 503, attempt: 11 });
    delays.forEach((delay, at) => {
      const usual = Math.min(2 ** at, 120) * 1000;
      expect(delay).toBeLessThanOrEqual(usual);
      expect(delay).toBeGreaterThanOrEqual(usual * 0.75);
    });
    expect(delays).not.toEqual(delays.map((delay) => Math.round(delay / 1000) * 1000));
  });

  it.each([
    ['86400'],
    [new Date(Date.now() + 7 * 86_400_000).toUTCString()],
    [String(Math.floor(Date.now() / 1000) + 90_000)],
  ])('Retry-After %s: the run does not hang, it says what the API asks for', async (asked) => {
    const origin = await originOf({ '/a': answers.json({}, 429, { 'retry-after': asked }) });
    const { error, delays, milliseconds } = await ended(jobsAt(origin, ['a']));
    expect(error).toMatchObject({ code: 'API_STATUS', status: 429, recovery: 'retry', attempt: 1 });
    expect(error.retryAfterSeconds).toBeGreaterThan(80_000);
    expect(error.message).toContain(
      `asks to wait ${error.retryAfterSeconds} seconds, longer than api.retryConfig.maxDelay`,
    );
    expect(delays).toEqual([]);
    expect(milliseconds).toBeLessThan(15_000);
  });

  it('maxDelay allows a longer one', async () => {
    jest.useFakeTimers();
    const responses = [new Response('', { status: 429, headers: { 'retry-after': '3600' } }), new Response('[1]')];
    const items$ = extract(jobsAt('https://api.example', ['a'], { retryConfig: { maxDelay: 3600 } }), {
      fetch: () => Promise.resolve(responses.shift() ?? Response.error()),
    }).items$;
    const item = lastValueFrom(items$);
    await jest.advanceTimersByTimeAsync(3_600_000);
    await expect(item).resolves.toBe(1);
  });
});

/** docs/language/retries.md; how runs end is in spec/end-to-end/runs/errors.spec.ts. */

describe('docs/language/retries.md', () => {
  let server: ApiServer | undefined;
  afterEach(() => server?.close());

  it('retries.json: a short delay that the API asks for is kept, a longer one ends the run', async () => {
    let calls = 0;
    server = await startServer(() => {
      calls += 1;
      return calls === 2 ? json([{ id: 1 }]) : json({}, 503, { 'retry-after': calls === 1 ? '1' : '3' });
    });
    const delays: unknown[] = [];
    const pages = await pagesOf(server, example('retries.json'), {
      onEvent: (event) => event.type === 'retry.scheduled' && delays.push(event.delayMilliseconds),
    });
    expect(pages.map(({ count }) => count)).toEqual([1]);
    expect(delays).toEqual([1000]);
    await expect(pagesOf(server, example('retries.json'))).rejects.toMatchObject({
      code: 'API_STATUS',
      recovery: 'retry',
      status: 503,
      retryAfterSeconds: 3,
    });
    expect(asked(server)).toHaveLength(3);
  });

  it('a delay of 0 is none; with plainRetries it is that of the language, which takes it for nothing said', async () => {
    let calls = 0;
    server = await startServer(() => ((calls += 1) % 2 === 0 ? json([]) : json({}, 503, { 'retry-after': '0' })));
    const config = { api: {}, config: { jobs: [{ endpoint: 'a' }] } };
    const delays: unknown[] = [];
    const onEvent = (event: RunEvent): unknown =>
      event.type === 'retry.scheduled' && delays.push(event.delayMilliseconds);
    await pagesOf(server, config, { onEvent });
    await pagesOf(server, config, { onEvent, plainRetries: true });
    expect(delays).toEqual([0, 1000]);
  });

  it.each([
    ['maxDelay', -1, 'a number of seconds, or 0'],
    ['maxDelay', 'soon', 'a number'],
    ['firstConnection', -5, 'a number of seconds, or 0'],
    ['jitter', 1.5, 'a number from 0 to 1'],
  ])('%s: %p is refused', (option, value, expected) => {
    const config = { api: { baseUrl: 'https://api.example', retryConfig: { [option]: value } }, config: { jobs: [] } };
    expect(() => validate(config)).toThrow(new RegExp(`api\\.retryConfig\\.${option}: expected ${expected}`));
  });
});

/** Answers that hold no data, or a part of it, in the middle of paging: errors, over whole runs against real servers. */

const PAGE = 10;
const pageAt = (offset: number): readonly object[] =>
  Array.from({ length: Math.min(PAGE, Math.max(0, 35 - offset)) }, (_, at) => ({ id: offset + at }));

interface Outcome {
  readonly count: number;
  readonly code?: string;
  readonly message?: string;
}
async function run(config: object): Promise<Outcome> {
  let count = 0;
  try {
    await extract(config).items$.forEach(() => void (count += 1));
    return { count };
  } catch (error) {
    if (!(error instanceof HeadwaterError)) throw error;
    return { count, code: error.code, message: error.message };
  }
}
const paged = (baseUrl: string, api: object = {}): object => ({
  api: { baseUrl, pagination: { method: 'offset', limit: PAGE }, retryConfig: { maxRetries: 0 }, ...api },
  config: { jobs: [{ endpoint: 'items' }] },
});

describe('a status without data in the middle of paging', () => {
  let server: ApiServer;
  afterEach(() => server.close());
  const serve = async (third: Answer): Promise<string> => {
    server = await startServer(({ url }) => {
      const offset = Number(new URL(url, 'http://h').searchParams.get('offset'));
      return offset === 20 ? third : json(pageAt(offset));
    });
    return server.origin;
  };

  it.each([205, 206, 300, 301, 302, 303, 304, 305, 306, 307, 308])('%i is an error', async (status) => {
    const { count, code, message } = await run(paged(await serve(bytes('', {}, status))));
    expect({ count, code }).toEqual({ count: 20, code: 'API_STATUS' });
    expect(message).toContain(`The API request failed: [${status}] GET ${server.origin}/items?`);
    expect(message).toContain('api.http.ignoreErrors');
  });

  it.each([206, 300, 305])('so is %i with items', async (status) => {
    const { count, code } = await run(paged(await serve(json(pageAt(20), status))));
    expect({ count, code }).toEqual({ count: 20, code: 'API_STATUS' });
  });

  it('206 of an API that counts in units of its own is a page like others', async () => {
    const origin = await serve(json(pageAt(20), 206, { 'content-range': '20-29/35' }));
    expect(await run(paged(origin))).toEqual({ count: 35 });
  });

  it('a status in http.ignoreErrors is taken as it is', async () => {
    const ignoring = { http: { ignoreErrors: [205, 206, 304] } };
    expect(await run(paged(await serve(json(pageAt(20), 206)), ignoring))).toEqual({ count: 35 });
    await server.close();
    expect(await run(paged(await serve(bytes('', {}, 304)), ignoring))).toEqual({ count: 20 });
  });

  it('language 2.8: 204 stays an empty body', async () => {
    expect(await run(paged(await serve(bytes('', {}, 204))))).toEqual({ count: 20 });
  });

  it.each([205, 206, 304, 302])('a login that is answered with %i fails', async (status) => {
    server = await startServer(({ url }) =>
      url === '/login' ? bytes(status === 206 ? '{"token":"t"}' : '', {}, status) : json(pageAt(0)),
    );
    const authentication = {
      type: 'login',
      loginRequest: { endpoint: 'login' },
      apiRequest: { headers: { 'x-token': 'token' } },
    };
    const { code, message } = await run(paged(server.origin, { authentication }));
    expect(code).toBe('API_STATUS');
    expect(message).toContain(`[${status}]`);
    expect(server.requests).toHaveLength(1);
  });
});

describe('a body of success that was cut', () => {
  let server: Server;
  afterEach(() => server.close());

  const body = JSON.stringify(pageAt(0));
  const packed = gzipSync(body);
  const head = (...lines: readonly string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
  const chunk = (data: Buffer | string): Buffer =>
    Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), Buffer.from(data), Buffer.from('\r\n')]);
  const LAST = '0\r\n\r\n';

  it.each<[string, readonly (Buffer | string)[]]>([
    ['shorter than its Content-Length', [head(`Content-Length: ${body.length + 50}`), body]],
    ['of a Content-Length and no byte', [head(`Content-Length: ${body.length}`)]],
    ['in chunks, the last one missing', [head('Transfer-Encoding: chunked'), chunk(body)]],
    ['in chunks, and no chunk', [head('Transfer-Encoding: chunked')]],
    ['in chunks, cut in one', [head('Transfer-Encoding: chunked'), chunk(body).subarray(0, 30)]],
    [
      'gzip, cut before its checksum',
      [head('Content-Encoding: gzip', 'Connection: close'), packed.subarray(0, packed.length - 8)],
    ],
    [
      'gzip in whole chunks, cut',
      [head('Content-Encoding: gzip', 'Transfer-Encoding: chunked'), chunk(packed.subarray(0, 40)), LAST],
    ],
    ['longer than its Content-Length', [head(`Content-Length: ${body.length - 5}`), body]],
    ['until the connection ends, cut', [head('Connection: close'), body.slice(0, -20)]],
  ])('%s: an error', async (_, pieces) => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        for (const piece of pieces) socket.write(piece);
        socket.end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outcome = await run(paged(`http://127.0.0.1:${port}`));
    expect(outcome).toMatchObject({ count: 0, code: expect.stringMatching(/^(NETWORK_|API_)/) as string });
  });
});

describe('what to check depends on whether an earlier page of the call has come', () => {
  const FIRST_ADVICE = /Check api\.baseUrl|check api\.baseUrl|Check the credentials/;
  const refusals: readonly (readonly [name: string, answer: Answer, first: string, later: string])[] = [
    ['404', json({}, 404), 'Check api.baseUrl and the endpoint.', 'check api.pagination'],
    ['401', json({}, 401), 'Check the credentials.', 'they may have expired'],
    ['403', json({}, 403), 'Check the credentials, and what they allow.', 'allow so many requests'],
    [
      'a web page',
      bytes('<!doctype html><title>Sorry</title>', { 'content-type': 'text/html' }),
      'check api.baseUrl, the endpoint and the credentials',
      'Earlier pages were none',
    ],
  ];
  const byAddress = { pagination: { method: 'response.url', urlKey: 'next' } };
  const byPosition = { pagination: { method: 'pagenum', pageParam: 'page', firstPageParams: false } };
  const jobs = [{ endpoint: 'items', dataField: 'items' }];

  describe.each(refusals)('%s', (name, refused, first, later) => {
    const ways: readonly (readonly [how: string, pagination: object])[] = [
      ['an address', byAddress],
      ['a position', byPosition],
      ['a redirect', byAddress],
    ];
    // Behind a position, 404 may be how the API ends.
    it.each(ways.filter(([how]) => name !== '404' || how !== 'a position'))('behind %s', async (how, pagination) => {
      const origin = await originOf(({ url }) => {
        const page = Number(new URL(url, 'http://h').searchParams.get('page') ?? 1);
        if (page < 3) return json({ items: [{ id: page }], next: `/items?page=${page + 1}` });
        return how !== 'a redirect' || url.startsWith('/moved') ? refused : answers.redirectTo('/moved?page=3');
      });
      const { error } = await ended({ api: { baseUrl: origin, ...pagination }, config: { jobs } });
      expect(error.message).toContain(later);
      expect(error.message).not.toMatch(FIRST_ADVICE);
    });

    it('on the first page, of each call', async () => {
      const origin = await originOf(({ url }) => (url === '/items' ? json({ items: [{ id: 1 }] }) : refused));
      const child = { endpoint: 'items/{id}', placeholders: { id: 'id' } };
      const config = { jobs: [{ ...jobs[0], children: [child] }] };
      const { error } = await ended({ api: { baseUrl: origin }, config });
      expect(error.message).toContain(first);
    });
  });
});
