/** Scalars of JSON: their string form, blank values, and the strings that are numbers. */
import type { Json, JsonScalar } from '../model';

/** Returns whether the value is a string, a number, a boolean or `null`. */
export const isScalar = (value: Json | undefined): value is JsonScalar =>
  value !== undefined && (value === null || typeof value !== 'object');

/**
 * Returns the string of a scalar (docs/language/README.md#booleans-strings-and-numbers): `true` is `1`, `false` and
 * `null` are empty, numbers are decimal in their shortest form, with an exponent as in `1.0E+25`.
 */
export function textOf(value: JsonScalar): string {
  if (typeof value === 'string') return value;
  if (value === null || value === false) return '';
  if (value === true) return '1';
  const text = String(value);
  const exponent = /^(-?\d+)(\.\d+)?e([+-]\d+)$/.exec(text);
  return exponent === null ? text : `${exponent[1]}${exponent[2] ?? '.0'}E${exponent[3]}`;
}

/** Returns the name of a value's type as errors give it. */
export const typeName = (value: Json | undefined): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
};

/** The most characters of a string that a message shows. */
const LONGEST = 200;

/**
 * Returns the beginning of a string, for a message. A cut string ends with `…`: there, masking also recognises the
 * beginnings of secrets.
 */
export const shortened = (text: string, longest = LONGEST): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** Returns whether a string is one line that begins with several words and has no usual column separator. */
export const isSentence = (text: string): boolean => /^\s*[^\s,;|"]+ [^\s,;|"][^;|"\n]*\s*$/.test(text);

/**
 * Returns whether response data is blank (docs/language/README.md#blank): a missing value, `null`, `false`, 0, `""`,
 * `"0"` or `[]`. An empty object is not blank.
 */
export const isBlankData = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === 0n ||
  value === '' ||
  value === '0' ||
  (Array.isArray(value) && value.length === 0);

/**
 * Returns whether a configuration value is blank (docs/language/README.md#blank): as response data, or the empty
 * object. It means "use the default".
 */
export const isBlank = (value: Json | undefined): boolean =>
  isBlankData(value) || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Strings that are numbers. {@link isCount} and {@link isIndex} refuse white space around them. */

const COUNT = /^\d+$/;
const INDEX = /^(?:0|[1-9]\d*)$/;
const INDEX_FROM_END = /^-[1-9]\d*$/;
const INTEGER = /^\s*[+-]?\d+\s*$/;
const DECIMAL = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;
const NUMERIC = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Returns whether a string has digits only, with leading zeros allowed: `007`. */
export const isCount = (text: string): boolean => COUNT.test(text);

/** Returns whether a string is an array index as JavaScript spells it: `0` or `12`, not `012`. */
export const isIndex = (text: string): boolean => INDEX.test(text);

/** Returns whether a string is an array index, or one that counts from the end: `-1` is the last element. */
export const isPathIndex = (text: string): boolean => isIndex(text) || INDEX_FROM_END.test(text);

/** Returns whether a string is an integer with an optional sign: `-7`. */
export const isInteger = (text: string): boolean => INTEGER.test(text);

/**
 * Returns whether a string is a number without an exponent, with digits on both sides of a point: `-7.50`. Readers of
 * times must not accept `1e3`.
 */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** Returns whether a string is a number as people and programs write it: `-7.`, `.5` and `1e3`, too. */
export const isNumeric = (text: string): boolean => NUMERIC.test(text);
