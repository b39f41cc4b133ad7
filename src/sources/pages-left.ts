import type { Reply } from '../model';
import type { StopsPlan } from '../plan/plan';
import { integerOf } from './pagination/integer';
import { replyValue } from './reply-value';

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
 * How many more pages the job can have at most, as far as its stops tell (docs/language/stops.md): beyond them nothing
 * is requested ahead. At least 1.
 *
 * @example pagesLeft([{ limitStop: { count: 25 } }], { pages: 1, items: 10, pageSize: 10 }) // 2
 */
export const pagesLeft = (stops: readonly StopsPlan[], counts: JobCounts): number =>
  Math.max(1, Math.min(...stops.map((each) => pagesUntil(each, counts)), Infinity));

function pagesUntil({ forceStop, limitStop }: StopsPlan, { pages, items, reply, pageSize }: JobCounts): number {
  const byPages = Math.ceil(forceStop?.pages ?? Infinity) - pages;
  if (limitStop === undefined) return byPages;
  const limit = 'count' in limitStop ? limitStop.count : totalOf(reply, limitStop.field);
  if (limit === undefined || pageSize === undefined) return 1;
  return Math.min(byPages, Math.ceil((Number(limit) - items) / pageSize));
}

/** The total in the last response; `undefined` before the first one. */
const totalOf = (reply: Reply | undefined, field: string): bigint | undefined =>
  reply === undefined ? undefined : integerOf(replyValue(reply, field));
