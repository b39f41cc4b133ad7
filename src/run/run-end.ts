/** The end of a run: exactly one event reports it. */
import { EMPTY, catchError, concat, defer, from, of, tap, throwError } from 'rxjs';
import type { MonoTypeOperatorFunction, Observable, OperatorFunction } from 'rxjs';
import { FatalError, HeadwaterError, IncompleteError, JobsFailedError, eventError } from '../core/errors/errors';
import type { JobDoubt, JobFailure } from '../core/errors/errors';
import { endsRun } from '../core/events';
import type { Counted, JobOutcome, Outcome, Report, RunEvent } from '../core/events';
import type { Completeness } from '../core/evidence';
import { maskedError } from '../core/secrets/masking';
import type { Secrets } from '../core/secrets/secrets';
import type { IterationPlan, JobPlan } from '../plan/plan';
import { createEvidenceTracker, judge } from '../sources/completeness/judgement';
import type { EvidenceTracker } from '../sources/completeness/judgement';

/** Counts the items and pages of a run. */
function counter(): { readonly onEvent: (event: RunEvent) => void; readonly counted: () => Counted } {
  let [pages, items] = [0, 0];
  return {
    onEvent: (event) => {
      if (event.type !== 'page.extracted') return;
      pages += 1;
      items += event.page.count;
    },
    counted: () => ({ pages, items }),
  };
}

/**
 * Emits `run.failed` before the error of a run that has not reported its end. The error is already masked.
 *
 * @example run$.pipe(reportingFailure())
 */
export const reportingFailure = (): OperatorFunction<RunEvent, RunEvent> => (source) =>
  defer(() => {
    const { onEvent: onEvent, counted } = counter();
    let isOver = false;
    return source.pipe(
      tap((event) => {
        onEvent(event);
        isOver ||= endsRun(event);
      }),
      catchError((error: unknown) => {
        const failure = throwError(() => error);
        if (isOver) return failure;
        return concat(of<RunEvent>({ type: 'run.failed', error: eventError(error), ...counted() }), failure);
      }),
    );
  });

/**
 * Reports each event, and `run.cancelled` when the consumer unsubscribes before the run has ended.
 *
 * @param report receives the events before the consumer does
 * @example run$.pipe(reportingTo(console.log), untilAborted(signal))
 */
export const reportingTo =
  (report: (event: RunEvent) => void): OperatorFunction<RunEvent, RunEvent> =>
  (source): Observable<RunEvent> =>
    defer(() => {
      const { onEvent: onEvent, counted } = counter();
      let isOver = false;
      let run: string | undefined;
      return source.pipe(
        tap({
          next: (event) => {
            onEvent(event);
            run = event.run;
            // It counts first, since a consumer may unsubscribe when it receives the last event.
            isOver ||= endsRun(event);
            report(event);
          },
          unsubscribe: () => {
            if (isOver || run === undefined) return;
            report({ type: 'run.cancelled', run, ...counted() });
          },
        }),
      );
    });

/** The held end of a run, which has not ended before its destinations have stored the pages. */
export interface HeldEnd {
  /** Passes events on, except for the end of the run. */
  readonly onEvent: (event: RunEvent) => void;
  /** Emits the end that the run reported. */
  readonly release: () => void;
  /** Ends the run with this error; `isCancelled` says that it was cancelled. */
  readonly fail: (error: unknown, isCancelled: boolean) => void;
}

/**
 * Holds back the end of a run until its destinations have ended: a run whose commit fails has failed, and so has one whose destination
 * failed, although the run itself was only cancelled by that.
 *
 * @example holdEnd(report).onEvent(event)
 */
