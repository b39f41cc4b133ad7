/** The facts of a call by which it is judged: plain records, made once a page; what a checkpoint keeps of them, and what is remembered of pages. */
import { createHash } from 'node:crypto';
import type { EvidenceFacts } from '../../core/evidence';
import { isList, isObject, keysOf } from '../../core/json/objects';
import type { Checkpoint, Json, Reply } from '../../core/model';
import type { Next } from '../../language/parts/pagination/paginator';
import type { JobPlan } from '../../plan/plan';
import type { FoundItems } from '../items';
import { NOTHING_SAID } from './said';
import type { Said, Sign, Total } from './said';

/** Why a call asked for no other page. */
export type End =
  /** The pagination method ends there: a short page, a page without items, no next address. */
  | 'ordinary'
  /** The configuration wants no more: `forceStop`, `limitStop` with a number, or a rule with `stop`. */
  | 'wanted'
  /** `nextPageFlag` or `stopWhenEmpty` read the end in the response. */
  | 'read'
  /** As many items have come as `limitStop` reads in the response. */
  | 'counted'
  /** A rule with `end` or `last` says so. */
  | 'declared'
  /** The last page came again, and was left out. */
  | 'again'
  /** The API refused a page with a status that means that there is none. */
  | 'refused'
  /** Three pages without items came, one behind the other, and each names another one. */
  | 'empty-pages';

/** A page that has arrived. */
export interface Arrived {
  readonly reply: Reply;
  readonly found: FoundItems;
  readonly next: Next;
  /** Why a rule of the configuration takes it for the last page, if one does. */
  readonly isLast?: string | undefined;
}

/** What one page shows. */
export interface PageFacts {
  /** The number of items that the API sent. */
  readonly count: number;
  /** What was at the place of the items. */
  readonly place: 'list' | 'value' | 'blank' | 'text' | 'missing' | 'empty';
  /** True if it has as many items as were asked for; any items, where no page size is known. */
  readonly isFull: boolean;
  /** True if it is the response of the page before without a list: all that it has, that one had as well. */
  readonly leavesListOut?: boolean;
  /** The first sentence of it that no earlier page has. */
  readonly newText?: Sign | undefined;
  /** True if it names itself as the next one. */
  readonly namesItself?: boolean;
  /** True if it has the status 202, and no items. */
  readonly isNotReady?: boolean;
  readonly said: Said;
}

/** How a page came again that was left out. */
export type Again =
  /** It has the items of the page before it. */
  | 'page-before'
  /** It has the items of an earlier page, which have ids. */
  | 'earlier'
  /** It was asked for at an address, or by a token, that an earlier page has had. */
  | 'ring'
  /** It is the third equal page in a row, where `equalPages` is `keep`. */
  | 'third'
  /** It has most of the items of the page before it, which have ids. */
  | 'mostly';

/** What the pages of a call show at its end. */
export interface CallFacts {
  readonly endpoint: string;
  /** How the next page is found. */
  readonly by: 'position' | 'address' | 'token' | 'nothing';
  /** True for a call of a child, whose parent item may have nothing below it. */
  readonly isChild: boolean;
  /** The pages and items that were taken. */
  readonly pages: number;
  readonly items: number;
  /** The number of different ids of the items; absent where they have none. */
  readonly distinct?: number | undefined;
  readonly total?: KnownTotal | undefined;
  /** The place of the total that the configuration names, in words. */
  readonly declared?: string | undefined;
  /** What its path was likely meant to be, in a sentence. */
  readonly meant?: string | undefined;
  readonly end: End;
  /** The reason of the end in words, as the log has it. */
  readonly because: string;
  /** The last response, and the page before it. */
  readonly last: PageFacts;
  readonly before?: PageFacts | undefined;
  readonly again?: Again | undefined;
  /** What was met on the way. */
  readonly met: Met;
}

