import type { BodyStream, Headers as HeaderRecord } from '../../core/model';
import { isStreamed } from './exchange';
import type { Exchange } from './exchange';

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
