import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { firstValueFrom } from 'rxjs';
import { Agent } from 'undici';
import { createTransport } from '../../support/transport';
import type { Transport, TransportOptions } from '../../support/transport';
import { FatalError, RetryableError } from '../../../src/core/errors/errors';
import type { HeadwaterError } from '../../../src/core/errors/errors';
import type { Request, Response } from '../../../src/core/model';
import * as answers from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer, Handler, Routes, ServerOptions } from '../../support/api-server';
import { createIdentity } from '../../support/certificates';
import { refusedOrigin } from '../../support/own-port';
import { useNock } from '../../support/nock';
import { aRequest, recorder, secretsOf } from '../../support/requests';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server and a transport of its own, whose connections end with the spec. */
async function serverFor(routes: Handler | Routes, options?: ServerOptions): Promise<ApiServer> {
  const server = await startServer(routes, options);
  closing.push(server.close);
  return server;
}

/** The port of a server that does as it likes with each connection. */
async function listenerFor(welcome: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    welcome(socket);
  });
  closing.push(async () => {
    // A socket that nobody reads never sees its end.
    for (const socket of sockets) socket.destroy();
    await promisify(server.close.bind(server))();
  });
  await once(server.listen(0, 'localhost'), 'listening');
  return (server.address() as AddressInfo).port;
}

function transportOf(options: Partial<TransportOptions> = {}): Transport {
  const agent = new Agent();
  const transport = createTransport({
    userAgent: 'headwater/1.2.3',
    requestTimeoutMs: 0,
    report: () => undefined,
    secrets: secretsOf(),
    // Not the global dispatcher: its connections would outlive the spec.
    ...((options.connectTimeoutMs ?? options.caCertificate ?? options.clientCertificate ?? options.fetch)
      ? {}
      : { dispatcher: agent }),
    ...options,
  });
  closing.push(
    () => transport.close(),
    () => agent.destroy(),
  );
  return transport;
}

const CLOSE = 'Connection: close';
const RESET = 'resetAndDestroy';

const textOf = ({ body }: Response): string => Buffer.from(body).toString();
const fetched = (url: string, options?: Partial<TransportOptions>, changes?: Partial<Request>): Promise<Response> =>
  firstValueFrom(transportOf(options).send(aRequest({ url, ...changes })));
const failureOf = async (url: string, options?: Partial<TransportOptions>): Promise<HeadwaterError> =>
  fetched(url, options).then(
    () => Promise.reject(new Error('The request did not fail.')),
    (error: unknown) => error as HeadwaterError,
  );

