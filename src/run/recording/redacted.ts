/** Exchanges without their secrets. */
import type { Headers, Request } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { shownLoginBody } from '../../http/body/login-body';
import { version } from '../../core/version';
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
/** A quote, an escaped character, or a word: in JSON outside of strings, all of a value that is neither an object nor a list. */
const JSON_TOKEN = /"|\\[^]|[^\s"\\{}[\],:]+/g;
const BEGINS_JSON = /^\s*[[{]/;
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
  const mimeType = secrets.mask([headers['content-type'] ?? ''].flat().join());
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
              mimeType: secrets.mask([request.headers['content-type'] ?? ''].flat().join()),
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
      content: { size: body.byteLength, mimeType, ...contentOf(body, mimeType, isLogin, secrets) },
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
    .flatMap(([name, value]) =>
      [value].flat().map((line) => ({ name: secrets.maskValues(name), value: headerOf(name, line, secrets) })),
    );

function headerOf(name: string, line: string, secrets: Secrets): string {
  if (name === 'cookie') return MASK;
  // The name of a cookie, and what it is good for, are needed to go on.
  if (name === 'set-cookie') return secrets.mask(line.replace(/^([^=;]*)=[^;]*/, `$1=${MASK}`));
  return SECRET_HEADER.test(name) ? MASK : secrets.mask(line);
}

/** Data are kept but for the secrets of the run; of what a login answers with, only what is no credential for sure. */
function contentOf(
  body: Uint8Array,
  mimeType: string,
  isLogin: boolean,
  secrets: Secrets,
): Pick<HarEntry['response']['content'], 'text' | 'encoding'> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isUtf8 = Buffer.from(bytes.toString('utf8')).equals(bytes);
  // Read as Latin-1, every byte stays what it is.
  const text = bytes.toString(isUtf8 ? 'utf8' : 'latin1');
  const maskedText = isLogin ? shownLoginBody(text, (part) => secrets.mask(part)) : secrets.maskValues(text);
  const needsQuotes =
    !isLogin && maskedText !== text && !isJson(maskedText) && (isJson(text) || mayBeCutJson(text, mimeType));
  const masked = needsQuotes ? withQuotedMasks(maskedText) : maskedText;
  return isUtf8 ? { text: masked } : { text: Buffer.from(masked, 'latin1').toString('base64'), encoding: 'base64' };
}

/** JSON stays JSON: a number that is a secret, or has one in it, becomes a string. What stands in strings is left as it is. */
function withQuotedMasks(json: string): string {
  let isInString = false;
  return json.replace(JSON_TOKEN, (token) => {
    if (token === '"') isInString = !isInString;
    return !isInString && token.includes(MASK) ? `"${token}"` : token;
  });
}

/** An object or a list, or one in each line. */
const isJson = (text: string): boolean =>
  parses(text) || text.split('\n').every((line) => line.trim() === '' || parses(line));

/** A body is kept as far as it was read. */
const mayBeCutJson = (text: string, mimeType: string): boolean => /json/i.test(mimeType) && BEGINS_JSON.test(text);

function parses(text: string): boolean {
  if (!BEGINS_JSON.test(text)) return false;
  try {
    JSON.parse(text.trim());
    return true;
  } catch {
    return false;
  }
}
