/** `api.pagination` after decoding: see configuration.ts. */
import type { ChosenPagination } from '../../parts/pagination/define';
import type { TotalPlace } from '../jobs/completeness';

/** `api.pagination` (docs/language/pagination.md). */
export type Pagination =
  | {
      readonly kind: 'multiple';
      readonly scrollers: Readonly<Record<string, SinglePagination>>;
      readonly default?: string;
      readonly stops: Stops;
    }
  | SinglePagination;

/** A pagination method with the stops configured beside it. */
export interface SinglePagination {
  readonly kind: 'one';
  readonly pagination: ChosenPagination;
  readonly stops: Stops;
}

/** The common stops (docs/language/stops.md). */
export interface Stops {
  readonly limitStop?: { readonly count: number } | TotalPlace;
  readonly forceStop?: {
    readonly pages?: number;
    /** A time limit: seconds, or a relative time such as `1 hour`. */
    readonly time?: number | string;
    readonly volume?: number;
  };
  /** Whether a page without items is the end. */
  readonly stopWhenEmpty?: boolean;
  /** Where the response says how many items there are (docs/completeness.md). */
  readonly total?: TotalPlace;
  /** The field is a key of the response, or at a path. */
  readonly nextPageFlag?: {
    readonly field?: string;
    readonly path?: string;
    readonly stopOn: boolean;
    readonly ifNotSet: boolean;
  };
}
