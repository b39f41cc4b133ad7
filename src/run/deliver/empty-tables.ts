import type { EmptyTables } from '../../core/durable-sink';
import type { JobOutcome } from '../../core/events';
import type { IterationPlan, JobPlan } from '../../plan/plan';
import { addsRows } from '../../tables/loads';

/**
 * The tables that a run replaces and has no rows for, and why it has none.
 *
 * @param iterations the plans of the configuration
 * @param outcomes what became of the jobs that were called
 * @example emptyTables(planned.iterations, finished.jobs).unfed // ['notes']
 */
export function emptyTables(iterations: readonly IterationPlan[], outcomes: readonly JobOutcome[]): EmptyTables {
  const byTable = new Map<string, (JobOutcome | undefined)[]>();
  const added = new Set<string>();
  for (const [iteration, { jobs, output }] of iterations.entries())
    for (const { id, table, dataType } of jobs.flatMap(withChildren)) {
      const outcome = outcomes.find((each) => each.iteration === iteration && each.id === id);
      byTable.set(table, [...(byTable.get(table) ?? []), outcome]);
      if (addsRows(output, dataType)) added.add(table);
    }
  const replaced = [...byTable].filter(([table]) => !added.has(table));
  const isUnmet = (outcome: JobOutcome | undefined): boolean =>
    outcome === undefined || (outcome.items === 0 && !outcome.isFound);
  const unfed = replaced.filter(([, jobs]) => jobs.every((job) => job === undefined)).map(([table]) => table);
  const unmet = replaced
    .filter(([table, jobs]) => !unfed.includes(table) && jobs.every(isUnmet))
    .map(([table]) => table);
  return { unfed, unmet };
}

const withChildren = (job: JobPlan): readonly JobPlan[] => [
  job,
  ...job.children.flatMap(({ job: child }) => withChildren(child)),
];
