/** Asynchronous jobs: submit a request, poll for the result, then read the pages of the result (docs/language/asynchronous-jobs.md). */
import { asyncScheduler, concat, concatMap, defer, ignoreElements, of, take } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError, RetryableError } from '../core/errors/errors';
import { responseFacts, withResponseFacts } from '../core/errors/response-facts';
import type { RunEvent } from '../core/events';
import type { Evidence } from '../core/evidence';
import type { Checkpoint, Item, JobRef, Json, Page, Response } from '../core/model';
import { polling } from '../operators';
import type { PollVerdict } from '../operators';
import type { AsynchronousPlan, JobPlan } from '../plan/plan';
import type { Call } from './call';
import { firstState, needsAllPages, resumedState, warnOfRestart } from './call-state';
import type { CallState } from './call-state';
import { isGone, parentsOf } from './checkpoint';
import { withCursor } from './incremental';
import { extraOf, jobRefOf, start } from './job-run';
import type { JobContext, JobRun, Ruled } from './job-run';
import { ruledPage } from './page';
import { submittedPosition, textsOf, withTexts } from './submitted';
import type { SubmittedPosition } from './submitted';

/**
 * Runs a call of an asynchronous job. A page without items records what was submitted, so that a resumed run asks for the same result. A
 * result that the API no longer has, or that has failed meanwhile, is submitted again, once.
 */
export function runSubmitted(plan: AsynchronousPlan, own: SubmittedCall): Observable<RunEvent> {
  const { known } = own;
  const ref = refOf(own);
  const started$ = of<RunEvent>({ type: 'job.started', job: ref });
  if (known === undefined) return concat(started$, submission(plan, own));
  const children$ = own.childrenOf(own, known.pages - 1, () => parentsOf(known));
  if (known.position === undefined)
    return concat(started$, children$, of<RunEvent>(finished(ref, known.pages - 1, known.items)));
  const position = submittedPosition(known);
  if (position === undefined) return concat(started$, restartOf(plan, own, 'its checkpoint names nothing submitted'));
  const isWhole = position.next !== undefined && needsAllPages(own);
  return concat(started$, isWhole ? of() : children$, result(plan, own, { position, isOld: true }));
}

/** Returns all pages of a call that restarts; the calls below it restart as well. */
const restartOf = (plan: AsynchronousPlan, own: SubmittedCall, because: string): Observable<RunEvent> =>
  defer(() => {
    warnOfRestart({ ...own, ref: refOf(own) }, because);
    return submission(plan, { ...own, known: undefined, context: { ...own.context, progress: new Map() } });
  });

const callValues = ({ context: { times }, call: { slice } }: SubmittedCall, bindings: Call['bindings']) => ({
  times,
  bindings,
  ...(slice === undefined ? {} : { slice }),
});

/** Submits, emits a page that records it, then polls for the result. */
function submission({ submit, poll }: AsynchronousPlan, own: SubmittedCall): Observable<RunEvent> {
  const { plan, context, call } = own;
  const { answers, secrets } = context;
  const response$ = defer(() => {
    const bound = submit.bind(callValues(own, call.bindings));
    secrets.add(...bound.secrets);
    const params = withCursor(plan, bound.params, context.cursors, refOf(own).placeholders);
    return context.send(bound.request({ params }));
  });
  const after = (response: Response): Observable<RunEvent> => {
    const ruled = context.judge?.(response);
    if (ruled !== undefined) return ended(own, response, ruled, 0);
    answers.requireSuccess(response);
    const kept = textsOf(submit, response, answers, partlyTaken(own));
    const delay = answers.requestedDelay(response) ?? 0;
    const position = { kept };
    return concat(
      of(submittedPage(own, response, position)),
      result({ submit, poll }, own, { position, isOld: false, delay }),
    );
  };
  const open$ = context.gate(plan.prefetch ?? context.prefetch).pipe(take(1), ignoreElements());
  return concat(
    open$,
    response$.pipe(concatMap((response) => withResponseFacts(response, secrets, () => after(response)))),
  );
}

interface Awaited {
  readonly position: SubmittedPosition;
  readonly isOld: boolean;
  /** Milliseconds to wait before the first poll, as the response to the submission asks. */
  readonly delay?: number;
}

type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'ruled'; readonly ruled: Ruled }
  | { readonly kind: 'again'; readonly because: string };

/** Polls until the result is there, then emits its pages. */
function result(plan: AsynchronousPlan, own: SubmittedCall, awaited: Awaited): Observable<RunEvent> {
  const { poll } = plan;
  const { context, call, known } = own;
  const { secrets, scheduler = asyncScheduler } = context;
  const { position, isOld, delay = 0 } = awaited;
  const { everyMilliseconds, timeoutMilliseconds } = poll;
  return defer(() => {
    const bindings = withTexts(call.bindings, position.kept);
    const bound = poll.bind(callValues(own, bindings));
    secrets.add(...bound.secrets);
    const request = bound.request({ params: bound.params });
    let last: Response | undefined;
    let polls = 0;
    const judge = (response: Response): PollVerdict<{ readonly response: Response; readonly outcome: Outcome }> => {
      last = response;
      polls += 1;
      const outcome = withResponseFacts(response, secrets, () => outcomeOf(plan, own, response, isOld));
      if (outcome !== undefined) return { done: { response, outcome } };
      return { wait: Math.max(everyMilliseconds, context.answers.requestedDelay(response) ?? 0) };
    };
    const timedOut = (): RetryableError => timeoutOf(plan, own, polls, last);
    const done$ = polling(() => context.send(request), {
      judge,
      delay,
      timeout: timeoutMilliseconds,
      timedOut,
      scheduler,
    });
    const submitted$ = of<RunEvent>({
      type: 'job.submitted',
      job: refOf(own),
      everyMilliseconds,
      timeoutMilliseconds,
      isResumed: isOld,
    });
    const pages$ = done$.pipe(
      concatMap(({ response, outcome }) => {
        if (outcome.kind === 'again') return restartOf(plan, own, outcome.because);
        if (outcome.kind === 'ruled') return ended(own, response, outcome.ruled, known?.pages ?? 1);
        return withResponseFacts(response, secrets, () => pagesOf(plan, own, awaited, response, bindings));
      }),
    );
    return concat(submitted$, pages$);
  });
}

