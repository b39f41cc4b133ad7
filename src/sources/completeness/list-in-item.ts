import type { Doubt } from '../../core/evidence';
import { entriesOf, isList, isObject, keysOf } from '../../core/json/keys';
import type { Json } from '../../core/model';
import type { JobRun } from '../job-run';
import { ENVELOPES, ID_KEYS } from './list-of-object';
import { plainKey } from './metadata-objects';
import type { PageOutcome } from './page-outcome';

/** A list within the only item of a page. */
interface InnerList {
  /** The keys that lead to it from the item. */
  readonly path: readonly string[];
  readonly count: number;
  /** This tells whether it is called as lists of items are. */
  readonly isNamed: boolean;
}

const DEEPEST = 2;

/**
 * The doubt about a job with pagination whose first page has one item that is the list itself, or holds it: the page counts as one
 * that is not full, and pagination ends (docs/completeness.md#what-is-an-error).
 */
export function listInItem({ plan, paginator }: JobRun, { found, pages }: PageOutcome): Doubt | undefined {
  if (paginator.by === 'nothing' || pages > 0 || found.count !== 1) return undefined;
  const [item] = found.items;
  if (item === undefined || (isObject(item) && keysOf(item).some((key) => ID_KEYS.has(plainKey(key)))))
    return undefined;
  const inner = listsOfObjects(item, [], isList(item));
  const { pageSize } = paginator;
  const whole = inner.find(({ isNamed, count }) => isNamed && count === pageSize);
  const list = whole ?? inner.find(({ isNamed, count }) => isNamed || count === pageSize);
  if (list === undefined) return undefined;
  const { place } = found;
  const path = [...(place.kind === 'list' || place.kind === 'value' ? place.path : []), ...list.path];
  const what = list.path.length === 0 ? 'is a list' : `holds a list at ${JSON.stringify(list.path.join('.'))}`;
  const remedy =
    place.kind === 'value' && list.path.length > 0
      ? `If its elements are the items, set "dataField": ${JSON.stringify(path.join('.'))} in the job.`
      : 'If its elements are the items, let dataField of the job lead to them.';
  return {
    code: 'LIST_IN_ITEM',
    level: whole === undefined ? 'warning' : 'error',
    message:
      `The only item of the first page of ${plan.endpoint} ${what} of ${list.count} objects${list.count === pageSize ? ', as many as a page has' : ''}: ` +
      `pagination counts one item, and may end too early. ${remedy} If the item is meant, "completeness": "off" in the job takes it as it is.`,
  };
}

function listsOfObjects(value: Json, path: readonly string[], isNamed: boolean): readonly InnerList[] {
  if (isList(value)) return value.length > 1 && value.every(isObject) ? [{ path, count: value.length, isNamed }] : [];
  if (!isObject(value) || path.length >= DEEPEST) return [];
  return entriesOf(value).flatMap(([key, member]) =>
    listsOfObjects(member, [...path, key], ENVELOPES.has(plainKey(key))),
  );
}
