/** Decimal numbers as JSON spells them, with all of their digits. */

/** A number `± digits × 10^exponent`. The digits have no zero at either end; zero has no digits. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const SPELLED = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
const INTEGER = /^(-?\d+)(?:\.0+)?$/;
/** The range of powers of ten that JavaScript writes without an exponent. */
const [LOWEST_PLAIN, HIGHEST_PLAIN] = [-7, 21];
/** The largest exponent in arithmetic: larger ones would use up the memory. */
const LARGEST_EXPONENT = 5_000;

/** Returns `undefined` if the text is not a decimal number. */
function decimalOf(text: string): Decimal | undefined {
  const found = SPELLED.exec(text);
  if (found === null) return undefined;
  const [, sign, integer = '', fraction = '', exponent = '0'] = found;
  const written = integer + fraction;
  let from = 0;
  let to = written.length;
  while (written[from] === '0') from += 1;
  while (to > from && written[to - 1] === '0') to -= 1;
  if (from === to) return { negative: false, digits: '', exponent: 0 };
  const place = Number(exponent) - fraction.length + (written.length - to);
  return { negative: sign === '-', digits: written.slice(from, to), exponent: place };
}

/** The number of digits before and after the decimal point. */
export interface Digits {
  readonly whole: number;
  readonly fraction: number;
}

/**
 * Returns the number of digits, without zeros at the front of the number and at the end of its fraction.
 *
 * @param literal text that is not a decimal number has no digits
 * @example digitsOf('1234.50') // { whole: 4, fraction: 1 }
 */
export function digitsOf(literal: string): Digits {
  const { digits, exponent } = decimalOf(literal) ?? { digits: '', exponent: 0 };
  return { whole: Math.max(digits.length + exponent, 0), fraction: Math.max(-exponent, 0) };
}

/** Returns whether two strings are the same decimal number, regardless of spelling. */
export function sameDecimal(a: string, b: string): boolean {
  const [x, y] = [decimalOf(a), decimalOf(b)];
  if (x === undefined || y === undefined) return false;
  return x.digits === y.digits && x.exponent === y.exponent && x.negative === y.negative;
}

/**
 * Returns the order of two decimal numbers by all of their digits: negative, zero or positive; `undefined` if one is
 * not a decimal number.
 *
 * @example compareDecimals('12345678901234567.25', '12345678901234567.5') // negative
 */
export function compareDecimals(a: string, b: string): number | undefined {
  const [x, y] = [decimalOf(a), decimalOf(b)];
  if (x === undefined || y === undefined) return undefined;
  const [left, right] = [signOf(x), signOf(y)];
  return left !== right || left === 0 ? left - right : left < 0 ? compareSizes(y, x) : compareSizes(x, y);
}

const signOf = ({ negative, digits }: Decimal): number => (digits === '' ? 0 : negative ? -1 : 1);

function compareSizes(a: Decimal, b: Decimal): number {
  const places = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  return places !== 0 ? places : Number(a.digits > b.digits) - Number(a.digits < b.digits);
}

/**
 * Subtracts one decimal number from another; returns `undefined` if one is not a decimal number, or is too large or
 * small.
 */
export function subtractDecimals(a: string, b: string): string | undefined {
  const [x, y] = [decimalOf(a), decimalOf(b)];
  if (x === undefined || y === undefined) return undefined;
  const exponent = Math.min(x.exponent, y.exponent, 0);
  if (Math.max(x.exponent, y.exponent, -exponent) > LARGEST_EXPONENT) return undefined;
  const scaled = ({ negative, digits, exponent: own }: Decimal): bigint =>
    BigInt((negative ? '-' : '') + (digits === '' ? '0' : digits)) * 10n ** BigInt(own - exponent);
  return decimalText(`${scaled(x) - scaled(y)}e${exponent}`);
}

/**
 * Returns the JavaScript value of a JSON number: a `bigint` for an integer beyond 2^53, else a `number`, which may have
 * lost digits.
 */
export function numberOf(literal: string): number | bigint {
  const value = Number(literal);
  if (Number.isSafeInteger(value)) return value;
  const [, digits] = INTEGER.exec(literal) ?? [];
  return digits === undefined ? value : BigInt(digits);
}

/** Returns whether {@link numberOf} gives exactly this number, and not the one next to it. */
export function isExact(literal: string): boolean {
  const text = String(numberOf(literal));
  return text === literal || sameDecimal(text, literal);
}

/** Returns whether JSON.parse changes any of some JSON numbers, which are separated by commas. */
export function losesAny(literals: string): boolean {
  // Fractions with many digits are frequent, and mostly what a double prints as: one call parses them all.
  const values = JSON.parse(`[${literals}]`) as readonly number[];
  const areSpelledSo = JSON.stringify(values) === `[${literals}]`;
  if (areSpelledSo && values.every((value) => Math.abs(value) < Number.MAX_SAFE_INTEGER)) return false;
  return literals.split(',').some((literal) => typeof numberOf(literal) === 'bigint' || !isExact(literal));
}

/**
 * Returns whether a DOUBLE of a database holds the number: its digits come back, either the fewest that distinguish it
 * from others, or the 17 that many programs print.
 */
export function fitsDouble(literal: string): boolean {
  const value = Number(literal);
  return sameDecimal(String(value), literal) || sameDecimal(value.toPrecision(17), literal);
}

/**
 * Returns a decimal number with all of its digits and no others (docs/language/README.md#json-without-loss): `1.50` is
 * `1.5`, and `15e299` is `1.5E+300`.
 *
 * @example decimalText('12345678901234567.250') // '12345678901234567.25'
 */
export function decimalText(literal: string): string {
  const decimal = decimalOf(literal);
  if (decimal === undefined) return literal;
  const { negative, digits, exponent } = decimal;
  if (digits === '') return '0';
  const sign = negative ? '-' : '';
  const point = digits.length + exponent;
  const isPlain = !/[eE]/.test(literal) || (point > LOWEST_PLAIN + 1 && point <= HIGHEST_PLAIN);
  if (!isPlain) {
    const power = point - 1;
    return `${sign}${digits[0]}.${digits.slice(1) || '0'}E${power < 0 ? '-' : '+'}${Math.abs(power)}`;
  }
  return plainText(decimal);
}

/**
 * Returns a decimal number without an exponent and without trailing zeros.
 *
 * @param literal a number of few digits: `1e999999999` would take all memory
 * @example plainDecimal('125e-4') // '0.0125'
 */
export function plainDecimal(literal: string): string {
  const decimal = decimalOf(literal);
  return decimal === undefined ? literal : plainText(decimal);
}

function plainText({ negative, digits, exponent }: Decimal): string {
  if (digits === '') return '0';
  const sign = negative ? '-' : '';
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  const padded = digits.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}
