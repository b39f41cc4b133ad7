/** What a run got of jobs that ask only for what is new, those below them included (docs/extensions/incremental.md). */
import type { JobOutcome, Outcome } from '../../core/events';
import type { OutputPlan } from '../../plan/plan';
import type { IsWhole } from './cursors';

/** What a run got of its jobs. */
export interface WholeJobs {
  /**
   * Whether a job counts as having come. Where a job below it lacks anything, nothing of it does: later runs would call that for other
   * items, and never again for those whose call is not complete.
   */
  readonly isWhole: IsWhole;
  /** The places of the jobs below a job that lack anything. */
  readonly lackingBelow: (job: string) => readonly string[];
}

/**
 * @param jobs what became of the jobs of the run
 * @example wholeJobs(outputs, finished.jobs).isWhole('orders') // true
 */
export function wholeJobs(
  outputs: readonly OutputPlan[],
  jobs: readonly Pick<JobOutcome, 'id' | 'path' | 'outcome'>[],
): WholeJobs {
  const asking = outputs.flatMap(({ incrementalJobs = [] }) => incrementalJobs);
  const has = (id: string, end: Outcome): boolean => jobs.some((job) => job.id === id && job.outcome === end);
  const lacking = new Set(
    jobs.filter(({ outcome }) => outcome === 'failed' || outcome === 'incomplete').map(({ path }) => path),
  );
  const lackingBelow = (id: string): readonly string[] => {
    const below = asking.filter((job) => job.id === id).flatMap((job) => job.below ?? []);
    return [...new Set(below.map(({ path }) => path))].filter((path) => lacking.has(path));
  };
  const isWhole: IsWhole = (id) =>
    has(id, 'failed') || lackingBelow(id).length > 0 ? 'failed' : !has(id, 'incomplete');
  return { isWhole, lackingBelow };
}
