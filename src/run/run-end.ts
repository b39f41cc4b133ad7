/** How a run is over: an event says so in each case, and only one does. */
import { EMPTY, catchError, concat, defer, from, of, tap, throwError } from 'rxjs';
import type { MonoTypeOperatorFunction, Observable, OperatorFunction } from 'rxjs';
import { FatalError, HeadwaterError, IncompleteError, JobsFailedError, toldError } from '../core/errors/errors';
import type { JobDoubt, JobFailure } from '../core/errors/errors';
import { endsRun } from '../core/events';
import type { Counted, JobOutcome, Outcome, Report, RunEvent } from '../core/events';
import type { Completeness } from '../core/evidence';
import { maskedError } from '../core/secrets/masking';
import type { Secrets } from '../core/secrets/secrets';
import type { IterationPlan, JobPlan } from '../plan/plan';
import { createEvidenceTracker } from '../sources/completeness/evidence-tracker';
import type { EvidenceTracker } from '../sources/completeness/evidence-tracker';
import { judge } from '../sources/completeness/judgement';

/** Counts what a run has given. */
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
 * Emits `run.failed` before the error of a run that had not told its end. Its error is masked by now.
 *
 * @example run$.pipe(tellingFailure())
 */
export const tellingFailure = (): OperatorFunction<RunEvent, RunEvent> => (source) =>
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
        return concat(of<RunEvent>({ type: 'run.failed', error: toldError(error), ...counted() }), failure);
      }),
    );
  });

/**
 * Tells each event, and `run.cancelled` when the consumer leaves before the run is over.
 *
 * @param report receives the events before the consumer does
 * @example run$.pipe(toldTo(console.log), untilAborted(signal))
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

/** The end of a run that is not over with its last page: its destinations have to take the pages, too. */
export interface HeldEnd {
  /** Passes events on, but for the end of the run. */
  readonly onEvent: (event: RunEvent) => void;
  /** The run is over as it says itself. */
  readonly release: () => void;
  /** The run is over with this error; `isCancelled` says that it was wanted. */
  readonly fail: (error: unknown, isCancelled: boolean) => void;
}

/**
 * Holds back how a run ends until its destinations have said their part: a failed commit is a failed run, and so is one whose
 * destination took no more, though the run itself was only cancelled then.
 *
 * @example holdEnd(report).hear(event)
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
      if (!isOwn) end = { type: 'run.failed', run, error: toldError(error), ...counted() };
      release();
    },
  };
}

/** The end of a run: whether it is complete, and what it says last. */

export interface EndingOptions extends RunStrictness {
  /** The jobs that failed while others went on. */
  readonly failures: Pick<JobFailures, 'judged' | 'error'>;
}

export interface RunStrictness {
  /** What the pages tell that are safe from before, if the run goes on. */
  readonly evidence?: EvidenceTracker | undefined;
  /** What to do about jobs that do not say it themselves. */
  readonly completeness: Completeness;
  /** Whether an incomplete run is only worth a warning, whatever the configuration says. */
  readonly lenient: boolean;
  /** Whether warnings are errors. */
  readonly strict: boolean;
  readonly secrets: Secrets;
}

export interface Ending {
  /** Takes each event of the run. */
  readonly onEvent: (event: RunEvent) => void;
  /** The last events; fails when the run is incomplete, or had warnings that count as errors. */
  readonly events$: Observable<RunEvent>;
}

/** The number of warnings that are shown; more are only counted. */
const MOST_WARNINGS = 20;

/**
 * Judges a run when all of its jobs are over (docs/completeness.md): warnings, `run.finished` with the outcome by job, and
 * then the error, if there is one, so that a stream gives all of its items first.
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

function tooManyWarnings(warned: readonly string[], count: number): FatalError {
  const more = count > warned.length ? [`and ${count - warned.length} more`] : [];
  return new FatalError('WARNINGS', ['Warnings count as errors in this run.', ...warned, ...more].join('\n  '));
}

/** What becomes of a run of which a job fails: it ends, or the other jobs go on. */

/** `continue`: the other jobs of the run go on, and its streams fail at the end. */
export type OnJobError = 'fail' | 'continue';

/** Keeps the failures of the jobs of one run. */
export interface JobFailures {
  /** Around the stream of a job, its children included: passes errors on, or keeps them. Defects of programs are passed on. */
  readonly around: (plan: JobPlan, iteration: number) => MonoTypeOperatorFunction<RunEvent>;
  /** The outcomes of a run, with those of the jobs that failed. */
  readonly judged: (outcome: Outcome, jobs: readonly JobOutcome[]) => Pick<Finished, 'outcome' | 'jobs'>;
  /** The error at the end of the run; absent: no job failed. */
  readonly error: (doubts: readonly JobDoubt[]) => JobsFailedError | undefined;
}

type Finished = Extract<RunEvent, { readonly type: 'run.finished' }>;

interface Failure extends JobFailure {
  readonly iteration: number;
  readonly plan: JobPlan;
}

/** @example runJob(plan).pipe(createJobFailures('continue', secrets).around(plan, 0)) */
export function createJobFailures(mode: OnJobError, secrets: Secrets): JobFailures {
  const failures: Failure[] = [];
  const failureOf = (iteration: number, id: string): Failure | undefined =>
    failures.find((each) => each.iteration === iteration && withChildren(each.plan).some((plan) => plan.id === id));
  const around: JobFailures['around'] = (plan, iteration) =>
    catchError((error: unknown) => {
      if (mode === 'fail' || !(error instanceof HeadwaterError)) return throwError(() => error);
      maskedError(error, secrets);
      const { id, path, endpoint, dataType } = plan;
      failures.push({ job: { id, path, endpoint, dataType }, error: error.toJSON(), iteration, plan });
      return EMPTY;
    });
  const judged: JobFailures['judged'] = (outcome, jobs) => {
    if (failures.length === 0) return { outcome, jobs };
    // A child that was called for some items only is as good as failed.
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
    judged,
    error: (doubts) => {
      if (failures.length === 0) return undefined;
      // What a failed job lacks is no news.
      const others = doubts.filter(
        ({ job, path }) =>
          !failures.some(({ plan }) => withChildren(plan).some((each) => each.id === job && each.path === path)),
      );
      return new JobsFailedError(
        failures.map(({ job, error }) => ({ job, error })),
        others,
      );
    },
  };
}

const withChildren = (plan: JobPlan): readonly JobPlan[] => [
  plan,
  ...plan.children.flatMap(({ job }) => withChildren(job)),
];
