/** Jobs by their names for users, and the jobs that have to run for them. */
import { didYouMean } from '../../language/codec/finding';
import type { IterationPlan, JobPlan } from '../../plan/plan';

/** Some jobs of a configuration. */
export interface ChosenJobs {
  readonly ids: ReadonlySet<string>;
  /** Returns whether a job runs: it is one of them, or a parent of one. */
  readonly isNeeded: (job: JobPlan) => boolean;
}

const belowAndSelf = (job: JobPlan): readonly JobPlan[] => [
  job,
  ...job.children.flatMap(({ job: child }) => belowAndSelf(child)),
];

/**
 * Returns the jobs of a name: their `id`, or without one their `dataType`, or else their endpoint. Several jobs may have one name, and each
 * iteration has its own.
 *
 * @param option the place of the name, for messages
 * @throws RangeError when no job has the name; it may suggest another one
 * @example chosenJobs(planned.iterations, 'stations', 'job').ids
 */
export function chosenJobs(iterations: readonly IterationPlan[], name: string, option: string): ChosenJobs {
  const all = iterations.flatMap(({ jobs }) => jobs.flatMap(belowAndSelf));
  const isNamed = (job: JobPlan): boolean => job.id === name || job.name === name;
  if (!all.some(isNamed)) {
    const hint = didYouMean(name, [...new Set(all.map((job) => job.name))]);
    throw new RangeError(`${option}: there is no job ${JSON.stringify(name)}${hint}`);
  }
  const needed = new Set(all.filter((job) => belowAndSelf(job).some(isNamed)));
  return {
    ids: new Set(all.filter(isNamed).map(({ id }) => id)),
    isNeeded: (job) => needed.has(job),
  };
}

/** A job, and its number among all jobs of its iteration. */
interface Numbered {
  readonly job: JobPlan;
  readonly index: number;
}

/** Returns the jobs that run. Each keeps its number, which checkpoints use. */
export const neededOf = (
  jobs: readonly JobPlan[],
  isNeeded: (job: JobPlan) => boolean = () => true,
): readonly Numbered[] => jobs.map((job, index) => ({ job, index })).filter(({ job }) => isNeeded(job));
