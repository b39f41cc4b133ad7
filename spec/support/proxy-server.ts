/** A real proxy for HTTP on the loopback interface, as companies have them. */
import { once } from 'node:events';
import { createServer, request as requestHttp } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Identity } from './certificates';
import { closedInTheEnd } from './opened';
import { ownPort } from './own-port';

export interface ProxyOptions {
  /** `name:password`; without them nobody is let through. */
  readonly credentials?: string;
  /** The status of every answer, in place of what it should do. */
  readonly status?: number;
  /** Closes each connection without an answer, or never answers. */
  readonly answers?: 'nothing' | 'never';
  /** Speaks TLS itself. */
  readonly identity?: Identity;
}

export interface ProxyServer {
  /** For example `http://127.0.0.1:54321`. */
  readonly origin: string;
  /** What was asked of it: `GET http://api.internal/a`, `CONNECT api.internal:443`. */
  readonly asked: readonly string[];
  /** Headers of those requests. */
  readonly headers: readonly IncomingMessage['headers'][];
  readonly openConnections: () => number;
  readonly close: () => Promise<void>;
}

/** Every name that it is asked for is the loopback interface: what is reached at `api.internal` came this way. */
export async function startProxy({ credentials, status, answers, identity }: ProxyOptions = {}): Promise<ProxyServer> {
  const asked: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const sockets = new Set<Socket>();
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;

  /** @returns the status of a refusal */
  const refusal = (message: IncomingMessage): number | undefined => {
    asked.push(`${message.method} ${message.url}`);
    headers.push(message.headers);
    return wanted !== undefined && message.headers['proxy-authorization'] !== wanted ? 407 : status;
  };
  const forward = (message: IncomingMessage, response: ServerResponse): void => {
    const refused = refusal(message);
    if (answers === 'nothing') return void message.socket.destroy();
    if (answers === 'never') return;
    if (refused !== undefined) return void response.writeHead(refused).end();
    const { port, pathname, search } = new URL(message.url ?? '');
    const rest = Object.fromEntries(Object.entries(message.headers).filter(([name]) => name !== 'proxy-authorization'));
    const onward = { host: '127.0.0.1', port, path: pathname + search, method: message.method, headers: rest };
    const request = requestHttp(onward, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.on('error', () => response.destroy());
    message.pipe(request);
  };
  const server =
    identity === undefined
      ? createServer(forward)
      : createSecureServer({ cert: identity.certificate, key: identity.key }, forward);
  server.on('connect', (message: IncomingMessage, socket: Socket, head: Buffer) => {
    const refused = refusal(message);
    socket.on('error', () => undefined);
    if (answers === 'nothing') return void socket.destroy();
    if (answers === 'never') return;
    if (refused !== undefined) return void socket.end(`HTTP/1.1 ${refused} Refused\r\nContent-Length: 0\r\n\r\n`);
    const port = Number(/:(\d+)$/.exec(message.url ?? '')?.[1]);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await ownPort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  closedInTheEnd(close);
  const scheme = identity === undefined ? 'http' : 'https';
  return {
    origin: `${scheme}://127.0.0.1:${port}`,
    asked,
    headers,
    openConnections: () => sockets.size,
    close,
  };
}
