import { isObject } from '../../core/json/keys';
import { parseData } from '../../core/json/parse';
import type { Json, JsonObject, Response } from '../../core/model';
import { findData } from './data-place';
import type { Seen } from './paging/sign';

/** The items of another response, at the same place; `undefined` where it is no success or has no such place. */
export function itemsIn(
  { status, body }: Pick<Response, 'status' | 'body'>,
  { answer, data }: Seen,
): readonly Json[] | undefined {
  if (status >= 300) return undefined;
  try {
    const parsed = parseData(Buffer.from(body).toString('utf8'));
    const there = findData(parsed, answer.url).value;
    if (there.dataField === data.dataField && there.kind === data.kind) return there.items;
    return isObject(parsed) || Array.isArray(parsed) ? emptyAt(parsed, data.keys) : undefined;
  } catch {
    return undefined;
  }
}

/** An empty array at the keys: what has no items may look like something else. */
function emptyAt(parsed: Json, keys: readonly string[]): readonly Json[] | undefined {
  const value = keys.reduce<Json | undefined>(
    (at, key) => (isObject(at ?? null) ? (at as JsonObject)[key] : undefined),
    parsed,
  );
  return Array.isArray(value) ? (value as readonly Json[]) : undefined;
}
