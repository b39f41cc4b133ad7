/** What suggests a paging in a response, and how the items of another response compare to it. */
import type { Json, JsonObject, Response } from '../../../core/model';
import type { Answer } from '../model';
import type { DataPlace, Leaf } from '../data-place';
import { entriesOf, isList, isObject, isWithout, valueBelow } from '../../../core/json/objects';
import { valuesAt } from '../../../core/json/path';
import { stringifyJson } from '../../../core/json/stringify';
import { findData } from '../data-place';

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

/** Returns the items of another response at the same place; `undefined` if it is no success or has no such place. */
export function itemsIn(response: Response, { answer, data, read }: Seen): readonly Json[] | undefined {
  const parsed = response.status >= 300 ? undefined : read(response);
  if (parsed === undefined) return undefined;
  // What is a map of items is one in each response.
  const map = data.kind === 'map' ? valueBelow(parsed, ...data.keys) : undefined;
  if (isObject(map)) return entriesOf(map).length === 0 ? [] : findData(map, answer.url, true).value.items;
  const there = findData(parsed, answer.url).value;
  return there.dataField === data.dataField && there.kind === data.kind
    ? there.items
    : itemsAt(parsed, data, answer.data);
}

/** Returns the items at the place, since a response with few of them may have another shape. */
function itemsAt(
  parsed: Json,
  { keys, dataField = '.' }: DataPlace,
  first: Json | undefined,
): readonly Json[] | undefined {
  const several = valuesAt(parsed, dataField, '.');
  const value = several ?? valueBelow(parsed, ...keys);
  if (isList(value)) return value;
  return isWithout(parsed, first, keys) ? [] : undefined;
}

/** How a second list of items relates to the first. */
export type Comparison = 'other' | 'shifted' | 'same' | 'overlapping' | 'empty';

/**
 * Compares the items of two responses.
 *
 * @example comparePages([1, 2, 3], [2, 3, 4]) // 'shifted'
 */
export function comparePages(first: readonly Json[], second: readonly Json[]): Comparison {
  const [before, after] = [first.map(stringifyJson), second.map(stringifyJson)];
  if (after.length === 0) return 'empty';
  if (isBeginning(before, after)) return 'same';
  const moved = before.slice(1);
  if (moved.length > 0 && isBeginning(moved, after)) return 'shifted';
  // Rows without ids may be equal, such as hours without rain: pages overlap where most items are known, and come once.
  const counts = new Map<string, number>();
  for (const item of before) counts.set(item, (counts.get(item) ?? 0) + 1);
  return after.filter((item) => counts.get(item) === 1).length * 2 > after.length ? 'overlapping' : 'other';
}

/** Returns whether one list begins like another. */
function isBeginning(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  return length > 0 && one.slice(0, length).every((item, at) => item === other[at]);
}
