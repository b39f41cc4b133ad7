import { EMPTY } from 'rxjs';
import type { BehaviorSubject, Observable } from 'rxjs';
import type { Item } from '../core/model';
import { mergeInOrderFrom } from '../operators';
import type { WindowGate } from '../operators';
import type { ChildJobPlan } from '../plan/plan';
import { bindingsOf, hasParentValue } from './call';
import type { Call, CallInput, PlaceholderBindings, WarningReporter } from './call';
import { recursionFilter } from './recursion-filter';

/** What the calls of the children of one page share. */
export interface ChildrenContext<T> {
  readonly parent: Call;
  /** The number of the page under which the calls are made. */
  readonly page: number;
  /** How many calls run at once. */
  readonly concurrency: BehaviorSubject<number>;
  /** True if the output of concurrent calls keeps the order of the calls. */
  readonly ordered: boolean;
  readonly gate: WindowGate;
  /** Returns whether the gate counts a value. */
  readonly counts: (value: T) => boolean;
  /** Returns whether a child is called; absent: every child is. */
  readonly isNeeded?: ((job: ChildJobPlan['job']) => boolean) | undefined;
  /** Returns whether a call, by its key, is made here; absent: each is. Others take no place among those that run at once. */
  readonly owns?: ((call: Call['key']) => boolean) | undefined;
  /** How to warn about values that cannot be sent unchanged. */
  readonly reporter: WarningReporter;
  /** Runs one call of a child with its own gate. */
  readonly run: (child: ChildJobPlan, call: Call, gate: WindowGate) => Observable<T>;
}

interface ChildCall {
  readonly child: ChildJobPlan;
  readonly call: Call;
}

/**
 * Calls the children for the items of a page (docs/language/jobs.md#children): for each child definition, one call for each item that
 * passes its filter, one after another or several at once. A child with a batch is called for several items at once.
 */
export function runChildren<T>(
  all: readonly ChildJobPlan[],
  items: () => readonly Item[],
  { parent, page, run, reporter, owns, isNeeded = () => true, ...options }: ChildrenContext<T>,
): Observable<T> {
  const children = all.filter(({ job }) => isNeeded(job));
  if (children.length === 0) return EMPTY;
  return mergeInOrderFrom(
    callsOf(children, items(), { parent, page, owns, reporter }),
    ({ child, call }, _, gate) => run(child, call, gate),
    options,
  );
}

const ofSlice = ({ slice }: Call): Pick<Call, 'slice'> => (slice === undefined ? {} : { slice });

/** Generates the calls lazily, so that a page of many items does not create as many calls at once. */
function* callsOf(
  children: readonly ChildJobPlan[],
  items: readonly Item[],
  { parent, page, owns, reporter }: Pick<ChildrenContext<unknown>, 'parent' | 'page' | 'owns' | 'reporter'>,
): Iterable<ChildCall> {
  let index = 0;
  for (const child of children) {
    if (child.placeholders.length === 0 && !hasParentValue(parent.bindings)) continue;
    const calls = callsFor(child, items, parent, reporter);
    for (const call of child.choose?.(calls) ?? calls) {
      const key = [...parent.key, page, index++];
      if (owns?.(key) !== false) yield { child, call: { key, ...call, ...ofSlice(parent) } };
    }
  }
}

function* callsFor(
  child: ChildJobPlan,
  items: readonly Item[],
  parent: Call,
  reporter: WarningReporter,
): Iterable<CallInput> {
  const accepts = child.filter === undefined ? () => true : recursionFilter(child.filter);
  if (child.batch !== undefined) {
    for (const call of batchesOf(child, child.batch, items.filter(accepts), parent)) {
      warnOfSeparators(child, child.batch, call, reporter);
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

/**
 * Returns the calls of a child that takes several parent items at once (docs/language/jobs.md#batches): single calls are grouped by the size
 * of the batch, and repeated ones are left out. Calls that differ in a placeholder of a higher level stay separate.
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

/**
 * Warns, once for each job, about a value of a batch that contains the separator: the API reads it as several values, and the value itself
 * is not requested (docs/language/jobs.md#batches). The request is sent all the same, since the value may be meant as a list.
 */
function warnOfSeparators(
  { placeholders, job: { id, path, endpoint, dataType } }: ChildJobPlan,
  { separator, style }: NonNullable<ChildJobPlan['batch']>,
  { bindings }: CallInput,
  { report, warnOnce: warnOnce }: WarningReporter,
): void {
  for (const { name } of placeholders.filter(({ level }) => level === 1)) {
    const values = bindings.get(name)?.values ?? [];
    // In the other styles the values of a parameter are elements of an array; in an endpoint they are joined.
    const isJoined = style === 'join' || endpoint.includes(`{${name}}`);
    const key = `${id} ${name} separator`;
    if (!isJoined || !values.some((value) => value.includes(separator)) || warnOnce?.has(key) === true) continue;
    warnOnce?.add(key);
    const message =
      `${path}.batch: a value of {${name}} has ${JSON.stringify(separator)}, which stands between the values of a batch: the API takes it for several, ` +
      `and the items of that value may be missing. Set another "batchSeparator", or "batchStyle": "repeat" or "list", if the API takes that; ` +
      `let the function rawurlencode encode a value in an endpoint; or leave "batch" out.`;
    report({ type: 'warning', code: 'SEPARATOR_IN_VALUE', message, job: { id, path, endpoint, dataType } });
  }
}
