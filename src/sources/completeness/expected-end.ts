import type { Report } from '../../events';
import type { JobRun } from '../job-run';
import type { Turn } from '../turn';

/** Whether a call has all items that `total` of the configuration counts: a page without items is then what ends it. */
const hasDeclaredTotal = ({ plan }: JobRun, { items, pages, known: { total } }: Turn): boolean =>
  plan.total !== undefined && pages > 0 && total !== undefined && total.isSteady && items >= total.value;

/** Whether a page without items is worth a warning: where the page before was not, and nothing says that it is the end. */
export const isNews = (running: JobRun, turn: Turn): boolean =>
  running.completeness === 'off' || (turn.known.last?.warning === undefined && !hasDeclaredTotal(running, turn));

/** Takes the warnings about a body for those of the call, but for those of an empty one where it is expected. */
export function reportOfBody(running: JobRun, turn: Turn): Report {
  const { ref, context } = running;
  const isEmptyExpected = hasDeclaredTotal(running, turn);
  return (event) => {
    if (event.type !== 'warning') context.report(event);
    else if (!isEmptyExpected || event.code !== 'EMPTY_BODY') context.report({ ...event, job: event.job ?? ref });
  };
}
