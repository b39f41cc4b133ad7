/** Sends the requests of detection: one at a time, up to a maximum, with the transport of runs. */
import { defer, firstValueFrom, from, of, switchMap, tap, throwError, toArray } from 'rxjs';
import type { Observable } from 'rxjs';
import { client } from '../../run/client';
import { printable } from '../detect/configuration-text';
import { isSecretParam } from '../detect/secrets';
import { headerOf } from '../detect/model';
import { configurationOf, type Parts } from '../detect/configuration';
import { placeInBody } from '../detect/paging/names';
import type { Probe } from '../detect/paging/sign';
import type { RecordedAnswer } from '../detect/recorded-fetch';
import type { Subject } from '../detect/subject';
import { writtenCredentials } from '../detect/credentials';
import { FatalError, HeadwaterError } from '../../core/errors/errors';
import { defineMiddleware } from '../../language/parts/middleware';
import { extract } from '../../run/extract';
import { defined, entriesOf, isObject, objectAt, objectFrom, merge } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import { textOf } from '../../core/json/scalars';
import type { Json, JsonObject, JsonScalar, Page, Request, Response } from '../../core/model';
import type { TransportChoice } from '../../run/sessions/sessions';
import { encodePairs, paramPairs } from '../../core/url/query';

/** The options for requests of detection. */
export interface AskOptions extends Pick<TransportChoice, 'dispatcher' | 'fetch' | 'proxies'> {
  /** The maximum number of requests; default 12. */
  readonly maxRequests?: number;
  /** Is asked once, when so many requests were sent, whether up to 60 may be; default: no. */
  readonly mayExceed?: (sent: number) => Promise<boolean>;
  /** Is called before each request with its number, its method and its address without secrets. Must not throw. */
  readonly onRequest?: (request: AskedRequest) => void;
  readonly signal?: AbortSignal;
}

/** A request of detection, as it is announced. */
export interface AskedRequest {
  /** Counted from 1. */
  readonly number: number;
  readonly method: string;
  readonly url: string;
}

/** The result of running a job for at most two pages; or its failure. */
export type Trial = { readonly pages: readonly Page[] } | { readonly error: HeadwaterError };

/** Sends the requests of one detection. */
export interface Asker {
  /** Sends the request itself, with the parameters of a probe if there is one. */
  readonly ask: (probe?: Probe) => Promise<Response>;
  /** Runs a configuration for its first pages. */
  readonly run: (parts: Omit<Parts, 'subject'>, pages: number) => Promise<Trial>;
  readonly requests: () => number;
  /** Returns the responses to the request itself, and to the first page of each run. */
  readonly received: () => readonly RecordedAnswer[];
  readonly close: () => Promise<void>;
}

/** No more requests may be sent: the API said so, or the limit is reached. */
export class RequestLimitReached extends Error {
  override readonly name = 'RequestLimitReached';
}

/** The maximum number of requests without consent, and with it. */
const [FEW_REQUESTS, MOST_REQUESTS] = [12, 60];
const TIMEOUT_SECONDS = 60;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const TOO_MANY_REQUESTS = 429;
/** The maximum wait that the API may ask for, since a user waits for the result. */
const LONGEST_WAIT_SECONDS = 10;

