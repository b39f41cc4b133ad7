/** A conformance case: a configuration, what the API answers, and what must come out. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { json } from '../../support/answers';
import type { Answer } from '../../support/answers';
import type { ReceivedRequest } from '../../support/api-server';
import type { JsonObject } from '../../../src';

export interface Exchange {
  readonly name: string;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The request has at least these. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
}

/** In texts, `http://mock-server:80` or `http://mock-server` stands for the origin of the API. */
export interface ConformanceCase {
  readonly id: string;
  /** Of the language. */
  readonly sections: string;
  readonly config: object;
  readonly exchanges: readonly Exchange[];
  /** All requests in order, `METHOD url body`; absent: only those of the exchanges may come, in any order. */
  readonly requests?: readonly string[];
  /** By name with bucket. */
  readonly tables: Readonly<Record<string, { readonly csv: string; readonly manifest: object }>>;
  /** What the last run left. */
  readonly state?: JsonObject;
  /** ISO 8601: the time at which it runs. */
  readonly clock?: string;
  /** Instead of tables: how the run fails, with parts of the message. */
  readonly error?: { readonly code: string; readonly parts: readonly string[] };
}

/** All cases of a folder beside this file. */
export const casesIn = (folder: string): readonly ConformanceCase[] =>
  readdirSync(join(__dirname, folder)).map(
    (file) => JSON.parse(readFileSync(join(__dirname, folder, file), 'utf8')) as ConformanceCase,
  );

/** A text of a case with the real origin of the API. */
export const atOrigin = (text: string, origin: string): string =>
  text.replace(/http:\/\/mock-server(:80)?(?=[/"'\\])/g, origin);

/** The configuration of a case, pointed to the API; an object with host and port names it by them. */
export function configurationAt({ config }: ConformanceCase, origin: string): object {
  const { hostname, port } = new URL(origin);
  const isApi = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && 'host' in value && value.host === 'mock-server';
  return JSON.parse(atOrigin(JSON.stringify(config), origin), (_, value: unknown) =>
    isApi(value) ? { ...value, host: hostname, port: Number(port) } : value,
  ) as object;
}

/** The answer of the exchange that fits a request. */
export function answerTo(request: ReceivedRequest, { exchanges }: ConformanceCase, origin: string): Answer {
  const asked = readRequest(`${request.method} ${request.url} ${request.body}`);
  const fitting = exchanges.find(
    ({ method, url, body, requestHeaders }) =>
      isDeepStrictEqual(readRequest(`${method} ${url} ${body}`), asked) &&
      Object.entries(requestHeaders).every(([name, value]) => request.headers[name.toLowerCase()] === value),
  );
  if (fitting === undefined) return json({ error: `no exchange fits ${request.method} ${request.url}` }, 404);
  const { status, responseHeaders, responseBody } = fitting;
  return (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...responseHeaders })
      .end(atOrigin(responseBody, origin));
}

/** A request in a form that is equal when two requests mean the same, however they are encoded. */
export function readRequest(line: string): object {
  const [, method, path = '', query = '', body = ''] = /^(\S+) ([^?\s]*)\??(\S*)(?: ([\s\S]*))?$/.exec(line) ?? [];
  return { method, path: decodeURIComponent(path), query: pairsOf(query), body: readBody(body) };
}

const pairsOf = (text: string): readonly (readonly string[])[] => [...new URLSearchParams(text)];

function readBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return pairsOf(text);
  }
}
