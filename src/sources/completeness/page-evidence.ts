import { cacheHint } from '../../core/errors/response-facts';
import type { Doubt, Evidence, Shaped } from '../../core/evidence';
import { jsonPathOf } from '../../core/json/path';
import { stringifyJson } from '../../core/json/stringify';
import type { Reply } from '../../core/model';
import { goOn } from '../../language/parts/pagination/paginator';
import type { Next, Step } from '../../language/parts/pagination/paginator';
import { isTopLevel } from '../call';
import type { AcceptedPage } from '../checkpoint';
import { secondsNow } from '../job-run';
import type { JobRun } from '../job-run';
import { flagValue, verdictOf } from '../stops';
import { doubtsAtEnd } from './end-doubts';
import { saysError } from './error-signs';
import { areOthers, columnsIn, otherColumns } from './evidence-tracker';
import type { Arrived, Known, KnownTotal, PageOutcome } from './known';
import { declaredTotal, isCapped, listsIn, usualTotal } from './metadata';
import { misspelledPlace } from './misspelled-place';
import { namedPage, previousPageSign, saysLast } from './page-signs';
import { ledElsewhere } from './redirected';
import { movedItems, printOf, sampleOf } from './repeated-page';
import { cutLists, listInItem, listOfObject } from './reply-shape';

/** The state of a call before a page. */
interface Before {
  readonly step: Step;
  readonly pages: number;
  readonly items: number;
  readonly volume: number;
  readonly known: Known;
  readonly previous?: Reply;
}

/**
 * Returns a page with its evidence about the completeness of its call, and what is known after it. The call continues after a page that is
 * not full, and would end the pagination, if the API counts more items than have come, says that it has capped the page, or names a page
 * behind it.
 */
export function judgedPage(
  running: JobRun,
  before: Before,
  arrived: Arrived,
): { readonly taken: AcceptedPage; readonly known: Known } {
  const { found, reply } = arrived;
  const { pages, items, known, previous } = before;
  const total = totalAfter(running, known, pages, arrived);
  const { next, named } = beyond(running, before, arrived, total);
  const verdict = verdictOf(running.plan.stops, before.volume, () => ({
    reply,
    items: items + found.count,
    count: found.count,
    pages: pages + 1,
    startedAt: running.startedAt,
    now: secondsNow(running.context),
  }));
  const last = previous === undefined || known.last === undefined ? undefined : { reply: previous, found: known.last };
  const columns = columnsIn(running.plan, reply);
  const columnsBefore = known.columns;
  const overlapsBefore = known.overlaps;
  const outcome = { ...arrived, next, verdict, pages, items, before: last, columns, columnsBefore, overlapsBefore };
  const evidence = evidenceOf(running, outcome, total);
  const overlaps = overlapsBefore === true || evidence?.doubts?.some(({ code }) => code === 'PAGES_OVERLAP') === true;
  return {
    taken: { reply, found, next, evidence },
    known: {
      last: found,
      position: before.step.position,
      hasLists: known.hasLists || (found.place.kind === 'list' && found.count > 0),
      isBeyond: next !== arrived.next,
      ...(named === undefined ? {} : { named }),
      ...(overlaps ? { overlaps } : {}),
      ...(total === undefined ? {} : { total }),
      ...columnsAfter(columns, columnsBefore),
    },
  };
}

/**
 * Returns the columns of the rows so far. There is one warning for each call whose columns change; after that there is nothing to compare.
 */
function columnsAfter(columns: Columns, before: Columns): Pick<Known, 'columns'> {
  if (columns === undefined || before?.length === 0) return before === undefined ? {} : { columns: before };
  return { columns: before !== undefined && areOthers(columns, before) ? [] : columns };
}

type Columns = readonly string[] | undefined;

/** Returns the step after a page, and where the API names that page, if this is the only reason to request it. */
function beyond(
  { paginator }: JobRun,
  { step, pages, items, previous }: Before,
  { reply, found, next }: Arrived,
  total: KnownTotal | undefined,
): { readonly next: Next; readonly named?: string } {
  if (next.kind === 'step' || paginator.beyond === undefined) return { next };
  if (found.place.kind !== 'list' || found.count === 0) return { next };
  const behind = goOn(paginator.beyond(step, found.count, found));
  const isCounted = total?.isSteady === true && items + found.count < total.value;
  if (isCounted || isCapped(reply, found, paginator)) return { next: behind };
  const isWhole = total?.isSteady === true && total.isAtLeast !== true && items + found.count === total.value;
  const named = pages === 0 || isWhole ? undefined : namedPage(reply, found.place.path, pages, previous);
  return named === undefined ? { next } : { next: behind, named };
}

