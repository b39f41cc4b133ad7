/** A scripted API for tests: as a `fetch` without a network, or as a server on the loopback interface. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asyncScheduler, firstValueFrom, timer } from 'rxjs';
import type { SchedulerLike } from 'rxjs';

/** A request that the API received. */
export interface ScriptedRequest {
  readonly method: string;
  readonly url: URL;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The response of the API to a request. */
export type ScriptedAnswer =
  | {
      /** Default 200. */
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** The body: JSON, or else text, or bytes. */
      readonly json?: unknown;
      readonly text?: string;
      readonly bytes?: Uint8Array;
      /** Milliseconds before the response. */
      readonly after?: number;
    }
  /** The connection breaks, is refused, or no response ever comes. */
  | { readonly fails: 'reset' | 'refused' | 'silence' };

/** The responses to requests of a path. */
export interface ScriptedRoute {
  /** Default GET. */
  readonly method?: string;
  readonly path: string;
  /** One response for all requests; several in turn, of which the last one repeats; or a function. */
  readonly answer: ScriptedAnswer | readonly ScriptedAnswer[] | ((request: ScriptedRequest) => ScriptedAnswer);
}

export interface ScriptedApi {
  /** For the option `fetch` of `extract`: every host is this API. */
  readonly fetch: typeof globalThis.fetch;
  /** The requests so far. */
  readonly requests: readonly ScriptedRequest[];
  /** Serves the API on 127.0.0.1. */
  readonly listen: () => Promise<{ readonly url: string; readonly close: () => Promise<void> }>;
}

type Content = Exclude<ScriptedAnswer, { readonly fails: unknown }>;

const CODES = { reset: 'ECONNRESET', refused: 'ECONNREFUSED' } as const;

/**
 * Makes an API that responds by a script, and records its requests. An unknown request gets the status 404.
 *
 * @param routes the first matching route responds to a request
 * @param time the clock for responses with `after`; default: real time
 * @example
 * const api = scriptedApi([{ path: '/rivers', answer: pagesOf([{ id: 1 }, { id: 2 }], { size: 1 }) }]);
 * extract(config, { fetch: api.fetch }).items$.subscribe((item) => console.log(item));
 */
export function scriptedApi(
  routes: readonly ScriptedRoute[],
  { scheduler = asyncScheduler }: { readonly scheduler?: SchedulerLike } = {},
): ScriptedApi {
  const requests: ScriptedRequest[] = [];
  const asked = new Map<ScriptedRoute, number>();

  function answerTo(request: ScriptedRequest): ScriptedAnswer {
    requests.push(request);
    const { method, url } = request;
    const route = routes.find((each) => (each.method ?? 'GET') === method && each.path === url.pathname);
    if (route === undefined) return { status: 404, text: `The script has no route ${method} ${url.pathname}.` };
    const before = asked.get(route) ?? 0;
    asked.set(route, before + 1);
    const { answer } = route;
    if (typeof answer === 'function') return answer(request);
    return isSeveral(answer) ? (answer[Math.min(before, answer.length - 1)] ?? {}) : answer;
  }

  const scriptedFetch: typeof globalThis.fetch = async (input, init) => {
    const asked = new Request(input, { ...init, signal: null });
    const signal = init?.signal ?? undefined;
    signal?.throwIfAborted();
    const answer = answerTo({
      method: asked.method,
      url: new URL(asked.url),
      headers: Object.fromEntries(asked.headers),
      body: await asked.text(),
    });
    const aborted = new Promise<never>((_, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    // It may reject after the response, when nothing waits for it any more.
    aborted.catch(() => undefined);
    if ('fails' in answer) {
      if (answer.fails === 'silence') return aborted;
      throw Object.assign(new TypeError('fetch failed'), { cause: failure(answer.fails) });
    }
    const { status = 200, after } = answer;
    if (after !== undefined) await Promise.race([firstValueFrom(timer(after, scheduler)), aborted]);
    return new Response(BODYLESS.has(status) ? null : bodyOf(answer), { status, headers: headersOf(answer) });
  };

  const listen: ScriptedApi['listen'] = async () => {
    const server = createServer((incoming, outgoing) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of incoming) chunks.push(chunk as Buffer);
        const answer = answerTo({
          method: incoming.method ?? 'GET',
          url: new URL(incoming.url ?? '/', `http://${incoming.headers.host}`),
          headers: Object.fromEntries(
            Object.entries(incoming.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
          ),
          body: Buffer.concat(chunks).toString(),
        });
        if ('fails' in answer) {
          if (answer.fails !== 'silence') incoming.socket.destroy();
          return;
        }
        if (answer.after !== undefined) await firstValueFrom(timer(answer.after, scheduler));
        outgoing.writeHead(answer.status ?? 200, headersOf(answer)).end(bodyOf(answer));
      })();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return { url: `http://127.0.0.1:${port}/`, close };
  };

  return { fetch: scriptedFetch, requests, listen };
}

/** Statuses whose responses have no body. */
export const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

const isSeveral = (answer: ScriptedAnswer | readonly ScriptedAnswer[]): answer is readonly ScriptedAnswer[] =>
  Array.isArray(answer);

const failure = (kind: keyof typeof CODES): Error =>
  Object.assign(new Error(`scripted: ${kind}`), {
    code: CODES[kind],
    syscall: kind === 'refused' ? 'connect' : 'read',
  });

const bodyOf = ({ json, text = '', bytes }: Content): Uint8Array<ArrayBuffer> =>
  new Uint8Array(bytes ?? Buffer.from(json === undefined ? text : JSON.stringify(json)));

const headersOf = ({ json, headers = {} }: Content): Record<string, string> => ({
  ...(json === undefined ? {} : { 'content-type': 'application/json' }),
  ...headers,
});

/** The options of {@link pagesOf}. */
export interface PagesOptions {
  /** The number of items of a page. */
  readonly size: number;
  /** The query parameter with the number of the page, from 1; default `page`. */
  readonly page?: string;
  /** The query parameter with the number of items to skip, instead of `page`. */
  readonly offset?: string;
}

/**
 * Returns a response with a page of items: an array, which is empty after the last one.
 *
 * @example scriptedApi([{ path: '/rivers', answer: pagesOf([{ id: 1 }, { id: 2 }], { size: 1, offset: 'offset' }) }])
 */
export const pagesOf =
  (items: readonly unknown[], { size, page = 'page', offset }: PagesOptions) =>
  ({ url: { searchParams } }: ScriptedRequest): ScriptedAnswer => {
    const from =
      offset === undefined ? (Number(searchParams.get(page) ?? 1) - 1) * size : Number(searchParams.get(offset) ?? 0);
    return { json: items.slice(from, from + size) };
  };

/** Logins of a scripted API. */
export interface ScriptedLogins {
  /** Responds to a login with `{ token, expires_in }`. */
  readonly login: () => ScriptedAnswer;
  /** Responds to requests with a valid token, as `authorization: Bearer …`; others get the status 401. */
  readonly guarded: (
    answer: (request: ScriptedRequest) => ScriptedAnswer,
  ) => (request: ScriptedRequest) => ScriptedAnswer;
}

/**
 * Makes logins whose tokens expire.
 *
 * @param options `seconds`: the lifetime of a token; `scheduler`: the clock
 * @example
 * const { login, guarded } = scriptedLogins({ seconds: 3600, ...virtualTime() });
 * scriptedApi([{ method: 'POST', path: '/login', answer: login }, { path: '/a', answer: guarded(() => ({ json: [] })) }]);
 */
export function scriptedLogins({
  seconds,
  scheduler = asyncScheduler,
}: {
  readonly seconds: number;
  readonly scheduler?: SchedulerLike;
}): ScriptedLogins {
  const ends = new Map<string, number>();
  return {
    login: () => {
      const token = `scripted-token-${ends.size + 1}`;
      ends.set(token, scheduler.now() + seconds * 1000);
      return { json: { token, expires_in: seconds } };
    },
    guarded: (answer) => (request) => {
      const token = request.headers['authorization']?.replace('Bearer ', '') ?? '';
      return scheduler.now() < (ends.get(token) ?? 0)
        ? answer(request)
        : { status: 401, json: { error: 'unauthorized' } };
    },
  };
}
