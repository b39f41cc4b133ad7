import { parseUrl } from './parse-url';
import { splitUrl } from './query';
import { checkReference, NoAddress, resolveReference } from './reference';

const ABSOLUTE = /^https?:\/\//i;

/** Whether the string is an absolute http or https address. */
export const isAbsolute = (text: string): boolean => ABSOLUTE.test(text);

/** Whether the string is an absolute http or https address, and a URL. */
export const isAddress = (text: string): boolean => isAbsolute(text) && parseUrl(text) !== undefined;

const withSlash = (address: string): string => (address.endsWith('/') ? address : `${address}/`);
/** Scheme, userinfo, host and port. */
const originOf = (url: string): string => new URL('/', url).href.slice(0, -1);
const normal = (url: string): string => {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
};

/**
 * The URL of an endpoint (docs/language/requests.md#endpoints): absolute addresses stand for themselves, `/…` follows
 * the origin of the base URL, `?…` the base URL, and anything else the base URL and one slash. The base's own query is
 * dropped.
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
 * The address of the next page (docs/language/pagination/response.url.md), normalised. `//host/…` is another host, as
 * everywhere else (RFC 3986 section 4.2), with the scheme of the base URL: whoever sends a request there asks the
 * origin guard first.
 *
 * @param value absolute address, path from the root (`/…`), query (`?…`), or a path to append
 * @param places absolute URLs of the base, the job's endpoint and the request just answered
 * @param relativeTo `endpoint` and `base` append; `request` resolves by RFC 3986 as a browser does
 * @throws NoAddress when it is no http or https address and no path; the message says why
 */
export function nextAddress(
  value: string,
  places: { readonly base: string; readonly endpoint: string; readonly request: string },
  relativeTo: RelativeTo,
): string {
  if (relativeTo === 'request') return resolveReference(value, places.request);
  if (isAbsolute(value) || value.startsWith('//')) return resolveReference(value, places.base);
  checkReference(value);
  return parsed(appended(value, places.base, places[relativeTo]));
}

function appended(value: string, base: string, place: string): string {
  if (value.startsWith('/')) return originOf(base) + value;
  const { path } = splitUrl(place);
  return value.startsWith('?') ? path + value : withSlash(path) + value;
}

function parsed(url: string): string {
  if (parseUrl(url) === undefined) throw new NoAddress('it makes no URL');
  return normal(url);
}