describe('transport: requests', () => {
  it('sends nothing before it is subscribed, and once for each subscription', async () => {
    const server = await serverFor({ '/': answers.json([]) });
    const response$ = transportOf().send(aRequest({ url: `${server.origin}/` }));
    await new Promise(setImmediate);
    expect(server.connections()).toBe(0);

    await firstValueFrom(response$);
    await firstValueFrom(response$);
    expect(server.requests).toHaveLength(2);
  });

  it('specification 4.1: sends method, headers and body as they are', async () => {
    const server = await serverFor({ '/login': answers.json({}) });
    await fetched(
      `${server.origin}/login?a=b%20c`,
      {},
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-list': ['1', '2'] },
        body: '{"id":"ü"}',
      },
    );

    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/login?a=b%20c', body: '{"id":"ü"}' });
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'x-list': '1, 2' });
  });

  it('fills in accept, accept-encoding and user-agent', async () => {
    const server = await serverFor({ '/': answers.json([]) });
    await fetched(server.origin);
    expect(server.requests[0]?.headers).toMatchObject({
      accept: 'application/json, */*;q=0.8',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'headwater/1.2.3',
    });
  });

  it('leaves headers that the request names', async () => {
    const server = await serverFor({ '/': answers.json([]) });
    const headers = { accept: 'text/csv', 'accept-encoding': 'identity', 'user-agent': 'mine' };
    await fetched(server.origin, {}, { headers });
    expect(server.requests[0]?.headers).toMatchObject(headers);
  });

  it('turns the userinfo of a URL into basic credentials', async () => {
    const server = await serverFor({ '/items': answers.json([]) });
    const url = server.origin.replace('://', '://us%40er:p%3Ass@');
    await fetched(`${url}/items`);
    await fetched(`${url}/items`, {}, { headers: { authorization: 'Bearer t' } });

    const expected = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`;
    expect(server.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/items', expected],
      ['/items', 'Bearer t'],
    ]);
  });

  it.each([
    ['a line break', 'x-key', 'hidden\nvalue'],
    ['a letter beyond Latin-1', 'x-key', 'hidden€'],
    ['a space in the name', 'x key', 'hidden'],
  ])('refuses a header with %s, and names it without its value', async (_, name, value) => {
    const error: unknown = await fetched('http://localhost:1/', {}, { headers: { [name]: value } }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(FatalError);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(`"${name}"`) as string });
    expect(String(error)).not.toContain('hidden');
  });

  it('reuses connections for requests that follow one another', async () => {
    const server = await serverFor({ '/': answers.json([]) });
    const { send } = transportOf();
    for (let page = 0; page < 20; page += 1) await firstValueFrom(send(aRequest({ url: server.origin })));
    expect(server.requests).toHaveLength(20);
    expect(server.connections()).toBe(1);
  });

  it('needs no more connections than there are requests at once', async () => {
    const server = await serverFor({ '/': answers.json([]) });
    const { send } = transportOf();
    const lane = async (): Promise<void> => {
      for (let count = 0; count < 5; count += 1) await firstValueFrom(send(aRequest({ url: server.origin })));
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    expect(server.connections()).toBe(4);
  });
});

describe('transport: responses', () => {
  it.each([200, 204, 302, 404, 503])('gives a response with status %i as a value', async (status) => {
    const server = await serverFor({ '/': answers.bytes(status === 204 ? '' : 'text', { 'x-a': 'b' }, status) });
    const response = await fetched(server.origin);
    expect(response).toMatchObject({ status, headers: { 'x-a': 'b' }, request: { url: server.origin } });
    expect(textOf(response)).toBe(status === 204 ? '' : 'text');
  });

  it.each([
    ['gzip', gzipSync('{"ä":1}')],
    ['x-gzip', gzipSync('{"ä":1}')],
    ['GZIP', gzipSync('{"ä":1}')],
    ['br', brotliCompressSync('{"ä":1}')],
    ['deflate', deflateSync('{"ä":1}')],
    ['deflate', deflateRawSync('{"ä":1}')],
    ['br, gzip', gzipSync(brotliCompressSync('{"ä":1}'))],
    ['identity', Buffer.from('{"ä":1}')],
    ['utf-8', Buffer.from('{"ä":1}')],
  ])('undoes the content coding %s', async (coding, body) => {
    const server = await serverFor({ '/': answers.bytes(body, { 'content-encoding': coding }) });
    expect(textOf(await fetched(server.origin))).toBe('{"ä":1}');
  });

  it('takes an empty body with a content coding for empty', async () => {
    const server = await serverFor({ '/': answers.bytes('', { 'content-encoding': 'gzip' }) });
    expect((await fetched(server.origin)).body).toHaveLength(0);
  });

  it.each([
    ['gzip', Buffer.from('plain text')],
    ['gzip', gzipSync('cut short in the middle').subarray(0, 20)],
    ['br', Buffer.from('plain text')],
  ])('fails when a body is not in the coding %s that it names', async (coding, body) => {
    const server = await serverFor({ '/': answers.bytes(body, { 'content-encoding': coding }) });
    expect(await failureOf(server.origin)).toMatchObject({ code: 'NETWORK_PROTOCOL', recovery: 'fatal' });
  });

  it('reads a big body in full', async () => {
    const big = 'x'.repeat(20_000_000);
    const server = await serverFor({ '/': answers.bytes(big) });
    expect((await fetched(server.origin)).body).toHaveLength(big.length);
  });

  it('reads a body that comes in pieces', async () => {
    const server = await serverFor({ '/': answers.dripping(['[1,', '2,', '3]'], 5) });
    expect(textOf(await fetched(server.origin))).toBe('[1,2,3]');
  });

  it('reports the request and its response, with secrets masked', async () => {
    const server = await serverFor({ '/items': answers.bytes('12345', {}, 404) });
    const { events, report } = recorder();
    const begun = performance.now();
    await fetched(`${server.origin}/items?key=s3cret-key`, { report, secrets: secretsOf('s3cret-key') });
    const passed = performance.now() - begun;
    const fields = {
      purpose: { kind: 'page', job: 'items' },
      method: 'GET',
      url: `${server.origin}/items?key=***`,
    };
    expect(events).toEqual([
      { type: 'request.sent', ...fields },
      { type: 'response.received', ...fields, status: 404, bytes: 5, milliseconds: expect.any(Number) as number },
    ]);
    const [, received] = events;
    const milliseconds = received?.type === 'response.received' ? received.milliseconds : NaN;
    expect(milliseconds).toBeGreaterThan(0);
    expect(milliseconds).toBeLessThanOrEqual(passed);
  });
});

describe('transport: bodies that no text can hold', () => {
  const tooLong = {
    code: 'API_SHAPE',
    message: expect.stringContaining('longer than 268435456 bytes (256 MiB)') as string,
  };

  it('a small body that unpacks to more', async () => {
    const megabyte = gzipSync(Buffer.alloc(2 ** 20));
    const bomb = Buffer.concat([...Array.from({ length: 256 }, () => megabyte), gzipSync('x')]);
    const server = await serverFor({ '/': answers.bytes(bomb, { 'content-encoding': 'gzip' }) });
    await expect(fetched(server.origin)).rejects.toMatchObject(tooLong);
  });

  it.each([
    ['announced', { 'content-length': String(256 * 2 ** 20 + 1) }],
    ['of unknown length', {}],
  ])('a body that is %s', async (_, headers) => {
    const chunk = Buffer.alloc(2 ** 22);
    const server = await serverFor(() => (response) => {
      response.writeHead(200, headers);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    await expect(fetched(server.origin)).rejects.toMatchObject(tooLong);
  });
});

describe('transport: bodies of a given fetch, which reads without a limit', () => {
  /** A response whose body is that long; nobody touches the memory. */
  const answering = (length: number) => {
    const response = new globalThis.Response(null);
    return () =>
      Promise.resolve(Object.assign(response, { arrayBuffer: () => Promise.resolve(new ArrayBuffer(length)) }));
  };

  it('one byte more than a text can hold is refused', async () => {
    const url = 'http://localhost:1/items?key=s3cret-key';
    const error = await failureOf(url, { fetch: answering(256 * 2 ** 20 + 1), secrets: secretsOf('s3cret-key') });
    expect(error).toMatchObject({ code: 'API_SHAPE', recovery: 'fatal' });
    expect(error.message).toContain('longer than 268435456 bytes (256 MiB)');
    expect(error.message).not.toContain('s3cret-key');
  });

  it('the longest body that is allowed is a response', async () => {
    const { body } = await fetched('http://localhost:1/', { fetch: answering(256 * 2 ** 20) });
    expect(body.byteLength).toBe(256 * 2 ** 20);
  });
});

describe('transport: cancellation', () => {
  it('closes the socket when it is unsubscribed before the response', async () => {
    const server = await serverFor({ '/': answers.never });
    const subscription = transportOf()
      .send(aRequest({ url: server.origin }))
      .subscribe();
    const request = await server.received(0);
    subscription.unsubscribe();
    await request.disconnected;
    expect(server.openConnections()).toBe(0);
  });

  it('closes the socket when it is unsubscribed in the middle of the body', async () => {
    const server = await serverFor({ '/': answers.stalled('[1,') });
    const outcome: string[] = [];
    const { send } = transportOf();
    const subscription = send(aRequest({ url: server.origin })).subscribe({
      next: () => outcome.push('value'),
      error: () => outcome.push('error'),
      complete: () => outcome.push('complete'),
    });
    const request = await server.received(0);
    subscription.unsubscribe();
    await request.disconnected;
    expect(server.openConnections()).toBe(0);
    expect(outcome).toEqual([]);
  });

  it('holds no timer and no socket open after it is unsubscribed', async () => {
    const server = await serverFor({ '/': answers.stalled('[1,') });
    const started = jest.spyOn(globalThis, 'setInterval');
    const cleared = jest.spyOn(globalThis, 'clearInterval');
    const subscription = transportOf({ requestTimeoutMs: 60_000 })
      .send(aRequest({ url: server.origin }))
      .subscribe();
    const request = await server.received(0);
    const ours: unknown[] = [];
    started.mock.calls.forEach(([, delay], at) => delay === 60_000 && ours.push(started.mock.results[at]?.value));
    expect(ours).toHaveLength(1);
    subscription.unsubscribe();
    await request.disconnected;
    expect(cleared.mock.calls).toContainEqual(ours);
    started.mockRestore();
    cleared.mockRestore();
  });

  it('leaves a neighbour alone', async () => {
    const server = await serverFor(({ url }) => (url === '/a' ? answers.never : answers.dripping(['[1', ']'], 20)));
    const { send } = transportOf();
    const subscription = send(aRequest({ url: `${server.origin}/a` })).subscribe();
    const neighbour = firstValueFrom(send(aRequest({ url: `${server.origin}/b` })));
    await server.received(1);
    subscription.unsubscribe();
    expect(textOf(await neighbour)).toBe('[1]');
  });
});

describe('language 2.7: network failures', () => {
  it.each([
    ['closed without a byte', answers.closed, 52, 'NETWORK_EMPTY'],
    ['reset before the response', answers.broken, 56, 'NETWORK_RESET'],
    ['reset within the body', answers.brokenAfter('[1,'), 56, 'NETWORK_RESET'],
    ['closed within the body', answers.closedAfter('[1,'), 56, 'NETWORK_RESET'],
  ] as const)('a connection %s', async (_, answer, curlCode, code) => {
    const server = await serverFor({ '/items': answer });
    const error = await failureOf(`${server.origin}/items?key=s3cret-key`, { secrets: secretsOf('s3cret-key') });
    expect(error).toBeInstanceOf(RetryableError);
    expect(error).toMatchObject({ code, curlCode, recovery: 'retry' });
    expect(error.message).toContain(
      `The connection to ${new URL(server.origin).host} broke (GET ${server.origin}/items?key=***): `,
    );
    expect(error).toMatchObject({ method: 'GET', url: `${server.origin}/items?key=***` });
    expect(error.cause).toBeDefined();
  });

  it.each([
    ['reset in a body without a length or chunks', [], 'reset'],
    ['reset in a body without an end, which the server means to close', [CLOSE], 'reset'],
    ['reset in a body with a length, which the server means to close', [CLOSE, 'Content-Length: 100'], 'reset'],
    ['closed in a body with a length, which the server means to close', [CLOSE, 'Content-Length: 100'], 'end'],
    ['reset in chunks, which the server means to close', [CLOSE, 'Transfer-Encoding: chunked'], 'reset'],
    ['closed in chunks, which the server means to close', [CLOSE, 'Transfer-Encoding: chunked'], 'end'],
  ] as const)('a connection %s is 56', async (_, headers, end) => {
    const port = await listenerFor((socket) => {
      const head = ['HTTP/1.1 200 OK', ...headers, '', ''].join('\r\n');
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(`${head}64\r\n[1,`, () => socket[end === 'end' ? end : RESET]()));
    });
    const error = await failureOf(`http://localhost:${port}/`);
    expect(error).toMatchObject({ code: 'NETWORK_RESET', curlCode: 56, recovery: 'retry' });
  });

  it('a reset that comes some time after the data is 56, also over TLS', async () => {
    const { certificate, key } = createIdentity({});
    const rows = 'HTTP/1.1 200 OK\r\n\r\n[1,';
    for (const protocol of ['http', 'https']) {
      const sockets: Socket[] = [];
      const port = await listenerFor((socket) => {
        sockets.push(socket.on('error', () => undefined));
        const spoken = protocol === 'http' ? socket : new TLSSocket(socket, { isServer: true, cert: certificate, key });
        spoken.on('error', () => undefined).once('data', () => spoken.write(rows));
      });
      const url = `${protocol}://localhost:${port}/`;
      const { stream } = await fetched(url, { caCertificate: certificate }, { streams: true });
      const pieces = stream?.[Symbol.asyncIterator]();
      await pieces?.next();
      const rest = pieces?.next();
      sockets[0]?.resetAndDestroy();
      await expect(rest).rejects.toMatchObject({ code: 'NETWORK_RESET', curlCode: 56 });
    }
  });

  it('a body without a length or chunks ends where the connection is closed in good order, also over TLS', async () => {
    const ends = { '/': (response: ServerResponse) => void response.socket?.end('HTTP/1.1 200 OK\r\n\r\n[1,2]') };
    const identity = createIdentity({});
    for (const server of [await serverFor(ends), await serverFor(ends, { identity })]) {
      const response = await fetched(server.origin, { caCertificate: identity.certificate });
      expect(response).toMatchObject({ status: 200, isEndUnknown: true });
      expect(textOf(response)).toBe('[1,2]');
    }
  });

  it('a reset while the reader of a streamed body is slow is 56, and no crash', async () => {
    const LONG = 'x'.repeat(400_000);
    const sockets: Socket[] = [];
    const port = await listenerFor((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n\r\n${LONG}`));
    });
    const { stream } = await fetched(`http://localhost:${port}/`, {}, { streams: true });
    const pieces = stream?.[Symbol.asyncIterator]();
    await pieces?.next();
    const [socket] = sockets;
    // What has not been read by then is the reader's, who is paused.
    if (socket !== undefined && socket.writableLength > 0) await once(socket, 'drain');
    socket?.resetAndDestroy();
    const rest = async (): Promise<void> => {
      while ((await pieces?.next())?.done === false) await new Promise(setImmediate);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'NETWORK_RESET', curlCode: 56 });
  });

  it('a refused connection is 7', async () => {
    expect(await failureOf(await refusedOrigin())).toMatchObject({ code: 'NETWORK_CONNECT', curlCode: 7 });
  });

  it('a host name that does not exist is 6', async () => {
    const error = await failureOf('http://no-such-host.invalid/');
    expect(error).toMatchObject({ code: 'NETWORK_RESOLVE', curlCode: 6 });
  });

  it('a connection that is closed during the TLS handshake is 35', async () => {
    const port = await listenerFor((socket) => socket.once('data', () => socket.end()));
    const error = await failureOf(`https://localhost:${port}/`);
    expect(error).toMatchObject({ code: 'NETWORK_TLS', curlCode: 35 });
  });

  it('https where the server uses no TLS is final, and the message says to write http', async () => {
    const server = await serverFor({ '/': answers.json([]) });
    const error = await failureOf(server.origin.replace('http:', 'https:'));
    expect(error).toMatchObject({ code: 'NETWORK_TLS', recovery: 'fatal', method: 'GET' });
    expect(error.message).toContain('write "http://" in place of "https://" in api.baseUrl');
  });

  it('http where the server answers with a TLS alert is final, and the message says to write https', async () => {
    const port = await listenerFor((socket) =>
      socket.once('data', () => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70]))),
    );
    const error = await failureOf(`http://localhost:${port}/`);
    expect(error).toMatchObject({ code: 'NETWORK_TLS', recovery: 'fatal', method: 'GET' });
    expect(error.message).toContain('Write "https://" in place of "http://" in api.baseUrl.');
  });

  it('what is no HTTP is fatal', async () => {
    const server = await serverFor({ '/': answers.garbage });
    expect(await failureOf(server.origin)).toMatchObject({ code: 'NETWORK_PROTOCOL', recovery: 'fatal' });
  });
});

