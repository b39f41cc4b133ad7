import type { Json, JsonObject, Request } from '../core/model';
import type { RequestChange } from '../language/requests/change';
import type { RunTimes } from './run-times';
import type { SliceContexts } from './slices';

/** What is known only when a job run starts. */
export interface CallValues {
  readonly times: RunTimes;
  /** The placeholder bindings by name; a top-level job has none. */
  readonly bindings: ReadonlyMap<string, PlaceholderValue>;
  /** The slice of the job, and of those above it; absent: none of them is divided. */
  readonly slice?: SliceContexts;
}

/** What a placeholder stands for in one call. */
export interface PlaceholderValue {
  readonly text: string;
  /** The values that the string joins, in a batch. */
  readonly values?: readonly string[];
}

/** A job whose address and parameters are known. */
export interface BoundJob {
  /** Absolute URL of the endpoint, without pagination. */
  readonly url: string;
  /** Its own parameters, without defaults and pagination. */
  readonly params: JsonObject;
  /** Its own body, where it has one. */
  readonly body?: Json;
  /** Texts in its requests that must not be printed. */
  readonly secrets: readonly string[];
  /** Builds a request of this job (docs/language/requests.md#how-a-request-is-put-together). */
  readonly request: (change: RequestChange) => Request;
}
