import type { Json } from '../../model';
import { timeTypeOf } from './time-type';

/** The types of columns, from the narrowest to the widest. */
export type ColumnType =
  'boolean' | 'integer' | 'bigint' | 'double' | 'date' | 'timestamp' | 'timestamptz' | 'json' | 'text';

const INTEGERS: readonly ColumnType[] = ['integer', 'bigint'];

/**
 * The type that holds all values of both without loss: a `bigint` may have more digits than a `double` holds.
 *
 * @example wider('integer', 'double') // 'double'
 */
export const wider = (a: ColumnType, b: ColumnType): ColumnType => {
  if (a === b) return a;
  const both = [a, b];
  if (both.includes('json')) return 'json';
  if (INTEGERS.includes(a) && INTEGERS.includes(b)) return 'bigint';
  return both.includes('integer') && both.includes('double') ? 'double' : 'text';
};

/**
 * The narrowest type that holds a value; `undefined` for null, which says nothing.
 *
 * @example typeOf('2024-02-29') // 'date'
 */
export function typeOf(value: Json): ColumnType | undefined {
  if (typeof value === 'string') return timeTypeOf(value) ?? 'text';
  if (typeof value === 'number') return typeOfNumber(value);
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 'bigint' : 'text';
  return value === null ? undefined : 'json';
}

function typeOfNumber(value: number): ColumnType {
  if ((value | 0) === value) return 'integer';
  if (Number.isSafeInteger(value)) return 'bigint';
  return Number.isFinite(value) ? 'double' : 'text';
}
