import { isLeft } from 'fp-ts/lib/Either';
import * as t from 'io-ts';
import { expected, refine, refuse, together } from '../../codec/codec';
import type { Codec } from '../../codec/codec';
import { integerFrom, numeric, oneOrList, string, text } from '../../codec/primitives';
import { optional, record } from '../../codec/record';
import { unknownKey } from '../../codec/unknown-key';
import type { RecordOf } from '../../codec/record';

/** A rule for starts (docs/language/rate-limits.md): a rate, or headers that report one, or both. */
export interface RateRule {
  readonly rate?: { readonly requests: number; readonly seconds: number; readonly burst?: number };
  /** The names of response headers with the remaining number and the reset time. */
  readonly headers?: { readonly remaining?: string; readonly reset?: string };
}

export interface PathRateRule extends RateRule {
  /** A glob over the path of the URL; if absent, every request matches. */
  readonly path?: string;
}

const seconds: Codec<number> = refine('Seconds', numeric, (value, context) =>
  value > 0 ? t.success(value) : expected('a number of seconds above 0', value, context),
);

/** A glob over the path of a URL. It is not part of `config`, so it is not an endpoint: it begins at the host. */
const pathPattern: Codec<string> = refine('PathPattern', string, (value, context, input) =>
  value.startsWith('/') || value.startsWith('**')
    ? t.success(value)
    : expected('a path from the host on, such as "/v1/search/*" or "**/search"', input, context),
);

const headers = record(
  'RateLimitHeaders',
  {
    remaining: optional(text, {
      about: 'The header that says how many requests are left.',
      example: 'X-RateLimit-Remaining',
    }),
    reset: optional(text, {
      about: 'The header that says until when that counts: seconds, a date, or a Unix timestamp.',
      example: 'X-RateLimit-Reset',
    }),
  },
  unknownKey({ retry: 'the header that says when to retry is written as api.retryConfig.http.retryHeader' }),
);

const jobFields = {
  requests: optional(integerFrom(1), {
    about: 'How many requests may start in `seconds`.',
    example: 100,
  }),
  seconds: optional(seconds, { about: 'The span of time.', example: 60, unit: 'seconds' }),
  burst: optional(integerFrom(1), {
    about: 'How many may start at once.',
    example: 10,
    default: '`requests`',
  }),
  headers: optional(headers, {
    about: 'Headers with the number of requests left, and their end.',
    example: { remaining: 'X-RateLimit-Remaining', reset: 'X-RateLimit-Reset' },
  }),
};
const fields = {
  ...jobFields,
  path: optional(pathPattern, {
    about: 'Counts only these paths; `*` is one part, `**` any number.',
    example: '/v1/search/*',
  }),
};

type Written = RecordOf<typeof jobFields>;

/** Checks a rule: a rate needs both of its numbers; headers do not need a rate. */
function checked(written: Written, context: t.Context): t.Validation<RateRule> {
  const { requests, seconds: length, burst, headers: names } = written;
  const missing = (key: keyof Written, why: string): t.Validation<never> =>
    refuse(undefined, t.appendContext(context, key, fields[key].codec), `required: ${why}`);
  if (requests === undefined && length === undefined && burst === undefined && names === undefined)
    return refuse(undefined, context, 'required: "requests" and "seconds", or "headers"');
  const isRate = requests !== undefined || length !== undefined || burst !== undefined;
  const needsReset = names?.remaining !== undefined && names.reset === undefined && length === undefined;
  const faults = together({
    requests: isRate && requests === undefined ? missing('requests', 'how many may start') : t.success(requests),
    seconds: isRate && length === undefined ? missing('seconds', 'in how many seconds they may') : t.success(length),
    headers: needsReset
      ? missing('headers', '"reset", the header that says until when "remaining" counts; or "seconds" beside "headers"')
      : t.success(names),
  });
  if (isLeft(faults)) return faults;
  return t.success({
    ...(requests === undefined || length === undefined
      ? {}
      : { rate: { requests, seconds: length, ...(burst === undefined ? {} : { burst }) } }),
    ...(names === undefined ? {} : { headers: names }),
  });
}

const ofApi: Codec<PathRateRule> = refine(
  'RateLimit',
  record('RateLimitAsWritten', fields),
  ({ path, ...rest }, context) => {
    const result = checked(rest, context);
    return isLeft(result) || path === undefined ? result : t.success({ ...result.right, path });
  },
);

const ofJob: Codec<RateRule> = refine(
  'JobRateLimit',
  record(
    'JobRateLimitAsWritten',
    jobFields,
    unknownKey({ path: 'all requests of the job count; rates by path are written in api.http.rateLimit' }),
  ),
  checked,
);

/** `api.http.rateLimit` (docs/language/rate-limits.md): one or several rules; all of them apply. */
export const rateLimits = optional(oneOrList(ofApi), {
  about: 'One or more [rate limits](rate-limits.md); all apply.',
  example: { requests: 100, seconds: 60 },
});

/** `rateLimit` of a job. */
export const jobRateLimits = optional(oneOrList(ofJob), {
  about: 'One or more [rate limits](rate-limits.md) of this job.',
  example: { requests: 10, seconds: 1 },
});

/** `api.http.maxRequests` and `api.http.maxRequestsPerOrigin`. */
export const mostRequests = integerFrom(1);
