/** Values of DuckDB as JSON without loss. */
import type { DuckDBValue } from '@duckdb/node-api';
import { objectFrom } from '../../core/json/keys';
import type { Json } from '../../core/model';

/**
 * @returns integers as they are, of any size; decimals, times, blobs and what no number of JSON is, as texts
 */
export function jsonOf(value: DuckDBValue): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if ('items' in value) return value.items.map(jsonOf);
  if (!('entries' in value)) return String(value);
  if (!isMap(value.entries))
    return objectFrom(Object.entries(value.entries).map(([key, inner]) => [key, jsonOf(inner)] as const));
  return value.entries.map(({ key, value: inner }) =>
    objectFrom([
      ['key', jsonOf(key)],
      ['value', jsonOf(inner)],
    ]),
  );
}

const isMap = (entries: object): entries is readonly { readonly key: DuckDBValue; readonly value: DuckDBValue }[] =>
  Array.isArray(entries);
