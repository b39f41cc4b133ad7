import type { Doubt } from '../../core/evidence';
import { isTopLevel } from '../call';
import type { JobRun } from '../job-run';
import type { KnownTotal } from './known';
import { saysLast } from './next-page-sign';
import type { PageOutcome } from './page-outcome';

const FAILURE = 400;
/** No API gives fewer items a page unless it is asked to. */
const SMALLEST = 5;
/** Calls of children mostly have few items; a number that is no multiple of this one is hardly a page size. */
const ROUND = 5;

/**
 * The doubt about a first page that has fewer items than the page size, which its request did not have ("firstPageParams": false):
 * the API may have gone by a page size of its own, and what is between that and the page size of later requests is missing
 * (docs/completeness.md#what-is-a-warning).
 */
export function unsizedFirstPage(
  { plan, call, paginator: { unsized, pageSize = 0, first } }: JobRun,
  { reply, found: { count, place }, pages, next, verdict }: PageOutcome,
  total: KnownTotal | undefined,
): Doubt | undefined {
  if (unsized === undefined || pages > 0 || place.kind !== 'list' || count < SMALLEST || count >= pageSize)
    return undefined;
  if (!isTopLevel(call) && (count < 2 * ROUND || count % ROUND > 0)) return undefined;
  if (reply.response.status >= FAILURE || (verdict.kind === 'stop' && verdict.why !== 'unsure')) return undefined;
  if (isSent(reply.response.request.url, unsized, pageSize) || saysLast(reply, place.path)) return undefined;
  if (total !== undefined && count >= total.value) return undefined;
  if (next.kind === 'step' && next.step.position === Number(first.position) + count) return undefined;
  const end = next.kind === 'stop' ? 'pagination ends with it' : 'the next page begins further on';
  const message =
    `The first page of ${plan.endpoint} has ${count} items and was requested without a page size ("firstPageParams": false), so that the API ` +
    `went by its own; ${end}, since "limit" is ${pageSize}. If the API gives ${count} items a page, others are missing: leave out ` +
    `"firstPageParams" in api.pagination, or set "limit": ${count}.`;
  return { code: 'PAGE_CAPPED', level: total === undefined ? 'warning' : 'error', message };
}

/** This tells whether default parameters, or the endpoint, have the page size all the same. */
const isSent = (url: string, unsized: string, pageSize: number): boolean =>
  new URL(url).searchParams.get(unsized) === String(pageSize);
