import { furthest, isEarlier, isOrdered, isTime, movedBack } from '../json/furthest';
import { withMember } from '../json/literals';
import { exactValueAt } from '../json/path';
import type { Cursors, JobRef, Json, JsonObject, PageCursor } from '../model';
import type { IncrementalPlan, JobPlan } from '../plan/plan';
import type { FoundItems } from './items';

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

/** Seconds: by as much may clocks and zones differ. */
const DAY = 86_400;

/**
 * How far the items of a page come; `undefined` where the job asks for everything, or nothing has an order. A date in the future
 * counts for nothing: later runs would ask for nothing else.
 *
 * @param startedAt the beginning of the run in Unix seconds
 */
export function cursorIn(
  incremental: JobPlan['incremental'],
  placeholders: JobRef['placeholders'],
  found: Pick<FoundItems, 'items'>,
  startedAt: number,
): PageCursor | undefined {
  if (incremental === undefined) return undefined;
  const { field } = incremental;
  let value: Json | undefined;
  let least: Json | undefined;
  let ascends = true;
  let isAhead = false;
  const latest = new Date((startedAt + DAY) * 1000).toISOString();
  for (const item of found.items) {
    const at = exactValueAt(item, field);
    if (at === undefined || !isOrdered(at)) continue;
    if (isTime(at) && isEarlier(latest, at)) {
      isAhead = true;
      continue;
    }
    ascends &&= !isEarlier(at, value);
    value = furthest(value, at);
    if (least === undefined || isEarlier(at, least)) least = at;
  }
  return value === undefined || least === undefined
    ? undefined
    : { parent: parentOf(incremental, placeholders), value, least, ascends, ...(isAhead ? { isAhead } : {}) };
}
