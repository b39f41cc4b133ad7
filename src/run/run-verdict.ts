/** The end of a run: whether it is complete, and what it says last. */
import { concat, defer, from, of, throwError } from 'rxjs';
import type { Observable } from 'rxjs';
import { FatalError, IncompleteError } from '../core/errors/errors';
import type { RunEvent } from '../core/events';
import type { Completeness } from '../core/evidence';
import type { JobFailures } from './job-failures';
import type { IterationPlan } from '../plan/plan';
import type { Secrets } from '../core/secrets/secrets';
import { createEvidenceTracker } from '../sources/completeness/evidence-tracker';
import type { EvidenceTracker } from '../sources/completeness/evidence-tracker';
import { judge } from '../sources/completeness/judgement';

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
  readonly hear: (event: RunEvent) => void;
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
  const hear = (event: RunEvent): void => {
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
  return { hear, events$ };
}

function tooManyWarnings(warned: readonly string[], count: number): FatalError {
  const more = count > warned.length ? [`and ${count - warned.length} more`] : [];
  return new FatalError('WARNINGS', ['Warnings count as errors in this run.', ...warned, ...more].join('\n  '));
}
