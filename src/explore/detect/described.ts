import type { Json } from '../../core/model';

/** A parameter of a query that a description of an API names. */
export interface DescribedParam {
  readonly name: string;
  /** Whether the API refuses requests without it. */
  readonly isRequired: boolean;
  /** What the API takes where it is left out. */
  readonly fallback?: Json;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** What a description of an API, such as an OpenAPI document, says of one request and its response. */
export interface Described {
  /** All parameters of the query. */
  readonly params: readonly DescribedParam[];
  /** A response of the shape that is described, with one item; absent: the description does not say. */
  readonly sample?: Json;
}
