import { digitsOf } from '../../core/json/decimal';
import type { Json } from '../../core/model';
import { decimalOf, digitsOfType } from './decimal-type';
import type { DecimalType } from './decimal-type';
import { timeTypeOf } from './time-type';

/** The types of columns whose values have no members, or are JSON, from the narrowest to the widest. */
export type ScalarType =
  'boolean' | 'integer' | 'bigint' | 'double' | DecimalType | 'date' | 'timestamp' | 'timestamptz' | 'json' | 'text';

/** Objects and lists with types of their own (`nested-type.ts`), as a string, so that equal types are equal. */
export type NestedType = `struct ${string}` | `list ${string}`;

export type ColumnType = ScalarType | NestedType;

export const isNestedType = (type: ColumnType): type is NestedType =>
  type.startsWith('struct ') || type.startsWith('list ');

const INTEGERS: readonly ColumnType[] = ['integer', 'bigint'];
/** The digits that integers have at most. */
export const WHOLE_DIGITS: ReadonlyMap<ColumnType, number> = new Map([
  ['integer', 10],
  ['bigint', 19],
]);
/** For who knows no limit of digits. */
const ANY = { whole: Infinity, fraction: Infinity, total: Infinity };

/**
 * The type that holds all values of both without loss: a `bigint` may have more digits than a `double` holds, and a `double` more
 * than a decimal.
 *
 * @example wider('integer', 'double') // 'double'
 */
export const wider = (a: ColumnType, b: ColumnType): ColumnType => {
  if (a === b) return a;
  const both = [a, b];
  if (both.includes('json') || both.some(isNestedType)) return 'json';
  if (INTEGERS.includes(a) && INTEGERS.includes(b)) return 'bigint';
  if (both.includes('integer') && both.includes('double')) return 'double';
  return widerDecimal(a, b) ?? 'text';
};

function widerDecimal(a: ColumnType, b: ColumnType): DecimalType | undefined {
  const [left, right] = [a, b].map((type) => {
    const whole = WHOLE_DIGITS.get(type);
    return whole === undefined ? digitsOfType(type) : { whole, fraction: 0 };
  });
  if (left === undefined || right === undefined) return undefined;
  const whole = Math.max(left.whole, right.whole);
  return decimalOf({ whole, fraction: Math.max(left.fraction, right.fraction) }, ANY);
}

/**
 * The narrowest type that holds a value; `undefined` for null, which says nothing.
 *
 * @example typeOf('2024-02-29') // 'date'
 */
export function typeOf(value: Json): ColumnType | undefined {
  if (typeof value === 'string') return timeTypeOf(value) ?? 'text';
  if (typeof value === 'number') return typeOfNumber(value);
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'bigint')
    return BigInt.asIntN(64, value) === value ? 'bigint' : decimalOf(digitsOf(String(value)), ANY);
  return value === null ? undefined : 'json';
}

function typeOfNumber(value: number): ColumnType {
  if ((value | 0) === value) return 'integer';
  if (Number.isSafeInteger(value)) return 'bigint';
  return Number.isFinite(value) ? 'double' : 'text';
}