/** @example await askerOf(subject).ask() */
export function askerOf(subject: Subject, options: AskOptions = {}): Asker {
  const { maxRequests, mayExceed, onRequest, signal, ...transport } = options;
  const { api, config } = patient(configurationOf({ subject }, true));
  const credentials = objectFrom(entriesOf(config).filter(([key]) => key !== 'jobs'));
  const limit = limitOf({
    ...defined({ maxRequests, mayExceed }),
    report: (request, number) => onRequest?.({ number, method: request.method, url: shownUrl(request, subject) }),
  });
  const common = { ...transport, components: [limit.middleware], ...defined({ signal }) };
  const own = client(api, { credentials, ...common });
  const received: RecordedAnswer[] = [];
  const written = writtenCredentials(subject, true);
  const headers = { ...subject.headers, ...plainHeaders(subject, written.headers) };
  const secretParams = plainParams(subject, written.params);
  return {
    ask: async (probe) => {
      const { method, body, isForm } = subject;
      const response = await limit.within(
        own.request({
          method,
          url: withParams(
            subject.url,
            merge(probe === undefined || body !== undefined ? {} : probe.params, secretParams),
          ),
          headers: {
            accept: 'application/json, */*;q=0.5',
            ...headers,
            ...(body === undefined ? {} : { 'content-type': isForm === true ? FORM_TYPE : 'application/json' }),
          },
          ...(body === undefined ? {} : { body: sentText(subject, probe?.params ?? {}) }),
        }),
      );
      if (response.status === TOO_MANY_REQUESTS) limit.end();
      if (probe === undefined) received.push(recordedOf(response));
      return response;
    },
    run: async (parts, pages) => {
      const document = patient(configurationOf({ ...parts, subject }, true), pages);
      try {
        const extraction = extract(document, { completeness: 'off', ...common });
        const all = await limit.within(extraction.pages$.pipe(toArray()));
        received.push(...all.slice(0, 1).map(({ reply }) => recordedOf(reply.response)));
        return { pages: all };
      } catch (error) {
        if (!(error instanceof HeadwaterError)) throw error;
        if (error.status === TOO_MANY_REQUESTS) limit.end();
        return { error };
      }
    },
    requests: limit.sent,
    received: () => received,
    close: () => own.close(),
  };
}

/** What detection may send, and whether the person or the API forbids more. */
interface Limit {
  readonly middleware: ReturnType<typeof defineMiddleware>;
  readonly sent: () => number;
  /** Ends detection, since the API asks for fewer requests. */
  readonly end: () => void;
  /** @throws RequestLimitReached if no more may be sent */
  readonly within: <T>(sent$: Observable<T>) => Promise<T>;
}

/** Counts and announces what is really sent. A request that was answered before is answered from memory. */
function limitOf({
  maxRequests = FEW_REQUESTS,
  mayExceed,
  report,
}: Pick<AskOptions, 'maxRequests' | 'mayExceed'> & {
  readonly report: (request: Request, number: number) => void;
}): Limit {
  const answered = new Map<string, Response>();
  let [sent, most, isOver, isAsked] = [0, maxRequests, false, false];
  const allowed = async (): Promise<boolean> => {
    if (sent < most) return true;
    if (mayExceed === undefined || isAsked) return false;
    isAsked = true;
    if (await mayExceed(sent)) most = Math.max(most, MOST_REQUESTS);
    return sent < most;
  };
  const middleware = defineMiddleware({
    name: 'detection',
    around: 'attempt',
    middleware: (send) => (request) => {
      const key = stringifyJson([request.method, request.url, request.body ?? null]);
      return defer(() => {
        const known = answered.get(key);
        if (known !== undefined) return of({ ...known, request });
        return from(isOver ? Promise.resolve(false) : allowed()).pipe(
          switchMap((isAllowed) => {
            if (!isAllowed) {
              isOver = true;
              return throwError(() => new FatalError('PAGE_LIMIT', 'No more requests may be sent.'));
            }
            sent += 1;
            report(request, sent);
            return send(request);
          }),
          tap((response) => {
            if (response.status !== TOO_MANY_REQUESTS && request.purpose.kind === 'page') answered.set(key, response);
          }),
        );
      });
    },
  });
  return {
    middleware,
    sent: () => sent,
    end: () => {
      isOver = true;
    },
    within: async (sent$) => {
      try {
        return await firstValueFrom(sent$);
      } catch (error) {
        throw isOver ? new RequestLimitReached() : error;
      }
    },
  };
}

/** Returns the address of a request without its secrets. */
function shownUrl({ url }: Request, { credentials }: Subject): string {
  const address = new URL(url);
  for (const [name, value] of [...address.searchParams])
    if (isSecretParam(name, value) || credentials.some(({ secret }) => secret !== '' && value.includes(secret)))
      address.searchParams.set(name, '***');
  return printable(decodedQuery(address));
}

