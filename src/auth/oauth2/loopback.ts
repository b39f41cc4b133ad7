import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InteractiveRuntime } from '../../language/parts/authentication/authentication';
import { loginFailed } from './login-failed';

/** A server on this machine that waits for the browser (RFC 8252 section 7.3). */
export interface Loopback {
  readonly redirectUri: string;
  /** The parameters that the browser came back with, once its state is right. */
  readonly answer: Promise<URLSearchParams>;
  readonly close: () => void;
}

interface Listening extends Pick<InteractiveRuntime, 'port' | 'signal' | 'tell'> {
  /** What the browser has to bring back: nobody else knows it. */
  readonly state: string;
}

const HOST = '127.0.0.1';
const PATH = '/callback';
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
};

/**
 * Listens on 127.0.0.1 for the browser that comes back from a login. A request with another state is refused, and told:
 * somebody else may have made it, so the right one is still waited for.
 *
 * @throws FatalError LOGIN_FAILED when the port is taken
 */
export async function listenForAnswer({ port, state, signal, tell }: Listening): Promise<Loopback> {
  const server = createServer();
  await listening(server, port);
  const { port: chosen } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const answer = new Promise<URLSearchParams>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    server.on('request', (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', `http://${HOST}`);
      if (request.method !== 'GET' || pathname !== PATH) {
        response.writeHead(404, HEADERS).end('Nothing is here.\n');
      } else if (searchParams.get('state') !== state) {
        tell('A browser came back with another state: it is not from this login, and was refused. Still waiting.');
        response
          .writeHead(400, HEADERS)
          .end('This is not the login that headwater waits for. Open its address again.\n');
      } else {
        response
          .writeHead(200, HEADERS)
          .end('headwater has the answer. You may close this window.\n', () => resolve(searchParams));
      }
    });
  });
  // Who never asks for the answer does not fail by it.
  answer.catch(() => undefined);
  return { redirectUri: `http://${HOST}:${chosen}${PATH}`, answer, close };
}

const listening = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        loginFailed(
          `Port ${port} of ${HOST} cannot be used (${error.code ?? error.message}). Name another one with --port.`,
        ),
      ),
    );
    server.listen(port, HOST, resolve);
  });