/** What the pages of a call have shown on the way. */
export interface Met {
  /** True if a page gave an address or a token of another one. */
  readonly hadNext?: boolean;
  /** The token of the next page has changed on the way; and it is now the one that was just sent. */
  readonly token?: 'moves' | 'stays';
  /** The number of items whose ids came before. */
  readonly repeated?: number;
  /** The API says of the first page that there is one before it. */
  readonly previous?: Sign;
  /** The first page was requested without the page size, and has fewer items. */
  readonly unsized?: number;
  /** The items of a page are not in the order in which the pagination goes on, and those of a later page came behind them. */
  readonly disorder?: boolean;
  /** The cursor cut a fraction off a number. */
  readonly cut?: { readonly from: string; readonly to: string };
  /** A page behind a key has an item with that key. */
  readonly keyAgain?: boolean;
  /** A key on the path to the items occurs twice in an object, with values that differ. */
  readonly repeatedKey?: string;
  /** A redirect lost the position of a later page. */
  readonly redirected?: boolean;
  /** Only the end of the connection marks the end of a response of lines. */
  readonly endUnknown?: boolean;
  /** A page has other columns than the rows before: these, and those. */
  readonly columns?: readonly [readonly string[], readonly string[]];
}

export const NOTHING_MET: Met = {};

/** A total, and whether each page gave the same. */
export interface KnownTotal extends Total {
  readonly isSteady: boolean;
  /** True if it is more than a page has, so that it counts the items of all pages. */
  readonly isOfAll: boolean;
}

/** What the pages of a call have shown so far. */
export interface Known {
  /** The page before, and its facts; absent for the first page, also of a resumed call. */
  readonly last?: FoundItems | undefined;
  readonly page?: PageFacts | undefined;
  /** The digest of the page before, in a resumed call. */
  readonly lastPrint?: string | undefined;
  /** The position of the request for the page before. */
  readonly position?: Json;
  /** True if any page had a list of items. */
  readonly hasLists: boolean;
  /** True if the page is requested because the API has more items, although the page before was not full. */
  readonly isBeyond: boolean;
  /** The names of the columns of the rows before, of a format that has columns; empty if they changed on the way. */
  readonly columns?: readonly string[] | undefined;
  readonly total?: KnownTotal | undefined;
  readonly met: Met;
  /** The sentences that the API has said. */
  readonly texts: readonly string[];
  /** True if the items of a page were not in the order of the pagination. */
  readonly isUnsorted: boolean;
  /** How many pages in a row were equal to the one before, and how many had no items. */
  readonly equal: number;
  readonly empty: number;
}

export const NOTHING_KNOWN: Known = {
  hasLists: false,
  isBeyond: false,
  isUnsorted: false,
  met: NOTHING_MET,
  texts: [],
  equal: 0,
  empty: 0,
};

/** What the checkpoint of a page keeps of the facts for the next page, beside what its evidence has anyway. */
type KeptFacts = Met &
  Partial<Pick<Known, 'texts' | 'equal' | 'empty' | 'isUnsorted'>> & {
    readonly page?: Pick<PageFacts, 'count' | 'isFull'> & { readonly said: KeptWords };
    readonly isUnsteady?: true;
    readonly isOfPage?: true;
  };
type KeptWords = Pick<Said, 'flag' | 'address' | 'last' | 'noNext'>;

/** Returns what the checkpoint of a page keeps; `undefined` if that is nothing. */
export function factsAfter({ met, page, isUnsorted, total, equal, empty }: Known): EvidenceFacts | undefined {
  const facts = {
    ...met,
    ...(page?.place === 'list' ? { page: shortened(page) } : {}),
    ...(page === undefined || page.said.texts.length === 0 ? {} : { texts: page.said.texts.map(({ value }) => value) }),
    ...(equal === 0 ? {} : { equal }),
    ...(empty === 0 ? {} : { empty }),
    ...(isUnsorted ? { isUnsorted } : {}),
    ...(total?.isSteady === false ? { isUnsteady: true } : {}),
    ...(total?.isOfAll === false ? { isOfPage: true } : {}),
  };
  return Object.keys(facts).length === 0 ? undefined : facts;
}

function shortened({ count, isFull, said: { flag, address, last, noNext } }: PageFacts) {
  const said = Object.entries({ flag, address, last, noNext });
  return { count, isFull, said: Object.fromEntries(said.flatMap(([name, sign]) => (sign ? [[name, sign]] : []))) };
}