/** Brackets and dollars stay readable. */
const decodedQuery = ({ href }: URL): string => href.replace(/%(?:5B|5D|24)/gi, decodeURIComponent);

/** Headers of the transfer, which is complete. */
const TRANSFER = /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive|set-cookie|trailer)$/;

/** Returns the response as that to the request that was asked for, whatever redirects led to it. */
function recordedOf({ request, status, headers, body }: Response): RecordedAnswer {
  const { method, body: requestBody, redirectedFrom } = request;
  const { url } = redirectedFrom ?? request;
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    TRANSFER.test(name) ? [] : [[name, [value].flat().join(', ')]],
  );
  const type = headerOf({ headers }, 'content-type')?.replace(/;.*$/s, '');
  return {
    ...{ method, url, status, body: Buffer.from(body).toString('utf8') },
    headers: { ...Object.fromEntries(kept), ...defined({ 'content-type': type }) },
    ...defined({ requestBody }),
  };
}

/** Returns the body of the subject with the parameters of a probe, as it is sent. */
function sentText({ body = null, isForm }: Subject, params: Probe['params']): string {
  const inBody = (object: JsonObject): JsonObject =>
    Object.entries(params).reduce<JsonObject>(
      (before, [name, value]) => merge(before, nested(isForm === true ? [name] : placeInBody(object, name), value)),
      object,
    );
  const whole = isObject(body) ? inBody(body) : body;
  return isForm === true && isObject(whole) ? encodePairs(paramPairs(whole)) : stringifyJson(whole);
}

const nested = (path: readonly string[], value: Json): JsonObject => {
  const [first = '', ...others] = path;
  return { [first]: others.length === 0 ? value : nested(others, value) };
};

/** Returns the headers with secrets that are no authentication of the configuration, and the given ones. */
const plainHeaders = (subject: Subject, written: JsonObject): Record<string, string> =>
  Object.fromEntries(
    subject.credentials.flatMap((each) => {
      if (each.kind === 'header')
        return Object.hasOwn(written, each.name)
          ? [[each.name, [each.scheme ?? [], each.secret].flat().join(' ')]]
          : [];
      if (!Object.hasOwn(written, 'authorization')) return [];
      if (each.kind === 'bearer') return [['authorization', `${each.scheme} ${each.secret}`]];
      return each.kind === 'basic' ? [['authorization', basicHeader(each.username, each.secret)]] : [];
    }),
  );

const basicHeader = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Returns the parameters with secrets in the same way. */
const plainParams = (subject: Subject, written: JsonObject): Record<string, string> =>
  Object.fromEntries(
    subject.credentials.flatMap((each) =>
      each.kind === 'query' && Object.hasOwn(written, each.name) ? [[each.name, each.secret]] : [],
    ),
  );

/** Returns a configuration that waits a little if the API asks for it, retries nothing else, and ends after some pages. */
function patient(document: JsonObject, pages?: number): { readonly api: JsonObject; readonly config: JsonObject } {
  const [api, config] = [objectAt(document, 'api'), objectAt(document, 'config')];
  const isPaged = pages !== undefined && Object.hasOwn(api, 'pagination');
  const patience = {
    http: { requestTimeout: TIMEOUT_SECONDS, connectTimeout: TIMEOUT_SECONDS / 4 },
    retryConfig: {
      ...{ maxRetries: 2, maxDelay: LONGEST_WAIT_SECONDS },
      ...{ http: { codes: [TOO_MANY_REQUESTS] }, curl: { codes: [] } },
    },
    ...(isPaged ? { pagination: { forceStop: { pages } } } : {}),
  };
  return { api: merge(api, patience), config };
}

function withParams(url: string, params: Probe['params']): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(params)) address.searchParams.set(name, textOf(value as JsonScalar));
  return address.href;
}
