/** What tables are expected to hold, and how they are compared with what somebody reads in them. */
import { decimal, read, sameJson, sameNumber, written } from './json-value';
import type { Value } from './json-value';
import type { Shape } from './found-structs';
import type { Type } from './types';

/** A table as its reader finds it; times are microseconds since 1970. */
export interface FoundTable {
  readonly columns: readonly { readonly name: string; readonly type: Type; readonly shape?: Shape }[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** A value that was sent, and the type that its column had when its run was over. */
export interface Sent {
  readonly value: Value;
  readonly column: { readonly type: Type };
}

/**
 * Why a cell does not hold what was sent; `undefined` where it does.
 *
 * @param before the type that the column had when the value was stored: texts of what had another type are written again
 */
export function fault(cell: string | null, type: Type, { value, column }: Sent): string | undefined {
  if (value.kind === 'null') return cell === null ? undefined : `${shown(cell)} in place of null`;
  if (cell === null) return `null in place of ${written(value)}`;
  return holds(cell, type, value, column.type) ? undefined : `${type} ${shown(cell)} in place of ${written(value)}`;
}

const shown = (cell: string): string => JSON.stringify(cell);

function holds(cell: string, type: Type, value: Value, before: Type): boolean {
  if (type === 'json') return sameJson(read(cell), value);
  if (value.kind === 'string') {
    if (type === 'text') return cell === storedText(value.value) || (isTime(before) && sameTime(cell, value.value));
    return isTime(type) && BigInt(cell) === microseconds(value.value);
  }
  if (value.kind === 'boolean') return (type === 'boolean' || type === 'text') && cell === String(value.value);
  if (value.kind !== 'number') return false;
  if (type === 'text') return cell === value.literal || (before !== 'text' && sameNumber(cell, value.literal));
  if (type === 'double') return Number(cell) === Number(value.literal) && fitsDouble(value.literal);
  return ['integer', 'bigint', 'decimal'].includes(type) && sameNumber(cell, value.literal);
}

/** Halves of characters become the sign for no character. */
export const storedText = (sent: string): string => sent.toWellFormed();

const isTime = (type: Type): boolean => ['date', 'timestamp', 'timestamptz'].includes(type);

/** Whether a double says the number with the digits that it has. */
export function fitsDouble(literal: string): boolean {
  const value = Number(literal);
  return Number.isFinite(value) && [String(value), value.toPrecision(17)].some((digits) => sameNumber(digits, literal));
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?)?$/;

/** @returns microseconds since 1970 of a date, or of a time, which is in UTC where it has no zone */
export function microseconds(time: string): bigint | undefined {
  const [, day, clock = '00:00:00', fraction = '', zone = 'Z'] = TIME.exec(time) ?? [];
  const milliseconds = Date.parse(`${day}T${clock}${zone}`);
  if (day === undefined || Number.isNaN(milliseconds)) return undefined;
  return BigInt(milliseconds) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

const sameTime = (a: string, b: string): boolean => {
  const [left, right] = [microseconds(a), microseconds(b)];
  return left !== undefined && left === right;
};

/** How many digits a number has before and behind its point. */
export function digitsOf(literal: string): { readonly whole: number; readonly fraction: number } {
  const { digits, exponent } = decimal(literal) ?? { digits: 0n, exponent: 0 };
  if (digits === 0n) return { whole: 0, fraction: 0 };
  const count = String(digits < 0n ? -digits : digits).length;
  return { whole: Math.max(count + exponent, 0), fraction: Math.max(-exponent, 0) };
}
