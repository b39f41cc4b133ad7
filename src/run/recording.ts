import { defer, finalize, map, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { HeadwaterError } from '../core/errors/errors';
import type { RunEvent } from '../core/events';
import type { BodyStream, Headers, Request, Response } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { version } from '../core/version';
import { shownLoginBody } from '../http/masking';
import { defineMiddleware } from '../language/parts/middleware';
import type { MiddlewareDefinition } from '../language/parts/middleware';

/** The requests and responses of a run, as an HTTP Archive (HAR 1.2): https://w3c.github.io/web-performance/specs/HAR/Overview.html */

export interface HarHeader {
  readonly name: string;
  readonly value: string;
}

/** A request and its response. */
export interface HarEntry {
  /** ISO 8601. */
  readonly startedDateTime: string;
  /** Milliseconds. */
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly never[];
    readonly headers: readonly HarHeader[];
    readonly queryString: readonly HarHeader[];
    readonly postData?: { readonly mimeType: string; readonly text: string };
    readonly headersSize: -1;
    readonly bodySize: number;
  };
  /** Status 0: there was no response, and `_error` says why. */
  readonly response: {
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly never[];
    readonly headers: readonly HarHeader[];
    readonly content: {
      readonly size: number;
      readonly mimeType: string;
      readonly text: string;
      /** Set for a body that is no text. */
      readonly encoding?: 'base64';
    };
    readonly redirectURL: string;
    readonly headersSize: -1;
    readonly bodySize: number;
    /** The code of the error. */
    readonly _error?: string;
  };
  readonly cache: Readonly<Record<string, never>>;
  readonly timings: { readonly send: 0; readonly wait: number; readonly receive: 0 };
}

/** A recording, in which secret values are `***`. */
export interface Har {
  readonly log: {
    readonly version: '1.2';
    readonly creator: { readonly name: string; readonly version: string };
    readonly entries: readonly HarEntry[];
    /** The start of the run in Unix seconds: a replay starts at the same moment. */
    readonly _startedAt: number;
  };
}

/** Options that may record the exchanges of a run. */
interface Recordable {
  readonly secrets: Secrets;
  readonly middleware: readonly MiddlewareDefinition[];
}

/**
 * Runs with a recorder, if one is requested: all exchanges are held until the run has ended in any way.
 *
 * @param record receives the recording; absent: nothing is recorded
 * @param options of the run: the recorder is inside of all middleware, where a request is as it is sent
 */
export function recorded<O extends Recordable>(
  record: ((recording: Har) => void) | undefined,
  options: O,
  run: (options: O) => Observable<RunEvent>,
): Observable<RunEvent> {
  if (record === undefined) return run(options);
  const exchanges: Exchange[] = [];
  let startedAt = 0;
  return run({ ...options, middleware: [...options.middleware, recorder(exchanges)] }).pipe(
    tap((event) => {
      if (event.type === 'run.started') startedAt = event.startedAt;
    }),
    finalize(() => record(redacted(exchanges, startedAt, options.secrets))),
  );
}

/** Records each attempt as it is sent, and its response. */
export const recorder = (exchanges: Exchange[]): MiddlewareDefinition =>
  defineMiddleware({
    name: 'headwater/recorder',
    summary: 'Keeps each attempt.',
    around: 'attempt',
    middleware: (send) => (request) =>
      defer(() => {
        const startedAt = Date.now();
        const exchange: Exchange = { request, startedAt, milliseconds: 0, body: new Uint8Array(0) };
        exchanges.push(exchange);
        const over = (): void => void (exchange.milliseconds = Date.now() - startedAt);
        return send(request).pipe(
          map((response) => {
            exchange.response = response;
            exchange.body = response.body;
            over();
            return response.stream === undefined ? response : { ...response, stream: kept(response.stream, exchange) };
          }),
          tap({
            error: (error: unknown) => {
              over();
              exchange.error = error instanceof HeadwaterError ? error.code : 'NETWORK_PROTOCOL';
            },
          }),
        );
      }),
  });

/** Records a body as it passes, as far as it is read. */
const kept = (stream: BodyStream, exchange: Exchange): NonNullable<Response['stream']> => ({
  cancel: stream.cancel,
  async *[Symbol.asyncIterator]() {
    const chunks: Uint8Array[] = [];
    try {
      for await (const chunk of stream) {
        chunks.push(chunk);
        yield chunk;
      }
    } finally {
      exchange.body = Buffer.concat(chunks);
    }
  },
});

/** An exchange with its secrets. */
export interface Exchange {
  readonly request: Request;
  readonly startedAt: number;
  milliseconds: number;
  response?: { readonly status: number; readonly headers: Headers };
  body: Uint8Array;
  error?: string;
}

const MASK = '***';
/** A quote, an escaped character, or a word: in JSON outside of strings, a whole value that is neither an object nor a list. */
const JSON_TOKEN = /"|\\[^]|[^\s"\\{}[\],:]+/g;
const BEGINS_JSON = /^\s*[[{]/;
const SECRET_HEADER = /authorization|token|secret|signature|password|api-?key/;
/** Headers that describe only the bytes on the wire: bodies are recorded without their content coding. */
const OF_THE_WIRE: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

/**
 * Returns the recording of a run. It is made at the end, when all secrets are known: a token is sent before the response that contains it
 * is read.
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
  // The name and the attributes of a cookie are needed for a replay.
  if (name === 'set-cookie') return secrets.mask(line.replace(/^([^=;]*)=[^;]*/, `$1=${MASK}`));
  return SECRET_HEADER.test(name) ? MASK : secrets.mask(line);
}

/**
 * Returns the content of a body. Data are kept except for the secrets of the run; of the response to a login, only what is certainly no
 * credential.
 */
function contentOf(
  body: Uint8Array,
  mimeType: string,
  isLogin: boolean,
  secrets: Secrets,
): Pick<HarEntry['response']['content'], 'text' | 'encoding'> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isUtf8 = Buffer.from(bytes.toString('utf8')).equals(bytes);
  // Latin-1 keeps every byte.
  const text = bytes.toString(isUtf8 ? 'utf8' : 'latin1');
  const maskedText = isLogin ? shownLoginBody(text, (part) => secrets.mask(part)) : secrets.maskValues(text);
  const needsQuotes =
    !isLogin && maskedText !== text && !isJson(maskedText) && (isJson(text) || mayBeCutJson(text, mimeType));
  const masked = needsQuotes ? withQuotedMasks(maskedText) : maskedText;
  return isUtf8 ? { text: masked } : { text: Buffer.from(masked, 'latin1').toString('base64'), encoding: 'base64' };
}

/** Returns valid JSON: a number that is, or contains, a secret becomes a string. The content of strings stays. */
function withQuotedMasks(json: string): string {
  let isInString = false;
  return json.replace(JSON_TOKEN, (token) => {
    if (token === '"') isInString = !isInString;
    return !isInString && token.includes(MASK) ? `"${token}"` : token;
  });
}

/** Returns whether a text is an object or a list, or has one in each line. */
const isJson = (text: string): boolean =>
  parses(text) || text.split('\n').every((line) => line.trim() === '' || parses(line));

/** Returns whether a body may be JSON that is cut, since it is kept only as far as it was read. */
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
