import type { BehaviorSubject, Observable } from 'rxjs';
import { EMPTY } from 'rxjs';
import type { Item } from '../core/model';
import { mergeInOrderFrom } from '../operators';
import type { WindowGate } from '../operators';
import type { ChildJobPlan } from '../plan/plan';
import { batchesOf } from './batches';
import type { Call, CallInput } from './call';
import type { Telling } from './changed-address';
import { bindingsOf, hasParentValue } from './placeholders';
import { recursionFilter } from './recursion-filter';
import { tellOfSeparators } from './separator-in-value';

/** What the calls of the children of one page have in common. */
export interface ChildrenContext<T> {
  readonly parent: Call;
  /** The number of the page under which the calls are made. */
  readonly page: number;
  /** How many calls run at once. */
  readonly concurrency: BehaviorSubject<number>;
  /** Whether the output of calls that run at once comes in their order. */
  readonly ordered: boolean;
  readonly gate: WindowGate;
  /** Whether a value is one that the gate counts. */
  readonly counts: (value: T) => boolean;
  /** Whether a child is called at all; absent: each is. */
  readonly isNeeded?: ((job: ChildJobPlan['job']) => boolean) | undefined;
  /** How values are told of that cannot be sent as they are. */
  readonly telling: Telling;
  /** Runs one call of a child, held back by its own gate. */
  readonly run: (child: ChildJobPlan, call: Call, gate: WindowGate) => Observable<T>;
}

interface ChildCall {
  readonly child: ChildJobPlan;
  readonly call: CallInput;
}

/**
 * Calls the children for the items of a page (docs/language/jobs.md#children): for each child definition, for each item
 * that passes its filter, one call after another, or several at once; a child with a batch is called for several items
 * at once.
 */
export function runChildren<T>(
  all: readonly ChildJobPlan[],
  items: () => readonly Item[],
  { parent, page, run, telling, isNeeded = () => true, ...options }: ChildrenContext<T>,
): Observable<T> {
  const children = all.filter(({ job }) => isNeeded(job));
  if (children.length === 0) return EMPTY;
  return mergeInOrderFrom(
    callsOf(children, items(), parent, telling),
    ({ child, call }, index, gate) =>
      run(child, { ...call, ...ofSlice(parent), key: [...parent.key, page, index] }, gate),
    options,
  );
}

const ofSlice = ({ slice }: Call): Pick<Call, 'slice'> => (slice === undefined ? {} : { slice });

/** Generates the calls lazily, as they are run: a page of many items does not become as many calls at once. */
function* callsOf(
  children: readonly ChildJobPlan[],
  items: readonly Item[],
  parent: Call,
  telling: Telling,
): Iterable<ChildCall> {
  for (const child of children) {
    if (child.placeholders.length === 0 && !hasParentValue(parent.bindings)) continue;
    const calls = callsFor(child, items, parent, telling);
    for (const call of child.choose?.(calls) ?? calls) yield { child, call };
  }
}

function* callsFor(child: ChildJobPlan, items: readonly Item[], parent: Call, telling: Telling): Iterable<CallInput> {
  const accepts = child.filter === undefined ? () => true : recursionFilter(child.filter);
  if (child.batch !== undefined) {
    for (const call of batchesOf(child, child.batch, items.filter(accepts), parent)) {
      tellOfSeparators(child, child.batch, call, telling);
      yield call;
    }
    return;
  }
  for (const item of items) {
    if (!accepts(item)) continue;
    const lineage = [item, ...parent.lineage];
    for (const bindings of bindingsOf(child, lineage, parent.bindings)) yield { lineage, bindings };
  }
}
