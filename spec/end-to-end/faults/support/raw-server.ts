import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { TlsOptions } from 'node:tls';
import { setTimeout as wait } from 'node:timers/promises';
import { closedInTheEnd } from '../../../support/opened';
import { ownPort } from '../../../support/own-port';

/** What a server does with a connection: bytes to write, a pause, an end in good order, or a reset. */
export type Step = string | Buffer | { readonly waitMs: number } | { readonly closes: 'in good order' | 'by a reset' };
export type Wire = readonly Step[];
export const END: Step = { closes: 'in good order' };
export const RESET: Step = { closes: 'by a reset' };

/** A request as it came. */
export interface RawRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawServer {
  readonly port: number;
  readonly requests: readonly RawRequest[];
  readonly openConnections: () => number;
  /** Takes no new connection; those that are open go on. */
  readonly stopListening: () => void;
  /** Listens no more, and closes what is open. */
  readonly goAway: () => Promise<void>;
  /** Listens again, at the same port. */
  readonly comeBack: () => Promise<void>;
}

interface RawServerOptions {
  readonly tls?: TlsOptions;
  /** In place of all that a server does: what happens to a connection before the first request is read. */
  readonly welcome?: (socket: Socket) => void;
}

/**
 * A server that writes what it is told, byte by byte, and never minds whether that is HTTP. It reads one request after
 * another from each connection.
 *
 * @example startRawServer(() => ['HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,', RESET])
 */
export async function startRawServer(
  answer: (request: RawRequest) => Wire,
  { tls, welcome }: RawServerOptions = {},
): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const serve = (socket: Socket): void => {
    socket.on('error', () => undefined);
    if (welcome !== undefined) welcome(socket);
    else
      void readRequests(socket, async (request) => {
        requests.push(request);
        await play(socket, answer(request));
      });
  };
  const server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await ownPort();
  await once(server.listen(port, 'localhost'), 'listening');
  const goAway = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  closedInTheEnd(goAway);
  return {
    port,
    requests,
    openConnections: () => sockets.size,
    stopListening: () => void server.close(),
    goAway,
    comeBack: async () => {
      await once(server.listen(port, 'localhost'), 'listening');
    },
  };
}

async function readRequests(socket: Socket, handle: (request: RawRequest) => Promise<void>): Promise<void> {
  let read = '';
  try {
    for await (const chunk of socket) {
      read += (chunk as Buffer).toString('latin1');
      for (;;) {
        const request = requestIn(read);
        if (request === undefined) break;
        read = read.slice(request.length);
        await handle(request.request);
      }
    }
  } catch {
    // The client went away.
  }
}

/** The first request in these bytes, and how many of them it takes; `undefined` until all of it is there. */
function requestIn(bytes: string): { readonly request: RawRequest; readonly length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [line = '', ...lines] = bytes.slice(0, end).split('\r\n');
  const [method = '', target = ''] = line.split(' ');
  const headers = Object.fromEntries(
    lines.map((header) => {
      const colon = header.indexOf(':');
      return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
    }),
  );
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return undefined;
  return { request: { method, target, headers, body: bytes.slice(end + 4, length) }, length };
}

async function play(socket: Socket, wire: Wire): Promise<void> {
  for (const step of wire) {
    if (socket.destroyed) return;
    if (typeof step !== 'string' && 'waitMs' in step) await wait(step.waitMs);
    else if (typeof step !== 'string' && 'closes' in step) {
      if (step.closes === 'by a reset') await reset(socket);
      else socket.end();
    } else if (step.length > 0) await new Promise<void>((resolve) => socket.write(step, () => resolve()));
  }
}

/** What was written before is to be read before: a reset throws away what is under way. */
async function reset(socket: Socket): Promise<void> {
  await wait(20);
  socket.resetAndDestroy();
}
