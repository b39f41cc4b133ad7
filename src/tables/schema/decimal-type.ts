import type { Digits } from '../../core/json/decimal';

/** A type of numbers with so many digits in all, and so many of these behind the point. */
export type DecimalType = `decimal(${number},${number})`;

/** How many digits a decimal of a database may have: before the point, behind it, and in all. */
export interface DecimalLimit extends Digits {
  readonly total: number;
}

/** That of DuckDB and Parquet, and of most databases. */
export const DECIMAL_38: DecimalLimit = { whole: 38, fraction: 38, total: 38 };

const WRITTEN = /^decimal\((\d+),(\d+)\)$/;

/**
 * @returns `undefined` where there are too many digits
 * @example decimalOf({ whole: 10, fraction: 2 }, DECIMAL_38) // 'decimal(12,2)'
 */
export function decimalOf({ whole, fraction }: Digits, limit: DecimalLimit): DecimalType | undefined {
  const total = Math.max(whole + fraction, 1);
  const isWithin = whole <= limit.whole && fraction <= limit.fraction && total <= limit.total;
  return isWithin ? `decimal(${total},${fraction})` : undefined;
}

/**
 * @returns `undefined` for what is no decimal type
 * @example digitsOfType('decimal(12,2)') // { whole: 10, fraction: 2 }
 */
export function digitsOfType(type: string): Digits | undefined {
  const [, total, fraction] = WRITTEN.exec(type) ?? [];
  return total === undefined ? undefined : { whole: Number(total) - Number(fraction), fraction: Number(fraction) };
}

export const isDecimal = (type: string): type is DecimalType => type.startsWith('decimal');
