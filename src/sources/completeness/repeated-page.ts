import { createHash } from 'node:crypto';
import type { Doubt } from '../../core/evidence';
import { sameJson } from '../../core/json/literals';
import { isObject, keysOf } from '../../core/json/objects';
import { stringifyJson, stringifyValue } from '../../core/json/stringify';
import type { Item, Reply } from '../../core/model';
import type { Paginator, Step } from '../../language/parts/pagination/paginator';
import type { FoundItems } from '../items';
import type { JobRun } from '../job-run';
import { LAST_AGAIN, doubted } from './known';
import type { Arrived, Before, Known, KnownTotal, PageOutcome, Refusal } from './known';
import { plainKey } from './metadata';
import type { Total } from './metadata';
import { emptyPageAgain, noNamedPage } from './page-signs';

/** The number of repeated pages in a row that make a ring; with computed positions a single one may be a coincidence. */
const RING_IN_A_ROW = 2;

/**
 * Returns whether the call had a page before (docs/completeness.md): such a page is refused and ends the pagination, which would otherwise
 * never end. Repeated empty pages are the normal end of some APIs and end the call quietly.
 *
 * @param before the state of the call
 */
export function refusalOf(running: JobRun, before: Before, arrived: Arrived): Refusal | undefined {
  const { known, step } = before;
  const { paginator } = running;
  const refusal = behindNamed(running, before, refusedBy(running, before, arrived));
  const { total } = known;
  if (refusal?.kind !== 'doubt') return refusal;
  // A ring may leave items out, whatever their number.
  const isRing = paginator.by !== 'position' && refusal.doubt.code === 'PAGE_RING';
  const isWhole = !isRing && isReached(total, before.items);
  if (!(isWhole || isAtEnd(paginator, known, step))) return refusal;
  return LAST_AGAIN;
}

/** Returns a quiet end for a repeated page that only an address named, since an API may give the address on each page. */
const behindNamed = <T extends Refusal | undefined>(
  { plan }: JobRun,
  { pages, known: { named } }: Pick<Before, 'pages' | 'known'>,
  refusal: T,
): T | Refusal =>
  named === undefined || refusal?.kind !== 'doubt' || refusal.doubt.code !== 'PAGE_REPEATED'
    ? refusal
    : doubted(noNamedPage(plan.endpoint, pages, named, 'has the same items'));

const isReached = (total: KnownTotal | undefined, items: number): boolean =>
  total?.isSteady === true && total.isAtLeast !== true && items >= total.value;

/** Returns whether a page was requested at the position of the page before, by a method for which that is the end. */
const isAtEnd = ({ staysAtEnd }: Paginator, { position }: Known, step: Step): boolean =>
  staysAtEnd === true && position !== undefined && sameJson(position, step.position);

function refusedBy(running: JobRun, before: Before, arrived: Arrived): Refusal | undefined {
  const { paginator, plan } = running;
  switch (paginator.by) {
    case 'nothing':
      return undefined;
    case 'address':
      return (
        ring(running, before, arrived, [addressOf(arrived), positionKey(arrived)]) ??
        sameAgain(running, before, arrived)
      );
    case 'token':
      return ring(running, before, arrived, [positionKey(arrived)]) ?? sameAgain(running, before, arrived);
    case 'position':
      return plan.equalPages === 'keep' ? undefined : repetition(running, before, arrived);
  }
}

/** Returns the doubt about a page that has the items of the page before. */
const repeated = (endpoint: string, pages: number, count: number, total?: Total): Doubt => ({
  code: 'PAGE_REPEATED',
  level: 'error',
  message:
    `Page ${pages + 1} of ${endpoint} has the same ${counted(count)} as page ${pages}: the API ignores the position that ` +
    `the pagination sends, or these items are really equal. Pagination ended there. Check the names of the parameters in ` +
    `api.pagination; if the items are equal, set "equalPages": "keep" in the job.${askedFor(total)}`,
});

/**
 * Returns the doubt about a page behind another token or address that has the items of an earlier page: the API ignores the parameters, or
 * a cache responds.
 */
function sameAgain(
  { plan: { endpoint, equalPages }, visitedItems }: JobRun,
  { pages, known: { last, lastPrint } }: Before,
  arrived: Arrived,
): Refusal | undefined {
  const { found } = arrived;
  if (equalPages === 'keep' || found.count === 0) return undefined;
  const isSeen = found.count > 1 && visitedItems.again(printOf(found)) > 0;
  const isAgain = last === undefined ? lastPrint === printOf(found) : hasSameItems(last, found);
  if (isAgain) return doubted(repeated(endpoint, pages, found.count));
  return isSeen && isOfIds(found) ? doubted(repeatedLater(endpoint, pages, found.count)) : undefined;
}

