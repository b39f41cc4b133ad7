import type { Checkpoint, Reply, Response } from '../core/model';
import type { TotalPlace } from '../language/configuration/jobs/completeness';
import type { Step } from '../language/parts/pagination/paginator';
import type { JobPlan, StopsPlan } from '../plan/plan';
import { isTopLevel } from './call';
import { isGone, isStale } from './checkpoint';
import { NOTHING_KNOWN, knownFrom } from './completeness/known';
import type { Known } from './completeness/known';
import type { JobRun } from './job-run';
import { integerOf, totalValue } from './reply-value';
import { pagesBefore, submittedPosition } from './submitted';

/** One turn of the page loop: where a call stands before a request. */
export interface CallState {
  readonly step: Step;
  /** The pages and items before this request. */
  readonly pages: number;
  readonly items: number;
  /** The bytes of the responses, where a stop counts them. */
  readonly volume: number;
  /** How many pages, this one included, may be requested at all, as far as that is known. */
  readonly left: number;
  readonly previous?: Reply;
  /** What the completeness of a page is judged by. */
  readonly known: Known;
  /** The first request of a call that goes on: what is known of the response before. */
  readonly resumed?: Checkpoint;
}

/** A call of a child mostly has one page: until that has come, no other is worth a request. */
const leftAtFirst = ({ plan, paginator: { pageSize }, call }: JobRun): number =>
  isTopLevel(call) ? pagesLeft(plan, { pages: 0, items: 0, pageSize }) : 1;

export const firstTurn = (running: JobRun): CallState => ({
  step: running.paginator.first,
  pages: 0,
  items: 0,
  volume: 0,
  left: leftAtFirst(running),
  known: NOTHING_KNOWN,
});

export function resumedTurn(running: JobRun, known: Checkpoint): CallState {
  const { paginator, plan, submitted } = running;
  const { items, volume } = known;
  const pages = known.pages - pagesBefore(running);
  const position = submitted === undefined ? known.position : submittedPosition(known)?.next;
  const left = pagesLeft(plan, { pages, items, pageSize: paginator.pageSize });
  const step = paginator.at(position ?? null);
  return { step, pages, items, volume, left, resumed: known, known: knownFrom(known) };
}

/** The steps after this one, if all pages are full. */
export function* following({ plan, paginator: { after } }: JobRun, { step, pages, left }: CallState): Iterable<Step> {
  if (after === undefined) return;
  const most = Math.min(left, plan.requestLimit - pages);
  let next = step;
  for (let count = 1; count < most; count += 1) {
    next = after(next);
    yield next;
  }
}

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

/** A call that is made anew, and the calls below it: they are made anew as well, since their pages take the place of the old. */
export const withoutProgress = (running: JobRun): JobRun => ({
  ...running,
  context: { ...running.context, progress: new Map() },
});

/**
 * The first turn of a call that is made anew, which is reported. The rule that a first page takes the place of what a call
 * had before makes this safe for what was written.
 */
export function restarted(running: JobRun, because: string): CallState {
  warnOfRestart(running, because);
  return firstTurn(running);
}

export function warnOfRestart({ ref, plan, context }: Pick<JobRun, 'ref' | 'plan' | 'context'>, because: string): void {
  const message = `Job '${plan.name}' begins again: ${because}. Its pages take the place of those that it had.`;
  context.report({ type: 'warning', code: 'JOB_RESTARTED', job: ref, message });
}

/**
 * Whether the response means that the API no longer knows the place where a call goes on. A streamed response has no place that
 * the API would know: the request is the same, unless its result can be submitted again.
 */
export const isLost = (
  { paginator, plan, submitted }: JobRun,
  { resumed, pages }: CallState,
  response: Response,
): boolean =>
  (resumed !== undefined &&
    paginator.after === undefined &&
    (plan.stream === undefined || submitted !== undefined) &&
    isStale(response)) ||
  (submitted?.isOld === true && pages === 0 && isGone(response));

/** Whether a call that was broken off has to be made anew: which keys have come, for `unique`, is known in memory only. */
export const needsAllPages = ({ plan: { shaping } }: Pick<JobRun, 'plan'>): boolean =>
  shaping !== undefined && shaping.unique.length > 0;
