import { textOf } from '../../../core/json/text';
import type { JsonScalar } from '../../../core/model';

/** The flags of a placeholder. */
export interface Style {
  readonly showPlus: boolean;
  /** The number of digits or characters; absent: the default of the type. */
  readonly precision?: number;
}
/** A value as text, its sign apart: zeros are padded between the two. */
export interface Formatted {
  readonly sign: string;
  readonly body: string;
}
export type Conversion = (value: JsonScalar, style: Style) => Formatted;

const DEFAULT_PRECISION = 6;
/** The size from which on `toFixed` switches to exponents. */
const FIXED_LIMIT = 1e21;

/** The number at the start of a string, or 0. */
const numberOf = (value: JsonScalar): number =>
  Number(/^\s*([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)/i.exec(textOf(value))?.[0] ?? 0);

/** The integer at the start of a string, all its digits kept; fractions are cut off. */
function integerOf(value: JsonScalar): bigint {
  const digits = /^\s*([+-]?)(\d+)(?![\d.e])/i.exec(textOf(value));
  if (digits !== null) return digits[1] === '-' ? -BigInt(digits[2] ?? 0) : BigInt(digits[2] ?? 0);
  const number = numberOf(value);
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : 0n;
}

const signOf = (isNegative: boolean, { showPlus }: Style): string => {
  if (isNegative) return '-';
  return showPlus ? '+' : '';
};

const unsigned =
  (base: number): Conversion =>
  (value) => ({ sign: '', body: BigInt.asUintN(64, integerOf(value)).toString(base) });

const decimal: Conversion = (value, style) => {
  const integer = integerOf(value);
  return { sign: signOf(integer < 0n, style), body: String(integer < 0n ? -integer : integer) };
};

/** A conversion of the size of a number; the sign is taken care of. */
const float =
  (convert: (size: number, precision: number) => string): Conversion =>
  (value, style) => {
    const number = numberOf(value);
    return {
      sign: signOf(number < 0, style),
      body: convert(Math.abs(number), style.precision ?? DEFAULT_PRECISION),
    };
  };

function fixed(size: number, precision: number): string {
  if (size < FIXED_LIMIT || !Number.isFinite(size)) return size.toFixed(precision);
  return BigInt(size).toString() + (precision > 0 ? `.${'0'.repeat(precision)}` : '');
}

const exponential = (size: number, precision: number): string => size.toExponential(precision);

const withoutTrailingZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** Whichever of the two forms is shorter; an exponent's number keeps one decimal, as in `1.0e+15`. */
function general(size: number, precision: number): string {
  const digits = Math.max(precision, 1);
  const [mantissa = '', exponent = ''] = size.toExponential(digits - 1).split('e');
  if (Number(exponent) >= -4 && Number(exponent) < digits)
    return withoutTrailingZeros(size.toFixed(digits - 1 - Number(exponent)));
  const short = withoutTrailingZeros(mantissa);
  return `${short.includes('.') ? short : `${short}.0`}e${exponent}`;
}

const upper =
  (conversion: Conversion): Conversion =>
  (value, style) => {
    const { sign, body } = conversion(value, style);
    return { sign, body: body.toUpperCase() };
  };

const text: Conversion = (value, { precision }) => ({
  sign: '',
  body: Array.from(textOf(value)).slice(0, precision).join(''),
});

const character: Conversion = (value) => ({
  sign: '',
  body: String.fromCharCode(Number(BigInt.asUintN(8, integerOf(value)))),
});

/** The types of `sprintf` (docs/language/sprintf.md#types), but for `%`. */
export const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map([
  ['s', text],
  ['d', decimal],
  ['u', unsigned(10)],
  ['f', float(fixed)],
  ['F', float(fixed)],
  ['e', float(exponential)],
  ['E', upper(float(exponential))],
  ['g', float(general)],
  ['G', upper(float(general))],
  ['x', unsigned(16)],
  ['X', upper(unsigned(16))],
  ['o', unsigned(8)],
  ['b', unsigned(2)],
  ['c', character],
]);
