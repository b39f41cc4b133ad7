import type { Reply } from '../model';
import type { StopsPlan } from '../plan/plan';
import { integerOf } from './pagination/integer';
import { replyValue } from './reply-value';

/** What is known of a job run when its next page is about to be requested. */
export interface JobCounts {
  /** Pages and items so far. */
  readonly pages: number;
  readonly items: number;
  /** The last response; absent before the first. */
  readonly reply?: Reply;
  /** Items of a full page, if that is known. */
  readonly pageSize: number | undefined;
}

/**
 * How many more pages the job can have at most, as far as its stops tell (docs/language/stops.md): beyond them nothing
 * is requested ahead. At least 1.
 *
 * @example pagesLeft([{ limitStop: { count: 25 } }], { pages: 1, items: 10, pageSize: 10 }) // 2
 */
export const pagesLeft = (stops: readonly StopsPlan[], progress: JobCounts): number =>
  Math.max(1, Math.min(...stops.map((each) => pagesUntil(each, progress)), Infinity));

function pagesUntil({ forceStop, limitStop }: StopsPlan, { pages, items, reply, pageSize }: JobCounts): number {
  const byPages = Math.ceil(forceStop?.pages ?? Infinity) - pages;
  if (limitStop === undefined) return byPages;
  const limit = 'count' in limitStop ? limitStop.count : totalOf(reply, limitStop.field);
  if (limit === undefined || pageSize === undefined) return 1;
  return Math.min(byPages, Math.ceil((Number(limit) - items) / pageSize));
}

/** `undefined` before there is a response to tell. */
const totalOf = (reply: Reply | undefined, field: string): bigint | undefined =>
  reply === undefined ? undefined : integerOf(replyValue(reply, field));