describe('language 2.6: time-outs', () => {
  it.each([
    ['no response', answers.never],
    ['a body that stops', answers.stalled('[1,')],
    ['a body that drips', answers.dripping(Array<string>(100).fill(' '), 15)],
  ])('the request time-out covers %s', async (_, answer) => {
    const server = await serverFor({ '/': answer });
    const error = await failureOf(server.origin, { requestTimeoutMs: 80 });
    expect(error).toMatchObject({ code: 'NETWORK_TIMEOUT', curlCode: 28 });
    expect(error.message).toContain('0.08 seconds, the limit that api.http.requestTimeout sets');
    await server.requests[0]?.disconnected;
    expect(server.openConnections()).toBe(0);
  });

  it('the connect time-out covers a TLS handshake that never ends', async () => {
    const port = await listenerFor((socket) => socket.on('error', () => undefined));
    const error = await failureOf(`https://localhost:${port}/`, { connectTimeoutMs: 60 });
    expect(error).toMatchObject({ code: 'NETWORK_TIMEOUT', curlCode: 28 });
  });

  it('0 is no limit', async () => {
    const server = await serverFor({ '/': answers.afterDelay(40, answers.json([])) });
    const response = await fetched(server.origin, { requestTimeoutMs: 0, connectTimeoutMs: 0 });
    expect(response.status).toBe(200);
  });

  it('a limit that no timer can hold does not fire at once', async () => {
    const server = await serverFor({ '/': answers.afterDelay(20, answers.json([])) });
    const response = await fetched(server.origin, { requestTimeoutMs: 2 ** 40, connectTimeoutMs: 2 ** 40 });
    expect(response.status).toBe(200);
  });
});

