/** Which pages came again, which of their items, and which pages are others than those that were asked for. */
import { createHash } from 'node:crypto';
import { sameJson } from '../../core/json/literals';
import { stringifyJson } from '../../core/json/stringify';
import type { CallState } from '../call-state';
import type { FoundItems } from '../items';
import type { JobRun } from '../job-run';
import { isUnique } from './facts';
import type { Again, Arrived, Met } from './facts';

/** How a page came again, and the reason in words. */
interface CameAgain {
  readonly again?: Again;
  readonly met?: Met;
  readonly because: string;
}

/** Returns whether a page has the items of the page before it, also of one that an interrupted run had. */
export function isSame({ plan }: JobRun, { known: { last, lastPrint } }: CallState, { found }: Arrived): boolean {
  if (found.count === 0 || plan.stream !== undefined) return false;
  if (last === undefined) return lastPrint !== undefined && lastPrint === printOf(found);
  return hasSameItems(last.whole ?? last, found.whole ?? found);
}

/** Returns how a page came again, if it did: it is left out then, and ends the call. */
export function cameAgain(running: JobRun, state: CallState, arrived: Arrived): CameAgain | undefined {
  const { paginator, plan } = running;
  const { found } = arrived;
  const { known, pages } = state;
  if (paginator.by === 'nothing') return undefined;
  if (found.count > 0 && isSame(running, state, arrived)) {
    const because = `Page ${pages + 1} equals page ${pages}, stopping pagination.`;
    const areKept = plan.equalPages === 'keep' || (paginator.by === 'position' && areOtherRows(state, found));
    if (areKept) return known.equal > 0 && !isCounted(running, state) ? { again: 'third', because } : undefined;
    if (paginator.staysAtEnd === true && known.position !== undefined && sameJson(known.position, state.step.position))
      return { because };
    if (paginator.by === 'position' || known.met.token === 'stays' || isOfIds(found))
      return { again: 'page-before', because, met: isRedirected(running, state, arrived) ? { redirected: true } : {} };
  }
  return paginator.by === 'position' ? positionAgain(running, state, arrived) : nameAgain(running, state, arrived);
}

/** Returns whether equal rows are others: a total of all items has room for them, the page before does not deny it, and they have no ids. */
const areOtherRows = ({ known: { total, page }, items }: CallState, found: FoundItems): boolean =>
  total?.isOfAll === true &&
  items + found.count <= total.value &&
  page?.said.last === undefined &&
  page?.said.noNext === undefined &&
  !isOfIds(found);

/** Returns whether the configuration wants equal pages, and counts how many are to come. */
const isCounted = ({ plan }: JobRun, { known: { total }, items }: CallState): boolean =>
  plan.equalPages === 'keep' && plan.total !== undefined && total !== undefined && items < total.value;

const RING_IN_A_ROW = 2;

function positionAgain(
  { paginator, plan, visited }: JobRun,
  { known: { last }, pages }: CallState,
  { found, next }: Arrived,
): CameAgain | undefined {
  if (found.count === 0 || plan.equalPages === 'keep') return undefined;
  const row = visited.again(printOf(found));
  const because = `Page ${pages + 1} came before, stopping pagination.`;
  if (row > 0 && found.count > 1 && isOfIds(found)) return { again: 'earlier', because };
  if (row > RING_IN_A_ROW) return { again: 'ring', because };
  const { identityOf } = paginator;
  if (last === undefined) return undefined;
  if (identityOf !== undefined) {
    if (next.kind === 'step' && next.isMet === false) return undefined;
    const before = new Set(last.items.map(identityOf));
    const common = found.items.filter((item) => before.has(identityOf(item))).length;
    if (common === 0) return undefined;
    // The API gives what has the number at which the cursor stands, and there is nothing behind it.
    return common === found.count && paginator.staysAtEnd === true ? { because } : { met: { keyAgain: true }, because };
  }
  if (pages !== 1 || paginator.staysAtEnd === true || paginator.repeated !== undefined || !isOfIds(found))
    return undefined;
  const had = new Set(last.ids());
  const common = found.ids()?.filter((id) => had.has(id)).length ?? 0;
  if (common === found.count || common * 2 <= found.count) return undefined;
  // Other items with the same ids are those of a series.
  const items = new Set(last.items.map((item) => stringifyJson(item)));
  const same = found.items.filter((item) => items.has(stringifyJson(item))).length;
  return same * 2 > found.count ? { again: 'mostly', because } : undefined;
}

