import type { ZendeskResponseUrlOptions } from '../../config/pagination';
import { formatDate } from '../../expressions/date-format';
import type { RequestChange } from '../../plan/plan';
import { parseQuery, splitUrl } from '../../url/query';
import type { JobFacts, Paginator } from './paginator';
import { stop } from './paginator';
import { responseUrl } from './response-url';

/** The API refuses to export what is newer than some minutes; asking for it would end the run with an error. */
const TOO_RECENT_SECONDS = 6 * 60;

/**
 * As {@link responseUrl} (language 5.8), and stops when the next page starts less than six minutes ago.
 *
 * @throws FatalError NEXT_PAGE when the value is no text, or leads to no address
 */
export function zendeskResponseUrl(options: ZendeskResponseUrlOptions, job: JobFacts): Paginator {
  const paginator = responseUrl(options, job);
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
}

/** Unix seconds; of several, the last counts. */
function startTime({ received, address = '' }: RequestChange): number | undefined {
  const query = parseQuery(received ?? splitUrl(address).query);
  const value = query.findLast(({ name }) => name === 'start_time')?.value ?? '';
  return /^\d+$/.test(value) ? Number(value) : undefined;
}