describe('language 2.6: certificates', () => {
  const past = new Date('2020-01-01');

  it('refuses a certificate that signed itself with 60', async () => {
    const server = await serverFor({}, { identity: createIdentity({}) });
    const error = await failureOf(server.origin);
    expect(error).toMatchObject({ code: 'NETWORK_CERTIFICATE', curlCode: 60 });
    expect(error.message).toContain('api.caCertificate');
  });

  it('refuses a certificate for another host, and one that has expired, with 60', async () => {
    const other = createIdentity({ name: 'other.example' });
    const old = createIdentity({ validUntil: past });
    for (const identity of [other, old]) {
      const server = await serverFor({}, { identity });
      const error = await failureOf(server.origin, { caCertificate: identity.certificate });
      expect(error).toMatchObject({ code: 'NETWORK_CERTIFICATE', curlCode: 60 });
    }
  });

  it('accepts a certificate whose issuer caCertificate holds, among others', async () => {
    const issuer = createIdentity({ name: 'issuer' });
    const identity = createIdentity({ issuer });
    const server = await serverFor({ '/': answers.json([]) }, { identity });
    const caCertificate = `${createIdentity({ name: 'unused' }).certificate}\n${issuer.certificate}`;
    expect((await fetched(server.origin, { caCertificate })).status).toBe(200);
  });

  it('shows the client certificate, which stands before its key in one text', async () => {
    const issuer = createIdentity({ name: 'issuer' });
    const identity = createIdentity({ issuer });
    const client = createIdentity({ name: 'client', issuer });
    const server = await serverFor({ '/': answers.json([]) }, { identity, clientIssuer: issuer.certificate });
    const clientCertificate = `${client.certificate}\n${client.key}`;

    const response = await fetched(server.origin, { caCertificate: issuer.certificate, clientCertificate });
    expect(response.status).toBe(200);
    const error = await failureOf(server.origin, { caCertificate: issuer.certificate });
    expect(error.code).toMatch(/^NETWORK_(TLS|EMPTY|RESET)$/);
  });

  it('a client certificate that cannot be read is fatal', async () => {
    const server = await serverFor({}, { identity: createIdentity({}) });
    const error = await failureOf(server.origin, { clientCertificate: 'no certificate' });
    expect(error).toMatchObject({ recovery: 'fatal' });
  });
});

