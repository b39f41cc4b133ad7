import type { Checkpoint, Reply, Response } from '../core/model';
import type { TotalPlace } from '../language/configuration/pagination';
import type { Step } from '../language/parts/pagination/paginator';
import type { JobPlan, StopsPlan } from '../plan/plan';
import { isTopLevel } from './call';
import { isGone, isStale } from './checkpoint';
import { NOTHING_KNOWN, knownFrom } from './completeness/facts';
import type { Known } from './completeness/facts';
import type { JobRun } from './job-run';
import { integerOf, totalValue } from './response-values';
import { pagesBefore, submittedPosition } from './submitted';

/** The state of a call before a request of the page loop. */
export interface CallState {
  readonly step: Step;
  /** The pages and items before this request. */
  readonly pages: number;
  readonly items: number;
  /** The bytes of the responses, counted only where a stop limits them. */
  readonly volume: number;
  /** The maximum number of pages that may still be requested, this one included, as far as it is known. */
  readonly left: number;
  readonly previous?: Reply;
  /** What is known for judging whether the pages are complete. */
  readonly known: Known;
  /** The checkpoint before the first request of a resumed call. */
  readonly resumed?: Checkpoint;
}

/** A call of a child mostly has one page, so nothing is requested ahead until that page has come. */
const leftAtFirst = ({ plan, paginator: { pageSize }, call }: JobRun): number =>
  isTopLevel(call) ? pagesLeft(plan, { pages: 0, items: 0, pageSize }) : 1;

export const firstState = (running: JobRun): CallState => ({
  step: running.paginator.first,
  pages: 0,
  items: 0,
  volume: 0,
  left: Math.min(leftAtFirst(running), pagesHere(running, { pages: 0, items: 0 })),
  known: NOTHING_KNOWN,
});

export function resumedState(running: JobRun, known: Checkpoint): CallState {
  const { paginator, plan, submitted } = running;
  const { items, volume } = known;
  const pages = known.pages - pagesBefore(running);
  const position = submitted === undefined ? known.position : submittedPosition(known)?.next;
  const step = paginator.at(position ?? null);
  const state = { step, pages, items, volume, resumed: known, known: knownFrom(known) };
  const left = pagesLeft(plan, { pages, items, pageSize: paginator.pageSize });
  return { ...state, left: Math.min(left, pagesHere(running, state)) };
}

/** Returns how many more pages of a call are requested here; 0: others request the rest. */
export const pagesHere = (
  { context, call }: Pick<JobRun, 'context' | 'call'>,
  { pages, items, step, known }: Pick<CallState, 'pages' | 'items'> & Partial<Pick<CallState, 'step' | 'known'>>,
): number =>
  context.pagesHere?.(call.key, {
    ...{ pages, items },
    ...(step === undefined ? {} : { position: step.position }),
    ...(known?.total === undefined ? {} : { total: known.total }),
  }) ?? Infinity;

/** Generates the steps after this one, assuming that all pages are full. */
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
 * Returns the maximum number of pages left, by the stops and the total of the job (docs/language/stops.md); no page beyond them is
 * requested ahead. At least 1.
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

/** Returns the number of pages for a limit of items; one before the first response. */
function pagesOf(limit: { readonly count: number } | TotalPlace, { items, reply, pageSize }: JobCounts): number {
  const most = 'count' in limit ? limit.count : reply === undefined ? undefined : integerOf(totalValue(reply, limit));
  return most === undefined || pageSize === undefined ? 1 : Math.ceil((Number(most) - items) / pageSize);
}

/** Restarts a call and the calls below it: their new pages replace the old ones. */
export const withoutProgress = (running: JobRun): JobRun => ({
  ...running,
  context: { ...running.context, progress: new Map() },
});

/**
 * Returns the first state of a call that restarts, and warns about the restart. This is safe for what was written, since a first page
 * replaces everything that the call had before.
 */
export function restarted(running: JobRun, because: string): CallState {
  warnOfRestart(running, because);
  return firstState(running);
}

export function warnOfRestart({ ref, plan, context }: Pick<JobRun, 'ref' | 'plan' | 'context'>, because: string): void {
  const message = `Job '${plan.name}' begins again: ${because}. Its pages take the place of those that it had.`;
  context.report({ type: 'warning', code: 'JOB_RESTARTED', job: ref, message });
}

/**
 * Returns whether the response means that the API no longer knows the position of a resumed call. A streamed response has no position that
 * the API could know: the request is the same, unless its result can be submitted again.
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

/** Returns whether a call that was interrupted has to restart: the keys that `unique` has seen are in memory only. */
export const needsAllPages = ({ plan: { shaping } }: Pick<JobRun, 'plan'>): boolean =>
  shaping !== undefined && shaping.unique.length > 0;