const FAILURE = 400;

/** Returns the evidence of a page about the completeness of its call (docs/completeness.md); `undefined` if there is none. */
function evidenceOf(running: JobRun, taken: PageOutcome, total: KnownTotal | undefined): Evidence | undefined {
  const { reply, found } = taken;
  const isRefused = reply.response.status >= FAILURE;
  const unmet = isRefused ? undefined : unmetIn(taken);
  const error = isRefused ? undefined : saysError(running, taken);
  const misspelled = misspelledPlace(running, taken);
  const ends = doubtsAtEnd(running, taken, total).filter(({ code }) => code !== misspelled?.code);
  const end = endUnknown(running, taken, total);
  const order = isRefused ? undefined : disorder(running, taken);
  const cut = isRefused ? undefined : cutLists(found, reply);
  const inner = isRefused ? undefined : (listOfObject(running, taken) ?? listInItem(running, taken));
  const flag = isRefused ? undefined : flagAsString(running, taken);
  const begin = isRefused ? undefined : skippedBeginning(running, taken);
  const elsewhere = itemsElsewhere(running, taken, unmet ?? []);
  const led = isRefused ? [] : ledElsewhere(running, taken);
  const columns = isRefused ? undefined : taken.columns;
  const others = otherColumns(running.plan, taken.pages, columns, taken.columnsBefore);
  const told = (doubt: Doubt): Doubt => ({ ...doubt, message: doubt.message + cacheHint(reply.response) });
  const first = [error, elsewhere, ...led, others].filter((doubt) => doubt !== undefined).map(told);
  const unsized = unsizedFirstPage(running, taken, total);
  const moved = isRefused ? undefined : movedItems(running, taken);
  const fraction = isRefused ? undefined : cutFraction(running, taken);
  const rest = [flag, order, fraction, begin, moved, inner, misspelled, ...ends, unsized, end].filter(
    (doubt) => doubt !== undefined,
  );
  const doubts = [...first, ...rest];
  const evidence = {
    ...(unmet === undefined ? {} : { unmet }),
    ...(total === undefined ? {} : { total: total.value }),
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(taken.verdict.kind === 'stop' && taken.verdict.why === 'wanted' ? { stopped: true } : {}),
    ...(isCompared(running, taken) ? { print: printOf(found) } : {}),
    ...(found.place.kind === 'value' ? { single: true } : {}),
    ...(cut === undefined ? {} : { cut }),
    ...(columns === undefined ? {} : { columns }),
    ...(isBeginning(running, taken) ? { begins: printOf(found) } : {}),
    ...(isBeginning(running, taken) && running.call.slice?.window !== undefined
      ? { sample: sampleOf(found.items) }
      : {}),
  };
  return Object.keys(evidence).length === 0 ? undefined : evidence;
}

const NO_CONTENT = 204;

/** Returns what a response has in place of items. An empty body says nothing about items, unless the status says that there is none. */
function unmetIn({ reply, found }: PageOutcome): readonly string[] | undefined {
  if (found.place.kind === 'missing') return listsIn(reply.data);
  return found.place.kind === 'empty' && reply.response.status !== NO_CONTENT ? [] : undefined;
}

/** Returns the doubt about one call of a job that has its items elsewhere; if all calls have, the doubt is about the job itself. */
function itemsElsewhere({ plan, call }: JobRun, { pages }: PageOutcome, unmet: readonly string[]): Doubt | undefined {
  if (pages > 0 || unmet.length === 0 || (isTopLevel(call) && call.slice === undefined)) return undefined;
  const where = plan.items.path === undefined ? 'the place of the items' : `dataField "${plan.items.path}"`;
  const message =
    `A call of ${plan.endpoint} had nothing at ${where}, but items at ${unmet.map((place) => `"${place}"`).join(', ')}. ` +
    `If these are meant, name their place in dataField.`;
  return { code: 'DATA_NOT_FOUND', level: 'warning', message };
}

