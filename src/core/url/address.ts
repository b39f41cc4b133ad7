/** Addresses: parsing, the URLs of endpoints and next pages, the hosts that may receive credentials, and path globs. */
import { splitUrl } from './query';

/**
 * Parses a string as a URL; returns `undefined` if it is none. It replaces `URL.canParse`: once optimised, the one of
 * Node 20 refuses host names with letters such as `ü`.
 *
 * @param from the absolute URL that the string may be relative to
 * @example parseUrl('/b', 'https://h.example/a')?.href // 'https://h.example/b'
 */
export function parseUrl(text: string, from?: string): URL | undefined {
  try {
    return new URL(text, from);
  } catch {
    return undefined;
  }
}

/** The error for a malformed address in a response. The message says why, and repeats nothing of it. */
export class NoAddress extends TypeError {
  override readonly name = 'NoAddress';
}

const WEB = /^https?:/i;
/** Matches the scheme and the first character of a host. */
const WITH_HOST = /^https?:\/\/[^/\\?#]/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const CONTROL = /\p{Cc}/u;

/**
 * Schemes that have a meaning to browsers, mailers or operating systems. Any other word before a colon may be the name
 * of a resource: a relative path may hold a colon, such as `reports:run` (docs/language/requests.md#endpoints).
 */
const OTHER_SCHEMES: ReadonlySet<string> = new Set(
  (
    'about acct android-app ar blob bolt cap chrome chrome-extension cid data dav dict dns facetime file filesystem finger ' +
    'ftp ftps geo git gopher gs h323 hdfs imap imaps intent ipfs ipns ipp ipps irc ircs itms-apps jar javascript jdbc ldap ' +
    'ldaps livescript magnet mailto maps mid mms mocha mongodb moz-extension mqtt mqtts ms-appx mysql nats news nfs nntp ' +
    'oci opaquelocktoken pkcs11 pop pop3 pop3s postgres postgresql redis rediss resource rsync rtmp rtsp s3 scp sftp sip ' +
    'sips skype slack sms smsto smtp smtps snmp socks socks5 spotify ssh stun svn tel telnet tftp turn unix urn vbscript ' +
    'view-source vnc webcal ws wss wyciwyg xmpp zoommtg'
  ).split(' '),
);

/**
 * Refuses an unsafe address of a response: a scheme other than http and https, a scheme without a host, white space
 * around it, control characters, and backslashes where a host may be. URL parsers ignore these, each in its own way, so
 * a path of this host may turn out to be one of another host.
 *
 * @param reference an absolute address, or one that is relative to another
 * @throws NoAddress
 * @example checkReference('javascript:alert(1)') // throws
 */
export function checkReference(reference: string): void {
  const fault = faultOf(reference);
  if (fault !== undefined) throw new NoAddress(fault);
}

function faultOf(reference: string): string | undefined {
  if (CONTROL.test(reference)) return 'it holds a control character, such as a tab or a line break';
  if (reference.trim() !== reference) return 'white space stands around it';
  if (/^[/\\]?\\/.test(reference)) return 'it begins with a backslash';
  if (reference.startsWith('#')) return 'it names a part of a page';
  if (/^\/\/(?![^/\\?#])/.test(reference)) return 'it names no host';
  if (WEB.test(reference)) {
    if (!WITH_HOST.test(reference)) return 'an address has to begin with http:// or https:// and a host';
    return hostOf(reference).includes('\\') ? 'its host holds a backslash' : undefined;
  }
  const scheme = SCHEME.exec(reference)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  if (OTHER_SCHEMES.has(scheme) || /^[^:]+:[/\\]{2}/.test(reference))
    return `an address of the scheme "${scheme}" is neither http nor https`;
  return undefined;
}

/**
 * Refuses an unsafe query of a response: an address, and anything that {@link checkReference} refuses.
 *
 * @param query with or without its `?`
 * @throws NoAddress
 * @example checkQuery('?page=2')
 */
export function checkQuery(query: string): void {
  checkReference(query);
  if (WEB.test(query) || query.startsWith('//')) throw new NoAddress('it is an address, and no query');
}

/** Returns the authority of an absolute address in its original spelling: the text between `//` and the path. */
const hostOf = (address: string): string => splitUrl(address).path.split('/', 3)[2] ?? '';

/**
 * Resolves a reference of a response by RFC 3986, and normalises it: the host is in lower case, in ASCII, and in dotted
 * decimal numbers if it is an address of IPv4 in whatever spelling. A fragment is dropped.
 *
 * @param from the absolute URL that the reference is relative to
 * @throws NoAddress if the result is not an http or https address
 * @example resolveReference('//H.example/b', 'https://a.example/') // 'https://h.example/b'
 */
export function resolveReference(reference: string, from: string): string {
  checkReference(reference);
  const url = parseUrl(reference, from);
  if (url === undefined) throw new NoAddress('it is no URL');
  if (!WEB.test(url.protocol)) throw new NoAddress(`a word and a colon, "${url.protocol}", stand where a scheme does`);
  url.hash = '';
  return url.href;
}

const ABSOLUTE = /^https?:\/\//i;

/** Returns whether the string is an absolute http or https address. */
export const isAbsolute = (text: string): boolean => ABSOLUTE.test(text);

/** Returns whether the string is an absolute http or https address, and a URL. */
export const isAddress = (text: string): boolean => isAbsolute(text) && parseUrl(text) !== undefined;

const withSlash = (address: string): string => (address.endsWith('/') ? address : `${address}/`);
/** Returns scheme, userinfo, host and port. */
const originOf = (url: string): string => new URL('/', url).href.slice(0, -1);
const normal = (url: string): string => {
  if (partsOfNormal(url) !== undefined) return url;
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
};

/** The parts of an address for a request: the path has its query. */
export interface AddressParts {
  readonly origin: string;
  readonly path: string;
}

/** Matches an address whose path and query the parser of URLs leaves as they are, unless it has a segment of dots. */
const LEFT_AS_IT_IS = /^https?:\/\/[^/?#@\s]+(?=(\/[\w\-.~!$&()*+,;=:@/%]*(?:\?[\w\-.~!$&()*+,;=:@/%?]+)?)$)/;
const SEGMENT_OF_DOTS = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;
const normalOrigins = new Map<string, boolean>();
const MOST_ORIGINS = 1000;

/**
 * Returns the parts of an address that is in normal form: parsing it would change nothing. It costs a tenth of parsing,
 * and most addresses of a run are in that form.
 *
 * @returns `undefined` for an address that has to be parsed
 * @example partsOfNormal('https://h.example/a?b=1') // { origin: 'https://h.example', path: '/a?b=1' }
 */
export function partsOfNormal(url: string): AddressParts | undefined {
  const [origin, path] = LEFT_AS_IT_IS.exec(url) ?? [];
  if (origin === undefined || path === undefined || SEGMENT_OF_DOTS.test(path)) return undefined;
  let isNormal = normalOrigins.get(origin);
  if (isNormal === undefined) {
    isNormal = parseUrl(origin)?.origin === origin;
    if (normalOrigins.size >= MOST_ORIGINS) normalOrigins.clear();
    normalOrigins.set(origin, isNormal);
  }
  return isNormal ? { origin, path } : undefined;
}

/**
 * Returns the URL of an endpoint (docs/language/requests.md#endpoints): an absolute address stays as it is, `/…`
 * follows the origin of the base URL, `?…` the base URL, and anything else the base URL and one slash. The base's own
 * query is dropped.
 *
 * @throws TypeError if the result is not a URL
 * @example endpointUrl('https://h.example/api/v2', 'items') // 'https://h.example/api/v2/items'
 */
export function endpointUrl(baseUrl: string, endpoint: string): string {
  if (isAbsolute(endpoint)) return normal(endpoint);
  const base = splitUrl(baseUrl).path;
  if (endpoint.startsWith('/')) return normal(originOf(base) + endpoint);
  if (endpoint.startsWith('?')) return normal(base + endpoint);
  return normal(withSlash(base) + endpoint);
}

/** The base of a relative next-page address: the job's endpoint, the base URL, or the request just answered. */
export type RelativeTo = 'endpoint' | 'base' | 'request';

/**
 * Returns the address of the next page (docs/language/pagination/response.url.md), normalised. `//host/…` is another
 * host, as everywhere else (RFC 3986 section 4.2), with the scheme of the base URL: the origin guard checks each
 * request to it.
 *
 * @param value absolute address, path from the root (`/…`), query (`?…`), or a path to append
 * @param places absolute URLs of the base, the job's endpoint and the request just answered
 * @param relativeTo `endpoint` and `base` append; `request` resolves by RFC 3986 as a browser does
 * @throws NoAddress if it is neither an http or https address nor a path; the message says why
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

/** Decides which URLs may receive credentials. */

/** The parsed home of the previous request. Most requests have the same one, and each checks it several times. */
let lastHome: { readonly text: string; readonly url: URL } | undefined;

function homeOf(text: string): URL {
  if (lastHome?.text !== text) lastHome = { text, url: new URL(text) };
  return lastHome.url;
}

/**
 * Returns whether two URLs have the same scheme, host and port, or the same host upgraded from http to https, where the
 * port usually differs. A user name in a URL does not matter.
 *
 * @param url the absolute URL of a request
 * @param home the absolute URL to compare it with
 * @throws TypeError if one of them is not a URL
 * @example sameOriginOrUpgrade('https://h.example/b', 'http://h.example/a') // true
 */
export function sameOriginOrUpgrade(url: string, home: string): boolean {
  const origin = homeOf(home);
  // This is nearly always so: a URL with this beginning is at this origin.
  if (url.startsWith(`${origin.origin}/`)) return true;
  const target = new URL(url);
  if (target.origin === origin.origin) return true;
  return origin.protocol === 'http:' && target.protocol === 'https:' && target.hostname === origin.hostname;
}

/**
 * Returns whether the host of a URL may receive credentials: the URL is at the origin of the base URL, or at that
 * origin upgraded to https, or `credentialHosts` (`api.http.allowedHosts`) names its host.
 *
 * @param url absolute URL of a request
 * @param baseUrl absolute base URL of the API
 * @param credentialHosts entries `host` (at any port), `host:port` or `scheme://host[:port]`; only the last kind allows
 *   http beside a base URL of https
 * @throws TypeError if one of them is not a URL or a host
 * @example mayReceiveCredentials('https://files.example/1', 'https://api.example/', ['files.example']) // true
 */
export function mayReceiveCredentials(url: string, baseUrl: string, credentialHosts: readonly string[]): boolean {
  if (sameOriginOrUpgrade(url, baseUrl)) return true;
  const target = new URL(url);
  const base = new URL(baseUrl);
  return credentialHosts.some((entry) => namesHost(entry, target, base));
}

function namesHost(entry: string, target: URL, base: URL): boolean {
  if (isAbsolute(entry)) return new URL(entry).origin === target.origin;
  if (target.protocol !== 'https:' && target.protocol !== base.protocol) return false;
  // The entry is parsed as a URL, so that upper case, other alphabets and a default port are normalised.
  const named = new URL(`${target.protocol}//${entry}`);
  return /:\d+$/.test(entry) ? named.host === target.host : named.hostname === target.hostname;
}

/**
 * Compiles a glob over the path of a URL: `*` stands for anything within a segment, `**` for anything, and a segment
 * `**` also for no segment. Percent-encoding makes no difference, except for reserved characters (`%2F` is not `/`).
 *
 * @returns a function that returns whether a path, as in {@link URL.pathname}, matches
 * @example pathGlob('/v1/**')('/v1') // true
 * @example pathGlob('/v1/*')('/v1/a/b') // false
 */
export function pathGlob(glob: string): (path: string) => boolean {
  const parts = decoded(glob).match(/\/\*\*(?=\/|$)|\*\*|\*|[^*/]+|\//g) ?? [];
  const pattern = new RegExp(`^${parts.map(patternOf).join('')}$`, 's');
  return (path) => pattern.test(decoded(path));
}

function patternOf(part: string): string {
  if (part === '/**') return '(?:/.*)?';
  if (part === '**') return '.*';
  if (part === '*') return '[^/]*';
  return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
