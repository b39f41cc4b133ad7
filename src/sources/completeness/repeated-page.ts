import { createHash } from 'node:crypto';
import { sameJson } from '../../json/same';
import { stringifyJson } from '../../json/stringify';
import type { Doubt } from '../../evidence';
import type { Reply } from '../../model';
import type { FoundItems } from '../items';
import type { Next, Paginator, Step } from '../pagination/paginator';
import type { JobRun } from '../job-run';
import { emptyPageAgain } from './empty-page';
import type { Known, KnownTotal } from './known';
import { noNamedPage } from './named-page';
import type { Total } from './total';

/** Why a page is not taken: it ends the call quietly, or the run is incomplete. */
export type Refusal =
  { readonly kind: 'quiet'; readonly because: string } | { readonly kind: 'doubt'; readonly doubt: Doubt };

/** A page that has arrived, before it is accepted. */
export interface Arrived {
  readonly reply: Reply;
  readonly found: FoundItems;
  readonly next: Next;
}

/** Where a call stands before a page. */
export interface Before {
  readonly pages: number;
  readonly items: number;
  readonly step: Step;
  readonly known: Known;
}

/** The number of repeated pages in a row that make a ring: with computed positions one alone may be a coincidence. */
const RING_IN_A_ROW = 2;

/**
 * Whether a page is one that the call had before (docs/completeness.md): such a page is not taken, and pagination ends, since it
 * would go on for ever. Empty pages that repeat are the end of some APIs; they end the call quietly.
 *
 * @param before where the call stands
 */
export function refusalOf(running: JobRun, before: Before, arrived: Arrived): Refusal | undefined {
  const { pages, known, step } = before;
  const { paginator } = running;
  const refusal = behindNamed(running, before, refusedBy(running, pages, known, arrived));
  const { total } = known;
  if (refusal?.kind !== 'doubt') return refusal;
  // A ring may leave items out, however many came.
  const isRing = paginator.by !== 'position' && refusal.doubt.code === 'PAGE_RING';
  const isWhole = !isRing && isReached(total, before.items);
  if (!(isWhole || isAtEnd(paginator, known, step))) return refusal;
  return LAST_AGAIN;
}

const LAST_AGAIN: Refusal = { kind: 'quiet', because: 'The last page came again, stopping pagination.' };

/** A page that only an address spoke of, and that came before, is none: an API may give the address on each page. */
export const behindNamed = <T extends Refusal | undefined>(
  { plan }: JobRun,
  { pages, known: { named } }: Pick<Before, 'pages' | 'known'>,
  refusal: T,
): T | Refusal =>
  named === undefined || refusal?.kind !== 'doubt' || refusal.doubt.code !== 'PAGE_REPEATED'
    ? refusal
    : doubted(noNamedPage(plan.endpoint, pages, named, 'has the same items'));

const isReached = (total: KnownTotal | undefined, items: number): boolean =>
  total?.isSteady === true && total.isAtLeast !== true && items >= total.value;

/** Whether a page was asked for at the position of the page before, by a method with which that is the end. */
export const isAtEnd = ({ staysAtEnd }: Paginator, { position }: Known, step: Step): boolean =>
  staysAtEnd === true && position !== undefined && sameJson(position, step.position);

function refusedBy(running: JobRun, pages: number, known: Known, arrived: Arrived): Refusal | undefined {
  const { paginator, plan } = running;
  switch (paginator.by) {
    case 'nothing':
      return undefined;
    case 'address':
      return (
        ring(running, pages, known, arrived, [addressOf(arrived), positionKey(arrived)]) ??
        sameAgain(plan, pages, known, arrived)
      );
    case 'token':
      return ring(running, pages, known, arrived, [positionKey(arrived)]) ?? sameAgain(plan, pages, known, arrived);
    case 'position':
      return plan.equalPages === 'keep' ? undefined : repetition(running, pages, known, arrived);
  }
}

/** The doubt about a page whose items are those of the page before. */
export const repeated = (endpoint: string, pages: number, count: number, total?: Total): Doubt => ({
  code: 'PAGE_REPEATED',
  level: 'error',
  message:
    `Page ${pages + 1} of ${endpoint} has the same ${counted(count)} as page ${pages}: the API ignores the position that ` +
    `the pagination sends, or these items are really equal. Pagination ended there. Check the names of the parameters in ` +
    `api.pagination; if the items are equal, set "equalPages": "keep" in the job.${askedFor(total)}`,
});

