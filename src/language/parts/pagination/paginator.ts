import type { Json, JsonObject, Reply } from '../../../core/model';
import type { RequestChange } from '../../requests/template';

/** What a pagination method knows of the job whose pages it orders. */
export interface JobFacts {
  /** The path of the job in the configuration, for errors. */
  readonly path: string;
  /** The job's own parameters, evaluated. */
  readonly params: JsonObject;
  /** The body of the job, evaluated, where it has one. */
  readonly body?: Json;
  /** Whether the parameters are the variables of a GraphQL document, whose errors have been looked at. */
  readonly graphql?: true;
  /** The absolute URLs of the API and of the job. */
  readonly baseUrl: string;
  readonly endpointUrl: string;
}

/** One request of a job: what it changes, and where it stands as plain JSON, so that a checkpoint can hold it. */
export interface Step {
  readonly change: RequestChange;
  readonly position: Json;
}

/** A page that has arrived. */
export interface Arrival {
  readonly step: Step;
  readonly reply: Reply;
  /** How many items it has. */
  readonly count: number;
  /** Parsed when they are first read. */
  readonly items: readonly Json[];
  /** Unix seconds. */
  readonly now: number;
}

/** The next request, or why there is none. */
export type Next =
  | {
      readonly kind: 'step';
      readonly step: Step;
      /** This tells whether the page has an item at the position that it was to begin behind; absent where the method does not tell. */
      readonly isMet?: boolean;
      /** The number of the furthest item, and the integer beyond it that the next page begins behind, since its fraction is cut. */
      readonly cut?: { readonly from: Json; readonly to: Json };
    }
  | {
      readonly kind: 'stop';
      readonly because: string;
      /** The method has seen the next page, and knows that it must not be asked for. */
      readonly isKnown?: boolean;
      /** The configuration ends the pagination, though the API may have more. */
      readonly isWanted?: boolean;
    };

/** A pagination method at work on one job (docs/language/pagination.md): pure, and without a memory of its own. */
export interface Paginator {
  /**
   * How the next page is known: a position is computed, an address or a token comes from the response, or there is none.
   */
  readonly by: 'position' | 'address' | 'token' | 'nothing';
  /** At its end an API may give the last page again and again, for the same position: that is no repetition. */
  readonly staysAtEnd?: boolean;
  readonly first: Step;
  /**
   * The request at a position that `next` gave, perhaps in an earlier run. A position that the method cannot read, say
   * since the configuration has changed, means the first request.
   */
  readonly at: (position: Json) => Step;
  readonly next: (arrival: Arrival) => Next;
  /** The request after another one, if that one gives a full page; absent where only the page can tell. */
  readonly after?: (step: Step) => Step;
  /** The number of items of a full page, where that is known. */
  readonly pageSize?: number;
  /** The first request lacks the page size: the name of the parameter of later requests that has it, or an empty string. */
  readonly unsized?: string;
  /** The request for what follows a page of fewer items than it was asked for, where the API says that there are more. */
  readonly beyond?: (step: Step, count: number, page: Pick<Arrival, 'items'>) => Step;
  /** Equal for an item that comes again: where two pages have one, others are left out. Absent: items are not compared. */
  readonly identityOf?: (item: Json) => string;
  /** Whether a page has items in an order in which going on behind the furthest of them leaves others out. */
  readonly leavesOut?: (items: readonly Json[]) => boolean;
  /** Which items of a page the pages before had, by their indexes: they are dropped. Absent where no page repeats any. */
  readonly repeated?: (arrival: Pick<Arrival, 'step' | 'items'>) => readonly number[];
}

export const stop = (because: string, isKnown = false): Next => ({
  kind: 'stop',
  because,
  ...(isKnown ? { isKnown } : {}),
});
export const goOn = (step: Step, isMet?: boolean): Next => ({
  kind: 'step',
  step,
  ...(isMet === undefined ? {} : { isMet }),
});
