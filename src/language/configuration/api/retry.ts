import * as t from 'io-ts';
import { isBlank } from '../../../core/json/scalars';
import { expected, map, noting, refine } from '../../codec/codec';
import type { Codec, Input } from '../../codec/codec';
import { integer, integerFrom, list, numeric, text, valueOf, zeroCounts } from '../../codec/primitives';
import { always, optional, record, withDefault } from '../../codec/record';
import { unknownKey } from '../../codec/unknown-key';
import { codesOr } from '../../codec/values';

/** `api.retryConfig` (docs/language/retries.md). */
export interface RetryConfig {
  readonly maxRetries: number;
  readonly header: string;
  readonly statusCodes: readonly number[];
  readonly curlCodes: readonly number[];
  readonly limits: RetryLimits;
  /** The same for strict conformance to the language, which has none of these limits: only explicitly written ones. */
  readonly languageLimits: RetryLimits;
}

/** The limits of retries (docs/language/retries.md). */
export interface RetryLimits {
  /** The longest delay before a retry; `Infinity` for no limit. */
  readonly maxDelaySeconds: number;
  /** The largest share of a computed delay that jitter subtracts: 0 nothing, 1 all. */
  readonly jitter: number;
  /** The limit in seconds for reaching a host for the first time; `Infinity` for no limit. */
  readonly firstConnectionSeconds: number;
  /** True if a retry delay of 0 seconds means at once, and false if it counts as absent. */
  readonly zeroIsAtOnce: boolean;
}

const MAX_RETRIES = 10;
const HEADER = 'Retry-After';
const STATUS_CODES: readonly number[] = [500, 502, 503, 504, 408, 420, 429];
const CURL_CODES: readonly number[] = [28, 6, 7, 35, 52, 56];

const LIMITS: RetryLimits = { maxDelaySeconds: 120, jitter: 0.25, firstConnectionSeconds: 20, zeroIsAtOnce: true };
const LANGUAGE_LIMITS: RetryLimits = {
  maxDelaySeconds: Infinity,
  jitter: 0,
  firstConnectionSeconds: Infinity,
  zeroIsAtOnce: false,
};

/** Returns a number of seconds; 0 means no limit, as for time-outs. */
const secondsOrNoLimit = refine('SecondsOrNoLimit', numeric, (value, context, input) =>
  value >= 0 ? t.success(value === 0 ? Infinity : value) : expected('a number of seconds, or 0', input, context),
);

const share = refine('Share', numeric, (value, context, input) =>
  value >= 0 && value <= 1 ? t.success(value) : expected('a number from 0 to 1', input, context),
);

const OLD_SPELLINGS = [
  ['headerName', 'http.retryHeader'],
  ['httpCodes', 'http.codes'],
  ['curlCodes', 'curl.codes'],
] as const;

const isGiven = (input: Input, key: string): boolean => !isBlank(valueOf(input, key));

/** The keys of `api.retryConfig.http`. */
export const retryCodesFields = {
  retryHeader: withDefault(text, HEADER, {
    about: 'The header with the time of the retry: seconds, a date, or Unix time.',
    example: 'X-RateLimit-Reset',
  }),
  codes: always(codesOr(STATUS_CODES), {
    about: 'Statuses that are retried; `[]` is none.',
    example: [429, 503],
  }),
};

/** The keys of `api.retryConfig`. */
export const retryFields = {
  maxRetries: always(zeroCounts(integerFrom(0), MAX_RETRIES), {
    about: 'The most retries of a request.',
    example: 5,
  }),
  http: always(
    record('RetryHttp', retryCodesFields, unknownKey({ maxRetries: 'write it as api.retryConfig.maxRetries' })),
    {
      about: 'Which statuses are retried, and the header that says when.',
      example: { codes: [500, 502, 503, 429] },
    },
  ),
  curl: always(
    record('RetryCurl', {
      codes: always(codesOr(CURL_CODES), {
        about: '[Network failures](retries.md#what-is-retried) that are retried.',
        example: [6, 7, 28],
      }),
    }),
    {
      about: 'Which network failures are retried.',
      example: { codes: [6, 7, 28] },
    },
  ),
  maxDelay: always(zeroCounts<number | undefined>(secondsOrNoLimit, undefined), {
    about: 'The longest wait; 0 is no limit.',
    example: 300,
    unit: 'seconds',
    default: '120',
  }),
  jitter: always(zeroCounts<number | undefined>(share, undefined), {
    about: 'The random share of each wait.',
    example: 0.1,
    default: '0.25',
  }),
  firstConnection: always(zeroCounts<number | undefined>(secondsOrNoLimit, undefined), {
    about: 'How long a host that was never reached is retried; 0 is no limit.',
    example: 60,
    unit: 'seconds',
    default: '20',
  }),
  headerName: optional(text, {
    about: 'The old spelling of `http.retryHeader`.',
    example: 'Retry-After',
    isOld: true,
  }),
  httpCodes: optional(list(integer), { about: 'The old spelling of `http.codes`.', example: [429], isOld: true }),
  curlCodes: optional(list(integer), { about: 'The old spelling of `curl.codes`.', example: [28], isOld: true }),
};

/**
 * `api.retryConfig` (docs/language/retries.md#old-spellings, docs/language/retries.md). An old HTTP key discards the
 * new-style `http` object.
 */
export const retry: Codec<RetryConfig> = noting(
  map(
    'RetryConfig',
    record('RetryConfigAsWritten', retryFields),
    ({ maxRetries, http, curl, headerName, httpCodes, curlCodes, maxDelay, jitter, firstConnection }) => {
      const isOld = headerName !== undefined || httpCodes !== undefined;
      const written = {
        ...(maxDelay === undefined ? {} : { maxDelaySeconds: maxDelay }),
        ...(jitter === undefined ? {} : { jitter }),
        ...(firstConnection === undefined ? {} : { firstConnectionSeconds: firstConnection }),
      };
      return {
        maxRetries,
        header: headerName ?? (isOld ? HEADER : http.retryHeader),
        statusCodes: httpCodes ?? (isOld ? STATUS_CODES : http.codes),
        curlCodes: curlCodes ?? curl.codes,
        limits: { ...LIMITS, ...written },
        languageLimits: { ...LANGUAGE_LIMITS, ...written },
      };
    },
  ),
  (input, path) => [
    ...OLD_SPELLINGS.filter(([old]) => isGiven(input, old)).map(([old, spelling]) => ({
      path: [...path, old],
      message: `deprecated: write it as api.retryConfig.${spelling}`,
    })),
    ...(isGiven(input, 'http') && (isGiven(input, 'headerName') || isGiven(input, 'httpCodes'))
      ? [{ path: [...path, 'http'], message: 'has no effect beside the old spellings headerName and httpCodes' }]
      : []),
  ],
);
