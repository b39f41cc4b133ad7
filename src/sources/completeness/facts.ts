/** The facts of a call by which it is judged: plain records, made once a page. */
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

/** What one page shows. */
export interface PageFacts {
  /** The number of items that the API sent. */
  readonly count: number;
  /** What was at the place of the items. */
  readonly place: 'list' | 'value' | 'blank' | 'text' | 'missing' | 'empty';
  /** True if it has as many items as were asked for; any items, where no page size is known. */
  readonly isFull: boolean;
  /** True if it is the response of the page before without a list: all that it has, that one had as well. */
  readonly leavesListOut?: true;
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
  readonly distinct?: number;
  readonly total?: KnownTotal;
  /** The place of the total that the configuration names, in words. */
  readonly declared?: string;
  /** What its path was likely meant to be, in a sentence. */
  readonly meant?: string;
  readonly end: End;
  /** The reason of the end in words, as the log has it. */
  readonly because: string;
  /** The last response, and the page before it. */
  readonly last: PageFacts;
  readonly before?: PageFacts | undefined;
  readonly again?: Again;
  /** What the last response alone shows, and what was met on the way. */
  readonly now: Now;
  readonly met: Met;
}

/** What the last response of a call alone shows. */
export interface Now {
  /** True if it names itself as the next one. */
  readonly namesItself?: boolean;
  /** It says this in a sentence that no earlier page has. */
  readonly text?: Sign;
  /** It has the status 202, and no items. */
  readonly notReady?: boolean;
}

/** What the pages of a call have shown on the way. */
export interface Met {
  /** True if a page gave an address or a token of another one. */
  readonly hadNext?: boolean;
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

export const NOTHING_NOW: Now = {};
export const NOTHING_MET: Met = {};

/** A total, and whether each page gave the same. */
export interface KnownTotal extends Total {
  readonly isSteady: boolean;
  /** True if it is more than a page has, so that it counts the items of all pages. */
  readonly isOfAll: boolean;
}
