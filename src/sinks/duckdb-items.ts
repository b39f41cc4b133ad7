import { isObject } from '../json/keys';
import { parseJson } from '../json/parse';
import type { Item, Json } from '../model';
import { hasFraction, mayHaveManyDigits } from './many-digits';

/** The items of a page as far as the types of columns depend on them. */
export interface ReadItems {
  /** Integers beyond 2^53 that stand in lists or objects of an item may be rounded. */
  readonly items: readonly Item[];
  /** Whether lists or objects of items may have numbers with more digits than DuckDB keeps there. */
  readonly manyDigits: boolean;
}

const BEYOND = 2 ** 53;
const DIGIT_FIRST = /^\d/;

/**
 * Reads lines of JSON.
 *
 * @param lines one item a line, without white space between tokens
 * @example readLines('{"id":9007199254740993}\n').items // [{ id: 9007199254740993n }]
 */
export function readLines(lines: string): ReadItems {
  const text = `[${lines.trimEnd().replaceAll('\n', ',')}]`;
  const quick = JSON.parse(text) as readonly Item[];
  const met: Met = { unusual: false, fraction: false };
  for (const item of quick) look(item, met);
  const items = met.unusual ? (parseJson(text) as readonly Item[]) : quick;
  return { items, manyDigits: met.fraction && mayHaveManyDigits(lines) };
}

interface Met {
  /** What the quick parser does not keep: digits, or the order of keys. */
  unusual: boolean;
  /** In a list or an object of an item. */
  fraction: boolean;
}

function look(item: Item, met: Met): void {
  if (!isObject(item)) {
    met.unusual ||= isLarge(item);
    return;
  }
  let isFirst = true;
  for (const key in item) {
    // JavaScript puts keys that look like numbers first.
    if (isFirst && DIGIT_FIRST.test(key)) met.unusual = true;
    isFirst = false;
    const value = item[key] as Json;
    if (typeof value === 'number') met.unusual ||= isLarge(value);
    else if (typeof value === 'object' && value !== null) met.fraction ||= hasFraction(value);
  }
}

const isLarge = (value: Json): boolean => typeof value === 'number' && (value >= BEYOND || value <= -BEYOND);
