import * as t from 'io-ts';
import { isBlank } from '../../../core/json/scalars';
import { codec, map, noting } from '../../codec/codec';
import type { Codec, Input } from '../../codec/codec';
import type { ApiHttp } from '../configuration';
import { expressions, requestHeaders } from '../request';
import { responseFormat } from '../jobs/format';
import { httpMethod, trustedHost } from '../../codec/values';
import { flag, integer, list, numericValue, string, zeroCounts } from '../../codec/primitives';
import type { Parts } from '../../parts/parts';
import { mostRequests, rateLimits } from './rate-limit';
import { responseRules } from './rules';
import { always, optional, record } from '../../codec/record';
import { unknownKey } from '../../codec/unknown-key';
import { tolerant } from '../../codec/schema';

const CONNECT_TIMEOUT_SECONDS = 30;
const REQUEST_TIMEOUT_SECONDS = 300;

const secondsOf = (input: Input): number | undefined => {
  const seconds = numericValue(input);
  return seconds !== undefined && seconds >= 0 ? seconds : undefined;
};

/**
 * Returns the codec of a number of seconds (docs/language/requests.md#time-outs): 0 means no limit, and anything but a
 * number of seconds counts as absent, with a warning.
 */
const timeout = (whenAbsent: number): Codec<number | undefined> =>
  noting(
    codec('Timeout', tolerant({ type: 'number', minimum: 0, default: whenAbsent }, {}), (input) =>
      t.success(secondsOf(input)),
    ),
    (input, path) =>
      isBlank(input) || secondsOf(input) !== undefined
        ? []
        : [{ path, message: `has no effect: not a number of seconds; the default of ${whenAbsent} applies` }],
  );

const defaultOptions = record(
  'DefaultOptions',
  {
    headers: always(requestHeaders, {
      about: 'Headers of every request. They win over `http.headers`; the job wins over them.',
      example: { 'X-Trace': 'extract' },
    }),
    params: always(expressions, {
      about: 'Parameters of all requests. The job wins over them.',
      example: { per_page: 100 },
    }),
    method: optional(httpMethod, { about: 'The method of jobs that name none.', default: 'GET', example: 'POST' }),
  },
  unknownKey({ query: 'write it as api.http.defaultOptions.params' }),
);

const asHeader = (name: string): string => `a header is written as api.http.headers.${name}`;

/** Returns the keys of `api.http`. */
export const httpFields = (parts: Parts) => ({
  headers: always(expressions, {
    about: '[Headers](requests.md#headers) of every request.',
    example: { Accept: 'application/json' },
  }),
  defaultOptions: always(defaultOptions, {
    about: 'Defaults of the requests: `params`, `headers`, `method`.',
    example: { params: { per_page: 100 } },
  }),
  requiredHeaders: always(list(string), {
    about: 'Headers that `config.http.headers` must have.',
    example: ['X-Account'],
  }),
  ignoreErrors: always(list(integer), {
    about: 'Error statuses whose responses are data.',
    example: [404],
  }),
  connectTimeout: always(timeout(CONNECT_TIMEOUT_SECONDS), {
    about: 'For a connection; 0 is no limit.',
    example: 10,
    unit: 'seconds',
  }),
  requestTimeout: always(timeout(REQUEST_TIMEOUT_SECONDS), {
    about: 'For a request and its response; 0 is no limit.',
    example: 60,
    unit: 'seconds',
  }),
  allowedHosts: always(list(trustedHost), {
    about: 'More hosts that may get credentials.',
    example: ['files.example.com'],
  }),
  cookies: always(flag(false), {
    about: 'Keeps [cookies](requests.md#cookies) during the run.',
    example: true,
    default: 'false',
  }),
  format: optional(responseFormat(parts), {
    about: 'How bodies are read, unless the job has a format.',
    example: 'csv',
  }),
  maxRequests: always(zeroCounts<number | undefined>(mostRequests, undefined), {
    about: 'The most requests in flight.',
    example: 8,
    default: 'none',
  }),
  maxRequestsPerOrigin: always(zeroCounts<number | undefined>(mostRequests, undefined), {
    about: 'The most requests in flight to one host and port.',
    example: 4,
    default: 'none',
  }),
  rateLimit: rateLimits,
  rules: optional(responseRules, {
    about: 'What to do with certain [responses](responses.md#rules).',
    example: [{ when: { field: 'error.code', is: 'RATE_LIMIT' }, do: 'retry' }],
  }),
});

/** `api.http` (docs/language/requests.md#time-outs, docs/language/rate-limits.md). */
export const http = (parts: Parts): Codec<ApiHttp> =>
  map(
    'ApiHttp',
    record(
      'ApiHttpAsWritten',
      httpFields(parts),
      unknownKey({
        params: 'parameters of every request are written as api.http.defaultOptions.params',
        maxRetries: 'write it as api.retryConfig.maxRetries',
        Accept: asHeader('Accept'),
        Authorization: asHeader('Authorization'),
        'Content-Type': asHeader('Content-Type'),
        'User-Agent': asHeader('User-Agent'),
      }),
    ),
    (written) => ({
      headers: written.headers,
      defaultHeaders: written.defaultOptions.headers,
      defaultParams: written.defaultOptions.params,
      ...(written.defaultOptions.method === undefined ? {} : { defaultMethod: written.defaultOptions.method }),
      requiredHeaders: written.requiredHeaders,
      ignoreErrors: written.ignoreErrors,
      connectTimeoutSeconds: written.connectTimeout ?? CONNECT_TIMEOUT_SECONDS,
      connectTimeoutGiven: written.connectTimeout !== undefined,
      requestTimeoutSeconds: written.requestTimeout ?? REQUEST_TIMEOUT_SECONDS,
      cookies: written.cookies,
      credentialHosts: written.allowedHosts,
      ...(written.format === undefined ? {} : { format: written.format }),
      ...(written.maxRequests === undefined ? {} : { maxRequests: written.maxRequests }),
      ...(written.maxRequestsPerOrigin === undefined ? {} : { maxRequestsPerOrigin: written.maxRequestsPerOrigin }),
      rateLimit: written.rateLimit ?? [],
      ...(written.rules === undefined ? {} : { rules: written.rules }),
    }),
  );
