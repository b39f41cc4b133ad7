import type { Item } from '../core/model';
import type { ChildJobPlan } from '../plan/plan';
import type { CallInput } from './call';
import { bindingsOf } from './placeholders';
import type { PlaceholderBindings } from './placeholders';

/**
 * The calls of a child that takes several parent items at once (docs/extensions/batches.md): what would be single calls
 * is grouped by the size of the batch; calls that repeat an earlier one are left out. Calls that differ in a placeholder of a
 * higher level stay apart.
 *
 * @param items the items of one page of the parent that pass the filter of the child
 * @throws FatalError EXPRESSION_FAILED when a value is missing or is no scalar
 */
export function batchesOf(
  child: ChildJobPlan,
  { size, separator }: Pick<NonNullable<ChildJobPlan['batch']>, 'size' | 'separator'>,
  items: readonly Item[],
  parent: CallInput,
): readonly CallInput[] {
  const bindingSets = items.flatMap((item) => bindingsOf(child, [item, ...parent.lineage], parent.bindings));
  const batched = child.placeholders.filter(({ level }) => level === 1).map(({ name }) => name);
  const common = child.placeholders.filter(({ level }) => level !== 1).map(({ name }) => name);
  return groupsBy(common, bindingSets)
    .map((group) => groupsBy(batched, group).flatMap(([bindings]) => bindings ?? []))
    .flatMap((different) => slices(size, different))
    .map((group) => ({ lineage: [null, ...parent.lineage], bindings: joined(group, batched, separator) }));
}

/** Groups bindings that have equal strings for these names, in order of first appearance. */
function groupsBy(
  names: readonly string[],
  bindingSets: readonly PlaceholderBindings[],
): readonly (readonly PlaceholderBindings[])[] {
  const groups = new Map<string, PlaceholderBindings[]>();
  for (const bindings of bindingSets) {
    const key = JSON.stringify(names.map((name) => bindings.get(name)?.text));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [bindings]);
    else group.push(bindings);
  }
  return [...groups.values()];
}

const slices = <T>(size: number, all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/** Merges several bindings into one: the strings for these names are joined, the others are the same in all. */
function joined(
  group: readonly PlaceholderBindings[],
  names: readonly string[],
  separator: string,
): PlaceholderBindings {
  const all = [...(group[0] ?? [])].map(([name, filled]) => {
    if (!names.includes(name)) return [name, filled] as const;
    const values = group.map((bindings) => bindings.get(name)?.text ?? '');
    return [name, { ...filled, text: values.join(separator), values }] as const;
  });
  return new Map(all);
}
