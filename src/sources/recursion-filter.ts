import { compareDecimals } from '../core/json/decimal';
import { isNumeric, isScalar, textOf } from '../core/json/scalars';
import { exactValueAt } from '../core/json/path';
import type { Item, JsonScalar } from '../core/model';

/** Two-character operators are matched before the others (docs/language/jobs.md#recursionfilter). */
const LONG = /==|!=|>=|<=|~~|!~/;
const SHORT = /[<>]/;

type Test = (item: Item) => boolean;

/** How conditions read values that are no strings and no numbers. */
interface Manner {
  /** Returns the text that is compared with the value of the condition. */
  readonly textOf: (value: JsonScalar) => string;
  /** True if a missing value or null is less than any value; else it is neither less nor more. */
  readonly ordersNothing: boolean;
}

const OF_CHILDREN: Manner = { textOf, ordersNothing: true };

/** For items, `true` and `false` are the texts of these names, and a missing value is neither less nor more than a value, as in SQL. */
export const OF_ITEMS: Manner = {
  textOf: (value) => (typeof value === 'boolean' ? String(value) : textOf(value)),
  ordersNothing: false,
};

/**
 * Compiles a `recursionFilter` (docs/language/jobs.md#recursionfilter), which selects the parent items that a child is called for.
 *
 * @param filter conditions `path operator value`, joined by `&`, which binds tighter, and `|`; checked when decoded
 * @example recursionFilter('size>=10&kind==crate|kind~~box%')({ kind: 'boxed' }) // true
 */
export function recursionFilter(filter: string, manner = OF_CHILDREN): Test {
  const parts = filter.split('|').map((part) => part.split('&').map((text) => condition(text, manner)));
  return (item) => parts.some((tests) => tests.every((test) => test(item)));
}

/** Returns the paths that the conditions of a filter read. */
export const pathsIn = (filter: string): readonly string[] => filter.split(/[|&]/).map((text) => partsOf(text).path);

function partsOf(text: string): { readonly path: string; readonly operator: string; readonly value: string } {
  const found = LONG.exec(text) ?? SHORT.exec(text);
  if (found === null) throw new Error(`no operator in ${text}`);
  const [operator] = found;
  // "The value is what follows, up to a second occurrence of the same operator."
  const value = text.slice(found.index + operator.length).split(operator, 1)[0] ?? '';
  return { path: text.slice(0, found.index), operator, value };
}

function condition(text: string, manner: Manner): Test {
  const { path, operator, value } = partsOf(text);
  const passes = comparison(operator, value);
  const negative = operator.startsWith('!');
  const isOrder = /[<>]/.test(operator);
  return (item) => {
    const left = exactValueAt(item, path);
    if (isOrder && !manner.ordersNothing && (left === undefined || left === null)) return false;
    if (left === undefined) return passes('');
    return isScalar(left) ? passes(manner.textOf(left)) : negative;
  };
}

function comparison(operator: string, right: string): (left: string) => boolean {
  const isLike = likePattern(right);
  switch (operator) {
    case '==':
      return (left) => left === right;
    case '!=':
      return (left) => left !== right;
    case '~~':
      return isLike;
    case '!~':
      return (left) => !isLike(left);
    case '<':
      return (left) => order(left, right) < 0;
    case '<=':
      return (left) => order(left, right) <= 0;
    case '>':
      return (left) => order(left, right) > 0;
    default:
      return (left) => order(left, right) >= 0;
  }
}

/** Compiles a pattern in which `%` is any run of characters and everything else is literal; it has to match the whole string. */
function likePattern(pattern: string): (text: string) => boolean {
  const [start = '', ...others] = pattern.split('%');
  const end = others.pop();
  if (end === undefined) return (text) => text === start;
  return (text) => {
    const last = text.length - end.length;
    if (!text.startsWith(start) || !text.endsWith(end)) return false;
    // The first match of each part leaves the most characters for the next, so no other match has to be tried.
    let from = start.length;
    for (const part of others) {
      const at = text.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return from <= last;
  };
}

/** Compares numbers by value, other strings by their bytes. */
const order = (left: string, right: string): number =>
  isNumeric(left) && isNumeric(right)
    ? (compareDecimals(left.trim(), right.trim()) ?? Number(left) - Number(right))
    : Buffer.compare(Buffer.from(left), Buffer.from(right));