/** Returns the doubt about a page that has the items of a page before the last one. */
const repeatedLater = (endpoint: string, pages: number, count: number): Doubt => ({
  code: 'PAGE_REPEATED',
  level: 'error',
  message:
    `Page ${pages + 1} of ${endpoint} has the same ${counted(count)} as a page before page ${pages}: the API, or a cache on the way, gives ` +
    `another page than it was asked for, and what this page should have is missing. Pagination ended there. Check api.pagination and run again; ` +
    `if the items are really equal, set "equalPages": "keep" in the job.`,
});

/** Returns whether equal pages are certainly the same page: it has several items, each with an id. */
const isOfIds = ({ count, items }: FoundItems): boolean => count > 1 && items.every(hasId);

/** Items that are not bytes are compared as values; the first mostly differs. */
const hasSameItems = (last: FoundItems, found: FoundItems): boolean =>
  last.count === found.count &&
  (last.print === undefined || found.print === undefined || last.print() === found.print()) &&
  sameJson(last.items, found.items);

/** Returns the explanation for a page that was requested because of a total: it may not exist. */
const askedFor = (total: Total | undefined): string =>
  total === undefined
    ? ''
    : ` The page was asked for since the API counts ${total.value} items (${total.where}); if that counts something else, ` +
      `and nothing is missing, set "completeness": "warn" in the job.`;

function repetition(running: JobRun, before: Before, arrived: Arrived): Refusal | undefined {
  const { pages, known, previous } = before;
  const { isBeyond, lastPrint, total } = known;
  const { endpoint } = running.plan;
  const found = arrived.found.whole ?? arrived.found;
  const last = known.last?.whole ?? known.last;
  if (found.count === 0) return undefined;
  const row = running.visited.again(printOf(found));
  if (last === undefined)
    return lastPrint === printOf(found) ? doubted(repeated(endpoint, pages, found.count)) : undefined;
  if (hasSameItems(last, found)) return doubted(repeated(endpoint, pages, found.count, isBeyond ? total : undefined));
  if (row > 0 && isOfIds(found)) return doubted(repeatedLater(endpoint, pages, found.count));
  if (row >= RING_IN_A_ROW) return doubted(inRing(endpoint, pages));
  return overlapping(running, { pages, last, isBeyond, previous }, arrived);
}

function ring(
  running: JobRun,
  { pages, known: { last } }: Before,
  { found, reply }: Arrived,
  keys: readonly (string | undefined)[],
): Refusal | undefined {
  const { plan, visited } = running;
  const isAgain = keys.map((key) => key !== undefined && visited.again(key) > 0).includes(true);
  if (!isAgain) return undefined;
  if (found.count > 0 || (last !== undefined && last.count > 0)) return doubted(inRing(plan.endpoint, pages));
  const more = emptyPageAgain(running, pages, reply);
  return more === undefined
    ? { kind: 'quiet', because: 'The same empty page came again, stopping pagination.' }
    : doubted(more);
}

const inRing = (endpoint: string, pages: number): Doubt => ({
  code: 'PAGE_RING',
  level: 'error',
  message:
    `Page ${pages + 1} of ${endpoint} was there before: the next pages of the API lead in a ring. Pagination ended there, and ` +
    `what the ring leaves out is missing. Check api.pagination. If the items are really equal, set "equalPages": "keep" in ` +
    `the job; "completeness": "off" follows the ring.`,
});

const counted = (count: number): string => (count === 1 ? 'item' : `${count} items`);

/** Returns the address of a page, whatever the API now responds with there. */
const addressOf = ({ reply: { response } }: Arrived): string =>
  `address ${response.request.method} ${response.request.url} ${response.request.body ?? ''}`;

/** Returns the key of a position with its items. A token may be the same for all pages, but with the same items it leads in a ring. */
const positionKey = ({ found, next }: Arrived): string | undefined =>
  next.kind === 'stop' ? undefined : `position ${stringifyJson(next.step.position)} ${printOf(found)}`;

/**
 * Returns a digest that is equal for pages that the API sent with equal items. Items that were found in bytes are not parsed for it, and no
 * item is read twice.
 */
export function printOf(found: FoundItems): string {
  const sent = found.whole ?? found;
  if (sent.print !== undefined) return sent.print();
  const print = PRINTS.get(sent) ?? createHash('sha1').update(stringifyJson(sent.items)).digest('base64');
  PRINTS.set(sent, print);
  return print;
}

