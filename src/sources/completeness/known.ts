import { createHash } from 'node:crypto';
import type { Doubt } from '../../core/evidence';
import type { Checkpoint, Json, Reply } from '../../core/model';
import type { Next, Step } from '../../language/parts/pagination/paginator';
import type { FoundItems } from '../items';
import type { Verdict } from '../stops';
import type { Total } from './metadata';

/** The knowledge of a call before a page that is needed to judge the page. */
export interface Known {
  /** The page before; absent for the first page, also of a resumed call. */
  readonly last?: FoundItems;
  /** The digest of the page before, in a resumed call. */
  readonly lastPrint?: string;
  /** The position of the request for the page before. */
  readonly position?: Json;
  /** True if any page had an array of items. */
  readonly hasLists: boolean;
  /** The names of the columns of the rows before, of a format that has columns; empty if they changed on the way. */
  readonly columns?: readonly string[];
  /** The total that the API reports. */
  readonly total?: KnownTotal;
  /** True if the page is requested because the API has more items, although the page before was not full. */
  readonly isBeyond: boolean;
  /** The place that names that page, if nothing else says that it exists. */
  readonly named?: string;
  /** True if there was a warning that a page began with items of the page before. */
  readonly overlaps?: boolean;
}

/** A total, and whether it was the same on each page that was examined. */
export interface KnownTotal extends Total {
  readonly isSteady: boolean;
  /** True if it certainly counts the items of all pages: it was the same number on each of them, and larger than a page. */
  readonly isOfAll?: boolean;
}

export const NOTHING_KNOWN: Known = { hasLists: false, isBeyond: false };

/** Returns what a resumed call knows from its last checkpoint. */
export const knownFrom = ({ items, evidence }: Checkpoint): Known => ({
  hasLists: items > 0 && evidence?.single !== true,
  isBeyond: false,
  ...(evidence?.columns === undefined ? {} : { columns: evidence.columns }),
  ...(evidence?.print === undefined ? {} : { lastPrint: evidence.print }),
  ...(evidence?.total === undefined
    ? {}
    : { total: { value: evidence.total, where: 'in an earlier response', isSteady: true } }),
});

/** Why a page is refused: it ends the call quietly, or the run is incomplete. */
export type Refusal =
  { readonly kind: 'quiet'; readonly because: string } | { readonly kind: 'doubt'; readonly doubt: Doubt };

/** A page that has arrived, before it is accepted. */
export interface Arrived {
  readonly reply: Reply;
  readonly found: FoundItems;
  readonly next: Next;
}

/** The state of a call before a page. */
export interface Before {
  readonly pages: number;
  readonly items: number;
  readonly step: Step;
  readonly known: Known;
  /** The response before; absent for the first page, also of a resumed call. */
  readonly previous?: Reply;
}

export const doubted = (doubt: Doubt): Refusal => ({ kind: 'doubt', doubt });

export const LAST_AGAIN: Refusal = { kind: 'quiet', because: 'The last page came again, stopping pagination.' };

/** A page that was accepted, and the decision of the stops after it. */
export interface PageOutcome extends Arrived {
  readonly verdict: Verdict;
  /** The pages and items of the call before this page. */
  readonly pages: number;
  readonly items: number;
  /** The page before; absent for the first page, also of a resumed call. */
  readonly before?: Pick<Arrived, 'reply' | 'found'> | undefined;
  /** The names of the columns of this page and of the rows before it, of a format that has columns. */
  readonly columns?: readonly string[] | undefined;
  readonly columnsBefore?: readonly string[] | undefined;
  /** True if there was a warning that an earlier page began with items of the page before it. */
  readonly overlapsBefore?: boolean | undefined;
}

/** The number of pages whose keys are all remembered; of later pages, only those whose number is a power of two are. */
const REMEMBERED = 100_000;

/** The pages that a call of a job has seen, by a key that equal pages share. */
export interface VisitedPages {
  /**
   * Remembers the page, and returns how many pages in a row, this one included, were seen before; 0 for a new page. A ring of pages that
   * begins after {@link REMEMBERED} pages is found within two rounds.
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
