import { concat, defer, EMPTY, from } from 'rxjs';
import { concatMap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Item } from '../model';
import type { ChildPlan } from '../plan/plan';
import { fillingsOf } from './placeholders';
import type { Filling } from './placeholders';
import { recursionFilter } from './recursion-filter';

/** One run of a job: a top-level job has no lineage and no filling. */
export interface Call {
  /** The items above it, the direct parent's first. */
  readonly lineage: readonly Item[];
  readonly filling: Filling;
}

export const TOP_LEVEL: Call = { lineage: [], filling: new Map() };

/**
 * Calls the children for the items of a page (language 6.6): for each child definition, for each item that passes its
 * filter, one call after another.
 *
 * @param run runs one call of a child
 */
export function runChildren<T>(
  children: readonly ChildPlan[],
  items: readonly Item[],
  parent: Call,
  run: (child: ChildPlan, call: Call) => Observable<T>,
): Observable<T> {
  if (children.length === 0) return EMPTY;
  return concat(...children.map((child) => defer(() => callsOf(child, items, parent, run))));
}

function callsOf<T>(
  child: ChildPlan,
  items: readonly Item[],
  parent: Call,
  run: (child: ChildPlan, call: Call) => Observable<T>,
): Observable<T> {
  if (child.placeholders.length === 0 && parent.filling.size === 0) return EMPTY;
  const accepts = child.filter === undefined ? () => true : recursionFilter(child.filter);
  return from(items).pipe(
    concatMap((item) => {
      if (!accepts(item)) return EMPTY;
      const lineage = [item, ...parent.lineage];
      return from(fillingsOf(child, lineage, parent.filling)).pipe(
        concatMap((filling) => run(child, { lineage, filling })),
      );
    }),
  );
}
