/** Exchanges without their secrets. */
import type { Headers, Request } from '../model';
import type { Secrets } from '../secrets';
import { version } from '../version';
import type { Har, HarEntry, HarHeader } from './har';

/** An exchange as it was. */
export interface Exchange {
  readonly request: Request;
  readonly startedAt: number;
  milliseconds: number;
  response?: { readonly status: number; readonly headers: Headers };
  body: Uint8Array;
  error?: string;
}

const MASK = '***';
const SECRET_HEADER = /authorization|token|secret|signature|password|api-?key/;
/** Headers that are true of the bytes on the wire alone: bodies are kept with their content coding undone. */
const OF_THE_WIRE: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

/**
 * The recording of a run. It is made at the end, when all secrets are known: a token is sent before anybody has read the
 * response that it came with.
 *
 * @param startedAt Unix seconds
 */
export const redacted = (exchanges: readonly Exchange[], startedAt: number, secrets: Secrets): Har => ({
  log: {
    version: '1.2',
    creator: { name: 'headwater', version },
    entries: exchanges.map((exchange) => entryOf(exchange, secrets)),
    _startedAt: startedAt,
  },
});

function entryOf(exchange: Exchange, secrets: Secrets): HarEntry {
  const { request, startedAt, milliseconds, response, body, error } = exchange;
  const url = secrets.mask(withoutUser(request.url));
  const isLogin = request.purpose.kind === 'login';
  const headers = response?.headers ?? {};
  const mimeType = [headers['content-type'] ?? ''].flat().join();
  return {
    startedDateTime: new Date(startedAt).toISOString(),
    time: milliseconds,
    request: {
      method: request.method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(request.headers, secrets),
      queryString: queryOf(url),
      ...(request.body === undefined
        ? {}
        : {
            postData: {
              mimeType: [request.headers['content-type'] ?? ''].flat().join(),
              text: isLogin ? secrets.mask(request.body) : secrets.maskValues(request.body),
            },
          }),
      headersSize: -1,
      bodySize: Buffer.byteLength(request.body ?? ''),
    },
    response: {
      status: response?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(headers, secrets),
      content: { size: body.byteLength, mimeType, ...contentOf(body, isLogin, secrets) },
      redirectURL: secrets.mask([headers['location'] ?? ''].flat().join()),
      headersSize: -1,
      bodySize: body.byteLength,
      ...(error === undefined ? {} : { _error: error }),
    },
    cache: {},
    timings: { send: 0, wait: milliseconds, receive: 0 },
  };
}

function withoutUser(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

const queryOf = (url: string): HarHeader[] =>
  URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : [];

const headersOf = (headers: Headers, secrets: Secrets): HarHeader[] =>
  Object.entries(headers)
    .filter(([name]) => !OF_THE_WIRE.has(name))
    .flatMap(([name, value]) => [value].flat().map((line) => ({ name, value: headerOf(name, line, secrets) })));

function headerOf(name: string, line: string, secrets: Secrets): string {
  if (name === 'cookie') return MASK;
  // The name of a cookie, and what it is good for, are needed to go on.
  if (name === 'set-cookie') return secrets.mask(line.replace(/^([^=;]*)=[^;]*/, `$1=${MASK}`));
  return SECRET_HEADER.test(name) ? MASK : secrets.mask(line);
}

/** Data are kept but for the secrets of the run; what a login answers with loses what is secret by its name, too. */
function contentOf(
  body: Uint8Array,
  isLogin: boolean,
  secrets: Secrets,
): Pick<HarEntry['response']['content'], 'text' | 'encoding'> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes))
    return {
      text: Buffer.from(secrets.maskValues(bytes.toString('latin1')), 'latin1').toString('base64'),
      encoding: 'base64',
    };
  const masked = isLogin ? secrets.mask(text) : secrets.maskValues(text);
  // A number that is a secret becomes a string, so that JSON stays JSON.
  return { text: masked === text ? text : masked.replace(/([:[,]\s*)\*\*\*(?=\s*[,}\]])/g, `$1"${MASK}"`) };
}
