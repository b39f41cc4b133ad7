/** What a page means that is not full, where an API counts by offsets and says no total: pages are read until one tells. */
import { AskedEnough, type Asker } from './requests';
import { itemsIn } from '../detect/items-in';
import { comparePages } from '../detect/pages';
import type { Seen } from '../detect/paging/sign';
import { sameJson } from '../../core/json/same';
import type { Json, JsonObject } from '../../core/model';

/** How the pages of an API end, as far as that was seen. */
export interface EndSeen {
  /** As `api.pagination.shortPage` has it. */
  readonly shortPage: 'last' | 'capped' | 'filtered';
  /** This tells whether a page that is not full was seen, and what follows it. */
  readonly isSure: boolean;
  /** A sentence. */
  readonly reason: string;
}

/** More pages than these are not read for it. */
const MOST_PAGES = 5;

const UNSEEN: EndSeen = {
  shortPage: 'capped',
  isSure: false,
  reason:
    'Nothing counts the items, and the last page was not seen, so that a run goes on until a page has none. Should it end with ' +
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

/** What is told of the end, in sentences that go on; nothing where no end was looked for. */
export const toldEnd = (end: EndSeen | undefined): string => (end === undefined ? '' : ` ${end.reason}`);

/**
 * Reads pages until one is not full, and asks for what follows it in both ways that are possible.
 *
 * @param known the items of the first two pages
 */
export async function endSeen(
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
    if (!(error instanceof AskedEnough)) throw error;
  }
  return UNSEEN;
}

/** What a page means that is not full, by the page right behind its items, and by that a page size further. */
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

/** This tells whether a page begins with an item of another one. */
const begins = (page: readonly Json[], next: readonly Json[]): boolean => page.some((item) => sameJson(item, next[0]));

const isAnother = (page: readonly Json[], next: readonly Json[]): boolean =>
  ['other', 'empty'].includes(comparePages(page, next));
