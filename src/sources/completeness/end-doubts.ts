import type { Report } from '../../core/events';
import type { Doubt } from '../../core/evidence';
import { entriesOf, isObject, ownValue } from '../../core/json/objects';
import { bracketHint } from '../../core/json/path';
import type { Json, Reply } from '../../core/model';
import { mayAskForSize } from '../../language/parts/pagination/place';
import { isTopLevel } from '../call';
import type { CallState } from '../call-state';
import type { FoundItems } from '../items';
import type { JobRun } from '../job-run';
import { aroundItems, integerOf, totalPlaceText } from '../reply-value';
import type { Before, KnownTotal, PageOutcome } from './known';
import { isOfSize } from './metadata';
import { hasReadPlace } from './misspelled-place';
import { hasPlaceOfNext, nextPageSign, noNamedPage, saysLast } from './page-signs';
import type { Sign } from './page-signs';

const FAILURE = 400;

/** Returns the doubts about the last page of a call, unless the configuration wants no more pages. */
export function doubtsAtEnd(running: JobRun, taken: PageOutcome, total: KnownTotal | undefined): readonly Doubt[] {
  const { next, verdict } = taken;
  const isEnd = next.kind === 'stop' || verdict.kind === 'stop';
  if (!isEnd || (verdict.kind === 'stop' && verdict.why === 'wanted')) return [];
  const counted = { items: taken.items + taken.found.count, pages: taken.pages + 1 };
  return [
    nextNotTaken(running, taken, total),
    emptyEnd(running, taken, total),
    maybeCapped(running, taken, total),
    maybeOfPage(running, taken, total),
    maybeFull(running, taken, total),
    totalDoubt(running, counted, total),
  ].filter((doubt) => doubt !== undefined);
}

function nextNotTaken(running: JobRun, taken: PageOutcome, total: KnownTotal | undefined): Doubt | undefined {
  const { reply, found, next, verdict, pages } = taken;
  const { endpoint } = running.plan;
  if (reply.response.status >= FAILURE || (next.kind === 'stop' && next.isKnown === true)) return undefined;
  if (verdict.kind === 'stop' && verdict.why === 'ended') return undefined;
  if (running.paginator.by === 'nothing' && found.place.kind === 'value') return undefined;
  const sign = nextPageSign(reply, found.place.kind === 'list' ? found.place.path : [], pages);
  if (sign === undefined || !counts(sign, running, taken, total)) return undefined;
  // Some APIs give an address on every page.
  if (verdict.kind === 'stop' && verdict.why === 'counted' && (!sign.isFlag || isWhole(taken, total))) return undefined;
  if (sign.isWeak === true) return mayGoOn(endpoint, sign.where, found.count);
  const why = verdict.kind === 'stop' ? verdict.because : next.kind === 'stop' ? next.because : '';
  const read =
    pages === 0 ? `Only the first page of ${endpoint} was read` : `Page ${pages + 1} of ${endpoint} was the last one`;
  return {
    code: 'NEXT_PAGE_NOT_TAKEN',
    level: 'error',
    message:
      `${read}, ${taken.items + found.count} items, although the API says with ${sign.where} that there is another one. ` +
      `(${why}) Set api.pagination accordingly, or "forceStop": {"pages": 1} if one page is wanted.`,
  };
}

/** Returns the doubt about a job without pagination whose only page may lead to another one. */
const mayGoOn = (endpoint: string, where: string, count: number): Doubt => ({
  code: 'NEXT_PAGE_NOT_TAKEN',
  level: 'warning',
  message:
    `Only the first page of ${endpoint} was read, ${count} items, and ${where} may lead to another one. Set api.pagination ` +
    `accordingly, or "forceStop": {"pages": 1} if there is one page.`,
});

/** Page sizes of APIs are mostly one of these, or a multiple of {@link ROUND}; few results have exactly as many items by chance. */
const USUAL_SIZES: ReadonlySet<number> = new Set([10, 20, 25, 30]);
const ROUND = 50;

/**
 * Returns the doubt about the only page of a job that has fewer items than requested, but as many as the largest page of an API may have.
 */