describe('transport: who carries the requests', () => {
  it('close ends the connections of its own agent, and a later request opens new ones', async () => {
    const server = await serverFor({ '/': answers.json([]) });
    const transport = transportOf({ connectTimeoutMs: 1000 });
    await firstValueFrom(transport.send(aRequest({ url: server.origin })));
    expect(server.openConnections()).toBe(1);
    await transport.close();
    await server.requests[0]?.disconnected;
    expect(server.openConnections()).toBe(0);

    await firstValueFrom(transport.send(aRequest({ url: server.origin })));
    expect(server.connections()).toBe(2);
  });

  it('close breaks off what is still under way there', async () => {
    const server = await serverFor({ '/': answers.never });
    const transport = transportOf({ connectTimeoutMs: 1000 });
    const response = firstValueFrom(transport.send(aRequest({ url: server.origin })));
    await server.received(0);
    const failed = expect(response).rejects.toMatchObject({ code: 'NETWORK_PROTOCOL', recovery: 'fatal' });
    await transport.close();
    await failed;
  });

  it('uses a given fetch, which neither follows redirects nor outlives the subscription', async () => {
    const server = await serverFor(({ url }) => (url === '/moved' ? answers.redirectTo('/x') : answers.stalled('[')));
    const moved = await fetched(`${server.origin}/moved`, { fetch });
    expect(moved).toMatchObject({ status: 302, headers: { location: '/x' } });

    const subscription = transportOf({ fetch })
      .send(aRequest({ url: server.origin }))
      .subscribe();
    const request = await server.received(1);
    subscription.unsubscribe();
    await expect(request.disconnected).resolves.toBeUndefined();
  });

  it('finds out why a given fetch failed', async () => {
    expect(await failureOf(await refusedOrigin(), { fetch })).toMatchObject({ code: 'NETWORK_CONNECT', curlCode: 7 });
  });

  it('does not show a cause that holds a secret', async () => {
    const leaky = () => Promise.reject(new TypeError('cannot fetch ?key=s3cret-key'));
    const error = await failureOf('http://localhost:1/', { fetch: leaky, secrets: secretsOf('s3cret-key') });
    expect(error).toMatchObject({ code: 'NETWORK_PROTOCOL', message: expect.stringContaining('?key=***') as string });
    expect(error.cause).toBeUndefined();
  });
});

describe('transport: the global dispatcher', () => {
  const nock = useNock();

  it('takes the one of the moment of the call', async () => {
    nock('https://api.example').get('/items').reply(200, [1], { 'x-from': 'nock' });
    const { send } = createTransport({
      userAgent: 'headwater/1.2.3',
      requestTimeoutMs: 1000,
      report: () => undefined,
      secrets: secretsOf(),
    });
    const response = await firstValueFrom(send(aRequest()));
    expect(response).toMatchObject({ status: 200, headers: { 'x-from': 'nock' } });
    expect(textOf(response)).toBe('[1]');
  });
});
