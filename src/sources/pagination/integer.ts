import type { Json } from '../../core/model';

const DECIMAL = /^\s*([+-]?\d+)(?:\.\d*)?\s*$/;
const NUMERIC = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/**
 * The integer that a number or a numeric string stands for, to the last digit; fractions are cut
 * (docs/language/stops.md#limitstop, docs/language/pagination/cursor.md).
 *
 * @returns `undefined` when the value is not numeric
 * @example integerOf('9007199254740993.9') // 9007199254740993n
 */
export function integerOf(value: Json | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return truncated(value);
  if (typeof value !== 'string') return undefined;
  const digits = DECIMAL.exec(value)?.[1];
  if (digits !== undefined) return BigInt(digits);
  return NUMERIC.test(value) ? truncated(Number(value)) : undefined;
}

/** This tells whether {@link integerOf} cuts a fraction off a number or a numeric string. */
export function hasFraction(value: Json | undefined): boolean {
  if (typeof value !== 'string') return typeof value === 'number' && !Number.isInteger(value);
  return DECIMAL.test(value) ? /\.\d*[1-9]/.test(value) : !Number.isInteger(Number(value));
}

/** The integer as JSON has it: a `bigint` only where a number would lose digits. */
export function jsonInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const truncated = (value: number): bigint | undefined =>
  Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