function maybeCapped(
  { plan, paginator: { pageSize = 0, unsized }, call }: JobRun,
  { reply, found: { count, place }, pages }: PageOutcome,
  total: KnownTotal | undefined,
): Doubt | undefined {
  const isOnly = pages === 0 && isTopLevel(call) && plan.slices === undefined && place.kind === 'list';
  if (!isOnly || count === 0 || count >= pageSize || !(USUAL_SIZES.has(count) || count % ROUND === 0)) return undefined;
  if (unsized !== undefined || total !== undefined || saysLast(reply, place.path)) return undefined;
  const message =
    `The only page of ${plan.endpoint} has ${count} items, where ${pageSize} were asked for, and nothing says how many there are. If ` +
    `the API gives no more than ${count} a page, the rest is missing: set "limit": ${count} in api.pagination, or declare a "total".`;
  return { code: 'PAGE_CAPPED', level: 'warning', message };
}

/**
 * Returns the doubt about a full first page that ended the pagination with exactly as many items as `limitStop` says: that may be the
 * number of items on a page.
 */
function maybeOfPage(
  { plan, paginator }: JobRun,
  taken: PageOutcome,
  total: KnownTotal | undefined,
): Doubt | undefined {
  const { verdict, pages, found } = taken;
  const isCounted = verdict.kind === 'stop' && verdict.why === 'counted';
  if (!isCounted || pages > 0 || found.count === 0 || found.count !== paginator.pageSize) return undefined;
  if (isWhole(taken, total)) return undefined;
  const message =
    `limitStop ended ${plan.endpoint} after its first page, which is full: if its number counts something else than all items, such as those ` +
    `of a page, or pages, the rest is missing. (${verdict.because})`;
  return { code: 'PAGE_CAPPED', level: 'warning', message };
}

/**
 * Returns the doubt about the only page of a job that has as many items as a full page, while nothing describes pages: the job may have no
 * pagination, or the wrong one.
 */
function maybeFull(running: JobRun, taken: PageOutcome, total: KnownTotal | undefined): Doubt | undefined {
  const { plan, paginator, call } = running;
  const { reply, found, pages, verdict } = taken;
  const { count, place } = found;
  const isPaged = paginator.by !== 'nothing';
  if (paginator.by === 'position' || pages > 0 || count < 2 || place.kind !== 'list' || total !== undefined)
    return undefined;
  if (isPaged && (!isTopLevel(call) || plan.slices !== undefined || verdict.kind === 'stop')) return undefined;
  const why = whyFull(running, taken);
  if (why === undefined || nextPageSign(reply, place.path) !== undefined) return undefined;
  if (saysLast(reply, place.path) || hasPlaceOfNext(reply, place.path)) return undefined;
  if (isPaged && hasReadPlace(plan.pagination.options, reply)) return undefined;
  const what = isPaged
    ? 'where api.pagination reads the next page, and elsewhere, the response says nothing of one'
    : 'there may be others';
  const message =
    `Only the first page of ${plan.endpoint} was read, and it has ${count} items, ${why}: ${what}. ` +
    `Set api.pagination accordingly, or "forceStop": {"pages": 1} if there is one page.`;
  return { code: 'PAGE_CAPPED', level: 'warning', message };
}

/** Returns why the only page of a job may be a full one of several. */
function whyFull(running: JobRun, { reply, found }: PageOutcome): string | undefined {
  const { plan, call, bound, paginator, submitted } = running;
  const { count } = found;
  if (isOfSize(reply, found)) return 'as many as the API says that a page has';
  const sent = [
    ...new URL(reply.response.request.url).searchParams,
    ...entriesOf(bound.params),
    ...entriesIn(bound.body),
  ];
  if (sent.some(([name, value]) => mayAskForSize(name) && integerOf(value) === BigInt(count)))
    return 'as many as the request asks for';
  // The result of an asynchronous job is an export without pages.
  const isJob = isTopLevel(call) && plan.slices === undefined && submitted === undefined;
  // A configuration that sets a pagination expects several pages.
  const isUsual = count % ROUND === 0 || (paginator.by !== 'nothing' && USUAL_SIZES.has(count));
  return isJob && isUsual ? 'and many APIs have just as many on a page' : undefined;
}

const entriesIn = (body: Json | undefined): readonly (readonly [string, Json])[] =>
  body !== undefined && isObject(body) ? entriesOf(body) : [];

/**
 * Returns whether a sign of another page counts. Some APIs give an address on every page: where positions are computed, an address counts
 * only on a first page with items, and not where as many items have come as the API counts.
 */
