import type { Doubt } from '../../core/evidence';
import { sameJson } from '../../core/json/same';
import { stringifyValue } from '../../core/json/stringify';
import type { Item, Reply } from '../../core/model';
import type { FoundItems } from '../items';
import type { JobRun } from '../job-run';
import type { Paginator } from '../../language/parts/pagination/paginator';
import { hasId } from './item-id';
import type { PageOutcome } from './page-outcome';
import { doubted, LAST_AGAIN } from './refusal';
import type { Arrived, Refusal } from './refusal';

/** The page before, as far as another one may have items of it. */
interface Last {
  readonly pages: number;
  readonly last: FoundItems;
  readonly isBeyond: boolean;
  readonly previous?: Reply | undefined;
}

/**
 * Why a page is not taken that has items of the page before, where positions are computed: no position is safe then
 * (docs/completeness.md#what-is-an-error).
 */
export function overlapping(
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
  // Reading items parses the page, so it is done only where it matters.
  const isOdd = isBeyond || (pageSize !== undefined && last.count !== pageSize);
  // A page that begins at a key has the item of that key again, which was dropped.
  const [first] = isOdd ? arrived.found.items : [];
  if (first !== undefined && last.items.some((item) => sameJson(item, first)))
    return doubted(beginsWithin(plan.endpoint, pages, last.count));
  const again = new Set(comeAgain(paginator, { reply: previous, found: last }, arrived).map(stringifyValue)).size;
  return again >= FEWEST && last.count - again <= Math.max(1, last.count * MOST_NEW)
    ? doubted(mostlyAgain(plan.endpoint, pages, again, last.count))
    : undefined;
}

/** One item may have moved to the next page. */
const FEWEST = 2;
/** Items that are added while pages are read move others on, but hardly so many that no more than this share of a page is new. */
const MOST_NEW = 0.1;

/**
 * The doubt about a page that begins with items of the page before: others were added meanwhile, and moved them on. It is told once a call.
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
 * The items of a page, with an id, that the page before had, by a method that computes positions and has no means of its own to tell.
 * Pages are parsed for it only where their bytes tell that there are some.
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

/** These are the places of items that are looked up first: where a page has items of another one, one of these is mostly among them. */
const samples = (count: number): readonly number[] => [...new Set([0, Math.floor(count / 2), count - 1])];

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