/** Returns what a resumed call knows from its last checkpoint. */
export function knownFrom({ items, evidence = {} }: Checkpoint): Known {
  const { total, columns, print } = evidence;
  // A journal has what `factsAfter` made: its records are read with their checksums.
  const kept = (evidence.facts ?? {}) as KeptFacts;
  const { page, texts, equal, empty, isUnsorted, isUnsteady, isOfPage, ...met } = kept;
  return {
    ...{ texts: texts ?? [], equal: equal ?? 0, empty: empty ?? 0 },
    met: Object.keys(met).length === 0 ? NOTHING_MET : met,
    hasLists: items > 0 && evidence.single !== true,
    isBeyond: false,
    isUnsorted: isUnsorted === true,
    page: page && { ...page, place: 'list', said: { ...NOTHING_SAID, ...page.said } },
    columns,
    lastPrint: print,
    total:
      total === undefined
        ? undefined
        : { value: total, where: 'in an earlier response', isSteady: !isUnsteady, isOfAll: !isOfPage },
  };
}

/** The number of ids, and of pages, that a call remembers. */
const REMEMBERED = 100_000;

/** The ids of the items of a call, as numbers that differ where the ids do. */
export interface SeenIds {
  /** Returns how many items of a page have ids that came before, and remembers all; 0 where items have no ids of their own. */
  readonly add: (found: FoundItems) => number;
  /** Returns whether the ids that are remembered are unique to items; false before the first, and where there are too many to remember. */
  readonly areKeys: () => boolean;
}

/**
 * Remembers the ids of items in bounded memory.
 *
 * @param isKey whether the `id` of an item is its key, as the configuration says; if absent, an `id` that several items of a page share, or
 *   all items of two pages that are not equal, is no id of its own: then nothing is counted
 */
export function seenIds(isKey?: boolean): SeenIds {
  // Created on demand: most calls of children have a single page.
  let seen: Set<number> | undefined;
  let isOff = isKey === false;
  return {
    add: (found) => {
      if (isOff || found.count === 0) return 0;
      const ids = found.ids() ?? [];
      const all = (seen ??= new Set());
      const before = all.size;
      for (const id of ids) all.add(id);
      const again = ids.length - (all.size - before);
      const looksSo = again === 0 || (isUnique(ids) && (again < ids.length || ids.length === 1));
      const areKeys = ids.length > 0 && (isKey ?? looksSo);
      isOff = !areKeys || all.size > REMEMBERED;
      if (!isOff) return again;
      seen = undefined;
      return 0;
    },
    areKeys: () => seen !== undefined,
  };
}

/** The pages that a call of a job has seen, by a key that equal pages share. */
export interface VisitedPages {
  /**
   * Remembers the page, and returns how many pages in a row, this one included, were seen before; 0 for a new page. Of the pages behind the
   * first {@link REMEMBERED} only some are remembered, so that a ring of them is found within two rounds.
   */
  readonly again: (key: string) => number;
}

/**
 * Remembers pages in bounded memory.
 *
 * @example
 * const visited = visitedPages();
 * visited.again('a') // 0
 * visited.again('a') // 1
 */
export function visitedPages(): VisitedPages {
  let keys: Set<number> | undefined;
  let seen = 0;
  let row = 0;
  return {
    again: (key) => {
      const digest = digestOf(key);
      // Created on demand: most calls of children have a single page.
      keys ??= new Set();
      row = keys.has(digest) ? row + 1 : 0;
      seen += 1;
      if (seen <= REMEMBERED || Number.isInteger(Math.log2(seen))) keys.add(digest);
      return row;
    },
  };
}

/** Returns 53 bits of a digest: addresses may be long, and a number takes half of the memory of a short string. */
function digestOf(key: string): number {
  const bytes = createHash('sha1').update(key).digest();
  return bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11);
}

/** Returns whether all ids differ. */
export const isUnique = (ids: readonly number[]): boolean => new Set(ids).size === ids.length;

/** Returns the names of the columns of a response, if its format has columns and it has rows. */
export function columnsIn({ stream }: Pick<JobPlan, 'stream'>, reply: Reply): readonly string[] | undefined {
  if (reply.hasColumns !== true && stream?.format?.hasColumns !== true) return undefined;
  const [row] = isList(reply.data) ? reply.data : [];
  return isObject(row) ? keysOf(row) : undefined;
}

/** Returns whether rows share no column with the rows before: one is enough, since an API may add columns and leave others out. */
export const areOthers = (columns: readonly string[], before: readonly string[]): boolean =>
  !columns.some((name) => before.includes(name));
