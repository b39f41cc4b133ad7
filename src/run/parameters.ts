/** Parameters of an application: attributes of `config` that get their values at run time. */
import type { Fault } from '../core/errors/errors';
import { oneOf, shown } from './options';
import { didYouMean } from '../language/codec/finding';
import type { Json, JsonObject } from '../core/model';

/** The types of parameters, with the TypeScript type of their values. */
export interface ParameterTypes {
  readonly string: string;
  readonly number: number;
  readonly integer: number | bigint;
  readonly boolean: boolean;
  readonly date: Date;
}

export type ParameterType = keyof ParameterTypes;

/** A parameter with more details than its type. */
export interface ParameterDeclaration<T extends ParameterType = ParameterType> {
  readonly type: T;
  /** Its value in runs without one. */
  readonly default?: ParameterTypes[T];
  /** A value for checking the configuration before a run; default: `default`, or one of the type. */
  readonly example?: ParameterTypes[T];
  /**
   * The form of a Date in expressions: ISO 8601 in UTC (`iso`, the default), its date in UTC (`date`, `2024-06-01`), or Unix time in
   * `seconds` or `milliseconds`.
   */
  readonly format?: DateFormat;
}

export type DateFormat = 'iso' | 'date' | 'seconds' | 'milliseconds';

/** Parameters by their names: each is an attribute of `config`, which `{"attr": "name"}` reads. */
export type Parameters = Readonly<
  Record<string, ParameterType | { readonly [T in ParameterType]: ParameterDeclaration<T> }[ParameterType]>
>;

/** The value of one parameter. */
export type ParameterValue<P> = P extends ParameterType
  ? ParameterTypes[P]
  : P extends { readonly type: infer T extends ParameterType }
    ? ParameterTypes[T]
    : never;

/** The values of a run; those with a default are optional. */
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P as P[K] extends { readonly default: unknown } ? never : K]: ParameterValue<P[K]>;
} & { readonly [K in keyof P as P[K] extends { readonly default: unknown } ? K : never]?: ParameterValue<P[K]> };

/** A parameter in its normal form. */
interface Declared {
  readonly type: ParameterType;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly format: DateFormat;
}

/** Attributes, or the faults of the values. */
export type Attributes =
  { readonly ok: true; readonly attributes: JsonObject } | { readonly ok: false; readonly faults: readonly Fault[] };

const declared = (parameter: Parameters[string]): Declared =>
  typeof parameter === 'string' ? { type: parameter, format: 'iso' } : { format: 'iso', ...parameter };

const SAMPLES: ParameterTypes = { string: 'x', number: 1, integer: 1, boolean: true, date: new Date(0) };

/**
 * Refuses invalid declarations that TypeScript has not checked.
 *
 * @throws RangeError for an unknown type or format
 */
export function checkParameters(parameters: Parameters): void {
  const check = (place: string, names: readonly string[], found: unknown): void => {
    if (typeof found === 'string' && names.includes(found)) return;
    const meant = typeof found === 'string' ? didYouMean(found, names) : '';
    throw new RangeError(`${place}: expected ${oneOf(names)}, found ${shown(found)}${meant}`);
  };
  for (const [name, parameter] of Object.entries(parameters)) {
    const { type, format } = declared(parameter);
    check(`options.parameters.${name}${typeof parameter === 'string' ? '' : '.type'}`, Object.keys(SAMPLES), type);
    check(`options.parameters.${name}.format`, Object.keys(DATES), format);
  }
}

/**
 * Returns the attributes of a run.
 *
 * @example attributesOf({ since: 'date' }, { since: new Date(0) }) // { ok: true, attributes: { since: '1970-01-01T00:00:00.000Z' } }
 */
export function attributesOf(parameters: Parameters, values: Readonly<Record<string, unknown>>): Attributes {
  const names = Object.keys(parameters);
  const unknown = Object.keys(values)
    .filter((name) => !Object.hasOwn(parameters, name))
    .map((name) => fault(name, `is no parameter${didYouMean(name, names)}`));
  const inherited = names.filter((name) => isInherited(values, name)).map((name) => fault(name, INHERITED));
  const given = Object.entries(parameters).map(([name, parameter]) => {
    const { default: fallback, ...declaration } = declared(parameter);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return { name, declaration, value: value === undefined ? fallback : value };
  });
  return attributesFrom(given, [...inherited, ...unknown]);
}

const INHERITED = 'is inherited from a prototype: give it as a property of the object itself';

/** Returns whether a name is inherited by every object, such as `constructor`, and so was not passed. */
const isInherited = (values: object, name: string): boolean =>
  name in values && !Object.hasOwn(values, name) && !(name in Object.prototype);

/** Returns the attributes for checking a configuration. */
export const sampleAttributes = (parameters: Parameters): Attributes =>
  attributesFrom(
    Object.entries(parameters).map(([name, parameter]) => {
      const declaration = declared(parameter);
      return { name, declaration, value: declaration.example ?? declaration.default ?? SAMPLES[declaration.type] };
    }),
    [],
  );

/** Returns the parameters without any example value. */
export const withoutExample = (parameters: Parameters): readonly string[] =>
  Object.entries(parameters).flatMap(([name, parameter]) => {
    const { example, default: fallback } = declared(parameter);
    return example === undefined && fallback === undefined ? [name] : [];
  });

interface Given {
  readonly name: string;
  readonly declaration: Omit<Declared, 'default'>;
  readonly value: unknown;
}

function attributesFrom(given: readonly Given[], unknown: readonly Fault[]): Attributes {
  const read = given.map(({ name, declaration, value }) => ({ name, declaration, json: jsonOf(declaration, value) }));
  const wrong = read.flatMap(({ name, declaration: { type }, json }) =>
    json === undefined ? [fault(name, `expected ${EXPECTED[type]}, found ${kindOf(given, name)}`)] : [],
  );
  const faults = [...wrong, ...unknown];
  if (faults.length > 0) return { ok: false, faults };
  return {
    ok: true,
    attributes: Object.fromEntries(read.flatMap(({ name, json }) => (json === undefined ? [] : [[name, json]]))),
  };
}

const fault = (name: string, message: string): Fault => ({ path: `parameters.${name}`, message });

const EXPECTED: Readonly<Record<ParameterType, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer up to 2^53, or a bigint',
  boolean: 'true or false',
  date: 'a Date with a time',
};

/** Returns the JSON of a value; `undefined` if it has another type. */
function jsonOf({ type, format }: Pick<Declared, 'type' | 'format'>, value: unknown): Json | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    case 'integer':
      return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
        ? value
        : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'date':
      return value instanceof Date && !Number.isNaN(value.getTime()) ? DATES[format](value) : undefined;
  }
}

const DATES: Readonly<Record<DateFormat, (date: Date) => Json>> = {
  iso: (date) => date.toISOString(),
  date: (date) => date.toISOString().slice(0, 10),
  seconds: (date) => Math.floor(date.getTime() / 1000),
  milliseconds: (date) => date.getTime(),
};

/** Returns the kind of a value; the value itself may be a secret. */
function kindOf(given: readonly Given[], name: string): string {
  const value = given.find((each) => each.name === name)?.value;
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : String(value);
  return typeof value === 'object' ? classOf(value) : `a ${typeof value}`;
}

/** An own property `constructor` is data. */
function classOf(value: object): string {
  const prototype = Reflect.getPrototypeOf(value);
  const made: unknown = prototype === null ? undefined : Reflect.get(prototype, 'constructor');
  return typeof made === 'function' ? `a value of ${made.name}` : 'an object';
}
