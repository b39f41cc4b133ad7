import type { Headers, Json, JsonObject } from '../../core/model';

/** What a pagination method says of a request: everything else comes from the job. */
export interface RequestChange {
  /** Parameters of the job and of pagination, merged. */
  readonly params: JsonObject;
  /** The body of the job with what pagination sets in it, in place of the one that the job has. */
  readonly body?: Json;
  /** Headers by lower-case name; they win over those of the job. */
  readonly headers?: Headers;
  /** The address of the next page, absolute, where the response gave one. */
  readonly address?: string;
  /** A query from the response that overrides `params`. */
  readonly received?: string;
  /** True for a request that goes where `scrollRequest` says. */
  readonly scroll?: boolean;
}
