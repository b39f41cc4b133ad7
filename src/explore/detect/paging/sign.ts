import type { Json, JsonObject } from '../../../core/model';
import type { Answer } from '../model';
import type { DataPlace } from '../data-place';
import type { Leaf } from '../data-place';

/** A way of paging that a response hints at. */
export interface PagingSign {
  /** What `api.pagination` would be. */
  readonly pagination: JsonObject;
  /** Whether the response says that another page follows; `undefined`: it does not say. */
  readonly more: boolean | undefined;
  /** A sentence. */
  readonly reason: string;
  /** A request that tells at little cost whether the API knows the parameter. */
  readonly probe?: Probe;
}

/** Parameters for one request, and what the items of its answer have to be beside those of the first page. */
export interface Probe {
  readonly params: Readonly<Record<string, Json>>;
  /** `other`: none of them; `shifted`: the same, without the first one. */
  readonly expects: 'other' | 'shifted';
}

/** What signs are looked for in. */
export interface Seen {
  readonly answer: Answer;
  readonly data: DataPlace;
  /** The scalars beside the items. */
  readonly leaves: readonly Leaf[];
  /** Parameters of the request that was answered. */
  readonly asked: ReadonlyMap<string, string>;
}

/** How a name is quoted in reasons. */
export const quoted = (keys: readonly string[]): string => JSON.stringify(keys.join('.'));
