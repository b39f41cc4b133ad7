import { isList } from '../../../core/json/objects';
import { isDecimal, isScalar, textOf, typeName } from '../../../core/json/scalars';
import type { Json, JsonScalar } from '../../../core/model';
import type { ComponentManual } from '../../codec/component';
import { ScriptError } from '../../parts/errors';

/** An argument of a function, in order of position. */
export interface FunctionArgument {
  readonly name: string;
  /** One or two sentences about the argument. */
  readonly about?: string;
  /** The type of the argument, in words; default: a scalar. */
  readonly type?: string;
  /** True if it may be omitted, together with all that follow it. */
  readonly optional?: boolean;
  /** True for a last argument that may be repeated any number of times. */
  readonly repeated?: boolean;
}

/** A call and its value, at {@link EXAMPLE_NOW}. */
export interface FunctionExample {
  readonly args: readonly Json[];
  readonly result: Json;
}

/** The time of the example calls of functions: 2021-06-16 09:30:15 UTC, in Unix seconds. */
export const EXAMPLE_NOW = 1_623_835_815;

/** The parts of a function definition. */
export interface FunctionParts<N extends string> extends Omit<ComponentManual, 'example'> {
  /** The name of the function, as configurations write it. */
  readonly name: N;
  readonly arguments: readonly FunctionArgument[];
  /** The result, in words. */
  readonly result?: string;
  readonly examples?: readonly [FunctionExample, ...FunctionExample[]];
  /**
   * Returns the value for these arguments, whose number fits `arguments`.
   *
   * @param now Unix seconds, the same for a whole expression
   * @throws ScriptError for invalid arguments
   */
  readonly call: (args: Arguments, now: number) => Json;
}

/** A function of the expression language. */
export interface FunctionDefinition<N extends string = string> extends FunctionParts<N> {
  readonly kind: 'function';
}

/** The functions that expressions may call, by their names. */
export type Functions = ReadonlyMap<string, FunctionDefinition>;

/**
 * Defines a function (docs/language/functions.md). Its name is in `function`, its arguments are in `args`.
 *
 * @returns the definition, for the registry or for the option `components`
 * @example
 * defineFunction({
 *   name: 'reverse',
 *   arguments: [{ name: 'text' }],
 *   call: (args) => Array.from(textAt(args, 0)).reverse().join(''),
 * });
 */
export const defineFunction = <const N extends string>(parts: FunctionParts<N>): FunctionDefinition<N> => ({
  ...parts,
  kind: 'function',
});

/** Returns the least and the largest number of arguments of a function. */
export function argumentCounts({ arguments: taken }: FunctionDefinition): readonly [number, number] {
  const needed = taken.filter(({ optional = false }) => !optional).length;
  return [needed, taken.some(({ repeated = false }) => repeated) ? Infinity : taken.length];
}

/** The evaluated arguments of a call. */
export type Arguments = readonly Json[];

const unusable = (expected: string, value: Json | undefined, at: number): ScriptError =>
  new ScriptError(`argument ${at + 1} must be ${expected}, given '${typeName(value)}'.`);

/** Returns a scalar argument as it is. */
export function scalarAt(args: Arguments, at: number): JsonScalar {
  const value = args[at];
  if (!isScalar(value)) throw unusable('a string, a number or a boolean', value, at);
  return value;
}

/** Returns a scalar argument as a string (docs/language/README.md#booleans-strings-and-numbers). */
export const textAt = (args: Arguments, at: number): string => textOf(scalarAt(args, at));

/** Returns all arguments as strings. */
export const allTexts = (args: Arguments): string[] => args.map((_value, at) => textAt(args, at));

/** Returns an array argument as strings. */
export function textsAt(args: Arguments, at: number): string[] {
  const value = args[at];
  if (!isList(value)) throw unusable('an array', value, at);
  if (!value.every(isScalar)) throw unusable('an array of strings, numbers and booleans', value, at);
  return value.map(textOf);
}

/**
 * Returns a timestamp in whole Unix seconds; if absent or `null`, `now`. `false` is 0: `strtotime` returns it for a
 * string that it does not understand, and the date is then the beginning of 1970.
 */
export function timestampAt(args: Arguments, at: number, now: number): number {
  const value = args[at];
  if (value === undefined || value === null) return now;
  if (typeof value === 'string' ? isDecimal(value) : isScalar(value)) return Math.trunc(Number(value));
  throw unusable('a Unix timestamp in seconds (the function strtotime makes one of a string)', value, at);
}
