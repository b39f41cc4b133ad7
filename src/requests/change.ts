import type { JsonObject } from '../model';

/** What a pagination method says of a request: everything else comes from the job. */
export interface RequestChange {
  /** Parameters of the job and of pagination, merged. */
  readonly params: JsonObject;
  /** The address of the next page, absolute, where the response gave one. */
  readonly address?: string;
  /** A query from the response that overrides `params`. */
  readonly received?: string;
  /** True for a request that goes where `scrollRequest` says. */
  readonly scroll?: boolean;
}