export function holdEnd(report: Report): HeldEnd {
  const { onEvent: onEvent, counted } = counter();
  let run: string | undefined;
  let end: RunEvent | undefined;
  const release = (): void => {
    if (end !== undefined) report(end);
    run = undefined;
    end = undefined;
  };
  return {
    onEvent: (event) => {
      onEvent(event);
      run = event.run;
      if (endsRun(event)) end = event;
      else report(event);
    },
    release,
    fail: (error, isCancelled) => {
      if (run === undefined) return;
      const isOwn = end?.type === 'run.failed' || (end?.type === 'run.cancelled' && isCancelled);
      if (!isOwn) end = { type: 'run.failed', run, error: eventError(error), ...counted() };
      release();
    },
  };
}

/** The options for judging the end of a run. */
export interface EndingOptions extends RunStrictness {
  /** The jobs that failed while others continued. */
  readonly failures: Pick<JobFailures, 'judged' | 'error'>;
}

export interface RunStrictness {
  /** The evidence of the pages from before, in a resumed run. */
  readonly evidence?: EvidenceTracker | undefined;
  /** How jobs without their own setting are treated. */
  readonly completeness: Completeness;
  /** True if an incomplete run only causes a warning, whatever the configuration says. */
  readonly lenient: boolean;
  /** True if warnings are errors. */
  readonly strict: boolean;
  readonly secrets: Secrets;
}

export interface Ending {
  /** Receives each event of the run. */
  readonly onEvent: (event: RunEvent) => void;
  /** The last events; fails when the run is incomplete, or had warnings that count as errors. */
  readonly events$: Observable<RunEvent>;
}

/** The maximum number of warnings that are shown; more are only counted. */
const MOST_WARNINGS = 20;

/**
 * Judges a run when all of its jobs have ended (docs/completeness.md): emits warnings, `run.finished` with the outcome of each job, and
 * then the error, if there is one, so that a stream emits all of its items first.
 *
 * @throws IncompleteError, FatalError WARNINGS through the stream
 */
export function createEnding(runs: readonly IterationPlan[], options: EndingOptions): Ending {
  const { strict, secrets, failures } = options;
  const book = options.evidence?.copy() ?? createEvidenceTracker();
  const total = { pages: 0, items: 0 };
  const warned: string[] = [];
  let warnings = 0;
  const note = (event: Extract<RunEvent, { readonly type: 'warning' }>): void => {
    if (event.isExpected === true) return;
    warnings += 1;
    if (warned.length < MOST_WARNINGS) warned.push(event.message);
  };
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'page.extracted') {
      if (event.page.evidence?.place !== 'before') total.pages += 1;
      total.items += event.page.count;
      book.addPage(event.page);
    } else if (event.type === 'pagination.stopped') {
      if (event.isWanted) book.stopped(event.iteration, event.job.id);
    } else if (event.type === 'warning') note(event);
  };
  const events$ = defer(() => {
    const { outcome, jobs, warnings: last, shaped, errors } = judge(book, runs, options);
    last.forEach(note);
    const finished: RunEvent = { type: 'run.finished', ...total, ...failures.judged(outcome, jobs) };
    const masked = errors.map((error) => ({ ...error, message: secrets.mask(error.message) }));
    const failure =
      failures.error(masked) ??
      (errors.length > 0
        ? new IncompleteError(masked)
        : strict && warnings > 0
          ? tooManyWarnings(warned, warnings)
          : undefined);
    return concat(
      from(last),
      from(shaped),
      of(finished),
      ...(failure === undefined ? [] : [throwError(() => failure)]),
    );
  });
  return { onEvent: onEvent, events$ };
}

/** Returns the error of a run whose warnings count as errors. */
export function tooManyWarnings(warned: readonly string[], count: number): FatalError {
  const more = count > warned.length ? [`and ${count - warned.length} more`] : [];
  return new FatalError('WARNINGS', ['Warnings count as errors in this run.', ...warned, ...more].join('\n  '));
}

/** The effect of a failed job: `continue` runs the other jobs, and the streams fail at the end. */
export type OnJobError = 'fail' | 'continue';

/**
 * What becomes of the other calls of a child where the API refuses one. A run that is resumed would not know that one is missing: they are
 * only left where nothing is kept of the pages.
 */
