/** Restricts the studio to the page of its server, in the browser of the user who started it. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Returns 256 random bits, in characters that are valid in an address. */
export const createToken = (): string => randomBytes(32).toString('base64url');

/** Returns the hosts of the page: any other one is a name that someone has pointed at this machine. */
const hostsOf = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

/**
 * Judges a request for the page and its files, which contain no data of the user. They may be opened from anywhere, but not be embedded in
 * another page.
 *
 * @example refusalOfPage(request, 4020)?.status // 421 for `Host: evil.example`
 */
export function refusalOfPage(request: IncomingMessage, port: number): Refusal | undefined {
  const { method, headers } = request;
  if (!isOwnHost(headers.host, port)) return { status: 421, message: 'This host is not served here.' };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, message: 'Only GET and HEAD are allowed here.' };
  const isForeign = headers['sec-fetch-site'] === 'cross-site' || headers['sec-fetch-site'] === 'same-site';
  if (isForeign && headers['sec-fetch-mode'] !== 'navigate')
    return { status: 403, message: 'Other pages may not load this.' };
  if (headers.origin !== undefined && !isOwnOrigin(headers.origin, headers.host))
    return { status: 403, message: 'This origin may not load this.' };
  return undefined;
}

/**
 * Judges any other request: it has to come from the page, with the token, which other pages do not know.
 *
 * @example refusalOfCall(request, 4020, token)?.status // 401 without the token
 */
export function refusalOfCall(request: IncomingMessage, port: number, token: string): Refusal | undefined {
  const { method, headers } = request;
  if (!isOwnHost(headers.host, port)) return { status: 421, message: 'This host is not served here.' };
  if (!isOwnOrigin(headers.origin, headers.host)) return { status: 403, message: 'This origin may not call this.' };
  if (method !== 'POST') return { status: 405, message: 'Only POST is allowed here.' };
  // A form of another page cannot send this type without a preflight, which gets no response.
  if (headers['content-type'] !== 'application/json')
    return { status: 415, message: 'Only the content type application/json is allowed here.' };
  if (!isToken(headers.authorization, token))
    return { status: 401, message: 'Open the address that "headwater studio" has printed.' };
  return undefined;
}

const isOwnHost = (host: string | undefined, port: number): host is string =>
  host !== undefined && hostsOf(port).includes(host);

const isOwnOrigin = (origin: string | undefined, host: string): boolean => origin === `http://${host}`;

/** Compares the token in constant time. */
const isToken = (authorization: string | undefined, token: string): boolean =>
  timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
