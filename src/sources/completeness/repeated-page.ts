import { createHash } from 'node:crypto';
import { sameJson } from '../../core/json/same';
import { stringifyJson } from '../../core/json/stringify';
import type { Doubt } from '../../core/evidence';
import type { FoundItems } from '../items';
import type { Paginator, Step } from '../../language/parts/pagination/paginator';
import type { JobRun } from '../job-run';
import { emptyPageAgain } from './empty-page';
import { hasId } from './item-id';
import type { Known, KnownTotal } from './known';
import { noNamedPage } from './named-page';
import { overlapping } from './pages-overlap';
import { doubted, LAST_AGAIN } from './refusal';
import type { Arrived, Before, Refusal } from './refusal';
import type { Total } from './total';

/** The number of repeated pages in a row that make a ring: with computed positions one alone may be a coincidence. */
const RING_IN_A_ROW = 2;

/**
 * Whether a page is one that the call had before (docs/completeness.md): such a page is not taken, and pagination ends, since it
 * would go on for ever. Empty pages that repeat are the end of some APIs; they end the call quietly.
 *
 * @param before where the call stands
 */
export function refusalOf(running: JobRun, before: Before, arrived: Arrived): Refusal | undefined {
  const { known, step } = before;
  const { paginator } = running;
  const refusal = behindNamed(running, before, refusedBy(running, before, arrived));
  const { total } = known;
  if (refusal?.kind !== 'doubt') return refusal;
  // A ring may leave items out, however many came.
  const isRing = paginator.by !== 'position' && refusal.doubt.code === 'PAGE_RING';
  const isWhole = !isRing && isReached(total, before.items);
  if (!(isWhole || isAtEnd(paginator, known, step))) return refusal;
  return LAST_AGAIN;
}

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

/** The doubt about a page whose items are those of the page before. */
export const repeated = (endpoint: string, pages: number, count: number, total?: Total): Doubt => ({
  code: 'PAGE_REPEATED',
  level: 'error',
  message:
    `Page ${pages + 1} of ${endpoint} has the same ${counted(count)} as page ${pages}: the API ignores the position that ` +
    `the pagination sends, or these items are really equal. Pagination ended there. Check the names of the parameters in ` +
    `api.pagination; if the items are equal, set "equalPages": "keep" in the job.${askedFor(total)}`,
});

/** A page behind another token or address that has the items of a page before: the API does not look at what it is sent, or a cache answers. */
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

/** The doubt about a page whose items are those of a page before the last one. */
const repeatedLater = (endpoint: string, pages: number, count: number): Doubt => ({
  code: 'PAGE_REPEATED',
  level: 'error',
  message:
    `Page ${pages + 1} of ${endpoint} has the same ${counted(count)} as a page before page ${pages}: the API, or a cache on the way, gives ` +
    `another page than it was asked for, and what this page should have is missing. Pagination ended there. Check api.pagination and run again; ` +
    `if the items are really equal, set "equalPages": "keep" in the job.`,
});

/** This tells whether equal pages are surely one page: it has several items, and each has an id. */
const isOfIds = ({ count, items }: FoundItems): boolean => count > 1 && items.every(hasId);

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
