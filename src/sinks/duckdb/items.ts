import { losesDigits } from '../../core/json/literals';
import { isList, isObject } from '../../core/json/keys';
import { parseList } from '../../core/json/parse';
import type { Item, Json } from '../../core/model';

/** The items of a page as the types of columns depend on them. */
export interface ReadItems {
  readonly items: readonly Item[];
  /** Whether they have numbers of more digits than DuckDB keeps in JSON. */
  readonly manyDigits: boolean;
  /** This is true where they may have integers of many digits with a point or an exponent, which DuckDB reads as doubles. */
  readonly hasPoints: boolean;
}

/** As many digits as no double has, with whatever point or exponent there is. */
const MANY_DIGITS = /[\d.]{16,}[eE]?/g;
const POINT = /[.eE]/;

/**
 * Reads lines of JSON.
 *
 * @param lines one item a line, without white space between tokens
 * @example readLines('{"id":9007199254740993}\n').items // [{ id: 9007199254740993n }]
 */
export function readLines(lines: string): ReadItems {
  const items = parseList(lines.trimEnd().split('\n'));
  const manyDigits = losesDigits(items) || items.some(isBeyond64Bits);
  return { items, manyDigits, hasPoints: (lines.match(MANY_DIGITS) ?? []).some((text) => POINT.test(text)) };
}

/** Whether a value has integers that DuckDB rounds in JSON: those that fit 64 bits, with a sign or without, it keeps. */
function isBeyond64Bits(value: Json): boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) !== value && BigInt.asUintN(64, value) !== value;
  return isList(value) ? value.some(isBeyond64Bits) : isObject(value) && Object.values(value).some(isBeyond64Bits);
}