/** Returns the evidence of a page, with the counts of its items and the fields found in them; `undefined` if there is none. */
export function withItems(
  evidence: Evidence | undefined,
  shaped: Shaped | undefined,
  found: Pick<Evidence, 'met' | 'keys'>,
): Evidence | undefined {
  if (shaped === undefined && found.met === undefined && found.keys === undefined) return evidence;
  return { ...evidence, ...(shaped === undefined ? {} : { shaped }), ...found };
}

/** Returns whether a resumed run has to compare the next page with this one. */
const isCompared = ({ paginator }: JobRun, { found, next }: PageOutcome): boolean =>
  paginator.by !== 'nothing' && next.kind === 'step' && found.count > 0;

/** Returns whether this is the first page of a window or a partition, which is compared with those of the others. */
const isBeginning = ({ plan }: JobRun, { pages, found }: PageOutcome): boolean =>
  plan.slices !== undefined && pages === 0 && found.count > 0;

/** Returns the doubt about a job whose first page is in an order in which the pagination misses items. */
function disorder({ plan, paginator }: JobRun, { pages, found, next }: PageOutcome): Doubt | undefined {
  if (pages > 0 || next.kind === 'stop' || paginator.leavesOut?.(found.items) !== true) return undefined;
  const message =
    `The first page of ${plan.endpoint} is not in the order in which the pagination goes on: unless it has all items, those behind it ` +
    `are missing. Let the API sort by pagination.idKey, or set "reverse" where its largest comes first and the parameter asks for smaller ones.`;
  return { code: 'PAGE_ORDER', level: 'warning', message };
}

/** Returns the doubt about a response of lines that only the end of the connection ended, unless all items that the API counts came. */
function endUnknown(
  { plan }: JobRun,
  { reply, found, items }: PageOutcome,
  total: KnownTotal | undefined,
): Doubt | undefined {
  const mayBeCut = plan.stream === undefined ? reply.mayBeCut : reply.response.isEndUnknown;
  if (mayBeCut !== true || (total !== undefined && items + found.count >= total.value)) return undefined;
  const message =
    `A response of ${plan.endpoint} has neither a length nor chunks, and ended when the connection was closed: ` +
    `were it cut off at the end of a line, nothing would tell. Let the server send Content-Length, or compare the number of items.`;
  return { code: 'END_UNKNOWN', level: 'warning', message };
}

/** The maximum number by which a total may change while its items are read. */
const MOST_CHANGE = 5;
const MOST_CHANGE_SHARE = 0.01;

/** Returns the total, updated with this page. The largest number counts where they differ: past the end an API may count nothing. */
function totalAfter(
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
  // A number that is no larger than a page may count the items of the page.
  const isOfAll = usual !== undefined && usual.value > Math.max(count, paginator.pageSize ?? 0) && !isOfSeveral(plan);
  if (pages === 0) return usual === undefined ? undefined : { ...usual, isSteady: true, isOfAll };
  if (total === undefined || usual === undefined) return total;
  if (usual.value === total.value) return isOfAll ? total : { ...total, isOfAll };
  // Before the end, a decreasing number may count the items that are left.
  const isFull = count >= (paginator.pageSize ?? 1);
  if (usual.value < total.value && isFull && next.kind === 'step') return { ...total, isOfAll: false };
  // Items are added while pages are read; a number that differs widely on each page is no total.
  const isNear = Math.abs(usual.value - total.value) <= Math.max(MOST_CHANGE, total.value * MOST_CHANGE_SHARE);
  const value = Math.max(usual.value, total.value);
  return { ...total, value, isSteady: total.isSteady && isNear, isOfAll: false };
}

/** Returns whether the items come from several places of a response: the API may count these places. */
const isOfSeveral = ({ items: { path, delimiter } }: JobRun['plan']): boolean =>
  path !== undefined && jsonPathOf(path, delimiter)?.isSingular === false;

const FIRST_FAILURE = 400;
/** The smallest page size that an API uses by default. */
const SMALLEST = 5;
/** Calls of children mostly have few items; a number that is no multiple of this is hardly a page size. */
const ROUND = 5;

/**
 * Returns the doubt about a first page that has fewer items than the page size, which its request did not have ("firstPageParams": false):
 * the API may have used its own page size, and the items between that and the page size of later requests are missing
 * (docs/completeness.md#what-is-a-warning).
 */
