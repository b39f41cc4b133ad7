/** Jobs by the names that people call them, and what has to run for some of them alone. */
import { didYouMean } from '../../language/codec/finding';
import type { IterationPlan, JobPlan } from '../../plan/plan';

/** Some jobs of a configuration. */
export interface ChosenJobs {
  readonly ids: ReadonlySet<string>;
  /** Whether a job runs for their sake: it is one of them, or stands above one. */
  readonly isNeeded: (job: JobPlan) => boolean;
}

const belowAndSelf = (job: JobPlan): readonly JobPlan[] => [
  job,
  ...job.children.flatMap(({ job: child }) => belowAndSelf(child)),
];

/**
 * The jobs of a name: their `id`, or where none is written their `dataType`, or else their endpoint. Several jobs may have one
 * name, and each iteration has its own.
 *
 * @param option where the name stands, for messages
 * @throws RangeError when no job is called so; it may say what was meant
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

/** A job, and its number among all of its iteration. */
interface Numbered {
  readonly job: JobPlan;
  readonly index: number;
}

/** The jobs that run. Each keeps its number, by which checkpoints know it. */
export const neededOf = (
  jobs: readonly JobPlan[],
  isNeeded: (job: JobPlan) => boolean = () => true,
): readonly Numbered[] => jobs.map((job, index) => ({ job, index })).filter(({ job }) => isNeeded(job));
