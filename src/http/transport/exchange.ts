/** The interface between the transport and its carrier: undici, or a `fetch` of the application. */
import type { BodyStream, Headers, Headers as HeaderRecord, HttpMethod } from '../../core/model';
import type { Abortion } from '../../operators';

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
