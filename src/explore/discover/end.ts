/** Looks at the end of the pages of an API: what a page that is not full means, what stands behind the last page, and whether a total is one. */
import { sameJson } from '../../core/json/literals';
import { isList, merge } from '../../core/json/objects';
import type { Json, JsonObject } from '../../core/model';
import type { Parts } from '../detect/configuration';
import { comparePages, itemsIn } from '../detect/paging/sign';
import { pagesOf, totalOf } from '../detect/paging/counts';
import type { Seen } from '../detect/paging/sign';
import { RequestLimitReached } from './requests';
import type { Asker } from './requests';

/** The API, and its first response. */
interface Looking {
  readonly seen: Seen;
  readonly asker: Asker;
  readonly parts: Omit<Parts, 'subject' | 'pagination'>;
}

/** A paging that works, with what its end shows. */
export interface Ended {
  readonly pagination: JsonObject;
  readonly end?: Pick<EndSeen, 'isSure' | 'reason'> | undefined;
  /** False if the number that looked like a total counts something else; `undefined`: that was not seen. */
  readonly isTotal: boolean | undefined;
}

type Pages = readonly [readonly Json[], readonly Json[]];

/**
 * Looks at the end of a paging by positions: others say themselves whether a page follows.
 *
 * @param known the items of the first two pages
 */
export async function endOf(pagination: JsonObject, known: Pages, looking: Looking): Promise<Ended> {
  const method = pagination['method'];
  const isCounted = method === 'offset' || method === 'pagenum';
  const total = totalOf(looking.seen);
  if (!isCounted) {
    const isTotal = total === undefined || (await isReached(total.value, pagination, known, looking));
    return { pagination, isTotal, ...(isTotal === undefined ? { end: TOTAL_UNSEEN } : {}) };
  }
  if (total !== undefined && total.value > known[0].length + known[1].length) {
    if (await holds(total.value, pagination, known, looking)) return { pagination, isTotal: true };
    const end = { ...UNSEEN, reason: NO_TOTAL };
    return { pagination: merge(pagination, { shortPage: 'capped' }), isTotal: false, end };
  }
  if (method === 'pagenum') {
    const isFlagged = pagination['nextPageFlag'] !== undefined || total !== undefined;
    return { pagination, isTotal: true, ...(isFlagged ? {} : { end: await behindPages(pagination, known, looking) }) };
  }
  if (pagination['shortPage'] === undefined || (total?.value ?? 0) > known[0].length)
    return { pagination, isTotal: true };
  const end = await endSeen(pagination, known, looking.asker, looking.seen);
  return { pagination: merge(pagination, { shortPage: end.shortPage }), end, isTotal: true };
}

const NO_TOTAL =
  'What looks like a total counts something else, or items are missing: where its last item would be, there is none. If it counts these ' +
  'items, name it in api.pagination.total: then a run that has fewer is an error.';

const TOTAL_UNSEEN = {
  isSure: true,
  reason:
    'The API counts its items, and whether exactly was not seen, since the end is far: if a run that has fewer has to be an error, name the ' +
    'number in api.pagination.total.',
};

/** Returns whether the pages have as many items as a total says; `undefined` if their end is too far. */
async function isReached(
  total: number,
  pagination: JsonObject,
  [first, second]: Pages,
  { asker, parts }: Looking,
): Promise<boolean | undefined> {
  if (total <= first.length + second.length) return true;
  const pages = Math.ceil(total / Math.max(first.length, 1));
  if (pages > MOST_PAGES) return undefined;
  return unlessLimited(undefined, async () => {
    const trial = await asker.run({ ...parts, pagination }, pages + 1);
    if ('error' in trial) return undefined;
    const count = trial.pages.reduce((sum, { items }) => sum + items.length, 0);
    return count === total ? true : trial.pages.length > pages && count < total ? undefined : false;
  });
}

/** Returns whether there is an item at the place of the last one that a total counts. */
async function holds(
  total: number,
  pagination: JsonObject,
  [first]: Pages,
  { seen, asker }: Looking,
): Promise<boolean> {
  const { method, firstPage } = pagination;
  const position = nameOf(pagination[method === 'offset' ? 'offsetParam' : 'pageParam']);
  const [size, limit] = [nameOf(pagination['limitParam']), pagination['limit']];
  if (position === undefined || first.length === 0) return true;
  const at = method === 'offset' ? total - 1 : Number(firstPage ?? 1) + Math.ceil(total / first.length) - 1;
  const sized: JsonObject = size === undefined || limit === undefined ? {} : { [size]: limit };
  const params = merge(sized, { [position]: at });
  return unlessLimited(true, async () => {
    const last = itemsIn(await asker.ask({ params, expects: 'other' }), seen);
    return last === undefined || last.length > 0;
  });
}

