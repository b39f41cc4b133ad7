/** `api.pagination` after decoding: see configuration.ts. */
import type { ChosenPagination } from '../../sources/pagination/define';
import type { TotalPlace } from '../jobs/completeness';

/** `api.pagination` (docs/language/pagination.md). */
export type Pagination =
  | {
      readonly kind: 'multiple';
      readonly scrollers: Readonly<Record<string, Scroller>>;
      readonly default?: string;
      readonly stops: Stops;
    }
  | Scroller;

/** A pagination method with the stops configured beside it. */
export interface Scroller {
  readonly kind: 'one';
  readonly paging: ChosenPagination;
  readonly stops: Stops;
}

/** The common stops (docs/language/stops.md). */
export interface Stops {
  readonly limitStop?: { readonly count: number } | TotalPlace;
  readonly forceStop?: {
    readonly pages?: number;
    /** Seconds, or relative text such as `1 hour`. */
    readonly time?: number | string;
    readonly volume?: number;
  };
  /** Whether a page without items is the end. */
  readonly stopWhenEmpty?: boolean;
  /** Where the response says how many items there are (docs/completeness.md). */
  readonly total?: TotalPlace;
  readonly nextPageFlag?: { readonly field: string; readonly stopOn: boolean; readonly ifNotSet: boolean };
}
