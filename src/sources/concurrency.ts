import { BehaviorSubject } from 'rxjs';
import type { JobPlan, IterationPlan } from '../plan/plan';

/** The limits for what runs at once and how far ahead. They may change during a run. */
export interface Concurrency {
  /** How many jobs of a run run at once. */
  readonly ofIteration: (run: IterationPlan) => BehaviorSubject<number>;
  /** How many calls of the children of a job run at once. */
  readonly ofJob: (job: JobPlan) => BehaviorSubject<number>;
  /** How many pages of a job are requested at once. */
  readonly parallelOf: (job: JobPlan) => number;
  /**
   * How many pages of a job may wait for the consumer.
   *
   * @param otherwise the value if neither the job nor the run sets one
   */
  readonly prefetchOf: (job: JobPlan, otherwise: number) => number;
  /** Returns the jobs with an id, children included; equal jobs are at several places. */
  readonly jobsOf: (id: string) => readonly JobPlan[];
  /** Sets a number for one job or, for `undefined`, for the run. */
  readonly set: (setting: FlowSetting, job: string | undefined, value: number) => void;
}

export type FlowSetting = 'concurrency' | 'parallel' | 'prefetch';

/** The initial limit where the best one is found out during the run. */
export const AT_FIRST = 4;
const numberOf = (concurrency: number | 'auto'): number => (concurrency === 'auto' ? AT_FIRST : concurrency);

/**
 * @param runs the plans of the configuration
 * @example createConcurrency(runs).set('concurrency', 'users', 20)
 */
export function createConcurrency(runs: readonly IterationPlan[]): Concurrency {
  const ofFlow = ({ flow }: IterationPlan) => new BehaviorSubject(numberOf(flow.concurrency));
  const byRun = new Map(runs.map((run) => [run, ofFlow(run)]));
  const byId = new Map<string, { readonly plans: JobPlan[]; readonly calls: BehaviorSubject<number> }>();
  const set = { parallel: new Map<string | undefined, number>(), prefetch: new Map<string | undefined, number>() };
  const enter = (job: JobPlan): void => {
    const known = byId.get(job.id) ?? { plans: [], calls: new BehaviorSubject(numberOf(job.concurrency)) };
    known.plans.push(job);
    byId.set(job.id, known);
    for (const child of job.children) enter(child.job);
  };
  for (const { jobs } of runs) jobs.forEach(enter);
  return {
    ofIteration: (run) => byRun.get(run) ?? ofFlow(run),
    ofJob: ({ id, concurrency }) => byId.get(id)?.calls ?? new BehaviorSubject(numberOf(concurrency)),
    parallelOf: ({ id, pagination: { parallel } }) => set.parallel.get(id) ?? set.parallel.get(undefined) ?? parallel,
    prefetchOf: ({ id, prefetch }, otherwise) =>
      set.prefetch.get(id) ?? prefetch ?? set.prefetch.get(undefined) ?? otherwise,
    jobsOf: (id) => byId.get(id)?.plans ?? [],
    set: (setting, job, value) => {
      if (setting !== 'concurrency') set[setting].set(job, value);
      else if (job === undefined) for (const limit of byRun.values()) limit.next(value);
      else byId.get(job)?.calls.next(value);
    },
  };
}
