import { createHash } from 'node:crypto';
import type { Doubt } from '../../core/evidence';
import type { Checkpoint, Json, Reply } from '../../core/model';
import type { Next, Step } from '../../language/parts/pagination/paginator';
import type { FoundItems } from '../items';
import type { Verdict } from '../stops';
import type { Total } from './metadata';

/** What a call knows before a page, as far as it is needed to judge the page. */
export interface Known {
  /** The page before; absent for the first one, and for the first one of a call that goes on. */
  readonly last?: FoundItems;
  /** The print of the page before, where a call is resumed. */
  readonly lastPrint?: string;
  /** The position of the request for the page before. */
  readonly position?: Json;
  /** Whether any page had an array of items. */
  readonly hasLists: boolean;
  /** The names of the columns of the rows before, of a format that has columns; none: they were others on the way. */
  readonly columns?: readonly string[];
  /** The total that the API gives. */
  readonly total?: KnownTotal;
  /** The page is asked for because the API has more items, although the page before was not full. */
  readonly isBeyond: boolean;
  /** Where the API names that page, if nothing else says that there is one. */
  readonly named?: string;
  /** This tells whether it was told that a page began with items of the page before. */
  readonly overlaps?: boolean;
}

/** A total, and whether it was the same wherever it was looked for. */
export interface KnownTotal extends Total {
  readonly isSteady: boolean;
  /** This tells whether it surely counts the items of all pages: it was the same number on each of them, and more than a page has. */
  readonly isOfAll?: boolean;
}

export const NOTHING_KNOWN: Known = { hasLists: false, isBeyond: false };

/** What a call that goes on knows from its last checkpoint. */
export const knownFrom = ({ items, evidence }: Checkpoint): Known => ({
  hasLists: items > 0 && evidence?.single !== true,
  isBeyond: false,
  ...(evidence?.columns === undefined ? {} : { columns: evidence.columns }),
  ...(evidence?.print === undefined ? {} : { lastPrint: evidence.print }),
  ...(evidence?.total === undefined
    ? {}
    : { total: { value: evidence.total, where: 'in an earlier response', isSteady: true } }),
});

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
  /** The response before; absent for the first one, and for the first one of a call that goes on. */
  readonly previous?: Reply;
}

export const doubted = (doubt: Doubt): Refusal => ({ kind: 'doubt', doubt });

export const LAST_AGAIN: Refusal = { kind: 'quiet', because: 'The last page came again, stopping pagination.' };

/** A page that was accepted, and what the stops decide after it. */
export interface PageOutcome extends Arrived {
  readonly verdict: Verdict;
  /** The pages and items of the call before this page. */
  readonly pages: number;
  readonly items: number;
  /** The page before; absent for the first one, and for the first one of a call that goes on. */
  readonly before?: Pick<Arrived, 'reply' | 'found'> | undefined;
  /** The names of the columns of this page, and of the rows before it, of a format that has columns. */
  readonly columns?: readonly string[] | undefined;
  readonly columnsBefore?: readonly string[] | undefined;
  /** This tells whether it was told that a page before began with items of the page before that. */
  readonly overlapsBefore?: boolean | undefined;
}

/** The number of pages of which all keys are remembered; of later ones only every page whose number is a power of two. */
const REMEMBERED = 100_000;

/** The pages that a call of a job has seen, by keys that equal pages have in common. */
export interface VisitedPages {
  /**
   * How many pages in a row, this one included, were seen before; 0 for a new page. The page is remembered. A ring of pages
   * that begins after {@link REMEMBERED} pages is found within two rounds.
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
      // Most calls of children ask for no page twice, and never come here.
      keys ??= new Set();
      row = keys.has(digest) ? row + 1 : 0;
      seen += 1;
      if (seen <= REMEMBERED || Number.isInteger(Math.log2(seen))) keys.add(digest);
      return row;
    },
  };
}

/** 53 bits of a digest: addresses may be long, and a number takes half of the memory of a short string. */
function digestOf(key: string): number {
  const bytes = createHash('sha1').update(key).digest();
  return bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11);
}
