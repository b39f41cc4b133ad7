/** How a function of the expression language is defined, and what its expression can read. */
import { isList } from '../../../core/json/objects';
import { isDecimal, isScalar, textOf, typeName } from '../../../core/json/scalars';
import type { Item, Json, JsonScalar } from '../../../core/model';
import type { ComponentManual } from '../../codec/component';
import { meantOrKnown, namesText } from '../../codec/finding';
import { ScriptError } from '../../parts/errors';

/** The contexts that expressions may refer to (docs/language/expressions.md#contexts). */
export const CONTEXTS = [
  'attr',
  'time',
  'query',
  'request',
  'response',
  'responseHeader',
  'state',
  'authorization',
  'signature',
  'consumer',
  'user',
  'placeholder',
  'partition',
  'window',
  'item',
] as const;
export type ContextName = (typeof CONTEXTS)[number];

/** The values of each context by their flattened names (docs/language/configuration.md#attributes). */
export interface Contexts extends Readonly<
  Partial<Record<Exclude<ContextName, 'item'>, ReadonlyMap<string, JsonScalar>>>
> {
  /** The item itself; its names are paths. */
  readonly item?: Item;
  /** Values that templates of Jinja have by their own names, where the place gives any (docs/language/jinja.md). */
  readonly variables?: Readonly<Record<string, Json>>;
}

/** Everything that all expressions of a configuration may use before a run. */
export interface Scope {
  /** The functions that may be called. */
  readonly functions: Functions;
  /** The values that are known already. */
  readonly known: Contexts;
  /** Texts that are secrets everywhere: the values of references (docs/language/secrets.md). */
  readonly secretTexts?: ReadonlySet<string>;
}

/** The place of an expression, and what it may refer to. */
export interface Place {
  /** The path in the configuration, for example `config.jobs[0].params`. */
  readonly path: string;
  readonly contexts: readonly ContextName[];
  /** The functions that may be called. */
  readonly functions: Functions;
  /** Contexts that are known before the run: a reference to a name that is missing here is a fault at once. */
  readonly known?: Contexts;
  /** Texts that are secrets everywhere. */
  readonly secretTexts?: ReadonlySet<string>;
  /** The names that templates of Jinja may read here beside those that they are given. */
  readonly variables?: readonly string[];
}

type Names = ReadonlyMap<string, JsonScalar>;

/** Returns the value that a reference names; `null` counts as missing (docs/language/configuration.md#attributes). */
export const valueOf = (names: Names | undefined, name: string): Exclude<JsonScalar, null> | undefined =>
  names?.get(name) ?? undefined;

/** Returns whether an attribute comes from mappings: there are many of these, and no expression means them. */
const isOfMappings = (name: string): boolean => name.startsWith('mappings.');

/** Returns why a reference has no value, and what to write instead (docs/language/expressions.md#errors). */
export function notFound(context: ContextName, name: string, names: Names | undefined): string {
  const complaint = `Error evaluating user function - ${context} '${name}' not found!`;
  const known = [...(names?.keys() ?? [])];
  if (known.includes(name)) return `${complaint} Its value is null.`;
  const inner = known.filter((other) => other.startsWith(`${name}.`));
  if (inner.length > 0) return `${complaint} It holds several values, name one of them: ${namesText(inner)}.`;
  const likely = known.filter((other) => !isOfMappings(other));
  return likely.length === 0 ? `${complaint} There are none.` : complaint + meantOrKnown(name, likely);
}

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
