/** Reads bodies of requests, and sets the response headers that isolate the page. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

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
