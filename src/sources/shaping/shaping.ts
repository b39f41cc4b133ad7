import type { Shaped } from '../../core/evidence';
import { literalAt, noteLiterals } from '../../core/json/literals';
import { stringifyAt } from '../../core/json/stringify';
import type { Item } from '../../core/model';
import type { RunTimes } from '../../plan/plan';
import type { ShapingPlan } from '../../plan/shaping-plan';
import type { FoundItems } from '../items';
import type { Cell } from './cell';
import { computed } from './compute';
import { excluded, kept } from './conditions';
import { renamed } from './rename';
import type { SoughtTracker } from './sought';
import { unique } from './unique';
import { unnested } from './unnest';

/** The items of a page as a job delivers them. */
export interface Delivered extends Pick<FoundItems, 'count' | 'items' | 'lines'> {
  /** How many there were before; absent where nothing is made of them. */
  readonly shaped?: Shaped;
}

/** Makes what a job delivers of the items of its pages, one page after another. */
export type Shaping = (found: FoundItems) => Delivered;

/**
 * What one call of a job makes of its items (docs/language/items.md), in this order: `unnest`, `compute`, `filter`,
 * `exclude`, `unique`, `rename`. Pagination and completeness never see it.
 *
 * @param path the place of the job in the configuration
 * @param look hears of each item that an operation gets
 * @returns a function of one page, which has to be called once for each page, in their order
 * @throws FatalError API_SHAPE, EXPRESSION_FAILED from the function
 */
export function shapingOf(
  plan: ShapingPlan | undefined,
  times: RunTimes,
  path: string,
  look: SoughtTracker['look'],
): Shaping {
  if (plan === undefined) return (found) => found;
  const operations = operationsOf(plan, times, path);
  return (found) => {
    const dropped = { unnest: 0, filter: 0, exclude: 0, unique: 0 };
    let cells: readonly Cell[] = cellsOf(found.items);
    for (const [name, operation] of operations)
      cells = cells.flatMap((cell) => {
        look(name, cell.item);
        const made = operation(cell);
        if (made.length === 0 && name !== 'compute' && name !== 'rename') dropped[name] += 1;
        return made;
      });
    return { ...deliveredOf(cells), shaped: { arrived: found.count, delivered: cells.length, dropped } };
  };
}

function operationsOf(plan: ShapingPlan, times: RunTimes, path: string) {
  const { unnest, compute, filter, exclude, unique: key, rename } = plan;
  return [
    ...(unnest === undefined ? [] : [['unnest', unnested(unnest, path)] as const]),
    ...(compute.length === 0 ? [] : [['compute', computed(compute, times, path)] as const]),
    ...(filter.length === 0 ? [] : [['filter', kept(filter)] as const]),
    ...(exclude.length === 0 ? [] : [['exclude', excluded(exclude)] as const]),
    ...(key.length === 0 ? [] : [['unique', unique(key, path)] as const]),
    ...(rename.size === 0 ? [] : [['rename', renamed(rename, path)] as const]),
  ];
}

const cellsOf = (items: readonly Item[]): readonly Cell[] =>
  items.map((item, at) => ({ item, literal: literalAt(items, at) }));

function deliveredOf(cells: readonly Cell[]): Delivered {
  const items = cells.map(({ item }) => item);
  const literals = cells.flatMap(({ literal }, at) => (literal === undefined ? [] : [[String(at), literal] as const]));
  if (literals.length > 0) noteLiterals(items, new Map(literals));
  return {
    count: items.length,
    items,
    lines: (before = '', after = '') =>
      Buffer.from(items.map((_, at) => `${before}${stringifyAt(items, at)}${after}\n`).join('')),
  };
}
