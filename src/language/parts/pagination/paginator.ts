import type { Json, JsonObject, Reply } from '../../../core/model';
import type { RequestChange } from '../../requests/template';

/** The facts of a job that its pagination method may use. */
export interface JobFacts {
  /** The path of the job in the configuration, for errors. */
  readonly path: string;
  /** The job's own parameters, evaluated. */
  readonly params: JsonObject;
  /** The values of its placeholders, partitions and window, by name, if it has some. */
  readonly placeholders?: Readonly<Record<string, string>>;
  /** The body of the job, evaluated, if it has one. */
  readonly body?: Json;
  /** True if the parameters are the variables of a GraphQL document, whose errors have been checked. */
  readonly graphql?: true;
  /** The absolute URLs of the API and of the job. */
  readonly baseUrl: string;
  readonly endpointUrl: string;
}

/** One request of a job: its changes, and its position as plain JSON, so that a checkpoint can hold it. */
export interface Step {
  readonly change: RequestChange;
  readonly position: Json;
}

/** A page that has arrived. */
export interface Arrival {
  readonly step: Step;
  readonly reply: Reply;
  /** The number of its items. */
  readonly count: number;
  /** The items, parsed on first access. */
  readonly items: readonly Json[];
  /** The time in Unix seconds. */
  readonly now: number;
}

/** The next request, or the reason why there is none. */
export type Next =
  | {
      readonly kind: 'step';
      readonly step: Step;
      /**
       * True if the page has an item at the position after which it should begin; absent if the method does not know.
       */
      readonly isMet?: boolean;
      /**
       * The number of the furthest item, and the integer beyond it after which the next page begins, because its
       * fraction is cut off.
       */
      readonly cut?: { readonly from: Json; readonly to: Json };
    }
  | {
      readonly kind: 'stop';
      readonly because: string;
      /** True if the method knows the next page already, and that it must not be requested. */
      readonly isKnown?: boolean;
      /** True if the configuration ends the pagination, although the API may have more. */
      readonly isWanted?: boolean;
    };

/** A pagination method for one job (docs/language/pagination.md): pure, and without state. */
export interface Paginator {
  /**
   * The way the next page is found: a position is computed, an address or a token comes from the response, or there is
   * none.
   */
  readonly by: 'position' | 'address' | 'token' | 'nothing';
  /** True if the API may repeat the last page at its end for the same position: that is not a repetition. */
  readonly staysAtEnd?: boolean;
  readonly first: Step;
  /**
   * Returns the request at a position that `next` returned, perhaps in an earlier run. An unreadable position, after a
   * change of the configuration for example, means the first request.
   */
  readonly at: (position: Json) => Step;
  readonly next: (arrival: Arrival) => Next;
  /**
   * Returns the request after another one, if that one returns a full page; absent if only the page can determine it.
   */
  readonly after?: (step: Step) => Step;
  /** The number of items of a full page, if it is known. */
  readonly pageSize?: number;
  /**
   * Set if the first request lacks the page size: the name of the parameter with it in later requests, or an empty
   * string.
   */
  readonly unsized?: string;
  /** Returns the request after a page with fewer items than requested, if the API says that there are more. */
  readonly beyond?: (step: Step, count: number, page: Pick<Arrival, 'items'>) => Step;
  /**
   * Returns an identity that is equal for a repeated item: if two pages share one, other items are missing. If absent,
   * items are not compared.
   */
  readonly identityOf?: (item: Json) => string;
  /** Returns whether the order of the items is such that continuing after the furthest of them skips others. */
  readonly leavesOut?: (items: readonly Json[]) => boolean;
  /** Returns the indexes of the items that the pages before had: they are dropped. Absent if no page repeats any. */
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
