import { formatDate } from '../../language/expressions/dates/format';
import { parseQuery, splitUrl } from '../../core/url/query';
import { definePagination } from '../../language/parts/pagination/pagination';
import type { RequestChange } from '../../language/requests/template';
import { stop } from '../../language/parts/pagination/paginator';
import { followUrl, urlFields } from './response-url';

/** The API refuses to export items from the last minutes; requesting them would end the run with an error. */
const TOO_RECENT_SECONDS = 6 * 60;

/**
 * Pagination as with `response.url` that stops when the next page starts less than six minutes ago
 * (docs/language/pagination/zendesk.response.url.md).
 *
 * @throws FatalError NEXT_PAGE when the value is no string, or leads to no address
 */
export const zendeskResponseUrl = definePagination({
  name: 'zendesk.response.url',
  summary: 'Follows the addresses of an incremental export, and stops before the last minutes.',
  use: 'Use it for incremental exports of Zendesk, which refuse a recent `start_time`.',
  options: urlFields,
  rules: [
    'The rules of [`response.url`](response.url.md) apply.',
    'If the `start_time` of the next address (Unix seconds) is less than six minutes ago, pagination ends without a request for that page.',
  ],
  example: {
    about: 'The last page has no address:',
    config: {
      api: { pagination: { method: 'zendesk.response.url' } },
      config: { jobs: [{ endpoint: 'tickets', dataField: 'tickets' }] },
    },
    exchanges: [
      {
        request: 'GET /tickets',
        response: { tickets: [{ id: 1 }], next_page: 'https://api.example/tickets?start_time=1500000000' },
      },
      { request: 'GET /tickets?start_time=1500000000', response: { tickets: [{ id: 2 }], next_page: null } },
    ],
    items: [{ id: 1 }, { id: 2 }],
  },
  paginator: (options, job) => {
    const paginator = followUrl({ ...options, delimiter: '.' }, job);
    return {
      ...paginator,
      staysAtEnd: true,
      next: (arrival) => {
        const next = paginator.next(arrival);
        if (next.kind === 'stop') return stop('No more pages to scroll.');
        const start = startTime(next.step.change);
        return start !== undefined && start > arrival.now - TOO_RECENT_SECONDS
          ? stop(`Next page start_time "${formatDate('Y-m-d H:i:s', start)}" is too recent, skipping...`, true)
          : next;
      },
    };
  },
});

/** Returns the start time in Unix seconds; if there are several, the last one. */
function startTime({ received, address = '' }: RequestChange): number | undefined {
  const query = parseQuery(received ?? splitUrl(address).query);
  const value = query.findLast(({ name }) => name === 'start_time')?.value ?? '';
  return /^\d+$/.test(value) ? Number(value) : undefined;
}
