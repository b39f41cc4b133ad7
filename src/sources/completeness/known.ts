import type { Checkpoint, Json } from '../../core/model';
import type { FoundItems } from '../items';
import type { Total } from './total';

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
