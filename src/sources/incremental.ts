import { furthest, isEarlier, isOrdered, movedBack } from '../core/json/furthest';
import { withMember } from '../core/json/literals';
import { exactValueAt } from '../core/json/path';
import type { Cursors, JobRef, Json, JsonObject, PageCursor } from '../core/model';
import type { IncrementalPlan, JobPlan } from '../plan/plan';
import { futureIn } from './dates-ahead';
import type { FoundItems } from './items';
import { areUnordered } from './unordered';

/** Names the parent of a call, with the iteration if there are several: each has a cursor of its own. */
const parentOf = ({ iteration }: IncrementalPlan, placeholders: JobRef['placeholders']): string =>
  iteration + (placeholders === undefined ? '' : JSON.stringify(placeholders));

/**
 * The parameters of a job that asks only for what is new (docs/extensions/incremental.md): with where it has come to, or
 * with where it begins.
 */
export function withCursor(
  { id, incremental }: Pick<JobPlan, 'id' | 'incremental'>,
  params: JsonObject,
  cursors: Cursors,
  placeholders: JobRef['placeholders'],
): JsonObject {
  if (incremental === undefined) return params;
  const { param, initial, lag } = incremental;
  const reached = cursors.get(id)?.get(parentOf(incremental, placeholders));
  const value = reached === undefined ? initial : movedBack(reached, lag);
  return value === undefined ? params : withMember(params, param, value);
}

/**
 * How far the items of a page come; `undefined` where the job asks for everything, or nothing has an order. A time in the future
 * counts for nothing: later runs would ask for nothing else.
 *
 * @param startedAt the beginning of the run in Unix seconds
 * @param cursors how far the jobs had come before the run
 */
export function cursorIn(
  { id, incremental }: Pick<JobPlan, 'id' | 'incremental'>,
  placeholders: JobRef['placeholders'],
  found: Pick<FoundItems, 'items'>,
  { startedAt, cursors }: { readonly startedAt: number; readonly cursors: Cursors },
): PageCursor | undefined {
  if (incremental === undefined) return undefined;
  const { field } = incremental;
  let value: Json | undefined;
  let least: Json | undefined;
  let ascends = true;
  let isAhead = false;
  const values = found.items.flatMap((item): readonly Json[] => {
    const at = exactValueAt(item, field);
    return at === undefined || !isOrdered(at) ? [] : [at];
  });
  const parent = parentOf(incremental, placeholders);
  const known = [...values, cursors.get(id)?.get(parent)];
  const isFuture = futureIn(field, known, startedAt);
  const isUnordered = areUnordered(known);
  for (const at of values) {
    if (isFuture(at)) {
      isAhead = true;
      continue;
    }
    ascends &&= !isEarlier(at, value);
    value = furthest(value, at);
    if (least === undefined || isEarlier(at, least)) least = at;
  }
  if (value === undefined || least === undefined) return undefined;
  return {
    ...{ parent, value, least, ascends: ascends && !isUnordered },
    ...(isAhead ? { isAhead } : {}),
    ...(isUnordered ? { isUnordered } : {}),
  };
}
