import type { Checkpoint, Json } from '../../core/model';
import type { FoundItems } from '../items';
import { NOTHING_MET } from './facts';
import type { KnownTotal, Met, PageFacts } from './facts';

/** What the pages of a call have shown so far. */
export interface Known {
  /** The page before, and its facts; absent for the first page, also of a resumed call. */
  readonly last?: FoundItems;
  readonly page?: PageFacts;
  /** The digest of the page before, in a resumed call. */
  readonly lastPrint?: string;
  /** The position of the request for the page before. */
  readonly position?: Json;
  /** True if any page had a list of items. */
  readonly hasLists: boolean;
  /** True if the page is requested because the API has more items, although the page before was not full. */
  readonly isBeyond: boolean;
  /** The names of the columns of the rows before, of a format that has columns; empty if they changed on the way. */
  readonly columns?: readonly string[];
  readonly total?: KnownTotal;
  readonly met: Met;
  /** The sentences that the API has said. */
  readonly texts: readonly string[];
  /** True if the items of a page were not in the order of the pagination. */
  readonly isUnsorted?: boolean;
  /** How many pages in a row were equal to the one before, and how many had no items. */
  readonly equal: number;
  readonly empty: number;
}

export const NOTHING_KNOWN: Known = {
  hasLists: false,
  isBeyond: false,
  met: NOTHING_MET,
  texts: [],
  equal: 0,
  empty: 0,
};

/** Returns what a resumed call knows from its last checkpoint. */
export const knownFrom = ({ items, evidence }: Checkpoint): Known => ({
  ...NOTHING_KNOWN,
  hasLists: items > 0 && evidence?.single !== true,
  ...(evidence?.columns === undefined ? {} : { columns: evidence.columns }),
  ...(evidence?.print === undefined ? {} : { lastPrint: evidence.print }),
  ...(evidence?.total === undefined
    ? {}
    : { total: { value: evidence.total, where: 'in an earlier response', isSteady: true, isOfAll: true } }),
});
