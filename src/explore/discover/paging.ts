/** Finds the right paging among those that a response suggests: each is tried until one works. */
import { sameJson } from '../../core/json/literals';
import { merge } from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import type { Parts } from '../detect/configuration';
import type { Detected } from '../detect/model';
import { comparePages, itemsIn } from '../detect/pages';
import type { Comparison } from '../detect/pages';
import { countsMore, totalOf } from '../detect/paging/counts';
import type { Total } from '../detect/paging/counts';
import type { PagingSign, Seen } from '../detect/paging/sign';
import { claimOf, guesses, laterStart, pagingSigns, textFlag } from '../detect/paging/signs';
import type { MoreClaim } from '../detect/paging/signs';
import { RequestLimitReached } from './requests';
import type { Asker } from './requests';

/** The paging of an API: `api.pagination`, or nothing. */
export interface FoundPaging extends Detected<JsonObject | undefined> {
  /** The claim of the response about more items. */
  readonly claim: MoreClaim | undefined;
  /** The items of the pages that were seen. */
  readonly items: readonly Json[];
}

/** The result of trying a paging: `works`; `one-page`: nothing contradicts it, and there is no second page; or it is wrong. */
type Verdict =
  | { readonly kind: 'works'; readonly pagination: JsonObject; readonly items: readonly Json[]; readonly end?: EndSeen }
  | { readonly kind: 'one-page'; readonly items: readonly Json[] }
  | { readonly kind: 'wrong' };

/** The input of the search. */
export interface PagingSearch {
  readonly seen: Seen;
  readonly asker: Asker;
  readonly parts: Omit<Parts, 'subject' | 'pagination'>;
  /** The field that identifies items. */
  readonly key: string | undefined;
  /** True if parameters may be tried that the response does not suggest. */
  readonly mayGuess: boolean;
}

/** Finds the paging by requests. */
export async function findPaging(search: PagingSearch): Promise<FoundPaging> {
  const { seen, key, mayGuess } = search;
  const claim = claimOf(seen);
  const total = totalOf(seen);
  const signs = pagingSigns(seen, key);
  const going = signs.filter(({ more }) => more !== false);
  const rest = mayGuess && seen.data.kind !== 'object' && seen.data.items.length > 0 ? guessed(seen, key, claim) : [];
  const waiting = signs.find(({ more }) => more === false);
  let onePage: PagingSign | undefined;
  let isRefused = false;
  let enough = '';
  try {
    for (const sign of [...going, ...rest]) {
      const verdict = await tried(sign, search);
      if (verdict.kind === 'works')
        return found(
          counted(verdict.pagination, total, verdict.items),
          verdict.end?.isSure === false ? 'unsure' : 'sure',
          `${sign.reason} Two pages were requested: they have different items.${toldEnd(verdict.end)}`,
          verdict.items,
        );
      if (verdict.kind === 'one-page') onePage ??= sign;
    }
    if (onePage === undefined && waiting !== undefined) isRefused = await refuses(waiting, search);
  } catch (error) {
    if (!(error instanceof RequestLimitReached)) throw error;
    enough = ' No more was tried, since the API asks for fewer requests, or the limit of requests is reached.';
  }
  const chosen = onePage ?? (isRefused ? undefined : waiting);
  const { items } = seen.data;
  if (claim?.more === true && items.length > 0)
    return found(
      undefined,
      'unsure',
      `${claim.reason} How to get the rest was not found: look it up in the manual of the API, and write api.pagination.${enough}`,
      items,
    );
  if (chosen !== undefined)
    return found(
      counted(chosen.pagination, total, items),
      sureOf(chosen),
      `${chosen.reason} There is one page now, so that paging was not seen at work.`,
      items,
    );
  if (claim?.more === false) return found(undefined, 'likely', `${claim.reason} No paging was found.`, items);
  if (seen.data.kind === 'object')
    return found(undefined, 'likely', 'There is one object, so there are no pages.', items);
  return found(
    undefined,
    'unsure',
    `Nothing in the response says whether there is more than these ${items.length} items${hintOf(items.length)}.${enough}`,
    items,
  );

  function found(
    value: JsonObject | undefined,
    confidence: Detected<unknown>['confidence'],
    reason: string,
    all: readonly Json[],
  ): FoundPaging {
    const doubt = laterStart(seen) ?? textFlag(seen, value);
    return doubt === undefined
      ? { value, confidence, reason, claim, items: all }
      : { value, confidence: 'unsure', reason: `${reason} ${doubt}`, claim, items: all };
  }
}

