/** The types of completeness: the evidence that pages carry, and what a run does about it (docs/completeness.md). */

/** The reaction to an incomplete run (docs/completeness.md): fail, warn, or do not check. */
export type Completeness = 'error' | 'warn' | 'off';

/** Reasons why a job may lack items. */
export type DoubtCode =
  /** No response had a value in the place of the data, but some had items elsewhere. */
  | 'DATA_NOT_FOUND'
  /** The API names a next page that the pagination does not request. */
  | 'NEXT_PAGE_NOT_TAKEN'
  /** A rule left the items of a response unread. */
  | 'ITEMS_NOT_READ'
  /** The API says on a page that another one follows, and that one has no items. */
  | 'NEXT_PAGE_EMPTY'
  /** The API counts more items than have arrived. */
  | 'TOTAL_NOT_REACHED'
  /** More items have arrived than the API counts. */
  | 'TOTAL_EXCEEDED'
  /** No response had the total that the configuration names. */
  | 'TOTAL_NOT_FOUND'
  /** A page has the items of an earlier page. */
  | 'PAGE_REPEATED'
  /** The next pages form a ring. */
  | 'PAGE_RING'
  /** The only page of a job has a number of items that may be the largest page of the API, and fewer than requested. */
  | 'PAGE_CAPPED'
  /** The items of the first page have an order in which the pagination skips others. */
  | 'PAGE_ORDER'
  /** The cursor lost the fraction of its number, and the next page begins beyond it. */
  | 'CURSOR_CUT'
  /** A page repeats items of the page before although it should begin after them. */
  | 'PAGES_OVERLAP'
  /** A response with a status of success reports an error. */
  | 'ERROR_IN_BODY'
  /** The API answers with status 202: there is no result yet. */
  | 'NOT_READY'
  /** A page came from an address or for a request other than the requested one. */
  | 'REDIRECTED'
  /**
   * The names of the columns differ completely from those of earlier rows: the first row of data may have been read as
   * the names.
   */
  | 'COLUMNS_DIFFER'
  /** A flag for another page is a string that means false, and counts as true. */
  | 'FLAG_IS_STRING'
  /** A redirect changed the method of a request and dropped its body. */
  | 'METHOD_CHANGED'
  /** The array that was detected as the items belongs to an object with an id of its own. */
  | 'LIST_OF_OBJECT'
  /** The only item of a first page is the list of the items, or contains it. */
  | 'LIST_IN_ITEM'
  /** The API names a page before the first one that was requested. */
  | 'PAGE_SKIPPED'
  /** Items contain lists of which the API returned only the first page. */
  | 'LIST_CUT'
  /** Nothing is delivered, because no item had a field that the configuration names. */
  | 'FIELD_NOT_FOUND'
  /** Only the end of the connection marks the end of a response of lines. */
  | 'END_UNKNOWN';

/** A reason to doubt that a job has all of its items. */
export type Doubt = {
  readonly code: DoubtCode;
  /** The severity: an error makes the run incomplete, a warning does not. */
  readonly level: 'error' | 'warning';
  /** The message for people: what was found, and what to do. */
  readonly message: string;
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

/** Items that contain a list of which the API returned only the first page. */
export type CutLists = {
  /** The number of such items. */
  readonly items: number;
  /** The path in the first item that says so. */
  readonly where: string;
};

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
  readonly cut?: CutLists;
  /** The names of the columns, for a format that has columns. */
  readonly columns?: readonly string[];
  /** A digest of the first page of a window or partition, if it has items: equal for pages with equal items. */
  readonly begins?: string;
  /** Digests of some of the items, on the first page of a window. */
  readonly sample?: readonly string[];
  /** The reason, if a rule read the only response of the call as one without items. */
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
