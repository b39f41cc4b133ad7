import type { Json, JsonScalar } from '../model';

/** Whether the value is a string, a number, a boolean or `null`. */
export const isScalar = (value: Json | undefined): value is JsonScalar =>
  value !== undefined && (value === null || typeof value !== 'object');

/**
 * The string of a scalar (docs/language/README.md#booleans-strings-and-numbers): `true` is `1`, `false` and `null` are
 * empty, numbers are decimal in their shortest form, with an exponent as in `1.0E+25`.
 */
export function textOf(value: JsonScalar): string {
  if (typeof value === 'string') return value;
  if (value === null || value === false) return '';
  if (value === true) return '1';
  const text = String(value);
  const exponent = /^(-?\d+)(\.\d+)?e([+-]\d+)$/.exec(text);
  return exponent === null ? text : `${exponent[1]}${exponent[2] ?? '.0'}E${exponent[3]}`;
}

/** The name of a value's type as errors give it. */
export const typeName = (value: Json | undefined): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' ? 'number' : typeof value;
};

/** A message shows at most this many characters of a string. */
const LONGEST = 200;

/**
 * The beginning of a string, for a message. What it was cut from ends with `…`: there, masking knows of the beginnings of
 * secrets, too.
 */
export const shortened = (text: string, longest = LONGEST): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** This function tells whether a string is one line that begins with several words, without what mostly separates columns. */
export const isSentence = (text: string): boolean => /^\s*[^\s,;|"]+ [^\s,;|"][^;|"\n]*\s*$/.test(text);

/**
 * Blank response data (docs/language/README.md#blank): a missing value, `null`, `false`, 0, `""`, `"0"`, `[]`; an empty
 * object is not blank.
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
 * Blank configuration values (docs/language/README.md#blank): as response data, and the empty object; they mean "use
 * the default".
 */
export const isBlank = (value: Json | undefined): boolean =>
  isBlankData(value) || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Which strings are numbers. White space around them counts only for {@link isCount} and {@link isIndex}, which refuse it. */

const COUNT = /^\d+$/;
const INDEX = /^(?:0|[1-9]\d*)$/;
const INDEX_FROM_END = /^-[1-9]\d*$/;
const INTEGER = /^\s*[+-]?\d+\s*$/;
const DECIMAL = /^\s*[+-]?\d+(?:\.\d+)?\s*$/;
const NUMERIC = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Digits and nothing else, leading zeros among them: `007`. */
export const isCount = (text: string): boolean => COUNT.test(text);

/** The index of an array as JavaScript spells it: `0` or `12`, not `012`. */
export const isIndex = (text: string): boolean => INDEX.test(text);

/** The index of an array, or one that counts from its end, as `-1` does for the last element. */
export const isPathIndex = (text: string): boolean => isIndex(text) || INDEX_FROM_END.test(text);

/** An integer, perhaps with a sign: `-7`. */
export const isInteger = (text: string): boolean => INTEGER.test(text);

/** A number without an exponent, with digits on both sides of a point: `-7.50`. What reads times must not take `1e3` for one. */
export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** A number as people and programs write it: `-7.`, `.5` and `1e3`, too. */
export const isNumeric = (text: string): boolean => NUMERIC.test(text);
