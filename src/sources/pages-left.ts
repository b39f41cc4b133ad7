import type { Reply } from '../core/model';
import type { TotalPlace } from '../language/configuration/jobs/completeness';
import type { JobPlan, StopsPlan } from '../plan/plan';
import { integerOf } from './pagination/integer';
import { totalValue } from './total-value';

/** What a job has read so far, before the request for its next page. */
export interface JobCounts {
  /** The pages and items so far. */
  readonly pages: number;
  readonly items: number;
  /** The last response; absent before the first. */
  readonly reply?: Reply;
  /** The number of items of a full page, if that is known. */
  readonly pageSize: number | undefined;
}

/**
 * How many more pages the job can have at most, as far as its stops and its total tell (docs/language/stops.md): beyond them
 * nothing is requested ahead. At least 1.
 *
 * @example pagesLeft({ stops: [{ limitStop: { count: 25 } }] }, { pages: 1, items: 10, pageSize: 10 }) // 2
 */
export const pagesLeft = ({ stops, total }: Pick<JobPlan, 'stops' | 'total'>, counts: JobCounts): number =>
  Math.max(
    1,
    Math.min(...stops.map((each) => pagesUntil(each, counts)), total === undefined ? Infinity : pagesOf(total, counts)),
  );

const pagesUntil = ({ forceStop, limitStop }: StopsPlan, counts: JobCounts): number =>
  Math.min(
    Math.ceil(forceStop?.pages ?? Infinity) - counts.pages,
    limitStop === undefined ? Infinity : pagesOf(limitStop, counts),
  );

/** The pages of so many items; before there is a response to tell, one. */
function pagesOf(limit: { readonly count: number } | TotalPlace, { items, reply, pageSize }: JobCounts): number {
  const most = 'count' in limit ? limit.count : reply === undefined ? undefined : integerOf(totalValue(reply, limit));
  return most === undefined || pageSize === undefined ? 1 : Math.ceil((Number(most) - items) / pageSize);
}
