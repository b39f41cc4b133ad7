import { isBlank } from '../json/blank';
import { isList } from '../json/keys';
import { codec, map, noting, type Codec, type Input } from './codec';
import * as t from 'io-ts';
import type { RetryConfig } from './configuration';
import { integer, integerFrom, list, text, valueOf, zeroCounts } from './primitives';
import { always, optional, record, withDefault } from './record';
import { unknownKey } from './unknown-key';

const MAX_RETRIES = 10;
const HEADER = 'Retry-After';
const STATUS_CODES: readonly number[] = [500, 502, 503, 504, 408, 420, 429];
const CURL_CODES: readonly number[] = [28, 6, 7, 35, 52, 56];

/** A given list replaces the default; so an empty one switches off what the codes are for. */
export const codesOr = (whenAbsent: readonly number[], code = integer): Codec<readonly number[]> => {
  const codes = list(code);
  return codec('Codes', (input, context) =>
    isBlank(input) && !isList(input) ? t.success(whenAbsent) : codes.validate(input, context),
  );
};

const OLD_SPELLINGS = [
  ['headerName', 'http.retryHeader'],
  ['httpCodes', 'http.codes'],
  ['curlCodes', 'curl.codes'],
] as const;

const isGiven = (input: Input, key: string): boolean => !isBlank(valueOf(input, key));

/** `api.retryConfig` (language 2.7). An old HTTP key discards the new-style `http` object. */
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
      headerName: optional(text),
      httpCodes: optional(list(integer)),
      curlCodes: optional(list(integer)),
    }),
    ({ maxRetries, http, curl, headerName, httpCodes, curlCodes }) => {
      const isOld = headerName !== undefined || httpCodes !== undefined;
      return {
        maxRetries,
        header: headerName ?? (isOld ? HEADER : http.retryHeader),
        statusCodes: httpCodes ?? (isOld ? STATUS_CODES : http.codes),
        curlCodes: curlCodes ?? curl.codes,
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
