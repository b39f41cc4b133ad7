import type { Json, JsonObject, Response } from '../../../core/model';
import type { Answer } from '../model';
import type { DataPlace, Leaf } from '../data-place';

/** A paging that a response suggests. */
export interface PagingSign {
  /** The value of `api.pagination`. */
  readonly pagination: JsonObject;
  /** True if the response says that another page follows; `undefined`: unknown. */
  readonly more: boolean | undefined;
  /** A sentence. */
  readonly reason: string;
  /** A cheap request that shows whether the API knows the parameter. */
  readonly probe?: Probe;
}

/** The parameters of one request, and how its items have to relate to those of the first page. */
export interface Probe {
  readonly params: Readonly<Record<string, Json>>;
  /** `other`: none of them; `shifted`: the same, without the first one. */
  readonly expects: 'other' | 'shifted';
}

/** The response in which signs are looked for. */
export interface Seen {
  readonly answer: Answer;
  readonly data: DataPlace;
  /** The scalars beside the items. */
  readonly leaves: readonly Leaf[];
  /** Parameters of the request that was answered. */
  readonly asked: ReadonlyMap<string, string>;
  /** Reads other responses in the format of this one. */
  readonly read: ReadBody;
}

/** Returns the value of a body; `undefined` if it is empty, or in another format. */
export type ReadBody = (response: Response) => Json | undefined;

/** Returns a quoted name for reasons. */
export const quoted = (keys: readonly string[]): string => JSON.stringify(keys.join('.'));
