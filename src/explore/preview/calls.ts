import type { ChildJobPlan, JobPlan } from '../../plan/plan';

/**
 * How often a job is called, as a sentence.
 *
 * @param slices how many windows and partitions there are; absent: it is not divided
 */
export function callsOf(
  { slices: divides }: Pick<JobPlan, 'slices'>,
  child: ChildJobPlan | undefined,
  parent: Pick<JobPlan, 'endpoint'> | undefined,
  slices: number | undefined,
): string {
  const divided =
    divides === undefined
      ? ''
      : `, divided into ${slices ?? 0} ${slices === 1 ? 'call' : 'calls'} by its windows and partitions`;
  if (child === undefined || parent === undefined) return `It is called once${divided}.`;
  const { filter, batch, placeholders } = child;
  const items = batch === undefined ? 'each item' : `each ${batch.size} items`;
  const passing = filter === undefined ? '' : ` that ${batch === undefined ? 'passes' : 'pass'} ${filter}`;
  const values = placeholders.map(({ name, path }) => `{${name}} is its "${path}"`);
  return `It is called for ${items} of ${parent.endpoint}${passing}${divided}${values.length === 0 ? '' : `; ${values.join(', ')}`}.`;
}
