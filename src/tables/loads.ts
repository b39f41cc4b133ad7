/** What a run does to the rows that a table has (docs/sinks.md#tables). */
import type { OutputPlan } from '../plan/plan';

/** What is asked of an output. */
type Output = Pick<OutputPlan, 'incremental' | 'loads'>;

/**
 * Tells whether rows are added to those of earlier runs, or take the place of those with the same key. Else they take the place of all.
 *
 * @param table the table of the items; the tables of lists in them go with it
 * @example addsRows({ incremental: false, loads: new Map([['events', 'append']]) }, 'events') // true
 */
export const addsRows = ({ incremental, loads }: Output, table: string): boolean => {
  const load = loads?.get(table);
  return load === undefined ? incremental : load !== 'replace';
};

/** Tells whether a run adds rows to any of its tables. */
export const addsAnyRows = ({ incremental, loads }: Output): boolean =>
  incremental || [...(loads?.values() ?? [])].some((load) => load !== 'replace');

/**
 * Outputs that do to tables of lists, and to child tables of mappings, what they do to the table of the items.
 *
 * @param roots the name of such a table, and that of the table of the items
 */
export const withRoots = (
  outputs: readonly OutputPlan[],
  roots: readonly (readonly [table: string, root: string])[],
): readonly OutputPlan[] =>
  outputs.map((output) => {
    const { loads } = output;
    if (loads === undefined) return output;
    const ofRoots = roots.flatMap(([table, root]) => {
      const load = loads.get(root);
      return load === undefined ? [] : [[table, load] as const];
    });
    return { ...output, loads: new Map([...loads, ...ofRoots]) };
  });
