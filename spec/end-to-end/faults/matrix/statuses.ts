import { ENDS, HARMLESS, refused, retried } from '../fault';
import type { Fault, FaultGroup, Verdict } from '../fault';
import { whole } from '../support/wire';

/** These are repeated (language 2.7). */
export const RETRIED_STATUSES: readonly number[] = [408, 420, 429, 500, 502, 503, 504];
export const FATAL: readonly number[] = [
  400, 401, 402, 403, 405, 406, 407, 409, 411, 412, 413, 414, 415, 417, 418, 421, 422, 423, 424, 425, 426, 428, 431,
  451, 499, 501, 505, 506, 507, 508, 510, 511, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 599,
];
/** Behind full pages they mean that there is no other one, which is doubtful (docs/completeness.md#doubts). */
export const NO_PAGE: readonly number[] = [404, 410, 416];
/** The body is what was asked for, and the status says no less than that it was done. */
export const GOOD: readonly number[] = [200, 201, 202, 203, 207, 208, 226];
/** Not the whole, not this time, or elsewhere: not what was asked for, whatever the body holds. */
const NOT_THE_PAGE: readonly number[] = [205, 206, 300, 301, 302, 303, 304, 305, 306, 307, 308];

const withBody = (status: number, page: Verdict, more: Partial<Fault> = {}): Fault => ({
  does: `answers ${status}`,
  wire: ({ body }) => whole(status === 304 || status === 205 ? '' : body, [], status),
  page,
  ...more,
});

const withError = (status: number, page: Verdict): Fault => ({
  does: `answers ${status}`,
  wire: () => whole('{"error":"not now"}', [], status),
  page,
});

export const statuses: FaultGroup = {
  title: 'Statuses',
  pagings: 'one',
  intro:
    'With a body that would be right where the status is below 400, and no Retry-After. What the configuration names in ' +
    '`retryConfig.http.codes` and `http.ignoreErrors` takes the place of what stands here.',
  faults: [
    ...GOOD.map((status) => withBody(status, HARMLESS)),
    { does: 'answers 204', wire: () => whole('', [], 204), page: ENDS, login: refused('EXPRESSION_FAILED') },
    ...NOT_THE_PAGE.map((status) => withBody(status, refused('API_STATUS'))),
    ...RETRIED_STATUSES.map((status) => withError(status, retried('API_STATUS'))),
    ...FATAL.map((status) => withError(status, refused('API_STATUS'))),
    ...NO_PAGE.flatMap((status): readonly Fault[] => [
      { ...withError(status, refused('API_STATUS')), places: ['first', 'login'] },
      { ...withError(status, ENDS), does: `answers ${status} behind full pages`, places: ['middle'] },
    ]),
    ...[600, 999].map((status) => withError(status, refused('API_STATUS'))),
    ...[0, 99, 1000].map((status) => withError(status, refused('NETWORK_PROTOCOL'))),
  ],
};
