/** The seam between the transport and what carries it: undici, or a `fetch` given by the application. */
import type { BodyStream, Headers, Headers as HeaderRecord, HttpMethod } from '../../core/model';
import type { Abortion } from '../../operators';

/** A request as it goes on the wire: no userinfo in the URL, every header present and legal. */
export interface Outgoing {
  readonly method: HttpMethod;
  readonly url: string;
  /** The origin of the URL. */
  readonly origin: string;
  /** The path of the URL, with its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string;
  /** Whether the body of a success is wanted as it arrives. */
  readonly streams?: boolean;
}

/** The beginning of a response. Its body has to be read, or the signal aborted, or a socket stays open. */
export interface Incoming {
  readonly status: number;
  readonly headers: Headers;
  /** Whether the connection that is closed is all that tells where the body ends. */
  readonly isEndUnknown?: boolean;
  /** The whole body, with its content coding undone. */
  readonly readBody: () => Promise<Uint8Array>;
  /** The body as it arrives, in place of `readBody`: where the request asked for that, and the response is a success. */
  readonly stream?: BodyStream;
}

const OK = 200;

/** Whether the body of a response is given as it arrives: those of other statuses are short, and judged as a whole. */
export const isStreamed = (streams: boolean | undefined, status: number): boolean => streams === true && status === OK;

/** Sends a request; an abortion closes the socket, whether headers or body are under way. */
export type Exchange = (outgoing: Outgoing, abortion: Abortion) => Promise<Incoming>;

/** How far an exchange came before it failed: no header of the response yet, or some of it received. */
export type ExchangePhase = 'waiting' | 'receiving';

/** Carries requests by a `fetch` that the application gives; it undoes content codings itself. */
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
