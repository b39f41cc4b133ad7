/** The types of completeness: the evidence that pages carry, and what a run does about it (docs/completeness.md). */

/** The reaction to an incomplete run (docs/completeness.md): fail, warn, or do not check. */
export type Completeness = 'error' | 'warn' | 'off';

/** What contradicts that a job has all of its items, or makes it doubtful (docs/completeness.md). */
export type DoubtCode =
  /** No response had a value in the place of the data, but some had lists of objects elsewhere. */
  | 'DATA_NOT_FOUND'
  /** The API names a next page, and the job has read but one, since its pagination does not look there. */
  | 'NEXT_PAGE_NOT_TAKEN'
  /** The API counts more items than have arrived. */
  | 'TOTAL_NOT_REACHED'
  /** More items have arrived than the API counts. */
  | 'TOTAL_EXCEEDED'
  /** No response had the total that the configuration names. */
  | 'TOTAL_NOT_FOUND'
  /** The second page equals the first: the API ignores the position. */
  | 'POSITION_IGNORED'
  /** The next pages form a ring. */
  | 'PAGE_RING'
  /** Items have ids that came before; as a contradiction, most of the items of a second page. */
  | 'PAGES_OVERLAP'
  /** A page has the items of an earlier page, and was left out. */
  | 'PAGE_REPEATED'
  /** A response with a status of success reports an error in place of items. */
  | 'ERROR_IN_BODY'
  /** The API answers with status 202: there is no result yet. */
  | 'NOT_READY'
  /** A redirect lost the position of a later page. */
  | 'REDIRECTED'
  /** A page has other columns than the rows before: its first row may have been read as the names. */
  | 'COLUMNS_DIFFER'
  /** The API names a page before the first one that was requested. */
  | 'PAGE_SKIPPED'
  /** No item has a field by which the configuration chooses the items. */
  | 'FIELD_NOT_FOUND'
  /** No item has the field of `incremental`. */
  | 'KEY_NOT_FOUND'
  /** The items are not in the order in which the pagination goes on. */
  | 'KEY_ORDER'
  /** The cursor lost the fraction of its number, and the next page begins beyond it. */
  | 'CURSOR_CUT'
  /** A key on the path to the items occurs twice in an object, and the last value counts. */
  | 'KEY_REPEATED'
  /** The call ended without items, and the API says something in a sentence that no earlier page had. */
  | 'API_MESSAGE'
  /** The call ended with a response that has no list, behind a full page. */
  | 'LIST_MISSING'
  /** The API refused the page behind a full one. */
  | 'PAGE_REFUSED'
  /** The call ended with a page without items that names another one. */
  | 'NEXT_PAGE_EMPTY'
  /** The number that ended the call may count something else than all items. */
  | 'PAGE_CAPPED'
  /** A rule left the items of a response unread. */
  | 'ITEMS_NOT_READ'
  /** All calls of a child have no items, rules skipped all calls, all items were dropped, or all calls begin with the same page. */
  | 'ALL_EMPTY'
  | 'ALL_SKIPPED'
  | 'ALL_DROPPED'
  | 'ALL_EQUAL'
  /** Only the end of the connection marks the end of a response of lines. */
  | 'END_UNKNOWN';

/** A reason why a job may lack items. */
export type Doubt = {
  readonly code: DoubtCode;
  /** An error is a contradiction, and makes the run incomplete; a warning is a doubt, and makes it doubtful. */
  readonly level: 'error' | 'warning';
  /** The message for people: what was found, and what to do. */
  readonly message: string;
  /** The sentence of the API that it quotes, which is no doubt where another call of the job says it beside items. */
  readonly quoted?: string;
};

/** The number of items of a page or a job, and what the job made of them (docs/language/items.md). */
export type Shaped = {
  /** Items that the API returned. */
  readonly arrived: number;
  /** Items that the job delivers. */
  readonly delivered: number;
  /** Items that an operation dropped. */
  readonly dropped: {
    readonly unnest: number;
    readonly filter: number;
    readonly exclude: number;
    readonly unique: number;
  };
};

/** What the judge notes of a call, as JSON. */
export type EvidenceFacts = { readonly [name: string]: EvidenceFact };
export type EvidenceFact = string | number | bigint | boolean | null | readonly EvidenceFact[] | EvidenceFacts;

/** The evidence of a page for the completeness of its call, in plain JSON. A page without anything of note has none. */
export type Evidence = {
  /**
   * Set if the response had nothing in the place of the data: the paths of the arrays with items that it had elsewhere.
   */
  readonly unmet?: readonly string[];
  /** The number of items by the count of the API. */
  readonly total?: number;
  readonly doubts?: readonly Doubt[];
  /**
   * A digest of the items of the page: equal for pages with equal items. Set if positions are counted and another page
   * follows.
   */
  readonly print?: string;
  /** What the call has shown so far beside these, by which its next page is judged (sources/completeness/facts.ts). */
  readonly facts?: EvidenceFacts;
  /** True if the place of the items held a single value instead of an array. */
  readonly single?: boolean;
  /** True on the last page if a stop of the configuration ended the call, not the API. */
  readonly stopped?: boolean;
  /**
   * Set for a job that submits something first: `before` for the page that only confirms the submission, `first` for
   * the first page of items.
   */
  readonly place?: 'before' | 'first';
  /** What the job made of the items of the page, if it shapes them. */
  readonly shaped?: Shaped;
  /**
   * The numbers of the fields named in the configuration that items of this page were the first of their call to have.
   */
  readonly met?: readonly number[];
  /** The keys of an item that lacks such a field, once in a call. */
  readonly keys?: readonly string[];
  /** The names of the columns, for a format that has columns. */
  readonly columns?: readonly string[];
  /** A digest of the first page of a window or partition, if it has items: equal for pages with equal items. */
  readonly begins?: string;
  /** The sentences beside the items of the first page, for a job of several calls. */
  readonly texts?: readonly string[];
  /** The reason, if a rule ended the call with its first response. */
  readonly skipped?: string;
};

/** The provenance that rows of a page carry, if tables have columns of the run (docs/sinks.md#columns-of-the-run). */
export interface PageStamp {
  /** The id of the run. */
  readonly run: string;
  /** The number of the page in its call of the job, from 1. */
  readonly page: number;
  /** The time of arrival of its response: ISO 8601 in UTC. */
  readonly extractedAt: string;
}

/** A page whose rows may carry their provenance. */
export interface Stamped {
  /** The provenance for the rows of the page; absent if rows carry none. */
  readonly stamp?: PageStamp;
}
