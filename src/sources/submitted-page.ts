import { of } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Evidence } from '../core/evidence';
import type { RunEvent } from '../core/events';
import type { Checkpoint, Item, JobRef, Json, Page, Response } from '../core/model';
import type { JobPlan } from '../plan/plan';
import type { Call } from './call';
import { extraOf, jobRefOf } from './job-run';
import type { JobContext, JobRun, Ruled } from './job-run';
import { ruledPage } from './ruled';
import type { SubmittedPosition } from './submitted';
import type { Turn } from './call-state';

/** One call of an asynchronous job. */
export interface SubmittedCall {
  readonly plan: JobPlan;
  readonly context: JobContext;
  readonly call: Call;
  /** Where an earlier part of the run has left it. */
  readonly known: Checkpoint | undefined;
  /** The page loop, from a turn on. */
  readonly pagesFrom: (running: JobRun, first: Turn) => Observable<RunEvent>;
  readonly childrenOf: (
    above: Pick<JobRun, 'plan' | 'context' | 'call'>,
    page: number,
    items: () => readonly Item[],
  ) => Observable<RunEvent>;
}

export const refOf = ({ plan, call }: SubmittedCall): JobRef => jobRefOf(plan, call);

export const finished = (job: JobRef, pages: number, items: number): RunEvent => ({
  type: 'job.finished',
  job,
  pages,
  items,
});

/** The page that says what was submitted. */
export const submittedPage = (own: SubmittedCall, response: Response, { kept }: SubmittedPosition): RunEvent =>
  emptyPage(own, response, { pages: 1, items: 0, position: { submitted: kept } }, { place: 'before' });

/** The empty page that ends a call in place of an answer that a rule takes for one without items. */
export function ended(own: SubmittedCall, response: Response, ruled: Ruled, pages: number): Observable<RunEvent> {
  const items = own.known?.items ?? 0;
  const { next, evidence } = ruledPage(response, ruled, Math.max(0, pages - 1));
  const placed: Evidence = { ...evidence, ...(pages === 1 ? { place: 'first' } : {}) };
  const isWanted = next.kind === 'stop' && next.isWanted === true;
  const job = refOf(own);
  return of<RunEvent[]>(
    emptyPage(own, response, { pages: pages + 1, items }, placed),
    { type: 'pagination.stopped', iteration: own.context.iteration, job, because: ruled.because, isWanted },
    finished(job, pages, items),
  );
}

function emptyPage(
  own: SubmittedCall,
  response: Response,
  { pages, items, position }: { readonly pages: number; readonly items: number; readonly position?: Json },
  evidence: Evidence,
): RunEvent {
  const { plan, context, call } = own;
  const page: Page = {
    iteration: context.iteration,
    job: refOf(own),
    table: plan.table,
    index: pages - 1,
    count: 0,
    items: [],
    lines: () => new Uint8Array(0),
    extra: extraOf(plan, context, call),
    reply: { response, data: undefined },
    evidence,
    checkpoint: {
      call: call.key,
      job: plan.id,
      pages,
      items,
      volume: 0,
      ...(position === undefined ? {} : { position }),
      evidence,
    },
  };
  return { type: 'page.extracted', page };
}
