import { losesDigits } from '../../json/literals';
import { isList, isObject } from '../../json/keys';
import { parseList } from '../../json/parse';
import type { Item, Json } from '../../model';

/** The items of a page as the types of columns depend on them. */
export interface ReadItems {
  readonly items: readonly Item[];
  /** Whether they have numbers of more digits than DuckDB keeps in JSON. */
  readonly manyDigits: boolean;
}

/**
 * Reads lines of JSON.
 *
 * @param lines one item a line, without white space between tokens
 * @example readLines('{"id":9007199254740993}\n').items // [{ id: 9007199254740993n }]
 */
export function readLines(lines: string): ReadItems {
  const items = parseList(lines.trimEnd().split('\n'));
  return { items, manyDigits: losesDigits(items) || items.some(isBeyond64Bits) };
}

/** Whether a value has integers that DuckDB rounds in JSON: those that fit 64 bits, with a sign or without, it keeps. */
function isBeyond64Bits(value: Json): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value;
  return isList(value) ? value.some(isBeyond64Bits) : isObject(value) && Object.values(value).some(isBeyond64Bits);
}
