import { createServer as createHttpServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { json } from './answers';
import type { Answer } from './answers';
import type { Identity } from './certificates';
import { closedInTheEnd } from './opened';
import { ownPort } from './own-port';

/** A request that a server got. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when the connection that carried it is closed. */
  readonly disconnected: Promise<void>;
}

export type Handler = (request: ReceivedRequest) => Answer;
/** Answers by path, without the query; any other path is a 404. */
export type Routes = Readonly<Record<string, Answer>>;

export interface ServerOptions {
  /** Speaks TLS with this certificate. */
  readonly identity?: Identity;
  /** PEM: only clients with a certificate of this issuer are let in. */
  readonly clientIssuer?: string;
}

export interface ApiServer {
  /** For example `http://localhost:54321`. */
  readonly origin: string;
  /** Every request so far, in order of arrival. */
  readonly requests: readonly ReceivedRequest[];
  /** Resolves with the request number `index`, as soon as it has arrived. */
  readonly received: (index: number) => Promise<ReceivedRequest>;
  /** How many connections were ever opened. */
  readonly connections: () => number;
  readonly openConnections: () => number;
  /** Cuts all connections and stops listening; when the specs of the file are over, at the latest. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a real server on the loopback interface, at a port of its own.
 *
 * @example
 * const server = await startServer({ '/items': json([1, 2]), '/slow': afterDelay(100, json([])) });
 */
export async function startServer(answers: Handler | Routes, options: ServerOptions = {}): Promise<ApiServer> {
  const handler = typeof answers === 'function' ? answers : byPath(answers);
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;

  const server = listenerFor(options, (message, response) => {
    // A client that goes away is part of many specs, and a broken response is their point.
    message.on('error', () => undefined);
    response.on('error', () => undefined);
    void record(message).then(
      async (request) => {
        requests.push(request);
        server.emit('recorded');
        await handler(request)(response);
      },
      () => undefined,
    );
  });
  server.on('connection', (socket: Socket) => {
    opened += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    // Each request of a kept connection waits for its end.
    socket.setMaxListeners(0);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await ownPort();
  server.listen(port, 'localhost');
  await once(server, 'listening');

  return {
    origin: `${options.identity === undefined ? 'http' : 'https'}://localhost:${port}`,
    requests,
    received: async (index) => {
      for (;;) {
        const request = requests[index];
        if (request !== undefined) return request;
        await once(server, 'recorded');
      }
    },
    connections: () => opened,
    openConnections: () => sockets.size,
    close: closedInTheEnd(async () => {
      // A client may have connected a moment ago.
      server.on('connection', (socket) => socket.destroy());
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    }),
  };
}

function listenerFor({ identity, clientIssuer }: ServerOptions, listener: RequestListener): Server {
  if (identity === undefined) return createHttpServer(listener);
  return createHttpsServer(
    {
      cert: identity.certificate,
      key: identity.key,
      ...(clientIssuer === undefined ? {} : { ca: clientIssuer, requestCert: true, rejectUnauthorized: true }),
    },
    listener,
  );
}

const byPath =
  (routes: Routes): Handler =>
  ({ url }) =>
    routes[url.split('?', 1)[0] ?? ''] ?? json({ error: 'no such path' }, 404);

async function record(message: IncomingMessage): Promise<ReceivedRequest> {
  const disconnected = new Promise<void>((resolve) => message.socket.once('close', () => resolve()));
  const body = await text(message);
  return { method: message.method ?? '', url: message.url ?? '', headers: message.headers, body, disconnected };
}
