import { splitUrl } from './query';

const ABSOLUTE = /^https?:\/\//i;
/** `file://…`, `http:\\…`: an address, but none to follow. A relative path may hold a colon (`reports:run`). */
const OTHER_SCHEME = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/|https?:)/i;

/** Whether the text is an absolute http or https address. */
export const isAbsolute = (text: string): boolean => ABSOLUTE.test(text);

const withSlash = (address: string): string => (address.endsWith('/') ? address : `${address}/`);
/** Scheme, userinfo, host and port. */
const originOf = (url: string): string => new URL('/', url).href.slice(0, -1);
const normal = (url: string): string => {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
};

/**
 * The URL of an endpoint (language 2.2): absolute addresses stand for themselves, `/…` follows the origin of the base
 * URL, `?…` the base URL, and anything else the base URL and one slash. The base's own query is dropped.
 *
 * @throws TypeError when the result is not a URL
 * @example endpointUrl('https://h.example/api/v2', 'items') // 'https://h.example/api/v2/items'
 */
export function endpointUrl(baseUrl: string, endpoint: string): string {
  if (isAbsolute(endpoint)) return normal(endpoint);
  const base = splitUrl(baseUrl).path;
  if (endpoint.startsWith('/')) return normal(originOf(base) + endpoint);
  if (endpoint.startsWith('?')) return normal(base + endpoint);
  return normal(withSlash(base) + endpoint);
}

/** What a relative next-page address is relative to: the job's endpoint, the base URL, or the request just answered. */
export type RelativeTo = 'endpoint' | 'base' | 'request';

/**
 * The address of the next page (specification 4.3.2 rule 1, language 5.5).
 *
 * @param value absolute address, path from the root (`/…`), query (`?…`), or a path to append
 * @param places absolute URLs of the base, the job's endpoint and the request just answered
 * @param relativeTo `endpoint` and `base` append; `request` resolves by RFC 3986 as a browser does
 * @throws TypeError when the result is not a URL
 */
export function nextAddress(
  value: string,
  places: { readonly base: string; readonly endpoint: string; readonly request: string },
  relativeTo: RelativeTo,
): string {
  if (isAbsolute(value)) return normal(value);
  if (OTHER_SCHEME.test(value)) throw new TypeError('an address has to begin with http:// or https://');
  if (relativeTo === 'request') return normal(new URL(value, places.request).href);
  if (value.startsWith('/')) return normal(originOf(places.base) + value);
  const { path } = splitUrl(places[relativeTo]);
  return normal(value.startsWith('?') ? path + value : withSlash(path) + value);
}
