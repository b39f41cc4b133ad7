/** What becomes of a run of which a job fails: it ends, or the other jobs go on. */
import { catchError, EMPTY, throwError } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';
import { HeadwaterError } from '../core/errors/errors';
import type { JobDoubt } from '../core/errors/errors';
import { JobsFailedError } from '../core/errors/jobs-failed';
import type { JobFailure } from '../core/errors/jobs-failed';
import type { JobOutcome, Outcome, RunEvent } from '../core/events';
import { maskedError } from '../core/secrets/masking';
import type { JobPlan } from '../plan/plan';
import type { Secrets } from '../core/secrets/secrets';

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