const PRINTS = new WeakMap<FoundItems, string>();

/** Returns the message about a response that equals the one before. */
export const equalPageMessage = ({ plan, ref }: JobRun, pages: number): string =>
  `Job '${plan.name}' finished when last response matched the previous! Pagination does not advance: ` +
  `page ${pages + 1} of ${ref.endpoint} equals page ${pages}. Check api.pagination and the job's params.`;

/** Judges a response that equals the one before: without items it is the end, unless it says that there are more. */
export function equalPage(
  running: JobRun,
  before: Before,
  { found: { count }, reply }: Pick<Arrived, 'found' | 'reply'>,
): Refusal {
  const { pages, items, known, step } = before;
  const more = count === 0 ? emptyPageAgain(running, pages, reply) : undefined;
  if (more !== undefined) return { kind: 'doubt', doubt: more };
  const isWhole = (known.total !== undefined && items >= known.total.value) || isAtEnd(running.paginator, known, step);
  if (count === 0 || isWhole) return { kind: 'quiet', because: equalPageMessage(running, pages) };
  const doubt = repeated(running.plan.endpoint, pages, count, known.isBeyond ? known.total : undefined);
  return behindNamed(running, before, { kind: 'doubt', doubt });
}

/** Returns whether an empty page like the one before may lead to another one: its next address or its token is new. */
export const leadsOn = (
  { paginator: { by } }: JobRun,
  { step }: Pick<Before, 'step'>,
  { found, next }: Arrived,
): boolean =>
  (by === 'address' || by === 'token') &&
  found.count === 0 &&
  next.kind === 'step' &&
  !sameJson(next.step.position, step.position);

/** The page before, as far as it is needed to compare items. */
interface Last {
  readonly pages: number;
  readonly last: FoundItems;
  readonly isBeyond: boolean;
  readonly previous?: Reply | undefined;
}

/**
 * Returns why a page with items of the page before is refused where positions are computed: no position is reliable then
 * (docs/completeness.md#what-is-an-error).
 */
function overlapping(
  running: JobRun,
  { pages, last, isBeyond, previous }: Last,
  arrived: Arrived,
): Refusal | undefined {
  const { plan, paginator } = running;
  const { pageSize } = paginator;
  const found = arrived.found.whole ?? arrived.found;
  const common = inCommon(running, last, arrived);
  if (common > 0 && paginator.staysAtEnd === true)
    return common === found.count ? LAST_AGAIN : doubted(notBehind(plan.endpoint, pages));
  if (common > 0) return doubted(turnedBack(plan.endpoint, pages));
  // Reading items parses the page, so they are read only where it matters.
  const isOdd = isBeyond || (pageSize !== undefined && last.count !== pageSize);
  // A page that begins at a key repeats the item of that key, which was dropped.
  const [first] = isOdd ? arrived.found.items : [];
  if (first !== undefined && last.items.some((item) => sameJson(item, first)))
    return doubted(beginsWithin(plan.endpoint, pages, last.count));
  const again = new Set(comeAgain(paginator, { reply: previous, found: last }, arrived).map(stringifyValue)).size;
  return again >= FEWEST && last.count - again <= Math.max(1, last.count * MOST_NEW)
    ? doubted(mostlyAgain(plan.endpoint, pages, again, last.count))
    : undefined;
}

/** The minimum number of repeated items; a single item may have moved to the next page. */
const FEWEST = 2;
/** Items that are added while pages are read shift the others, but hardly so many that at most this share of a page is new. */
const MOST_NEW = 0.1;

/**
 * Returns the doubt about a page that begins with items of the page before: other items were added meanwhile and shifted them. There is one
 * for each call.
 */
export function movedItems({ plan, paginator }: JobRun, taken: PageOutcome): Doubt | undefined {
  const { before, pages, overlapsBefore } = taken;
  if (paginator.by !== 'position' || plan.equalPages === 'keep' || overlapsBefore === true || before === undefined)
    return undefined;
  const [first] = comeAgain(paginator, before, taken);
  if (first === undefined || first !== taken.found.items[0]) return undefined;
  return {
    code: 'PAGES_OVERLAP',
    level: 'warning',
    message:
      `Page ${pages + 1} of ${plan.endpoint} begins with an item that page ${pages} had. Items that are added while pages are read move others to ` +
      `the next page, and these come twice; a primaryKey in the job, or "unique", keeps one of each. Else check limit and limitParam in api.pagination.`,
  };
}

