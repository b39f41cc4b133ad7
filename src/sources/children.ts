import { concat, defer, EMPTY, from } from 'rxjs';
import { concatMap } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Item } from '../model';
import type { ChildPlan } from '../plan/plan';
import { batchesOf } from './batches';
import type { Call } from './call';
import { fillingsOf } from './placeholders';
import { recursionFilter } from './recursion-filter';

/**
 * Calls the children for the items of a page (language 6.6): for each child definition, for each item that passes its
 * filter, one call after another; a child with a batch is called for several items at once.
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
  if (child.batch !== undefined)
    return from(batchesOf(child, child.batch, items.filter(accepts), parent)).pipe(
      concatMap((call) => run(child, call)),
    );
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
