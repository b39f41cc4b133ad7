/**
 * Requests to the studio and their replies: only the page of its server, in the browser of the user who started it, may send any, and the
 * response headers isolate that page.
 */
import { randomBytes, createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

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

/** The maximum bytes of a body; configurations are far smaller. */
const MOST_BYTES = 4_000_000;
/** A document may be a recording of a browser, with the bodies of many responses. */
const MOST_BYTES_OF: ReadonlyMap<string, number> = new Map([['offer', 64_000_000]]);

/** Returns the nonce of the page in the headers, since the editor adds style sheets at run time. */
export const createNonce = (): string => randomBytes(16).toString('base64');

/** @param nonce the nonce of style sheets that the page adds */
export const headersWith = (nonce: string): OutgoingHttpHeaders => ({
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Strings must not become HTML or scripts.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
});

export function reply(response: ServerResponse, status: number, type: string, body: string | Buffer, nonce = ''): void {
  response.writeHead(status, {
    ...headersWith(nonce),
    'content-type': type,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/**
 * Reads the JSON object of a request.
 *
 * @param name the name of the call: some accept more than others
 * @throws RefusedRequest for a body that is too large, or no JSON object
 */
export async function bodyOf(request: IncomingMessage, name: string): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  const most = MOST_BYTES_OF.get(name) ?? MOST_BYTES;
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new RefusedRequest(413, 'TOO_LARGE', `The request is larger than ${most} bytes.`);
    chunks.push(chunk);
  }
  const value = parsed(Buffer.concat(chunks).toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RefusedRequest(400, 'NOT_JSON', 'The request is not a JSON object.');
  return value as Readonly<Record<string, unknown>>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A refused request of the page; the message is for the user. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
