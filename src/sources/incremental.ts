import { furthest, movedBack } from '../json/furthest';
import { valueAt } from '../json/path';
import type { Cursors, Item, Json, JsonObject } from '../model';
import type { JobPlan } from '../plan/plan';

/** The calls of a child for different parents come forward each by itself. */
export const parentOf = (placeholders: Readonly<Record<string, string>> | undefined): string =>
  placeholders === undefined ? '' : JSON.stringify(placeholders);

/**
 * The parameters of a job that asks only for what is new (docs/extensions/incremental.md): with where it has come to, or
 * with where it begins.
 */
export function withCursor(
  { id, incremental }: Pick<JobPlan, 'id' | 'incremental'>,
  params: JsonObject,
  cursors: Cursors,
  parent: string,
): JsonObject {
  if (incremental === undefined) return params;
  const { param, initial, lag } = incremental;
  const reached = cursors.get(id)?.get(parent);
  const value = reached === undefined ? initial : movedBack(reached, lag);
  return value === undefined ? params : { ...params, [param]: value };
}

/** The furthest value of the field in the items of a page. */
export const furthestIn = (items: readonly Item[], field: string): Json | undefined =>
  items.reduce<Json | undefined>((reached, item) => furthest(reached, valueAt(item, field)), undefined);
