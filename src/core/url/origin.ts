/** Where credentials may go. */
import { isAbsolute } from './address';

/** The home of the request before, which is that of most requests: each asks several times. */
let lastHome: { readonly text: string; readonly url: URL } | undefined;

function homeOf(text: string): URL {
  if (lastHome?.text !== text) lastHome = { text, url: new URL(text) };
  return lastHome.url;
}

/**
 * Whether two URLs have the same scheme, host and port, or the same host upgraded from http to https, whose port is another one as a rule. A user
 * name in a URL does not matter.
 *
 * @param url absolute URL of a request
 * @param home absolute URL to compare it with
 * @throws TypeError when one of them is not a URL
 * @example sameOriginOrUpgrade('https://h.example/b', 'http://h.example/a') // true
 */
export function sameOriginOrUpgrade(url: string, home: string): boolean {
  const origin = homeOf(home);
  // Nearly always: what begins so is at this origin, whatever follows.
  if (url.startsWith(`${origin.origin}/`)) return true;
  const target = new URL(url);
  if (target.origin === origin.origin) return true;
  return origin.protocol === 'http:' && target.protocol === 'https:' && target.hostname === origin.hostname;
}

/**
 * Whether a URL is of a host that may receive credentials: it is at the origin of the base URL, or at that origin upgraded to
 * https, or `credentialHosts` (`api.http.allowedHosts`) names its host.
 *
 * @param url absolute URL of a request
 * @param baseUrl absolute base URL of the API
 * @param credentialHosts entries `host` (at any port), `host:port` or `scheme://host[:port]`; only the last kind allows
 *   http beside a base URL of https
 * @throws TypeError when one of them is not a URL or a host
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
  // Read as a URL is, so that upper case, other alphabets and a default port are spelled alike.
  const named = new URL(`${target.protocol}//${entry}`);
  return /:\d+$/.test(entry) ? named.host === target.host : named.hostname === target.hostname;
}