/**
 * Returns the items of a page, with an id, that the page before had, by a method that computes positions and cannot detect them itself.
 * Pages are parsed only where their bytes show that there are some.
 */
function comeAgain(
  { identityOf, repeated, staysAtEnd }: Paginator,
  before: { readonly reply: Reply | undefined; readonly found: FoundItems },
  { reply, found }: Pick<Arrived, 'reply' | 'found'>,
): readonly Item[] {
  if (identityOf !== undefined || repeated !== undefined || staysAtEnd === true || found.count === 0) return [];
  const [raw, lastRaw] = [reply.raw, before.reply?.raw];
  const isMet =
    raw === undefined || lastRaw === undefined
      ? samples(found.count).some((at) => before.found.items.some((item) => sameJson(item, found.items[at])))
      : samples(found.count).some((at) => lastRaw.includes(raw.bytes(at)));
  if (!isMet) return [];
  const had = new Set(before.found.items.map(stringifyValue));
  return found.items.filter((item) => hasId(item) && had.has(stringifyValue(item)));
}

/** Returns the indexes of the items to look up first: a page with items of another one mostly has one of these. */
const samples = (count: number): readonly number[] => [...new Set([0, Math.floor(count / 2), count - 1])];

/** Returns the number of items that a page shares with the one before, where there should be none. */
function inCommon(
  { paginator: { identityOf } }: JobRun,
  last: Pick<FoundItems, 'items'>,
  { found, next }: Arrived,
): number {
  if (identityOf === undefined || (next.kind === 'step' && next.isMet === false)) return 0;
  const before = new Set(last.items.map(identityOf));
  return found.items.filter((item) => before.has(identityOf(item))).length;
}

const notBehind = (endpoint: string, pages: number): Doubt => ({
  code: 'PAGES_OVERLAP',
  level: 'error',
  message:
    `Page ${pages + 1} of ${endpoint} begins with an item that page ${pages} had, although it was to begin behind that: the API gives items from ` +
    `the number on, and they would come twice. Pagination ended there. Set "increment": 1 in api.pagination, or -1 with "reverse"; where ` +
    `several items may have the same number, such as a time, use the method "keyset" with "inclusive": true.`,
});

const turnedBack = (endpoint: string, pages: number): Doubt => ({
  code: 'PAGES_OVERLAP',
  level: 'error',
  message:
    `Page ${pages + 1} of ${endpoint} has an item that page ${pages} had, although it was to begin behind that: the API gives what comes ` +
    `before a key, or is sorted the other way round, and other items are missing. Pagination ended there. Let the API sort in the ` +
    `direction in which api.pagination goes on, or choose the parameter for this direction.`,
});

const beginsWithin = (endpoint: string, pages: number, count: number): Doubt => ({
  code: 'PAGES_OVERLAP',
  level: 'error',
  message:
    `Page ${pages} of ${endpoint} had ${count} items and not as many as it was asked for, and page ${pages + 1} ` +
    `begins with an item of it: no position is safe. Pagination ended there. Check limit and limitParam in api.pagination; if the API ` +
    `counts items that it does not show, set "shortPage": "filtered" there.`,
});

const mostlyAgain = (endpoint: string, pages: number, again: number, count: number): Doubt => ({
  code: 'PAGES_OVERLAP',
  level: 'error',
  message:
    `Page ${pages + 1} of ${endpoint} has ${again} of the ${count} items of page ${pages}: the next position is not a page further on, and items come ` +
    `again and again. Pagination ended there. If the API counts items where the pagination counts pages, use the method "offset"; else check the names ` +
    `of the parameters in api.pagination. If the items are really equal, set "equalPages": "keep" in the job.`,
});

const MOST = 8;
const LENGTH = 12;

/**
 * Returns digests of some items of a window: the least ones, so that windows that share items mostly share some of these. A window with few
 * items has all of them.
 *
 * @example sampleOf([{ id: 1 }, { id: 2 }]) // two strings
 */
export const sampleOf = (items: readonly Item[]): readonly string[] =>
  items
    .filter(hasId)
    .map((item) => createHash('sha1').update(stringifyValue(item)).digest('base64').slice(0, LENGTH))
    .sort()
    .slice(0, MOST);

const ID_KEYS: ReadonlySet<string> = new Set(['id', 'uuid', 'guid', 'key', 'objectid']);

/**
 * Returns whether an item has an id: items without one may be equal and yet be several.
 *
 * @example hasId({ id: 1 }) // true
 */
const hasId = (item: Item): boolean => isObject(item) && keysOf(item).some((key) => ID_KEYS.has(plainKey(key)));
