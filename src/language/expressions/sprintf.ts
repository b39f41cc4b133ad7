import { textOf } from '../../core/json/scalars';
import type { JsonScalar } from '../../core/model';
import { ScriptError } from '../parts/errors';

/** The flags of a placeholder. */
export interface Style {
  readonly showPlus: boolean;
  /** The number of digits or characters; if absent, the default of the type. */
  readonly precision?: number;
}
/** A value as text, with a separate sign: zeros are padded between the two. */
export interface Formatted {
  readonly sign: string;
  readonly body: string;
}
export type Conversion = (value: JsonScalar, style: Style) => Formatted;

const DEFAULT_PRECISION = 6;
/** The size from which `toFixed` uses exponents. */
const FIXED_LIMIT = 1e21;

/** Returns the number at the start of a string, or 0. */
const numberOf = (value: JsonScalar): number =>
  Number(/^\s*([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)/i.exec(textOf(value))?.[0] ?? 0);

/** Returns the integer at the start of a string with all digits; fractions are cut off. */
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

/** Returns a conversion for the absolute value of a number; the sign is added separately. */
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

/** Returns the shorter of the two forms; an exponent's number keeps one decimal, as in `1.0e+15`. */
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

/** The types of `sprintf` (docs/language/sprintf.md#types), except `%`. */
const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map([
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

/** Matches a placeholder. Four digits of width and two of precision are more than enough. */
const PLACEHOLDER =
  /%(?:(?<position>\d+)\$)?(?<flags>(?:[-+ 0]|'.)*)(?<width>\d{1,4})?(?:\.(?<precision>\d{0,2}))?(?<type>.)?/gsu;

function padded({ sign, body }: Formatted, type: string, flags: readonly string[], width: number): string {
  // The last padding flag wins; for a quote and a character, the character pads.
  const padding = flags.filter((flag) => flag !== '-' && flag !== '+').at(-1) ?? ' ';
  const fill = padding.startsWith("'") ? padding.slice(1) : padding;
  const missing = Math.max(width - Array.from(sign + body).length, 0);
  // Zeros after an integer would change its value.
  if (flags.includes('-')) return sign + body + (fill === '0' && 'du'.includes(type) ? ' ' : fill).repeat(missing);
  return fill === '0' ? sign + fill.repeat(missing) + body : fill.repeat(missing) + sign + body;
}

function valueFor(position: string | undefined, next: () => number, values: readonly JsonScalar[]): JsonScalar {
  const at = position === undefined ? next() : Number(position) - 1;
  const value = values[at];
  if (value !== undefined) return value;
  throw new ScriptError(`the format asks for value ${at + 1}, but there are ${values.length}.`);
}

/**
 * Inserts values into a format (docs/language/sprintf.md#places): `%[n$][flags][width][.precision]type`.
 *
 * @param values the values in order; `n$` names one by its number, from 1
 * @throws ScriptError for too few values and for an unknown type
 * @example sprintf('%05d of %s', [42, 'many']) // '00042 of many'
 */
export function sprintf(format: string, values: readonly JsonScalar[]): string {
  let taken = 0;
  return format.replace(PLACEHOLDER, (...match: unknown[]) => {
    const part = match.at(-1) as Readonly<Record<string, string | undefined>>;
    const { type } = part;
    if (type === '%') return '%';
    if (type === undefined) throw new ScriptError('the format ends within a placeholder; a plain % is written %%.');
    const convert = CONVERSIONS.get(type);
    if (convert === undefined)
      throw new ScriptError(
        `unknown type '${type}' after %; the types are ${[...CONVERSIONS.keys()].join(', ')} and %.`,
      );
    const value = valueFor(part['position'], () => taken++, values);
    const flags: readonly string[] = part['flags']?.match(/'.|[-+ 0]/gsu) ?? [];
    const precision = part['precision'] === undefined ? {} : { precision: Number(part['precision']) };
    const formatted = convert(value, { showPlus: flags.includes('+'), ...precision });
    return padded(formatted, type, flags, Number(part['width'] ?? 0));
  });
}
