/** Where credentials may go. */

/** Same scheme, host and port; or the same host, upgraded from http to https. */
export function sameOriginOrUpgrade(url: string, home: string): boolean {
  const target = new URL(url);
  const origin = new URL(home);
  if (target.origin === origin.origin) return true;
  return origin.protocol === 'http:' && target.protocol === 'https:' && target.hostname === origin.hostname;
}

/** `host`, `host:port` or `scheme://host[:port]`; without a scheme, https is not lowered to http. */
function namesHost(entry: string, target: URL, base: URL): boolean {
  if (/^https?:\/\//i.test(entry)) return new URL(entry).origin === target.origin;
  if (base.protocol === 'https:' && target.protocol === 'http:') return false;
  const host = entry.toLowerCase();
  return host === target.hostname || host === target.host || host === `${target.hostname}:${impliedPort(target)}`;
}

const impliedPort = ({ port, protocol }: URL): string => {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
};

/** Whether credentials may go to this URL: the origin of the base URL, or a host that `api.http.allowedHosts` names. */
export function isTrusted(url: string, baseUrl: string, allowedHosts: readonly string[]): boolean {
  if (sameOriginOrUpgrade(url, baseUrl)) return true;
  const target = new URL(url);
  const base = new URL(baseUrl);
  return allowedHosts.some((entry) => namesHost(entry, target, base));
}
