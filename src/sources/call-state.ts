import type { Checkpoint, Reply } from '../core/model';
import { isTopLevel } from './call';
import { knownFrom, NOTHING_KNOWN } from './completeness/known';
import type { Known } from './completeness/known';
import { pagesLeft } from './pages-left';
import type { Step } from '../language/parts/pagination/paginator';
import type { JobRun } from './job-run';
import { pagesBefore, submittedPosition } from './submitted';

/** One turn of the page loop: where a call stands before a request. */
export interface Turn {
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

export const firstTurn = (running: JobRun): Turn => ({
  step: running.paginator.first,
  pages: 0,
  items: 0,
  volume: 0,
  left: leftAtFirst(running),
  known: NOTHING_KNOWN,
});

export function resumedTurn(running: JobRun, known: Checkpoint): Turn {
  const { paginator, plan, submitted } = running;
  const { items, volume } = known;
  const pages = known.pages - pagesBefore(running);
  const position = submitted === undefined ? known.position : submittedPosition(known)?.next;
  const left = pagesLeft(plan, { pages, items, pageSize: paginator.pageSize });
  const step = paginator.at(position ?? null);
  return { step, pages, items, volume, left, resumed: known, known: knownFrom(known) };
}

/** The steps after this one, if all pages are full. */
export function* following({ plan, paginator: { after } }: JobRun, { step, pages, left }: Turn): Iterable<Step> {
  if (after === undefined) return;
  const most = Math.min(left, plan.requestLimit - pages);
  let next = step;
  for (let count = 1; count < most; count += 1) {
    next = after(next);
    yield next;
  }
}