/** Returns what comes of requests, or something else where no more may be sent. */
async function unlessLimited<T>(otherwise: T, asked: () => Promise<T>): Promise<T> {
  try {
    return await asked();
  } catch (error) {
    if (error instanceof RequestLimitReached) return otherwise;
    throw error;
  }
}

/** The number of a page that no API has. */
const FAR = 1_000_000;

/** Asks for a page behind the last one. */
async function behindPages(
  pagination: JsonObject,
  [first]: Pages,
  { seen, asker }: Looking,
): Promise<EndSeen | undefined> {
  const name = nameOf(pagination['pageParam']);
  if (name === undefined) return undefined;
  const begin = Number(pagination['firstPage'] ?? 1);
  return unlessLimited<EndSeen | undefined>(undefined, async () => {
    const far = begin + (pagesOf(seen) ?? FAR);
    const response = await asker.ask({ params: { [name]: far }, expects: 'other' });
    const items = itemsIn(response, seen);
    if (response.status >= 300 && response.status !== 404 && response.status !== 410)
      return { shortPage: 'capped', isSure: pagesOf(seen) !== undefined, reason: refusedBy(response.status) };
    if (items === undefined || items.length === 0) return undefined;
    const further = itemsIn(await asker.ask({ params: { [name]: far + 1 }, expects: 'other' }), seen) ?? [];
    const isLast = comparePages(items, further) === 'same' && comparePages(first, items) !== 'same';
    return isLast ? CLAMPED : AGAIN;
  });
}

const refusedBy = (status: number): string =>
  `Behind its last page the API refuses the request with the status ${status}. If a run fails there, add to this job: \`"rules": [{"when": {"status": ${status}}, "do": "last"}]\`.`;

/** Returns the name of a parameter, or of a member of the body. */
function nameOf(place: Json | undefined): string | undefined {
  const [name, ...others] = isList(place) ? place : [place];
  return typeof name === 'string' && others.length === 0 ? name : undefined;
}

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
export const MOST_PAGES = 5;

const UNSEEN: EndSeen = {
  shortPage: 'capped',
  isSure: false,
  reason:
    'Nothing counts the items, and the last page was not seen, so that a run goes on until a page has none. Should it warn of ' +
    'PAGES_OVERLAP, the API counts items that it does not show: write `"shortPage": "filtered"`.',
};
const WHOLE: EndSeen = {
  shortPage: 'capped',
  isSure: true,
  reason: 'Nothing counts the items, so that a run goes on until a page has none; that page was seen.',
};
const AGAIN: EndSeen = {
  shortPage: 'capped',
  isSure: false,
  reason:
    'Behind its last page the API gives earlier ones again, so that a run would have items twice. If a response says how many there ' +
    'are, name that in api.pagination, such as `"total": "meta.total"`.',
};
const CLAMPED: EndSeen = {
  shortPage: 'capped',
  isSure: true,
  reason: 'Behind its last page the API gives that page again, and a run ends there.',
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
export const endText = (end: Pick<EndSeen, 'reason'> | undefined): string =>
  end === undefined ? '' : ` ${end.reason}`;

/**
 * Reads pages until one is not full, and requests the page after it in both possible ways.
 *
 * @param known the items of the first two pages
 */
async function endSeen(
  { offsetParam, limitParam, limit, shortPage }: JsonObject,
  known: Pages,
  asker: Asker,
  seen: Seen,
): Promise<EndSeen> {
  const [offsetName, limitName] = [nameOf(offsetParam), nameOf(limitParam)];
  if (offsetName === undefined || limitName === undefined || typeof limit !== 'number') return UNSEEN;
  const [first, second] = known;
  const isBehindItems = shortPage === 'capped' && first.length < limit;
  const pages = new Map([
    [0, first],
    [isBehindItems ? first.length : limit, second],
  ]);
  const at = async (offset: number): Promise<readonly Json[] | undefined> =>
    pages.get(offset) ??
    itemsIn(await asker.ask({ params: { [offsetName]: offset, [limitName]: limit }, expects: 'other' }), seen);
  return unlessLimited(UNSEEN, async () => {
    for (let [offset, count] = [0, 0]; count <= MOST_PAGES; [offset, count] = [offset + limit, count + 1]) {
      const page = await at(offset);
      if (page === undefined) return REFUSED;
      if (page.length < limit)
        return page.length === 0 ? WHOLE : meaningOf(page, await at(offset + page.length), await at(offset + limit));
    }
    return UNSEEN;
  });
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