function counts(
  { isFlag, isWeak }: Sign,
  { paginator, plan }: JobRun,
  { pages, items, found }: PageOutcome,
  total: KnownTotal | undefined,
): boolean {
  if (isWeak === true && (paginator.by !== 'nothing' || found.count === 0)) return false;
  const hasAll = isWhole({ items, found }, total);
  if (hasAll && isWeak === true) return false;
  if (hasAll && (plan.total !== undefined || (paginator.by === 'position' && !isFlag))) return false;
  if (isFlag) return true;
  return paginator.by === 'position' ? pages === 0 && found.count > 0 : true;
}

/** Returns whether as many items have come as the API counts. */
const isWhole = ({ items, found }: Pick<PageOutcome, 'items' | 'found'>, total: KnownTotal | undefined): boolean =>
  total?.isSteady === true && total.isAtLeast !== true && total.value > 0 && items + found.count === total.value;

/** The counts of a call at its end. */
interface Counted {
  readonly items: number;
  readonly pages: number;
}

/** Returns the doubt about a call whose number of items differs from the total of the API. */
export function totalDoubt(
  { plan, paginator }: JobRun,
  { items, pages }: Counted,
  total: KnownTotal | undefined,
): Doubt | undefined {
  const isDeclared = plan.total !== undefined;
  if (plan.total !== undefined && total === undefined) {
    const hint = 'path' in plan.total ? bracketHint(plan.total.path) : '';
    const message = `No response of ${plan.endpoint} had a number at ${totalPlaceText(plan.total)}, where "total" expects it.${hint} Where it is not to be found, as in calls of a child, write "total": "none" in the job.`;
    return { code: 'TOTAL_NOT_FOUND', level: 'error', message };
  }
  if (total === undefined || (!total.isSteady && items >= total.value)) return undefined;
  const arrived = `${items} items of ${plan.endpoint} arrived on ${pages} ${pages === 1 ? 'page' : 'pages'}`;
  if (items < total.value) {
    const counts = total.isAtLeast === true ? `at least ${total.value}` : String(total.value);
    const elsewhere = total.isSteady ? '' : ', and on other pages another number';
    const message = `${arrived}, but the API counts ${counts} (${total.where})${elsewhere}.`;
    return { code: 'TOTAL_NOT_REACHED', level: isDeclared ? 'error' : 'warning', message };
  }
  // A cursor may repeat its last item with each page.
  if (items === total.value || paginator.staysAtEnd === true || !(isDeclared || isOfItems(total, pages)))
    return undefined;
  const remedy = isDeclared ? '' : ' If that counts something else, write "total": "none" in the job.';
  const message =
    `${arrived}, and the API counts only ${total.value} (${total.where}): pages overlap, or the API ignores the page size. ` +
    `Check limit and limitParam in api.pagination.${remedy}`;
  return { code: 'TOTAL_EXCEEDED', level: isDeclared ? 'error' : 'warning', message };
}

/** Returns whether a number that is not declared as the total counts items and not pages, of which the last may be empty. */
const isOfItems = ({ value, isSteady, isAtLeast, isOfAll }: KnownTotal, pages: number): boolean =>
  isSteady && isAtLeast !== true && isOfAll === true && Math.abs(value - pages) > 1;

/**
 * Returns the doubt about a page without items that ends a call although the page before it, or the page itself, says that there is another
 * one (docs/completeness.md#what-is-an-error): the API has failed without saying so, or the request does not ask for that page.
 *
 * A flag or a number of pages speaks of one page, and is an error unless the page without items takes it back. An address may be on each
 * full page; it is worth a warning.
 */
