import { BehaviorSubject } from 'rxjs';
import type { JobPlan, IterationPlan } from '../plan/plan';

/** How much runs at once. It may be changed during a run. */
export interface Concurrency {
  /** How many jobs of a run run at once. */
  readonly ofIteration: (run: IterationPlan) => BehaviorSubject<number>;
  /** How many calls of the children of a job run at once. */
  readonly ofJob: (job: JobPlan) => BehaviorSubject<number>;
  /**
   * @param job the id of a job, for the calls of its children; `undefined` for the jobs themselves
   * @throws RangeError when there is no such job, or the number is no integer from 1
   */
  readonly set: (job: string | undefined, atOnce: number) => void;
}

/**
 * @param runs the plans of the configuration
 * @param jobsAtOnce in place of what they say
 * @example createConcurrency(runs).set('users', 20)
 */
export function createConcurrency(runs: readonly IterationPlan[], jobsAtOnce?: number): Concurrency {
  const byRun = new Map(runs.map((run) => [run, new BehaviorSubject(jobsAtOnce ?? run.flow.concurrency)]));
  const byId = new Map<string, BehaviorSubject<number>>();
  const enter = ({ id, concurrency, children }: JobPlan): void => {
    if (!byId.has(id)) byId.set(id, new BehaviorSubject(concurrency));
    for (const { job } of children) enter(job);
  };
  for (const { jobs } of runs) jobs.forEach(enter);
  return {
    ofIteration: (run) => byRun.get(run) ?? new BehaviorSubject(run.flow.concurrency),
    ofJob: ({ id, concurrency }) => byId.get(id) ?? new BehaviorSubject(concurrency),
    set: (job, atOnce) => {
      if (!Number.isInteger(atOnce) || atOnce < 1)
        throw new RangeError(`setConcurrency: expected an integer from 1, found ${atOnce}`);
      const limits = job === undefined ? [...byRun.values()] : [byId.get(job)];
      for (const limit of limits) {
        if (limit === undefined)
          throw new RangeError(`setConcurrency: there is no job with the id ${JSON.stringify(job)}`);
        limit.next(atOnce);
      }
    },
  };
}
