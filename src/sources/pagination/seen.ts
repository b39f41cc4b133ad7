import { createHash } from 'node:crypto';
import { isList, isObject, ownValue } from '../../core/json/keys';
import { stringifyValue } from '../../core/json/stringify';
import type { Json } from '../../core/model';

/** Where a job stands whose pages begin at the last key. */
interface Seen {
  readonly key: Json;
  /** Digests of the items with that key that have come. */
  readonly seen: readonly string[];
  /** Items of the largest page so far. */
  readonly size: number;
}

/** Reads such a position; `undefined` for any other. */
export function seenIn(position: Json): Seen | undefined {
  if (!isObject(position)) return undefined;
  const [key, seen, size] = ['key', 'seen', 'size'].map((name) => ownValue(position, name));
  const isRead = key !== undefined && isList(seen) && seen.every((each) => typeof each === 'string');
  return isRead && typeof size === 'number' ? { key, seen, size } : undefined;
}

/** Equal for items with equal values, however their numbers are spelled. */
export const digestOf = (item: Json): string => createHash('sha1').update(stringifyValue(item)).digest('base64');