export type FailedCalls = 'end the job' | 'leave the others';

/** Collects the failures of the jobs of one run. */
export interface JobFailures {
  /** Wraps the stream of a job, its children included: passes errors on, or collects them. Programming errors are passed on. */
  readonly around: (plan: JobPlan, iteration: number) => MonoTypeOperatorFunction<RunEvent>;
  /** Wraps a call of a child: what the API says to it fails that call alone; any other error is passed on. */
  readonly aroundCall: (plan: JobPlan, iteration: number) => MonoTypeOperatorFunction<RunEvent>;
  /** Returns the outcomes of a run, including the failed jobs. */
  readonly judged: (outcome: Outcome, jobs: readonly JobOutcome[]) => Pick<Finished, 'outcome' | 'jobs'>;
  /** Returns the error at the end of the run; absent: no job failed. */
  readonly error: (doubts: readonly JobDoubt[]) => JobsFailedError | undefined;
}

type Finished = Extract<RunEvent, { readonly type: 'run.finished' }>;

interface Failure extends JobFailure {
  calls: number;
  readonly iteration: number;
  readonly plan: JobPlan;
}

/** @example runJob(plan).pipe(createJobFailures('continue', secrets).around(plan, 0)) */
export function createJobFailures(mode: OnJobError, secrets: Secrets): JobFailures {
  const failures: Failure[] = [];
  const failureOf = (iteration: number, id: string): Failure | undefined =>
    failures.find((each) => each.iteration === iteration && withChildren(each.plan).some((plan) => plan.id === id));
  const collecting =
    (isCollected: (error: HeadwaterError) => boolean): JobFailures['around'] =>
    (plan, iteration) =>
      catchError((error: unknown) => {
        if (mode === 'fail' || !(error instanceof HeadwaterError) || !isCollected(error))
          return throwError(() => error);
        maskedError(error, secrets);
        const { id, path, endpoint, dataType } = plan;
        // The first call of a child that fails stands for all of them.
        const first = failures.find((each) => each.plan === plan && each.iteration === iteration);
        if (first === undefined)
          failures.push({ job: { id, path, endpoint, dataType }, error: error.toJSON(), calls: 1, iteration, plan });
        else first.calls += 1;
        return EMPTY;
      });
  const around = collecting(() => true);
  const aroundCall = collecting(({ code }) => code.startsWith('API_'));
  const judged: JobFailures['judged'] = (outcome, jobs) => {
    if (failures.length === 0) return { outcome, jobs };
    // A child that was called for only some items counts as failed.
    const marked = jobs.map((job): JobOutcome => {
      const failure = failureOf(job.iteration, job.id);
      return failure === undefined ? job : { ...job, outcome: 'failed', error: failure.error };
    });
    const silent = failures
      .filter(({ iteration, job }) => !jobs.some((each) => each.iteration === iteration && each.id === job.id))
      .map(({ iteration, job: { id, path, endpoint, dataType }, error }): JobOutcome => ({
        ...{ iteration, id, path, endpoint, dataType, outcome: 'failed', pages: 0, items: 0, isFound: false, error },
      }));
    return { outcome: 'failed', jobs: [...marked, ...silent] };
  };
  return {
    around,
    aroundCall,
    judged,
    error: (doubts) => {
      if (failures.length === 0) return undefined;
      // The items that a failed job lacks need no further warning.
      const others = doubts.filter(
        ({ job, path }) =>
          !failures.some(({ plan }) =>
            withChildren(plan).some((each) => each.id === job && path.startsWith(each.path)),
          ),
      );
      return new JobsFailedError(
        failures.map(({ job, error, calls }) => ({ job, error, ...(calls === 1 ? {} : { calls }) })),
        others,
      );
    },
  };
}

const withChildren = (plan: JobPlan): readonly JobPlan[] => [
  plan,
  ...plan.children.flatMap(({ job }) => withChildren(job)),
];
