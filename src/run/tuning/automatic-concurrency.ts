/** `concurrency: "auto"`: as many calls, or jobs, at once as the API takes (docs/extensions/flow.md). */
import type { Subscription } from 'rxjs';
import { adaptiveLimit } from '../../operators';
import type { AdaptiveLimit } from '../../operators';
import type { IterationPlan, JobPlan } from '../../plan/plan';
import { AT_FIRST } from '../../sources/concurrency';
import type { Concurrency } from '../../sources/concurrency';

/** The limits of what is to find its concurrency itself. */
export interface AutomaticConcurrency {
  /** Begins or ends it for the calls of a job, or, for `undefined`, for jobs. */
  readonly use: (job: string | undefined, isUsed: boolean) => void;
  readonly isUsed: () => boolean;
  /** The limits that the requests of a job count for. */
  readonly limitsOf: (job: string) => readonly AdaptiveLimit[];
}

interface Automatic {
  readonly limit: AdaptiveLimit;
  readonly following: Subscription;
  /** The ids of the jobs whose requests count; absent: those of all jobs do. */
  readonly jobs: ReadonlySet<string> | undefined;
}

/** @param concurrency follows the limits: as many calls run at once as requests may */
export function createAutomatic(iterations: readonly IterationPlan[], concurrency: Concurrency): AutomaticConcurrency {
  const used = new Map<string | undefined, Automatic>();
  const use = (job: string | undefined, isUsed: boolean): void => {
    if (isUsed === used.has(job)) return;
    if (!isUsed) {
      used.get(job)?.following.unsubscribe();
      used.delete(job);
      return;
    }
    const limit = adaptiveLimit({ initial: AT_FIRST });
    const following = limit.limit$.subscribe((most) => concurrency.set('concurrency', job, most));
    const jobs = job === undefined ? undefined : new Set(concurrency.jobsOf(job).flatMap(calledBy));
    used.set(job, { limit, following, jobs });
  };
  const enter = ({ id, concurrency: wanted, children }: JobPlan): void => {
    if (wanted === 'auto') use(id, true);
    for (const { job } of children) enter(job);
  };
  for (const { jobs, flow } of iterations) {
    if (flow.concurrency === 'auto') use(undefined, true);
    jobs.forEach(enter);
  }
  return {
    use,
    isUsed: () => used.size > 0,
    limitsOf: (job) =>
      [...used.values()].flatMap(({ limit, jobs }) => (jobs === undefined || jobs.has(job) ? [limit] : [])),
  };
}

/** The ids of the jobs of which several calls run at once below a job: its children, and itself where it is divided. */
const calledBy = ({ id, slices, children }: JobPlan): readonly string[] => [
  ...(slices === undefined ? [] : [id]),
  ...children.flatMap(({ job }) => [job.id, ...calledBy(job)]),
];