/** The number of guesses after which a total equal to the first page is taken as the number of its items. */
const FEW = 4;

function guessed(seen: Seen, key: string | undefined, claim: MoreClaim | undefined): readonly PagingSign[] {
  if (claim?.more !== false) return guesses(seen, key);
  return claim.isWeak === true ? guesses(seen).slice(0, FEW) : [];
}

/** Returns a hint if a number looks like a page size. */
const hintOf = (count: number): string =>
  count >= 5 && (count % 10 === 0 || count % 25 === 0) ? ', and that number looks like the size of a page' : '';

/** Returns the confidence: without any token in a response, the name of its parameter is a guess. */
const sureOf = ({ pagination, more }: PagingSign): 'likely' | 'unsure' =>
  more === false && pagination['method'] === 'response.param' && !Object.hasOwn(pagination, 'responseHeader')
    ? 'unsure'
    : 'likely';

/**
 * Returns the paging with the total, so that the run continues until all items have come; a total below the items so far counts those of a
 * page.
 */
const counted = (pagination: JsonObject, total: Total | undefined, items: readonly Json[]): JsonObject =>
  total === undefined || total.value < items.length ? pagination : merge(pagination, { total: total.place });

/** Returns whether the API refuses the parameters of a paging whose second page does not exist yet. */
const refuses = async ({ pagination }: PagingSign, { asker, parts }: PagingSearch): Promise<boolean> =>
  'error' in (await asker.run({ ...parts, pagination }, 1));

async function tried(sign: PagingSign, { seen, asker, parts }: PagingSearch): Promise<Verdict> {
  const { items } = seen.data;
  if (sign.probe !== undefined) {
    const answered = itemsIn(await asker.ask(sign.probe), seen);
    const seems = answered === undefined ? 'same' : comparePages(items, answered);
    if (!fits(seems, sign.probe.expects)) return { kind: 'wrong' };
  }
  const verdict = await triedAs(sign, sign.pagination, { seen, asker, parts });
  if (verdict.kind !== 'wrong' || sign.pagination['shortPage'] === undefined) return verdict;
  // After its items, a page with hidden items begins with one of them again.
  return triedAs(sign, merge(sign.pagination, { shortPage: 'filtered' }), { seen, asker, parts });
}

async function triedAs(
  sign: PagingSign,
  pagination: JsonObject,
  { seen, asker, parts }: Pick<PagingSearch, 'seen' | 'asker' | 'parts'>,
): Promise<Verdict> {
  const trial = await asker.run({ ...parts, pagination }, 2);
  if ('error' in trial) return { kind: 'wrong' };
  const [first, second] = trial.pages;
  if (first === undefined) return { kind: 'wrong' };
  const beginning = comparePages(seen.data.items, first.items);
  // Items may have changed since, but a page without any of them is another page.
  const isAnother = beginning === 'other' || beginning === 'shifted' || beginning === 'empty';
  if (isAnother && seen.data.items.length > 0) return { kind: 'wrong' };
  const next = second === undefined ? 'empty' : comparePages(first.items, second.items);
  if (next === 'other' && second !== undefined) {
    const items = [...first.items, ...second.items];
    if (pagination['shortPage'] === undefined || pagination['method'] !== 'offset' || countsMore(seen))
      return { kind: 'works', pagination, items };
    const end = await endSeen(pagination, [first.items, second.items], asker, seen);
    return { kind: 'works', pagination: merge(pagination, { shortPage: end.shortPage }), items, end };
  }
  return next === 'empty' && sign.more !== true ? { kind: 'one-page', items: first.items } : { kind: 'wrong' };
}

/** Returns whether a page fits the expectation. An offset may also lead to a page without items, if all fit on one page. */
const fits = (seems: Comparison, expects: 'other' | 'shifted'): boolean =>
  seems === expects || (seems === 'empty' && expects === 'other');