function emptyEnd(running: JobRun, taken: PageOutcome, total: KnownTotal | undefined): Doubt | undefined {
  const { reply, found, pages, items, before, verdict } = taken;
  if (pages === 0 || found.count > 0 || before === undefined || before.found.place.kind !== 'list') return undefined;
  if (verdict.kind === 'stop' && verdict.why === 'ended') return undefined;
  if (total?.value === items && total.isAtLeast !== true) return undefined;
  const { path } = before.found.place;
  const sign = nextPageSign(before.reply, path, pages - 1);
  if (sign === undefined || sign.isWeak === true) return undefined;
  const isTakenBack = takesBack(reply, found, path, sign);
  const isAsked = pages === 1 && running.paginator.by === 'position';
  const own = nextPageSign(reply, path, pages);
  if (own?.isFlag === true || (isTakenBack && !isAsked && own === undefined)) return undefined;
  const { endpoint } = running.plan;
  const isBroken = sign.isFlag && !isTakenBack;
  const remedy = isBroken
    ? 'The API failed without saying so, or the request does not ask for that page: try again, and check api.pagination. If the API says so of every full page, "completeness": "warn" in the job takes it as the end.'
    : 'Some APIs say so of every full page; else the API failed without saying so, or the request does not ask for that page: check the names of the parameters in api.pagination.';
  return {
    code: 'NEXT_PAGE_EMPTY',
    level: isBroken ? 'error' : 'warning',
    message: `Page ${pages + 1} of ${endpoint} has no items, although the API says on page ${pages} with ${sign.where} that there is another one. ${remedy}`,
  };
}

/**
 * Returns whether a page without items says that it is the end: by a flag, by a member that no longer leads anywhere, or as a list without
 * a header.
 */
function takesBack(reply: Reply, { place }: FoundItems, path: readonly string[], { at, isFlag }: Sign): boolean {
  if (saysLast(reply, path)) return true;
  if (at === undefined) return !isFlag && place.kind === 'list';
  return at.length > 0 && hasMember(aroundItems(reply), at);
}

function hasMember(data: Json | undefined, [key = '', ...rest]: readonly string[]): boolean {
  if (!isObject(data) || !entriesOf(data).some(([name]) => name === key)) return false;
  return rest.length === 0 || hasMember(ownValue(data, key), rest);
}

/** Returns whether a call has all items that `total` of the configuration counts; a page without items is then the expected end. */
const hasDeclaredTotal = ({ plan }: JobRun, { items, pages, known: { total } }: CallState): boolean =>
  plan.total !== undefined && pages > 0 && total !== undefined && total.isSteady && items >= total.value;

/** Returns whether a page without items is worth a warning: there was none for the page before, and nothing says that it is the end. */
export const isNews = (running: JobRun, callState: CallState): boolean =>
  running.completeness === 'off' ||
  (callState.known.last?.warning === undefined && !hasDeclaredTotal(running, callState));

/**
 * Returns whether a page without items is expected and needs no warning: lists end with one, and it is normal for a job that asks only for
 * new items, or whose API counts no items.
 */
export const isEmptyExpected = ({ plan, completeness }: JobRun, { pages, known: { total } }: CallState): boolean =>
  completeness !== 'off' && (pages > 0 || plan.incremental !== undefined || total?.value === 0);

/** Returns a report that counts the warnings about a body as warnings of the call, except those about an expected empty one. */
export function reportOfBody(running: JobRun, callState: CallState): Report {
  const { ref, context } = running;
  const isCounted = hasDeclaredTotal(running, callState);
  return (event) => {
    if (event.type !== 'warning') context.report(event);
    else if (!isCounted || event.code !== 'EMPTY_BODY') context.report({ ...event, job: event.job ?? ref });
  };
}

/** Statuses with which APIs refuse a page that does not exist. */
const REFUSED: ReadonlySet<number> = new Set([400, 404, 416, 422]);

/**
 * Returns why a call has ended when a status means that a page past the last one was requested. It is no error where all items have come
 * that the API counts. Where only an address in the response before named that page, a warning says so.
 *
 * @param before the pages, items and totals of the call before this response
 * @returns `undefined` where the status is an error like any other
 * @example endPast(running, { pages: 3, items: 300, known: { total, … } }, 404)
 */
export function endPast(
  { paginator, completeness, plan, ref, context }: JobRun,
  { pages, items, known }: Pick<Before, 'pages' | 'items' | 'known'>,
  status: number,
): string | undefined {
  const { named, total } = known;
  if (completeness === 'off' || paginator.by !== 'position' || items === 0 || !REFUSED.has(status)) return undefined;
  if (named !== undefined) {
    const { message } = noNamedPage(plan.endpoint, pages, named, `is refused with status ${status}`);
    context.report({ type: 'warning', code: 'INCOMPLETE', job: ref, message: `${plan.path}: ${message}` });
  } else if (total?.isSteady !== true || items < total.value) return undefined;
  return 'The API has no page behind the last item.';
}
