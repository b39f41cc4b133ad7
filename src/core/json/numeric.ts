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
