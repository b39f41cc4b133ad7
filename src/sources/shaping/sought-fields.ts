import { isObject } from '../../core/json/objects';
import { exactValueAt, placeAt } from '../../core/json/path';
import type { Item } from '../../core/model';
import type { JobPlan, ShapingPlan } from '../../plan/plan';
import { pathsIn, recursionFilter } from '../recursion-filter';

/**
 * The operations of a job on its items; `incremental` reads the field by which it asks for what is new. Of the filters of the jobs below it, `children` stands for the fields they read, `passes` for
 * whether they hold.
 */
export type Operation =
  'unnest' | 'compute' | 'filter' | 'exclude' | 'unique' | 'rename' | 'children' | 'passes' | 'incremental';

/** A field of items that a configuration names. Where no item ever has it, its name is probably a mistake. */
export interface SoughtField {
  readonly operation: Operation;
  /** The place in the configuration, relative to the job. */
  readonly option: string;
  /** The path of the field; the whole filter, where the operation is `passes`. */
  readonly path: string;
}

/**
 * Returns the fields that a job looks for in its items, always in the same order, since pages record them by their numbers.
 *
 * @example soughtFields({ shaping: { ...none, filter: ['state==open'] }, children: [] })
 * // [{ operation: 'filter', option: 'filter[0]', path: 'state' }]
 */
export function soughtFields({
  shaping,
  children,
  incremental,
}: Pick<JobPlan, 'shaping' | 'children' | 'incremental'>): readonly SoughtField[] {
  const ofChildren = children.flatMap(({ filter }, at) =>
    filter === undefined ? [] : fieldsOf('children', `children[${at}].recursionFilter`, pathsIn(filter)),
  );
  const filters = children.flatMap(({ filter }, at) =>
    filter === undefined
      ? []
      : [{ operation: 'passes' as const, option: `children[${at}].recursionFilter`, path: filter }],
  );
  const asked = incremental === undefined ? [] : fieldsOf('incremental', 'incremental.field', [incremental.field]);
  return [...(shaping === undefined ? [] : inShaping(shaping)), ...ofChildren, ...filters, ...asked];
}

const fieldsOf = (operation: Operation, option: string, paths: readonly string[]): readonly SoughtField[] =>
  [...new Set(paths)].map((path) => ({ operation, option, path }));

function inShaping({ unnest, compute, filter, exclude, unique, rename }: ShapingPlan): readonly SoughtField[] {
  const conditions = (operation: 'filter' | 'exclude', all: readonly string[]): readonly SoughtField[] =>
    all.flatMap((each, at) => fieldsOf(operation, `${operation}[${at}]`, pathsIn(each)));
  const computed = compute.flatMap(({ name, reads }, at) => {
    const before = new Set(compute.slice(0, at).map((other) => other.name));
    const ofItems = reads.filter((path) => !before.has(/^(?:\$\.)?([^.[]*)/.exec(path)?.[1] ?? ''));
    return fieldsOf('compute', `compute.${name}`, ofItems);
  });
  return [
    ...(unnest === undefined ? [] : fieldsOf('unnest', 'unnest', [unnest.path])),
    ...computed,
    ...conditions('filter', filter),
    ...conditions('exclude', exclude),
    ...fieldsOf('unique', 'unique', unique),
    ...fieldsOf('rename', 'rename', [...rename.keys()]),
  ];
}

/** Records which of the sought fields of a job the items of one call have had. */
export interface SoughtTracker {
  /** Examines an item before an operation. */
  readonly look: (operation: Operation, item: Item) => void;
  /** Records that an item has the fields of an operation. */
  readonly met: (operation: Operation) => void;
  /** Returns the numbers of the fields that were found since the last call, and the keys of an item that lacks others. */
  readonly found: () => { readonly met?: readonly number[]; readonly keys?: readonly string[] };
}

/** The maximum number of keys in a message; more would not help a reader. */
const MOST_KEYS = 30;

/** Returns the tracker for a call of a job; most jobs look for no field. */
export const soughtBy = (plan: JobPlan): SoughtTracker =>
  plan.shaping === undefined &&
  plan.incremental === undefined &&
  plan.children.every(({ filter }) => filter === undefined)
    ? LOOKS_FOR_NOTHING
    : soughtTracker(soughtFields(plan));

const LOOKS_FOR_NOTHING: SoughtTracker = { look: () => undefined, met: () => undefined, found: () => ({}) };

function soughtTracker(fields: readonly SoughtField[]): SoughtTracker {
  const left = new Map(fields.map((field, at) => [at, { ...field, isIn: presence(field) }]));
  let met: number[] = [];
  let keys: readonly string[] | undefined;
  let isSaid = false;
  const meet = (at: number): void => {
    left.delete(at);
    met.push(at);
  };
  return {
    look: (operation, item) => {
      for (const [at, field] of left) {
        if (field.operation !== operation) continue;
        if (field.isIn(item)) meet(at);
        else if (operation !== 'passes') keys ??= isObject(item) ? Object.keys(item).slice(0, MOST_KEYS) : [];
      }
    },
    met: (operation) => {
      for (const [at, field] of left) if (field.operation === operation) meet(at);
    },
    found: () => {
      const news = met;
      met = [];
      const lacks = left.size > 0 && keys !== undefined && !isSaid;
      isSaid ||= lacks;
      return { ...(news.length === 0 ? {} : { met: news }), ...(lacks ? { keys: keys ?? [] } : {}) };
    },
  };
}

/** Returns a function that checks whether an item has a field. `rename` names fields, the others paths; a whole item is always there. */
function presence({ operation, path }: SoughtField): (item: Item) => boolean {
  if (operation === 'passes') return recursionFilter(path);
  if (operation === 'incremental') return (item) => exactValueAt(item, path) !== undefined;
  if (operation === 'rename') return (item) => isObject(item) && Object.hasOwn(item, path);
  return (item) => path === '.' || placeAt(item, path) !== undefined;
}
