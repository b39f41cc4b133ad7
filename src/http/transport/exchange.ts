/** The interface between the transport and its carrier: undici, or a `fetch` of the application; and the connections that were reset. */
import { subscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { BodyStream, Headers, Headers as HeaderRecord, HttpMethod } from '../../core/model';
import type { Abortion } from '../../operators';

/**
 * Makes a reset of the connection an error, wherever in a body it comes (docs/language/retries.md#what-is-retried).
 *
 * undici takes a reset for the end of a body that has neither a length nor chunks; if the reader of such a body is
 * paused, an assertion fails there and ends the process. Node.js itself reports an end in place of a reset that comes
 * together with data. A diagnostics channel of undici has the sockets, because a dispatcher of the application makes
 * its own.
 */

/** A request of ours, which a socket carries and remembers until it carries another one or is closed. */
export interface Carried {
  /** Is called when the connection is reset; `undefined` when the request is over, so that its response is not kept. */
  onReset: ((error: Error) => void) | undefined;
}

const RESET = 'ECONNRESET';

const carried = new WeakMap<Duplex, Carried>();
const watched = new WeakSet<Duplex>();

let isWatching = false;
/** The request that is written next, if it is ours: undici reports its socket right after its start. */
let starting: Carried | undefined;

/** Has to be called when undici reports the start of a request of ours. */
export const startsCarrying = (request: Carried): void => void (starting = request);

/** Begins to watch the sockets of undici. */
export function watchResets(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe('undici:client:sendHeaders', (message) => {
    const { socket } = message as { readonly socket?: unknown };
    if (!(socket instanceof Duplex)) return;
    if (starting === undefined) carried.delete(socket);
    else carried.set(socket, starting);
    if (starting !== undefined && !watched.has(socket)) watch(socket);
    starting = undefined;
  });
}

function watch(socket: Duplex): void {
  watched.add(socket);
  socket.prependListener('end', () => {
    if (isCutOff(socket)) carried.get(socket)?.onReset?.(Object.assign(new Error(`read ${RESET}`), { code: RESET }));
  });
  // undici knows a reset by its code, which is therefore another one while the listener of undici runs.
  let hidden: NodeJS.ErrnoException | undefined;
  socket.prependListener('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== RESET || !carried.has(socket)) return;
    hidden = error;
    error.code = `${RESET}_IN_BODY`;
  });
  socket.on('error', () => {
    if (hidden !== undefined) hidden.code = RESET;
  });
}

/**
 * Returns whether a socket that has come to its end was reset: then it has no peer any more, which it still has after an
 * end in good order. Something that has asked for the peer before has made the socket remember it.
 */
const isCutOff = (socket: Duplex): boolean =>
  socket instanceof Socket && socket.localAddress !== undefined && socket.remoteAddress === undefined;

/** A request as it is sent: no userinfo in the URL, all headers present and valid. */
export interface Outgoing {
  readonly method: HttpMethod;
  readonly url: string;
  /** The origin of the URL. */
  readonly origin: string;
  /** The path of the URL, with its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string;
  /** True if the body of a success is wanted as a stream. */
  readonly streams?: boolean;
}

/** The beginning of a response. Its body has to be read, or the signal aborted, or a socket stays open. */
export interface Incoming {
  readonly status: number;
  readonly headers: Headers;
  /** True if only the closed connection marks the end of the body. */
  readonly isEndUnknown?: boolean;
  /** Returns the whole body, with its content coding decoded. */
  readonly readBody: () => Promise<Uint8Array>;
  /** The body as a stream, in place of `readBody`, if the request asked for that and the response is a success. */
  readonly stream?: BodyStream;
}

const OK = 200;

/** Returns whether the body of a response is streamed: bodies of other statuses are short, and judged as a whole. */
export const isStreamed = (streams: boolean | undefined, status: number): boolean => streams === true && status === OK;

/** Sends a request; an abortion closes the socket, before or during the body. */
export type Exchange = (outgoing: Outgoing, abortion: Abortion) => Promise<Incoming>;

/** The progress of an exchange before it failed: no header of the response yet, or a part of it. */
export type ExchangePhase = 'waiting' | 'receiving';

/** Sends requests by a `fetch` of the application, which decodes content codings itself. */
export const fetchExchange =
  (fetch: typeof globalThis.fetch): Exchange =>
  async ({ method, url, headers, body, streams }, { signal }) => {
    const leaving = new AbortController();
    const response = await fetch(url, {
      method,
      headers: fetchHeaders(headers),
      redirect: 'manual',
      signal: streams === true ? AbortSignal.any([signal, leaving.signal]) : signal,
      ...(body === undefined ? {} : { body }),
    });
    const isFlowing = isStreamed(streams, response.status);
    return {
      ...(isFlowing ? { stream: streamOf(response, leaving) } : {}),
      status: response.status,
      headers: Object.fromEntries(response.headers),
      readBody: async () => new Uint8Array(await response.arrayBuffer()),
    };
  };

const fetchHeaders = (headers: HeaderRecord): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) => [value].flat().map((line): [string, string] => [name, line]));

function streamOf({ body }: globalThis.Response, leaving: AbortController): BodyStream {
  return {
    async *[Symbol.asyncIterator]() {
      if (body !== null) yield* body as AsyncIterable<Uint8Array>;
    },
    cancel: () => leaving.abort(),
  };
}
