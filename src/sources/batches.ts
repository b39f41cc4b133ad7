import type { Item } from '../model';
import type { ChildJobPlan } from '../plan/plan';
import type { CallOf } from './call';
import { fillingsOf } from './placeholders';
import type { Filling } from './placeholders';

/**
 * The calls of a child that takes several parent items at once (docs/extensions/batches.md): what would be single calls,
 * without those that repeat an earlier one, in groups of the size of the batch. Calls that differ in a placeholder of a
 * higher level stay apart.
 *
 * @param items those of one page of the parent that pass the filter of the child
 * @throws FatalError EXPRESSION_FAILED when a value is missing or is no scalar
 */
export function batchesOf(
  child: ChildJobPlan,
  { size, separator }: NonNullable<ChildJobPlan['batch']>,
  items: readonly Item[],
  parent: CallOf,
): readonly CallOf[] {
  const fillings = items.flatMap((item) => fillingsOf(child, [item, ...parent.lineage], parent.filling));
  const batched = child.placeholders.filter(({ level }) => level === 1).map(({ name }) => name);
  const common = child.placeholders.filter(({ level }) => level !== 1).map(({ name }) => name);
  return groupsBy(common, fillings)
    .map((group) => groupsBy(batched, group).flatMap(([filling]) => filling ?? []))
    .flatMap((different) => slices(size, different))
    .map((group) => ({ lineage: [null, ...parent.lineage], filling: joined(group, batched, separator) }));
}

/** Fillings with equal texts for these names, in order of first appearance. */
function groupsBy(names: readonly string[], fillings: readonly Filling[]): readonly (readonly Filling[])[] {
  const groups = new Map<string, Filling[]>();
  for (const filling of fillings) {
    const key = JSON.stringify(names.map((name) => filling.get(name)?.text));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [filling]);
    else group.push(filling);
  }
  return [...groups.values()];
}

const slices = <T>(size: number, all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/** Several fillings as one: the texts for these names are joined, the others are the same in all. */
function joined(group: readonly Filling[], names: readonly string[], separator: string): Filling {
  const all = [...(group[0] ?? [])].map(([name, filled]) => {
    if (!names.includes(name)) return [name, filled] as const;
    const values = group.map((filling) => filling.get(name)?.text ?? '');
    return [name, { ...filled, text: values.join(separator), values }] as const;
  });
  return new Map(all);
}