/**
 * The end of the pages of an API, as far as it was seen: for an API that counts by offsets without a total, pages are read until one is not
 * full.
 */
export interface EndSeen {
  /** The value of `api.pagination.shortPage`. */
  readonly shortPage: 'last' | 'capped' | 'filtered';
  /** True if a page that is not full was seen, with the page after it. */
  readonly isSure: boolean;
  /** A sentence. */
  readonly reason: string;
}

/** The maximum number of pages that are read for it. */
const MOST_PAGES = 5;

const UNSEEN: EndSeen = {
  shortPage: 'capped',
  isSure: false,
  reason:
    'Nothing counts the items, and the last page was not seen, so that a run goes on until a page has none. Should it warn of ' +
    'PAGES_OVERLAP, the API counts items that it does not show: write "shortPage": "filtered".',
};
const WHOLE: EndSeen = {
  shortPage: 'capped',
  isSure: true,
  reason: 'Nothing counts the items, so that a run goes on until a page has none; that page was seen.',
};
const REFUSED: EndSeen = {
  shortPage: 'last',
  isSure: false,
  reason:
    'Nothing counts the items, and behind its last page the API gives no empty one, so that a run ends at the first page that is not full: ' +
    'where the API gives such a page before its last one, the rest is missing. If it has a total, name it in api.pagination.total.',
};
const CAPPED: EndSeen = {
  shortPage: 'capped',
  isSure: true,
  reason: 'The API gives pages that are not full before its last one; the next page begins right behind their items.',
};
const FILTERED: EndSeen = {
  shortPage: 'filtered',
  isSure: true,
  reason:
    'The API gives pages that are not full before its last one, since it counts items that it does not show; the next page begins a page size further.',
};

/** Returns sentences about the end, to be appended; nothing if the end was not examined. */
const toldEnd = (end: EndSeen | undefined): string => (end === undefined ? '' : ` ${end.reason}`);

/**
 * Reads pages until one is not full, and requests the page after it in both possible ways.
 *
 * @param known the items of the first two pages
 */
async function endSeen(
  { offsetParam, limitParam, limit, shortPage }: JsonObject,
  known: readonly [readonly Json[], readonly Json[]],
  asker: Asker,
  seen: Seen,
): Promise<EndSeen> {
  if (typeof offsetParam !== 'string' || typeof limitParam !== 'string' || typeof limit !== 'number') return UNSEEN;
  const [first, second] = known;
  const isBehindItems = shortPage === 'capped' && first.length < limit;
  const pages = new Map([
    [0, first],
    [isBehindItems ? first.length : limit, second],
  ]);
  const at = async (offset: number): Promise<readonly Json[] | undefined> =>
    pages.get(offset) ??
    itemsIn(await asker.ask({ params: { [offsetParam]: offset, [limitParam]: limit }, expects: 'other' }), seen);
  try {
    let page: readonly Json[] | undefined = first;
    for (let [offset, count] = [0, 0]; count <= MOST_PAGES; [offset, count] = [offset + limit, count + 1]) {
      page = await at(offset);
      if (page === undefined) return REFUSED;
      if (page.length < limit)
        return page.length === 0 ? WHOLE : meaningOf(page, await at(offset + page.length), await at(offset + limit));
    }
  } catch (error) {
    if (!(error instanceof RequestLimitReached)) throw error;
  }
  return UNSEEN;
}

/** Returns the meaning of a page that is not full, by the page right after its items, and by the page one page size later. */
function meaningOf(
  page: readonly Json[],
  behind: readonly Json[] | undefined,
  further: readonly Json[] | undefined,
): EndSeen {
  if (behind === undefined || further === undefined) return REFUSED;
  if (behind.length === 0) return further.length === 0 ? WHOLE : FILTERED;
  if (begins(page, behind)) return isAnother(page, further) ? FILTERED : REFUSED;
  return further.length > 0 && sameJson(behind[0], further[0]) ? FILTERED : CAPPED;
}

/** Returns whether a page begins with an item of another one. */
const begins = (page: readonly Json[], next: readonly Json[]): boolean => page.some((item) => sameJson(item, next[0]));

const isAnother = (page: readonly Json[], next: readonly Json[]): boolean =>
  ['other', 'empty'].includes(comparePages(page, next));
