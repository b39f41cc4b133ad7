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
