/** Sends the requests of detection: one at a time, up to a maximum, with the transport of runs. */
import { firstValueFrom, toArray } from 'rxjs';
import { client } from '../../run/client';
import { headerOf } from '../detect/model';
import { configurationOf, type Parts } from '../detect/configuration';
import type { Probe } from '../detect/paging/sign';
import type { RecordedAnswer } from '../detect/recorded-fetch';
import type { Subject } from '../detect/subject';
import { writtenCredentials } from '../detect/credentials';
import { HeadwaterError } from '../../core/errors/errors';
import { extract } from '../../run/extract';
import { entriesOf, isObject, objectFrom, ownValue, merge } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import { textOf } from '../../core/json/scalars';
import type { JsonObject, JsonScalar, Page, Response } from '../../core/model';
import type { TransportChoice } from '../../run/sessions/sessions';
import { encodePairs, paramPairs } from '../../core/url/query';

/** The options for requests of detection. */
export interface AskOptions extends Pick<TransportChoice, 'dispatcher' | 'fetch' | 'proxies'> {
  /** The maximum number of requests; default 60. */
  readonly maxRequests?: number;
  readonly signal?: AbortSignal;
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

const MOST_REQUESTS = 60;
const TIMEOUT_SECONDS = 60;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const TOO_MANY_REQUESTS = 429;
/** The maximum wait that the API may ask for, since a user waits for the result. */
const LONGEST_WAIT_SECONDS = 10;

/** @example await askerOf(subject).ask() */
export function askerOf(subject: Subject, options: AskOptions = {}): Asker {
  const { maxRequests = MOST_REQUESTS, signal, ...transport } = options;
  const { api, config } = patient(configurationOf({ subject }, true));
  const credentials = objectFrom(entriesOf(config).filter(([key]) => key !== 'jobs'));
  const own = client(api, { credentials, ...transport, ...(signal === undefined ? {} : { signal }) });
  const received: RecordedAnswer[] = [];
  let sent = 0;
  let isRefused = false;
  const count = (requests: number): void => {
    if (isRefused || sent + requests > maxRequests) throw new RequestLimitReached();
    sent += requests;
  };
  const written = writtenCredentials(subject, true);
  const headers = { ...subject.headers, ...plainHeaders(subject, written.headers) };
  const secretParams = plainParams(subject, written.params);
  return {
    ask: async (probe) => {
      count(1);
      const { method, body, isForm } = subject;
      const response = await firstValueFrom(
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
      if (response.status === TOO_MANY_REQUESTS) isRefused = true;
      if (probe === undefined) received.push(recordedOf(response));
      return response;
    },
    run: async (parts, pages) => {
      count(pages);
      const document = patient(configurationOf({ ...parts, subject }, true), pages);
      try {
        const extraction = extract(document, {
          completeness: 'off',
          ...transport,
          ...(signal === undefined ? {} : { signal }),
        });
        const all = await firstValueFrom(extraction.pages$.pipe(toArray()));
        received.push(...all.slice(0, 1).map(({ reply }) => recordedOf(reply.response)));
        return { pages: all };
      } catch (error) {
        if (!(error instanceof HeadwaterError)) throw error;
        if (error.status === TOO_MANY_REQUESTS) isRefused = true;
        return { error };
      }
    },
    requests: () => sent,
    received: () => received,
    close: () => own.close(),
  };
}

/** Headers of the transfer, which is complete. */
const TRANSFER = /^(?:content-encoding|content-length|transfer-encoding|connection|keep-alive|set-cookie|trailer)$/;

function recordedOf({ request: { method, url, body: requestBody }, status, headers, body }: Response): RecordedAnswer {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    TRANSFER.test(name) ? [] : [[name, [value].flat().join(', ')]],
  );
  const type = headerOf({ headers }, 'content-type')?.replace(/;.*$/s, '');
  return {
    ...{ method, url, status, body: Buffer.from(body).toString('utf8') },
    headers: { ...Object.fromEntries(kept), ...(type === undefined ? {} : { 'content-type': type }) },
    ...(requestBody === undefined ? {} : { requestBody }),
  };
}

/** Returns the body of the subject with the parameters of a probe, as it is sent. */
function sentText({ body = null, isForm }: Subject, params: Probe['params']): string {
  const whole = isObject(body) ? merge(body, params) : body;
  return isForm === true && isObject(whole) ? encodePairs(paramPairs(whole)) : stringifyJson(whole);
}

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

function objectAt(document: JsonObject, key: string): JsonObject {
  const value = ownValue(document, key);
  return isObject(value) ? value : {};
}

function withParams(url: string, params: Probe['params']): string {
  const address = new URL(url);
  for (const [name, value] of Object.entries(params)) address.searchParams.set(name, textOf(value as JsonScalar));
  return address.href;
}
