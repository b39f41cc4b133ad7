/** What operators do with Python's values: arithmetic, slices, and texts with places for values. */
import { Duration, Moment } from './dates';
import { requireCount, requireRoom } from './methods';
import {
  Dict,
  Float,
  List,
  TypeMismatch,
  ValueFault,
  characters,
  integer,
  isInteger,
  numberIn,
  repr,
  requireDefined,
  text,
  typeOf,
} from './values';
import type { Value } from './values';

/** Returns `value[from:to:step]`. */
export function sliceOf(value: Value, from: Value, to: Value, step: Value): Value {
  const whole = requireDefined(value);
  if (typeof whole !== 'string' && !(whole instanceof List))
    throw new TypeMismatch(`'${typeOf(whole)}' object is not subscriptable`);
  const all: readonly Value[] = typeof whole === 'string' ? characters(whole) : whole.elements;
  const by = step === null ? 1 : requireCount(step);
  if (by === 0) throw new ValueFault('slice step cannot be zero');
  const size = all.length;
  const place = (written: Value, byDefault: number): number => {
    if (written === null) return byDefault;
    const at = requireCount(written);
    const [lowest, highest] = by > 0 ? [0, size] : [-1, size - 1];
    return Math.min(Math.max(at < 0 ? at + size : at, lowest), highest);
  };
  const [first, last] = [place(from, by > 0 ? 0 : size - 1), place(to, by > 0 ? size : -1)];
  const chosen: Value[] = [];
  for (let at = first; by > 0 ? at < last : at > last; at += by) chosen.push(all[at] ?? null);
  return typeof whole === 'string' ? chosen.map(text).join('') : new List(chosen, whole.isTuple);
}

/**
 * Returns the result of arithmetic.
 *
 * @throws TypeMismatch
 */
export function calculated(operator: string, left: Value, right: Value): Value {
  const [a, b] = [requireDefined(left), requireDefined(right)];
  const [x, y] = [numberIn(a), numberIn(b)];
  if (x !== undefined && y !== undefined)
    return isInteger(a) && isInteger(b)
      ? ofIntegers(operator, BigInt(x), BigInt(y))
      : ofFloats(operator, Number(x), Number(y));
  const found =
    operator === '+'
      ? sum(a, b)
      : operator === '-'
        ? difference(a, b)
        : operator === '*'
          ? (times(a, b) ?? times(b, a))
          : undefined;
  if (found !== undefined) return found;
  if (operator === '%' && typeof a === 'string') return percentFormatted(a, b);
  throw new TypeMismatch(`unsupported operand type(s) for ${operator}: '${typeOf(a)}' and '${typeOf(b)}'`);
}

function ofIntegers(operator: string, x: bigint, y: bigint): Value {
  if (operator === '/' || (operator === '**' && y < 0n)) return ofFloats(operator, Number(x), Number(y));
  switch (operator) {
    case '+':
      return integer(x + y);
    case '-':
      return integer(x - y);
    case '*':
      requireRoom((String(x).length + String(y).length) * 100);
      return integer(x * y);
    case '**':
      requireRoom(String(x).length * Number(y) * 100);
      return integer(x ** y);
  }
  if (y === 0n) throw new ValueFault('integer division or modulo by zero');
  const rest = ((x % y) + y) % y;
  return integer(operator === '%' ? rest : (x - rest) / y);
}

function ofFloats(operator: string, x: number, y: number): Value {
  if (y === 0 && ['/', '//', '%'].includes(operator)) throw new ValueFault('division by zero');
  const results: Readonly<Record<string, number>> = {
    ...{ '+': x + y, '-': x - y, '*': x * y, '/': x / y, '**': x ** y },
    ...{ '//': Math.floor(x / y), '%': ((x % y) + y) % y },
  };
  return new Float(results[operator] ?? NaN);
}

function sum(a: Value, b: Value): Value | undefined {
  if (typeof a === 'string' && typeof b === 'string') {
    requireRoom(a.length + b.length);
    return a + b;
  }
  if (a instanceof List && b instanceof List && a.isTuple === b.isTuple) {
    requireRoom(a.elements.length + b.elements.length);
    return new List([...a.elements, ...b.elements], a.isTuple);
  }
  if (a instanceof Moment && b instanceof Duration) return a.plus(b);
  if (a instanceof Duration && b instanceof Moment) return b.plus(a);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.micros + b.micros, a.months + b.months);
  return undefined;
}

function difference(a: Value, b: Value): Value | undefined {
  if (a instanceof Moment && b instanceof Duration) return a.plus(b, -1);
  if (a instanceof Moment && b instanceof Moment && a.isDate === b.isDate) return a.minus(b);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.micros - b.micros, a.months - b.months);
  return undefined;
}

function times(a: Value, b: Value): Value | undefined {
  const count = numberIn(b);
  if (count === undefined) return undefined;
  if (a instanceof Duration) return new Duration(Math.round(a.micros * Number(count)), a.months * Number(count));
  if (!isInteger(b)) return undefined;
  const often = Math.max(0, Number(count));
  if (typeof a === 'string') {
    requireRoom(a.length * often);
    return a.repeat(often);
  }
  if (!(a instanceof List)) return undefined;
  requireRoom(a.elements.length * often);
  return new List(Array.from({ length: often }, () => a.elements).flat(), a.isTuple);
}

/** Returns a text with values in place of `%s`, `%d` and `%f`, as the operator `%` of Python does. */
export function percentFormatted(format: string, value: Value): string {
  const values = value instanceof List && value.isTuple ? value.elements : [value];
  let next = 0;
  return format.replace(/%(?:\((\w+)\))?([0-]?)(\d*)(?:\.(\d+))?([sdrif%])/g, (...found: readonly string[]) => {
    const [, name, fill, width, digits, letter] = found;
    if (letter === '%') return '%';
    const one = name !== undefined && value instanceof Dict ? value.get(name) : values[next++];
    if (one === undefined) throw new TypeMismatch('not enough arguments for format string');
    const shown = shownAs(letter ?? 's', one, digits);
    return fill === '-' ? shown.padEnd(Number(width)) : shown.padStart(Number(width), fill === '0' ? '0' : ' ');
  });
}

function shownAs(letter: string, value: Value, digits: string | undefined): string {
  if (letter === 's') return text(value);
  if (letter === 'r') return repr(value);
  const number = numberIn(requireDefined(value));
  if (number === undefined)
    throw new TypeMismatch(`%${letter} format: a real number is required, not ${typeOf(value)}`);
  return letter === 'f'
    ? Number(number).toFixed(Number(digits ?? 6))
    : String(typeof number === 'bigint' ? number : Math.trunc(number));
}
