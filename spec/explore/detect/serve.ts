import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Api } from './apis';

/** A loopback server of one API, and how many requests it had. */
export interface Serving {
  readonly origin: string;
  readonly requests: () => number;
  readonly close: () => Promise<void>;
}

/** Serves an API on a port of its own; other paths than its own are unknown. */
export async function serve({ path, answer }: Pick<Api, 'path' | 'answer'>): Promise<Serving> {
  const [root = ''] = path.split('?');
  let requests = 0;
  let origin = '';
  const server: Server = createServer((request, response) => {
    requests += 1;
    void text(request).then((body) => {
      const url = new URL(request.url ?? '/', origin);
      const isKnown = url.pathname.startsWith(root);
      const sent = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
      const asked = { url, origin, body: sent, headers: request.headers };
      const { status = 200, headers = {}, body: answered } = isKnown ? answer(asked) : { status: 404, body: {} };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof answered === 'string' ? answered : JSON.stringify(answered));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests: () => requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
