import { isBlank } from '../json/blank';
import { codesOr } from '../codec/codes';
import { expected, map, noting, refine, type Codec, type Input } from '../codec/codec';
import * as t from 'io-ts';
import type { RetryConfig, RetryLimits } from './retry-config';
import { integer, integerFrom, list, numeric, text, valueOf, zeroCounts } from '../codec/primitives';
import { always, optional, record, withDefault } from '../codec/record';
import { unknownKey } from '../codec/unknown-key';

const MAX_RETRIES = 10;
const HEADER = 'Retry-After';
const STATUS_CODES: readonly number[] = [500, 502, 503, 504, 408, 420, 429];
const CURL_CODES: readonly number[] = [28, 6, 7, 35, 52, 56];

const LIMITS: RetryLimits = { maxDelaySeconds: 120, jitter: 0.25, firstConnectionSeconds: 20 };
const LANGUAGE_LIMITS: RetryLimits = { maxDelaySeconds: Infinity, jitter: 0, firstConnectionSeconds: Infinity };

/** Seconds; 0 is no limit, as for time-outs. */
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

/** `api.retryConfig` (language 2.7, docs/extensions/retries.md). An old HTTP key discards the new-style `http` object. */
export const retry: Codec<RetryConfig> = noting(
  map(
    'RetryConfig',
    record('RetryConfigAsWritten', {
      maxRetries: always(zeroCounts(integerFrom(0), MAX_RETRIES)),
      http: always(
        record(
          'RetryHttp',
          { retryHeader: withDefault(text, HEADER), codes: always(codesOr(STATUS_CODES)) },
          unknownKey({ maxRetries: 'write it as api.retryConfig.maxRetries' }),
        ),
      ),
      curl: always(record('RetryCurl', { codes: always(codesOr(CURL_CODES)) })),
      maxDelay: always(zeroCounts<number | undefined>(secondsOrNoLimit, undefined)),
      jitter: always(zeroCounts<number | undefined>(share, undefined)),
      firstConnection: always(zeroCounts<number | undefined>(secondsOrNoLimit, undefined)),
      headerName: optional(text),
      httpCodes: optional(list(integer)),
      curlCodes: optional(list(integer)),
    }),
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
