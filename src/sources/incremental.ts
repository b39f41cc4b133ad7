import { furthest, isEarlier, isOrdered, movedBack } from '../json/furthest';
import { withMember } from '../json/literals';
import { exactValueAt } from '../json/path';
import type { Cursors, JobRef, Json, JsonObject, PageCursor } from '../model';
import type { JobPlan } from '../plan/plan';
import type { FoundItems } from './items';

/** Names the parent of a call: each parent has a cursor of its own. */
const parentOf = (placeholders: JobRef['placeholders']): string =>
  placeholders === undefined ? '' : JSON.stringify(placeholders);

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
  const reached = cursors.get(id)?.get(parentOf(placeholders));
  const value = reached === undefined ? initial : movedBack(reached, lag);
  return value === undefined ? params : withMember(params, param, value);
}

/** How far the items of a page come; `undefined` where the job asks for everything, or nothing has an order. */
export function cursorIn(
  incremental: JobPlan['incremental'],
  placeholders: JobRef['placeholders'],
  found: Pick<FoundItems, 'items'>,
): PageCursor | undefined {
  if (incremental === undefined) return undefined;
  const { field } = incremental;
  let value: Json | undefined;
  let least: Json | undefined;
  let ascends = true;
  for (const item of found.items) {
    const at = exactValueAt(item, field);
    if (at === undefined || !isOrdered(at)) continue;
    ascends &&= !isEarlier(at, value);
    value = furthest(value, at);
    if (least === undefined || isEarlier(at, least)) least = at;
  }
  return value === undefined || least === undefined
    ? undefined
    : { parent: parentOf(placeholders), value, least, ascends };
}
