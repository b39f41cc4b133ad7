import type { Doubt, Evidence } from '../../evidence';
import { isBlankData } from '../../json/blank';
import { isScalar, typeName } from '../../json/text';
import { isTopLevel } from '../call';
import type { Running } from '../running';
import type { Verdict } from '../stops';
import type { Known, KnownTotal } from './known';
import { nextPageSign } from './next-page-sign';
import { listsIn, placeText } from './places';
import type { Arrived } from './repeated-page';
import { errorIn } from './reply-shape';
import { declaredTotal, usualTotal } from './total';

/** A page that is taken, and what the stops say after it. */
export interface Taken extends Arrived {
  readonly verdict: Verdict;
  /** Pages and items of the call before this one. */
  readonly pages: number;
  readonly items: number;
}

const FAILURE = 400;

/** What the API counts, with what this page says of it; looked for where it may matter. */
export function totalAfter(
  { plan, paginator }: Running,
  { total }: Known,
  pages: number,
  arrived: Arrived,
): KnownTotal | undefined {
  const { reply, found, next } = arrived;
  const isFull = found.count >= (paginator.pageSize ?? 1);
  if (pages > 0 && isFull && next.kind === 'step') return total;
  if (plan.total !== undefined) {
    const declared = declaredTotal(reply, plan.total);
    // The largest counts: behind the end an API may count nothing.
    if (declared === undefined || declared.value < (total?.value ?? 0)) return total;
    return { ...declared, isSteady: true };
  }
  if (found.place.kind !== 'list' || (pages > 0 && found.count === 0)) return total;
  const usual = usualTotal(reply, found.place.path, found.count);
  if (pages === 0) return usual === undefined ? undefined : { ...usual, isSteady: true };
  if (total === undefined || usual === undefined || usual.value === total.value) return total;
  return { ...total, isSteady: false };
}

/** What a page tells of the completeness of its call (docs/completeness.md); `undefined` when there is nothing of note. */
export function evidenceOf(running: Running, taken: Taken, total: KnownTotal | undefined): Evidence | undefined {
  const { reply, found } = taken;
  const isRefused = reply.response.status >= FAILURE;
  const unmet = found.place.kind === 'missing' && !isRefused ? listsIn(reply.data) : undefined;
  const error = unmet === undefined ? undefined : saysError(running, taken);
  const ends = isRefused ? [] : atEnd(running, taken, total);
  const doubts = [...(error === undefined ? [] : [error]), ...ends];
  const evidence = {
    ...(unmet === undefined ? {} : { unmet }),
    ...(total === undefined ? {} : { total: total.value }),
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(taken.verdict.kind === 'stop' && taken.verdict.why === 'wanted' ? { stopped: true } : {}),
  };
  return Object.keys(evidence).length === 0 ? undefined : evidence;
}

function saysError({ plan, call }: Running, { reply }: Taken): Doubt | undefined {
  const { data } = reply;
  const key = errorIn(data);
  // A string or a number; a blank one may be how the API says that there is nothing.
  const isScalarBody = !isBlankData(data) && isScalar(data);
  if (key === undefined && !isScalarBody) return undefined;
  const what = key === undefined ? `is a ${typeName(data)}` : `says with ${placeText([key])} that it is an error`;
  const message =
    `A response of ${plan.endpoint} has no items, and ${what}, although its status is ${reply.response.status}. ` +
    `"completeness": "off" in the job takes it as no items.`;
  // An API may say so of a single parent item that has nothing below it.
  return { code: 'ERROR_IN_BODY', level: isTopLevel(call) ? 'error' : 'warning', message };
}

/** The doubts about a page that is the last one of its call, unless the configuration wants no more. */
function atEnd(running: Running, taken: Taken, total: KnownTotal | undefined): readonly Doubt[] {
  const { next, verdict } = taken;
  const isEnd = next.kind === 'stop' || verdict.kind === 'stop';
  if (!isEnd || (verdict.kind === 'stop' && verdict.why === 'wanted')) return [];
  const missed = missedTotal(running, taken, total);
  const notTaken = isWhole(running, taken, total) ? undefined : nextNotTaken(running, taken);
  return [notTaken, missed].filter((doubt) => doubt !== undefined);
}

/** Whether a total says that there are no more items: then a link to a next page is one that the API always gives. */
const isWhole = (_: Running, { items, found }: Taken, total: KnownTotal | undefined): boolean =>
  total?.isSteady === true && total.value > 0 && items + found.count >= total.value;

function nextNotTaken({ plan, paginator }: Running, { reply, found, next, verdict, pages }: Taken): Doubt | undefined {
  if (pages > 0 || (next.kind === 'stop' && next.isKnown === true)) return undefined;
  if (verdict.kind === 'stop' && verdict.why === 'ended') return undefined;
  // An API that always gives a next link does so on an empty page, too.
  if (paginator.by === 'position' && found.count === 0) return undefined;
  if (paginator.by === 'nothing' && found.place.kind === 'value') return undefined;
  const sign = nextPageSign(reply, found.place.kind === 'list' ? found.place.path : []);
  if (sign === undefined) return undefined;
  const why = verdict.kind === 'stop' ? verdict.because : next.kind === 'stop' ? next.because : '';
  return {
    code: 'NEXT_PAGE_NOT_TAKEN',
    level: 'error',
    message:
      `Only the first page of ${plan.endpoint} was read, ${found.count} items, although the API says with ${sign} that ` +
      `there is another one. (${why}) Set api.pagination accordingly, or "forceStop": {"pages": 1} if one page is wanted.`,
  };
}

function missedTotal(
  { plan }: Running,
  { items, found, pages }: Taken,
  total: KnownTotal | undefined,
): Doubt | undefined {
  const arrived = items + found.count;
  if (plan.total !== undefined && total === undefined) {
    const place = 'path' in plan.total ? placeText([plan.total.path]) : `the header ${plan.total.header}`;
    const message = `No response of ${plan.endpoint} had a number at ${place}, where "total" expects it.`;
    return { code: 'TOTAL_NOT_FOUND', level: 'error', message };
  }
  if (total === undefined || !total.isSteady || arrived >= total.value || found.place.kind === 'value')
    return undefined;
  const message =
    `${arrived} items of ${plan.endpoint} arrived on ${pages + 1} ${pages === 0 ? 'page' : 'pages'}, but the API counts ` +
    `${total.value} (${total.where}).`;
  return { code: 'TOTAL_NOT_REACHED', level: plan.total === undefined ? 'warning' : 'error', message };
}
