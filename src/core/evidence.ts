/** The nouns of completeness: what pages tell of it, and what is done about it (docs/completeness.md). */

/** What to do when a run turns out to be incomplete (docs/completeness.md): fail, warn, or not look at all. */
export type Completeness = 'error' | 'warn' | 'off';

/** Why a job may lack items. */
export type DoubtCode =
  /** No response had a value at the place of the data, but some had items elsewhere. */
  | 'DATA_NOT_FOUND'
  /** The API names a next page that the pagination does not take. */
  | 'NEXT_PAGE_NOT_TAKEN'
  /** A rule left a response with items unread. */
  | 'ITEMS_NOT_READ'
  /** The API says on a page that there is another one, and that has no items. */
  | 'NEXT_PAGE_EMPTY'
  /** The API counts more items than have arrived. */
  | 'TOTAL_NOT_REACHED'
  /** More items have arrived than the API counts. */
  | 'TOTAL_EXCEEDED'
  /** No response had the total that the configuration names. */
  | 'TOTAL_NOT_FOUND'
  /** A page has the items of one before it. */
  | 'PAGE_REPEATED'
  /** The next pages lead in a ring. */
  | 'PAGE_RING'
  /** The only page of a job has as many items as an API may have for its largest page, and fewer than it was asked for. */
  | 'PAGE_CAPPED'
  /** The items of the first page are in an order in which the pagination leaves others out. */
  | 'PAGE_ORDER'
  /** The fraction of the number was cut by which the pagination goes on, and the next page begins beyond it. */
  | 'CURSOR_CUT'
  /** A page has items that the page before has as well, where it was to begin behind these. */
  | 'PAGES_OVERLAP'
  /** A response with a status of success says that it is an error. */
  | 'ERROR_IN_BODY'
  /** The API says with status 202 that there is nothing yet. */
  | 'NOT_READY'
  /** A page came from another place than it was asked from, or is another one than was asked for. */
  | 'REDIRECTED'
  /** Rows have columns of quite other names than rows before: the first of them may have been taken for the names. */
  | 'COLUMNS_DIFFER'
  /** A flag that says whether there is another page is a string that means false, and counts as true. */
  | 'FLAG_IS_STRING'
  /** A redirect made a request one without its body. */
  | 'METHOD_CHANGED'
  /** An object with an id of its own has an array that was detected as the items. */
  | 'LIST_OF_OBJECT'
  /** The only item of a first page is the list of the items, or holds it. */
  | 'LIST_IN_ITEM'
  /** The API says that there is a page before the first one that was requested. */
  | 'PAGE_SKIPPED'
  /** Items hold lists of which the API gave only the first page. */
  | 'LIST_CUT'
  /** Nothing is delivered, since no item had a field that the configuration names. */
  | 'FIELD_NOT_FOUND'
  /** The end of a connection is all that tells where a response of lines ends. */
  | 'END_UNKNOWN';

/** A reason to doubt that a job has all of its items. */
export type Doubt = {
  readonly code: DoubtCode;
  /** Whether it makes the run incomplete, or is only worth a warning. */
  readonly level: 'error' | 'warning';
  /** The message for people: what was found, and what to do. */
  readonly message: string;
};

/** How many items of a page, or of a job, there were, and what its job made of them (docs/language/items.md). */
export type Shaped = {
  /** As the API gave them. */
  readonly arrived: number;
  /** As the job delivers them. */
  readonly delivered: number;
  /** Those that an operation made nothing of. */
  readonly dropped: {
    readonly unnest: number;
    readonly filter: number;
    readonly exclude: number;
    readonly unique: number;
  };
};

/** Items that hold a list of which the API gave only the first page. */
export type CutLists = {
  /** How many. */
  readonly items: number;
  /** Where the first of them says so. */
  readonly where: string;
};

/** What a page tells of the completeness of its call, in plain JSON. A page without anything of note has none. */
export type Evidence = {
  /** The response had nothing at the place of the data: the places of the arrays with items that it had elsewhere. */
  readonly unmet?: readonly string[];
  /** How many items the API counts. */
  readonly total?: number;
  readonly doubts?: readonly Doubt[];
  /** Equal for pages with equal items; where positions are counted, and another page follows. */
  readonly print?: string;
  /** A single value stood at the place of the items, and no array. */
  readonly single?: boolean;
  /** The last page: a stop of the configuration ended the call, not the API. */
  readonly stopped?: boolean;
  /**
   * Of a job that submits something first: the page before the first, which only says that it has, or the first itself.
   */
  readonly place?: 'before' | 'first';
  /** What the job made of the items of the page, where it makes anything of them. */
  readonly shaped?: Shaped;
  /** The numbers of the fields that the configuration names and items of the page were the first of their call to have. */
  readonly met?: readonly number[];
  /** The keys of an item that lacks such a field: once a call. */
  readonly keys?: readonly string[];
  readonly cut?: CutLists;
  /** The names of the columns of its rows, of a format that has columns. */
  readonly columns?: readonly string[];
  /** The first page of a window or of a partition, where it has items: equal for pages with equal items. */
  readonly begins?: string;
  /** The first page of a window: some of its items, as digests. */
  readonly sample?: readonly string[];
  /** A rule took the only response of the call for one without items: why. */
  readonly skipped?: string;
};

/** What rows of a page tell of it, where tables have columns of the run (docs/sinks.md#columns-of-the-run). */
export interface PageStamp {
  /** The id of the run. */
  readonly run: string;
  /** The number of the page in its call of the job, from 1. */
  readonly page: number;
  /** When its response arrived: ISO 8601 in UTC. */
  readonly extractedAt: string;
}

/** A page whose rows may tell where they are from. */
export interface Stamped {
  /** What rows tell of the page; absent: nothing. */
  readonly stamp?: PageStamp;
}
