import { isList } from '../../../core/json/keys';
import { isDecimal } from '../../../core/json/numeric';
import { isScalar, textOf, typeName } from '../../../core/json/text';
import type { Json, JsonScalar } from '../../../core/model';
import { ScriptError } from '../script-error';

/** The evaluated arguments of a call. */
export type Arguments = readonly Json[];

/** A rule of functions that take strings. */
export const SCALARS = 'A scalar is taken as a string: `true` is `1`, `false` and `null` are empty.';

const unusable = (expected: string, value: Json | undefined, at: number): ScriptError =>
  new ScriptError(`argument ${at + 1} must be ${expected}, given '${typeName(value)}'.`);

/** A scalar argument as it is. */
export function scalarAt(args: Arguments, at: number): JsonScalar {
  const value = args[at];
  if (!isScalar(value)) throw unusable('a string, a number or a boolean', value, at);
  return value;
}

/** A scalar argument as a string (docs/language/README.md#booleans-strings-and-numbers). */
export const textAt = (args: Arguments, at: number): string => textOf(scalarAt(args, at));

/** All arguments as strings. */
export const allTexts = (args: Arguments): string[] => args.map((_value, at) => textAt(args, at));

/** An array argument as strings. */
export function textsAt(args: Arguments, at: number): string[] {
  const value = args[at];
  if (!isList(value)) throw unusable('an array', value, at);
  if (!value.every(isScalar)) throw unusable('an array of strings, numbers and booleans', value, at);
  return value.map(textOf);
}

/**
 * A timestamp in whole Unix seconds; absent or `null` is `now`. `false` is 0: it is what `strtotime` gives for a string
 * that it does not understand, and a date of it is the beginning of 1970.
 */
export function timestampAt(args: Arguments, at: number, now: number): number {
  const value = args[at];
  if (value === undefined || value === null) return now;
  if (typeof value === 'string' ? isDecimal(value) : isScalar(value)) return Math.trunc(Number(value));
  throw unusable('a Unix timestamp in seconds (the function strtotime makes one of a string)', value, at);
}
