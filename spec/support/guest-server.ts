/** An API that gives a guest an empty list: whoever comes with a token that is dead gets status 200 and no rows. */
import { afterDelay, json } from './answers';
import type { Answer } from './answers';
import { startServer } from './api-server';
import type { ApiServer, ReceivedRequest } from './api-server';

export interface GuestServerOptions {
  /** How long a token lives, in milliseconds from the arrival of its login. */
  readonly lives: number;
  /** Milliseconds that pass between the birth of a token and the response that brings it. */
  readonly loginTakes?: number;
  /** Milliseconds that a page takes. */
  readonly pageTakes?: number;
  /** Rows of each path. */
  readonly rows: number;
  /** Answers instead of the list, where it gives something. */
  readonly instead?: (request: ReceivedRequest) => Answer | undefined;
}

export interface GuestServer {
  readonly server: ApiServer;
  readonly logins: () => number;
  /** Requests that came with a dead token. */
  readonly guests: () => number;
}

/** Starts it: `login` gives `token`, `ttl` (seconds), `milliseconds` and `ends` (Unix timestamp); every other path is a list, paged by offset and limit. */
export async function startGuestServer(options: GuestServerOptions): Promise<GuestServer> {
  const { lives, loginTakes = 0, pageTakes = 0, rows, instead } = options;
  const endOf = new Map<string, number>();
  let guests = 0;

  const login = (): Answer => {
    const token = `token-${endOf.size + 1}`;
    const end = Date.now() + lives;
    endOf.set(token, end);
    return afterDelay(loginTakes, json({ token, ttl: lives / 1000, milliseconds: lives, ends: end / 1000 }));
  };
  const list = (url: string): Answer => {
    const query = new URL(url, 'http://guest.invalid').searchParams;
    const offset = Number(query.get('offset') ?? 0);
    const length = Math.max(0, Math.min(Number(query.get('limit') ?? rows), rows - offset));
    return json(Array.from({ length }, (_, at) => ({ id: offset + at })));
  };
  const server = await startServer((request) => {
    if (request.url.startsWith('/login')) return login();
    const isAlive = Date.now() < (endOf.get(String(request.headers['x-token'])) ?? 0);
    if (!isAlive) guests += 1;
    return instead?.(request) ?? afterDelay(pageTakes, isAlive ? list(request.url) : json([]));
  });
  return { server, logins: () => endOf.size, guests: () => guests };
}
