import { jsonPathOf } from '../../core/json/json-path';
import type { JobRun } from '../job-run';
import type { Known, KnownTotal } from './known';
import type { Arrived } from './refusal';
import { declaredTotal, usualTotal } from './total';

/** By how much a total may change while its items are read. */
const MOST_CHANGE = 5;
const MOST_CHANGE_SHARE = 0.01;

/** What the API counts, with what this page says of it. Of numbers that differ the largest counts: past the end an API may count nothing. */
export function totalAfter(
  { plan, paginator }: JobRun,
  { total }: Known,
  pages: number,
  { reply, found: { count, place }, next }: Arrived,
): KnownTotal | undefined {
  if (plan.total !== undefined) {
    const declared = declaredTotal(reply, plan.total);
    if (declared === undefined || declared.value < (total?.value ?? 0)) return total;
    return { ...declared, isSteady: true };
  }
  if (plan.hasNoTotal === true || (pages > 0 && total === undefined)) return undefined;
  const hasPlace = place.kind === 'list' || (place.kind === 'value' && place.path.length > 0);
  if (!hasPlace || (pages > 0 && count === 0)) return total;
  const usual = usualTotal(reply, place.path, count);
  // A number that is no larger than a page may be that of its items.
  const isOfAll = usual !== undefined && usual.value > Math.max(count, paginator.pageSize ?? 0) && !isOfSeveral(plan);
  if (pages === 0) return usual === undefined ? undefined : { ...usual, isSteady: true, isOfAll };
  if (total === undefined || usual === undefined) return total;
  if (usual.value === total.value) return isOfAll ? total : { ...total, isOfAll };
  // Before the end, a number that goes down may be that of the items that are left.
  const isFull = count >= (paginator.pageSize ?? 1);
  if (usual.value < total.value && isFull && next.kind === 'step') return { ...total, isOfAll: false };
  // Items are added while they are read; a number that is quite another one on each page is no total.
  const isNear = Math.abs(usual.value - total.value) <= Math.max(MOST_CHANGE, total.value * MOST_CHANGE_SHARE);
  const value = Math.max(usual.value, total.value);
  return { ...total, value, isSteady: total.isSteady && isNear, isOfAll: false };
}

/** This tells whether the items come from several places of a response: the API may count these places. */
const isOfSeveral = ({ items: { path, delimiter } }: JobRun['plan']): boolean =>
  path !== undefined && jsonPathOf(path, delimiter)?.isSingular === false;