function unsizedFirstPage(
  { plan, call, paginator: { unsized, pageSize = 0, first } }: JobRun,
  { reply, found: { count, place }, pages, next, verdict }: PageOutcome,
  total: KnownTotal | undefined,
): Doubt | undefined {
  if (unsized === undefined || pages > 0 || place.kind !== 'list' || count < SMALLEST || count >= pageSize)
    return undefined;
  if (!isTopLevel(call) && (count < 2 * ROUND || count % ROUND > 0)) return undefined;
  if (reply.response.status >= FIRST_FAILURE || (verdict.kind === 'stop' && verdict.why !== 'unsure')) return undefined;
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

/** Returns whether default parameters, or the endpoint, contain the page size all the same. */
const isSent = (url: string, unsized: string, pageSize: number): boolean =>
  new URL(url).searchParams.get(unsized) === String(pageSize);

/** The number of the first page in most APIs. */
const USUAL_BEGINNING = 1;

/**
 * Returns the doubt about a first page before which the API says that there is another one: it counts from 0, and its first page is missing
 * (docs/completeness.md#what-is-an-error). A configuration that begins at a later page does so on purpose.
 */
function skippedBeginning({ plan, paginator }: JobRun, { reply, found, pages }: PageOutcome): Doubt | undefined {
  if (pages > 0 || paginator.by !== 'position' || found.count === 0 || found.place.kind !== 'list') return undefined;
  const { position } = paginator.first;
  if (typeof position !== 'number' || position > USUAL_BEGINNING) return undefined;
  const sign = previousPageSign(reply, found.place.path);
  if (sign === undefined) return undefined;
  const remedy =
    position === USUAL_BEGINNING
      ? 'If the API counts from 0, set "firstPage": 0 in api.pagination.'
      : 'Check the names of the parameters in api.pagination.';
  return {
    code: 'PAGE_SKIPPED',
    level: sign.isFlag ? 'error' : 'warning',
    message:
      `The API says with ${sign.where} that there is a page before the first one of ${plan.endpoint} that was requested (position ${position}), ` +
      `and its items are missing. ${remedy}`,
  };
}

/**
 * Returns the doubt, once for each job, about a page whose furthest number has a fraction: the pagination continues behind an integer
 * beyond it, and misses items between the two (docs/language/pagination/cursor.md).
 */
function cutFraction(
  { plan, context: { warnOnce: warnOnce } }: JobRun,
  { next, verdict }: PageOutcome,
): Doubt | undefined {
  if (next.kind === 'stop' || next.cut === undefined || verdict.kind === 'stop') return undefined;
  const key = `${plan.id} CURSOR_CUT`;
  if (warnOnce?.has(key) === true) return undefined;
  warnOnce?.add(key);
  const { from, to } = next.cut;
  const message =
    `Items of ${plan.endpoint} have numbers with a fraction at pagination.idKey, such as ${stringifyJson(from)}, and "cursor" cuts it off: ` +
    `the next page begins at ${stringifyJson(to)}, and items between the two are missing, if there are any. ` +
    `Use the method "keyset", which sends the number as it is.`;
  return { code: 'CURSOR_CUT', level: 'warning', message };
}

/**
 * Strings that mean false, although `nextPageFlag` reads any string but an empty one and "0" as true (docs/language/stops.md#nextpageflag).
 */
const MEAN_FALSE = /^\s*(?:false|f|no|n|off|none|null)\s*$/i;

/**
 * Returns the doubt about a first page whose flag is a string that means false: it counts as true, and the pagination ends too early or too
 * late.
 */
function flagAsString({ plan }: JobRun, { reply, pages }: PageOutcome): Doubt | undefined {
  if (pages > 0) return undefined;
  for (const { nextPageFlag } of plan.stops) {
    const value = nextPageFlag === undefined ? undefined : flagValue(nextPageFlag, reply);
    if (nextPageFlag === undefined || typeof value !== 'string' || !MEAN_FALSE.test(value)) continue;
    const { path, field = '', stopOn } = nextPageFlag;
    const message =
      `The first page of ${plan.endpoint} has the string ${JSON.stringify(value)} in "${path ?? field}", which nextPageFlag reads: as any string but an empty ` +
      `one and "0" it counts as true, so that pagination ${stopOn ? 'ended there, and items may be missing' : 'does not end by it'}. ` +
      'Leave nextPageFlag out, and end the pagination by something else, such as "stopWhenEmpty": true.';
    return { code: 'FLAG_IS_STRING', level: 'warning', message };
  }
  return undefined;
}