/** An address that is asked for again, or a token with the same items, leads in a ring. */
function nameAgain(
  { paginator, visited, visitedItems, plan }: JobRun,
  { known: { last, lastPrint }, pages, step }: CallState,
  { found, reply, next }: Arrived,
): CameAgain | undefined {
  // The page before an interruption led here.
  if (lastPrint !== undefined) visited.again(`position ${stringifyJson(step.position)} ${lastPrint}`);
  const { request } = reply.response;
  const address =
    paginator.by === 'address' ? `address ${request.method} ${request.url} ${request.body ?? ''}` : undefined;
  const token = next.kind === 'stop' ? undefined : `position ${stringifyJson(next.step.position)} ${printOf(found)}`;
  const isAgain = [address, token].map((key) => key !== undefined && visited.again(key) > 0).includes(true);
  const because = `Page ${pages + 1} came before, stopping pagination.`;
  if (isAgain && found.count === 0 && (last === undefined || last.count === 0)) return { because };
  if (isAgain) return { again: 'ring', because };
  const isSeen = found.count > 1 && plan.equalPages !== 'keep' && visitedItems.again(printOf(found)) > 0;
  return isSeen && isOfIds(found) ? { again: 'ring', because } : undefined;
}

/** Returns whether two pages have the same items. Items that were found in bytes are compared by digests first; the first mostly differs. */
export const hasSameItems = (last: FoundItems, found: FoundItems): boolean =>
  last.count === found.count &&
  (last.print === undefined || found.print === undefined || last.print() === found.print()) &&
  sameJson(last.items, found.items);

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

/** Returns whether each item of a page has an id of its own: equal pages of such items are the same page. */
export function isOfIds(found: FoundItems): boolean {
  const ids = found.ids();
  return ids !== undefined && isUnique(ids);
}

/** A later page that a redirect took from its position is another page. */
export const isRedirected = (
  { paginator: { by } }: JobRun,
  { previous }: CallState,
  { reply: { response } }: Arrived,
): boolean => by === 'position' && previous !== undefined && losesPosition(response.request, previous.response.request);

/** A request, and the request that redirects led away from. */
interface Redirected {
  readonly url: string;
  readonly redirectedFrom?: { readonly url: string };
}

/**
 * Returns whether a redirect dropped what distinguishes the request of a later page from that of the page before, although it leads to the
 * same path: the page is not the requested one.
 *
 * @param before the request of the page before
 * @example losesPosition({ url: '…/items', redirectedFrom: { url: '…/items?page=3' } }, { url: '…/items?page=2' }) // true
 */
export function losesPosition(request: Redirected, before: Redirected): boolean {
  if (request.redirectedFrom === undefined || pathOf(askedOf(request)) !== pathOf(request.url)) return false;
  const own = new URL(askedOf(before)).searchParams;
  const changed = [...new URL(askedOf(request)).searchParams].filter(([name, value]) => own.get(name) !== value);
  return areLost(
    changed.map(([, value]) => value),
    request,
  );
}

/** Returns the path that an address leads to, with or without a slash at its end. */
const pathOf = (url: string): string => new URL(url).pathname.replace(/\/+$/, '');

const askedOf = ({ url, redirectedFrom }: Redirected): string => redirectedFrom?.url ?? url;

/** Returns whether there are values of which none is in an address, neither in the path nor split as in `2024/01/03`. */
function areLost(values: readonly string[], { url }: Redirected): boolean {
  const there = wordsIn(url);
  const said = values.map(wordsOf).filter((words) => words.length > 0);
  return said.length > 0 && said.every((words) => !words.every((word) => there.has(word)));
}

/** Returns a decoded path; invalid percent-encoding stays unchanged. */
const decoded = (path: string): string =>
  new URLSearchParams(`path=${path.replaceAll('&', '%26').replaceAll('+', '%2B')}`).get('path') ?? '';

/** Returns the words in the path and the values of an address. */
function wordsIn(url: string): ReadonlySet<string> {
  const { pathname, searchParams } = new URL(url);
  return new Set([decoded(pathname), ...searchParams.values()].flatMap(wordsOf));
}

const wordsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
