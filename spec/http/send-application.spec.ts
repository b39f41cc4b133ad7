/** Stages that an application adds, in the pipeline and in whole runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EMPTY,
  finalize,
  firstValueFrom,
  lastValueFrom,
  map,
  mergeMap,
  NEVER,
  of,
  tap,
  throwError,
  toArray,
} from 'rxjs';
import { extract, FatalError } from '../../src';
import type { ExtractOptions } from '../../src';
import { defineMiddleware } from '../../src/components';
import type { Middleware, MiddlewareDefinition } from '../../src/components';
import { applicationMiddleware } from '../../src/http/send';
import type { Response, Send } from '../../src/core/model';
import { json } from '../support/answers';
import { startServer } from '../support/api-server';
import type { ApiServer, ReceivedRequest } from '../support/api-server';
import { HOME, aRequest, aResponse } from '../support/requests';
import { senderOver } from '../support/sender';

const stage = (
  name: string,
  middleware: Middleware,
  around: MiddlewareDefinition['around'] = 'request',
): MiddlewareDefinition => defineMiddleware({ name, summary: 'A stage of a spec.', around, middleware });

const noting = (name: string, log: string[], around: MiddlewareDefinition['around'] = 'request') =>
  stage(
    name,
    (send) => (request) => {
      log.push(`${name} > ${new URL(request.url).pathname}`);
      return send(request).pipe(tap(({ status }) => log.push(`${name} < ${status}`)));
    },
    around,
  );

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('stages of an application', () => {
  const answering = (middleware: Middleware, answer: Response = aResponse()) =>
    firstValueFrom(applicationMiddleware([stage('mine', middleware)], 'request')(() => of(answer))(aRequest()));

  it('stand around in their order, the first one outermost', async () => {
    const log: string[] = [];
    const stages = [noting('a', log), noting('other', log, 'attempt'), noting('b', log)];
    await firstValueFrom(applicationMiddleware(stages, 'request')(() => of(aResponse()))(aRequest()));
    expect(log).toEqual(['a > /items', 'b > /items', 'b < 200', 'a < 200']);
  });

  it('are not there where there is none', () => {
    const send = () => NEVER;
    expect(applicationMiddleware([noting('a', [])], 'attempt')(send)).toBe(send);
  });

  it.each<[string, Middleware, string]>([
    [
      'throws when it is made',
      () => {
        throw new TypeError('no send');
      },
      'threw: no send',
    ],
    [
      'throws when it is asked',
      () => () => {
        throw new TypeError('no request');
      },
      'threw: no request',
    ],
    ['fails', () => () => throwError(() => 'a word'), 'threw: a word'],
    ['gives no stream', () => () => 1 as never, 'threw: You provided'],
    ['gives nothing', () => () => EMPTY, 'gave no response: expected that of `send`, or one of its own.'],
    ['gives something else', () => () => of({ status: 200 } as Response), 'gave something that is no response'],
    [
      'gives two',
      (send) => (request) => send(request).pipe(mergeMap((response) => [response, response])),
      'gave a second response to one request: expected one.',
    ],
  ])('a stage that %s is a defect, named by its name', async (_, middleware, message) => {
    const inner = stage('inner', middleware);
    const all = [stage('outer', (send) => send), inner];
    const failed = lastValueFrom(applicationMiddleware(all, 'request')(() => of(aResponse()))(aRequest()));
    await expect(failed).rejects.toMatchObject({
      name: 'PartError',
      message: expect.stringContaining(`middleware "inner": middleware(…) ${message}`) as string,
      part: { kind: 'middleware', name: 'inner' },
    });
  });

  it('are not blamed for what comes from further inside', async () => {
    const defect = new TypeError('of the engine');
    const outer = stage('outer', (send) => send);
    const failed = firstValueFrom(
      applicationMiddleware([outer], 'request')(() => throwError(() => defect))(aRequest()),
    );
    expect(await failureOf(failed)).toBe(defect);
  });

  it('may end a run with an error for people', async () => {
    const error = new FatalError('HOST_REFUSED', 'Not on Sundays.');
    expect(await failureOf(answering(() => () => throwError(() => error)))).toBe(error);
  });

  it('may answer by themselves', async () => {
    const answer = aResponse({ status: 204 });
    expect(await answering(() => () => of(answer))).toBe(answer);
  });

  it('pass cancellation through', () => {
    const log: string[] = [];
    const all = [stage('a', (send) => (request) => send(request).pipe(finalize(() => log.push('a'))))];
    const running = applicationMiddleware(all, 'request')(() => NEVER.pipe(finalize(() => log.push('send'))))(
      aRequest(),
    );
    running.subscribe().unsubscribe();
    expect(log).toEqual(['send', 'a']);
  });
});

describe('stages of an application in a run', () => {
  let server: ApiServer;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headwater-spec-'));
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const config = (api: object = {}, more: object = {}) => ({
    api: { baseUrl: server.origin, ...api },
    config: { '#password': 'quicksilver', jobs: [{ endpoint: 'items' }] },
    ...more,
  });
  const itemsOf = (given: object, options: ExtractOptions) =>
    lastValueFrom(extract(given, options).items$.pipe(toArray()));

  const login = {
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'POST', params: { user: 'u' } },
      apiRequest: { headers: { 'X-Token': { response: 'token' } } },
    },
  };
  const once = (path: string, first: number) => {
    let isFirst = true;
    return ({ url }: ReceivedRequest) => {
      if (url !== path || !isFirst) return undefined;
      isFirst = false;
      return json({}, first, { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' });
    };
  };

  it('stand around requests and logins, outside of retries, or around each attempt', async () => {
    const failing = once('/items', 503);
    server = await startServer((request) =>
      request.url === '/login' ? json({ token: 'mercury-1' }) : (failing(request) ?? json([{ id: 1 }])),
    );
    const log: string[] = [];
    const components = [noting('whole', log), noting('each', log, 'attempt'), noting('inner', log, 'attempt')];
    expect(await itemsOf(config(login), { components })).toEqual([{ id: 1 }]);
    expect(log).toEqual([
      'whole > /items',
      'whole > /login',
      'each > /login',
      'inner > /login',
      'inner < 200',
      'each < 200',
      'whole < 200',
      'each > /items',
      'inner > /items',
      'inner < 503',
      'each < 503',
      'each > /items',
      'inner > /items',
      'inner < 200',
      'each < 200',
      'whole < 200',
    ]);
  });

  it('around an attempt know of each host whether it may get credentials, also behind a redirect', async () => {
    const known: unknown[] = [];
    const knowing = stage(
      'knowing',
      (send) => (request) => (known.push(request.getsCredentials), send(request)),
      'attempt',
    );
    const answer: Send = (request) =>
      of(
        aResponse({
          request,
          ...(request.url === `${HOME}/a` ? { status: 302, headers: { location: 'https://files.example/b' } } : {}),
        }),
      );
    const { pages } = senderOver(answer, { middleware: [knowing] });
    const asked = aRequest({ url: `${HOME}/a`, home: 'https://files.example/' });
    expect((await firstValueFrom(pages(undefined)(asked))).status).toBe(200);
    expect(known).toEqual([true, false]);
  });

  it('see credentials and signatures around an attempt alone', async () => {
    server = await startServer(() => json([]));
    const seen = { request: '', attempt: '' };
    const seeing = (around: 'request' | 'attempt') =>
      stage(
        `all-${around}`,
        (send) => (request) => {
          seen[around] += JSON.stringify(request);
          return send(request).pipe(tap((response) => (seen[around] += JSON.stringify(response.request))));
        },
        around,
      );
    const basic = { authentication: { type: 'basic' } };
    const given = {
      ...config(basic),
      config: { username: 'u', '#password': 'quicksilver', jobs: [{ endpoint: 'a' }] },
    };
    await itemsOf(given, { components: [seeing('request'), seeing('attempt')] });
    const header = Buffer.from('u:quicksilver').toString('base64');
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${header}`);
    expect(seen.attempt).toContain(header);
    expect(seen.request).not.toContain(header);
    expect(seen.request).not.toContain('quicksilver');
  });

  it('change what is sent and what is read, and the cache keeps what the API said', async () => {
    server = await startServer(() => json([{ id: 1 }]));
    let changes = 0;
    const change = stage(
      'change',
      (send) => (request) =>
        send({ ...request, headers: { ...request.headers, 'x-trace': 't1' } }).pipe(
          map((response) => {
            changes += 1;
            return { ...response, body: Buffer.from(Buffer.from(response.body).toString().replace('1', '1, "n": 2')) };
          }),
        ),
    );
    const options = { components: [change], cacheFolder: folder };
    const cached = config({}, { cache: true });
    const changed = [{ id: 1, n: 2 }];
    expect([await itemsOf(cached, options), await itemsOf(cached, options)]).toEqual([changed, changed]);
    expect(server.requests.map(({ headers }) => headers['x-trace'])).toEqual(['t1']);
    expect(changes).toBe(2);
    expect(await itemsOf(cached, { cacheFolder: folder })).toEqual([{ id: 1 }]);
  });

  it('a defect ends the run at once, without a secret in it', async () => {
    server = await startServer(() => json([]));
    const broken = stage('broken', () => () => throwError(() => new TypeError('saw quicksilver')), 'attempt');
    const failure = await failureOf(itemsOf(config(), { components: [broken] }));
    expect(String(failure)).toBe('PartError: middleware "broken": middleware(…) threw: saw ***');
    expect(server.requests).toEqual([]);
  });

  it('hear of an abortion', async () => {
    server = await startServer(() => () => undefined);
    const controller = new AbortController();
    const log: string[] = [];
    const ending = stage('ending', (send) => (request) => {
      setTimeout(() => controller.abort(new Error('enough')), 50);
      return send(request).pipe(finalize(() => log.push('closed')));
    });
    const failed = itemsOf(config(), { components: [ending], signal: controller.signal });
    await expect(failed).rejects.toThrow('enough');
    expect(log).toEqual(['closed']);
  });

  it('are refused when they stand around nothing that there is', () => {
    const wrong = { ...stage('wrong', (send) => send), around: 'requests' as 'request' };
    expect(() => extract({ api: {}, config: {} }, { components: [wrong] })).toThrow(
      'components[0]: the middleware "wrong" has an "around" that is none: expected one of request, attempt',
    );
  });
});