/** Returns the meaning of a response to a poll; `undefined` if the result is not ready yet. */
function outcomeOf(
  { poll }: AsynchronousPlan,
  { context }: SubmittedCall,
  response: Response,
  isOld: boolean,
): Outcome | undefined {
  const { answers, judge, secrets } = context;
  const { until, failed, running } = poll;
  const isDone = answers.meets(until, response);
  const isRunning = running !== undefined && answers.meets(running, response);
  if (isOld && isGone(response) && !isDone && !isRunning)
    return { kind: 'again', because: `the API answers with status ${response.status} for what was submitted` };
  const ruled = judge?.(response);
  if (ruled !== undefined) return { kind: 'ruled', ruled };
  if (failed !== undefined && answers.meets(failed, response)) {
    if (isOld) return { kind: 'again', because: 'what was submitted has failed' };
    const message = `${poll.path}: the API says that there will be no result: ${answers.shown(response)}`;
    throw new FatalError('JOB_FAILED', message, responseFacts(response, secrets));
  }
  if (isDone) return { kind: 'done' };
  if (!isRunning) answers.requireSuccess(response);
  return undefined;
}

function timeoutOf(
  { poll }: AsynchronousPlan,
  { context }: SubmittedCall,
  polls: number,
  last: Response | undefined,
): RetryableError {
  const { answers, secrets } = context;
  const seconds = poll.timeoutMilliseconds / 1000;
  const said = last === undefined ? 'no answer' : `the last answer: ${answers.shown(last)}`;
  const pause = last === undefined ? 0 : (answers.requestedDelay(last) ?? 0);
  const why =
    pause > poll.timeoutMilliseconds
      ? `the API asks to wait ${pause / 1000} seconds, and "timeout" is ${seconds}`
      : `the result was not there within ${seconds} seconds`;
  const message =
    `${poll.path}: ${why} (${polls} polls; ${said}). ` +
    'Raise "timeout", or go on later with --resume, which asks for the same result; check "until" and "failed" if it is there.';
  return new RetryableError('JOB_TIMEOUT', undefined, message, last === undefined ? {} : responseFacts(last, secrets));
}

/** Returns the pages of a result that is there. */
function pagesOf(
  plan: AsynchronousPlan,
  own: SubmittedCall,
  { position, isOld }: Awaited,
  response: Response,
  bindings: Call['bindings'],
): Observable<RunEvent> {
  const { context, call, known, pagesFrom } = own;
  const submitted = {
    kept: position.kept,
    bindings: withTexts(bindings, textsOf(plan.poll, response, context.answers, partlyTaken(own))),
    isOld,
    again: (because: string) => restartOf(plan, own, because),
  };
  if (known === undefined || position.next === undefined) {
    const running = start(own.plan, context, call, submitted);
    return pagesFrom(running, firstState(running));
  }
  const running = start(own.plan, context, call, submitted);
  if (!needsAllPages(own)) return pagesFrom(running, resumedState(running, known));
  warnOfRestart(running, "the keys that its items had are not kept, and 'unique' needs them");
  const fresh = start(own.plan, { ...context, progress: new Map() }, call, submitted);
  return concat(of(submittedPage(own, response, position)), pagesFrom(fresh, firstState(fresh)));
}

const partlyTaken =
  (own: SubmittedCall) =>
  (message: string): void =>
    own.context.report({ type: 'warning', code: 'INCOMPLETE', job: refOf(own), message });

/** One call of an asynchronous job. */
export interface SubmittedCall {
  readonly plan: JobPlan;
  readonly context: JobContext;
  readonly call: Call;
  /** The checkpoint of an earlier part of the run. */
  readonly known: Checkpoint | undefined;
  /** The page loop, starting at a state of the call. */
  readonly pagesFrom: (running: JobRun, first: CallState) => Observable<RunEvent>;
  readonly childrenOf: (
    above: Pick<JobRun, 'plan' | 'context' | 'call'>,
    page: number,
    items: () => readonly Item[],
  ) => Observable<RunEvent>;
}

const refOf = ({ plan, call }: SubmittedCall): JobRef => jobRefOf(plan, call);

const finished = (job: JobRef, pages: number, items: number): RunEvent => ({
  type: 'job.finished',
  job,
  pages,
  items,
});

/** Returns the page that records what was submitted. */
const submittedPage = (own: SubmittedCall, response: Response, { kept }: SubmittedPosition): RunEvent =>
  emptyPage(own, response, { pages: 1, items: 0, position: { submitted: kept } }, { place: 'before' });

/** Returns the empty page that ends a call whose response a rule counts as one without items. */
function ended(own: SubmittedCall, response: Response, ruled: Ruled, pages: number): Observable<RunEvent> {
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
