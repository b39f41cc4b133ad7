import type { Headers as HeaderRecord } from '../../model';
import type { Exchange } from './exchange';

/** Carries requests by a `fetch` that the application gives; it undoes content codings itself. */
export const fetchExchange =
  (fetch: typeof globalThis.fetch): Exchange =>
  async ({ method, url, headers, body }, { signal }) => {
    const response = await fetch(url, {
      method,
      headers: fetchHeaders(headers),
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body }),
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      readBody: async () => new Uint8Array(await response.arrayBuffer()),
    };
  };

const fetchHeaders = (headers: HeaderRecord): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) => [value].flat().map((line): [string, string] => [name, line]));
