import type { Report } from '../../core/events';
import type { JobRun } from '../job-run';
import type { Turn } from '../call-state';

/** Whether a call has all items that `total` of the configuration counts: a page without items is then what ends it. */
const hasDeclaredTotal = ({ plan }: JobRun, { items, pages, known: { total } }: Turn): boolean =>
  plan.total !== undefined && pages > 0 && total !== undefined && total.isSteady && items >= total.value;

/** Whether a page without items is worth a warning: where the page before was not, and nothing says that it is the end. */
export const isNews = (running: JobRun, turn: Turn): boolean =>
  running.completeness === 'off' || (turn.known.last?.warning === undefined && !hasDeclaredTotal(running, turn));

/**
 * Whether a page without items is ordinary, so that nobody is warned: lists end with it, and a job that asks only for what is new, or of
 * which the API counts no items, may have none.
 */
export const isEmptyExpected = ({ plan, completeness }: JobRun, { pages, known: { total } }: Turn): boolean =>
  completeness !== 'off' && (pages > 0 || plan.incremental !== undefined || total?.value === 0);

/** Takes the warnings about a body for those of the call, but for those of an empty one where it is expected. */
export function reportOfBody(running: JobRun, turn: Turn): Report {
  const { ref, context } = running;
  const isCounted = hasDeclaredTotal(running, turn);
  return (event) => {
    if (event.type !== 'warning') context.report(event);
    else if (!isCounted || event.code !== 'EMPTY_BODY') context.report({ ...event, job: event.job ?? ref });
  };
}
