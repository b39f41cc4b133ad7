import type { Completeness } from '../../core/evidence';
import type { JobPlan } from '../../plan/plan';

/** How a run treats incomplete jobs. */
export interface Mode {
  /** The setting for jobs without one of their own. */
  readonly completeness: Completeness;
  /** Whether what would be an error is a warning. */
  readonly lenient: boolean;
}

/**
 * How a job is treated when it is incomplete: as it says itself, else as the run has it.
 *
 * @example completenessOf({ completeness: 'error' }, { completeness: 'off', lenient: true }) // 'warn'
 */
export function completenessOf(job: Pick<JobPlan, 'completeness'>, { completeness, lenient }: Mode): Completeness {
  const own = job.completeness ?? completeness;
  return lenient && own === 'error' ? 'warn' : own;
}