/** A page behind another token or address that has the items of the page before: the API does not look at what it is sent. */
function sameAgain(
  { endpoint, equalPages }: JobRun['plan'],
  pages: number,
  { last, lastPrint }: Known,
  { found }: Arrived,
): Refusal | undefined {
  if (equalPages === 'keep' || found.count === 0) return undefined;
  const isAgain = last === undefined ? lastPrint === printOf(found) : hasSameItems(last, found);
  return isAgain ? doubted(repeated(endpoint, pages, found.count)) : undefined;
}

/** Items that are not bytes are compared as values, of which the first mostly tells. */
const hasSameItems = (last: FoundItems, found: FoundItems): boolean =>
  last.count === found.count &&
  (last.print === undefined || found.print === undefined || last.print() === found.print()) &&
  sameJson(last.items, found.items);

/** A page that was asked for since a total says so: perhaps it is none. */
const askedFor = (total: Total | undefined): string =>
  total === undefined
    ? ''
    : ` The page was asked for since the API counts ${total.value} items (${total.where}); if that counts something else, ` +
      `and nothing is missing, set "completeness": "warn" in the job.`;

function repetition(
  running: JobRun,
  pages: number,
  { last: before, lastPrint, isBeyond, total }: Known,
  arrived: Arrived,
): Refusal | undefined {
  const { endpoint } = running.plan;
  const { pageSize } = running.paginator;
  const found = arrived.found.whole ?? arrived.found;
  const last = before?.whole ?? before;
  if (found.count === 0) return undefined;
  const print = printOf(found);
  const row = running.visited.again(print);
  if (last === undefined) return lastPrint === print ? doubted(repeated(endpoint, pages, found.count)) : undefined;
  if (hasSameItems(last, found)) return doubted(repeated(endpoint, pages, found.count, isBeyond ? total : undefined));
  if (row >= RING_IN_A_ROW) return doubted(inRing(endpoint, pages));
  const common = inCommon(running, last, arrived);
  if (common > 0 && running.paginator.staysAtEnd === true)
    return common === found.count ? LAST_AGAIN : doubted(notBehind(endpoint, pages));
  if (common > 0) return doubted(turnedBack(endpoint, pages));
  // Reading items parses the page, so it is done only where it matters.
  const isOdd = isBeyond || (pageSize !== undefined && last.count !== pageSize);
  // A page that begins at a key has the item of that key again, which was dropped.
  const [first] = isOdd ? arrived.found.items : [];
  if (first === undefined || !last.items.some((item) => sameJson(item, first))) return undefined;
  return doubted({
    code: 'PAGES_OVERLAP',
    level: 'error',
    message:
      `Page ${pages} of ${endpoint} had ${last.count} items and not as many as it was asked for, and page ${pages + 1} ` +
      `begins with an item of it: no position is safe. Pagination ended there. Check limit and limitParam in api.pagination; if the API ` +
      `counts items that it does not show, set "shortPage": "filtered" there.`,
  });
}

/** How many items of a page the one before has, where there should be none. */
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

function ring(
  running: JobRun,
  pages: number,
  { last }: Known,
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

const doubted = (doubt: Doubt): Refusal => ({ kind: 'doubt', doubt });

const counted = (count: number): string => (count === 1 ? 'item' : `${count} items`);

/** An address is that of one page, whatever the API answers there now. */
const addressOf = ({ reply: { response } }: Arrived): string =>
  `address ${response.request.method} ${response.request.url} ${response.request.body ?? ''}`;

/** A token may be the same for all pages; with the same items it leads in a ring. */
const positionKey = ({ found, next }: Arrived): string | undefined =>
  next.kind === 'stop' ? undefined : `position ${stringifyJson(next.step.position)} ${printOf(found)}`;

/** Equal for pages that the API sent with equal items; those that were found in bytes are not parsed for it, and none is read twice. */
export function printOf(found: FoundItems): string {
  const sent = found.whole ?? found;
  if (sent.print !== undefined) return sent.print();
  const print = PRINTS.get(sent) ?? createHash('sha1').update(stringifyJson(sent.items)).digest('base64');
  PRINTS.set(sent, print);
  return print;
}

const PRINTS = new WeakMap<FoundItems, string>();
