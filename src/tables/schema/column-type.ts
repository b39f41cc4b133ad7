import { FatalError } from '../../core/errors/errors';
import type { ChosenType } from '../../core/json/column-type';
import { digitsOf, fitsDouble, plainDecimal } from '../../core/json/decimal';
import type { Digits } from '../../core/json/decimal';
import { shortened } from '../../core/json/scalars';
import type { Json } from '../../core/model';
import type { ChosenColumn, Warn } from '../../language/parts/sink';
import { timeTypeOf } from './time-type';

/** A type of numbers with a number of digits in total, and a number of decimals. */
export type DecimalType = `decimal(${number},${number})`;

/** The maximum digits of a decimal of a database: before the point, after it, and in total. */
export interface DecimalLimit extends Digits {
  readonly total: number;
}

/** The limit of DuckDB and Parquet, and of most databases. */
export const DECIMAL_38: DecimalLimit = { whole: 38, fraction: 38, total: 38 };

const WRITTEN = /^decimal\((\d+),(\d+)\)$/;

/**
 * @returns `undefined` if there are too many digits
 * @example decimalOf({ whole: 10, fraction: 2 }, DECIMAL_38) // 'decimal(12,2)'
 */
export function decimalOf({ whole, fraction }: Digits, limit: DecimalLimit): DecimalType | undefined {
  const total = Math.max(whole + fraction, 1);
  const isWithin = whole <= limit.whole && fraction <= limit.fraction && total <= limit.total;
  return isWithin ? `decimal(${total},${fraction})` : undefined;
}

/**
 * @returns `undefined` for a type that is no decimal type
 * @example digitsOfType('decimal(12,2)') // { whole: 10, fraction: 2 }
 */
export function digitsOfType(type: string): Digits | undefined {
  const [, total, fraction] = WRITTEN.exec(type) ?? [];
  return total === undefined ? undefined : { whole: Number(total) - Number(fraction), fraction: Number(fraction) };
}

export const isDecimal = (type: string): type is DecimalType => type.startsWith('decimal');

/** The types of columns whose values have no members, or are JSON, from the narrowest to the widest. */
export type ScalarType =
  'boolean' | 'integer' | 'bigint' | 'double' | DecimalType | 'date' | 'timestamp' | 'timestamptz' | 'json' | 'text';

/** Typed objects and lists, as a string, so that equal types are equal. */
export type NestedType = `struct ${string}` | `list ${string}`;

export type ColumnType = ScalarType | NestedType;

const SCALARS: readonly ScalarType[] = [
  ...(['boolean', 'integer', 'bigint', 'double', 'date', 'timestamp', 'timestamptz', 'json', 'text'] as const),
];

/**
 * Returns the type without members of a name; `undefined` for any other text.
 *
 * @example columnTypeNamed('decimal(12,2)') // 'decimal(12,2)'
 */
export const columnTypeNamed = (name: string): ScalarType | undefined =>
  isDecimal(name) && WRITTEN.test(name) ? name : SCALARS.find((type) => type === name);

export const isNestedType = (type: ColumnType): type is NestedType =>
  type.startsWith('struct ') || type.startsWith('list ');

/** The maximum digits of integers. */
export const WHOLE_DIGITS: ReadonlyMap<ColumnType, number> = new Map([
  ['integer', 10],
  ['bigint', 19],
]);
/** The limit where digits are not limited. */
const ANY = { whole: Infinity, fraction: Infinity, total: Infinity };

/**
 * Returns the type that holds all values of both without loss: a `bigint` may have more digits than a `double` holds, and a `double` more
 * than a decimal.
 *
 * @example wider('integer', 'double') // 'double'
 */
export const wider = (a: ColumnType, b: ColumnType): ColumnType => {
  if (a === b) return a;
  const both = [a, b];
  if (both.includes('json') || both.some(isNestedType)) return 'json';
  if (WHOLE_DIGITS.has(a) && WHOLE_DIGITS.has(b)) return 'bigint';
  if (both.includes('integer') && both.includes('double')) return 'double';
  return widerDecimal(a, b) ?? 'text';
};

function widerDecimal(a: ColumnType, b: ColumnType): DecimalType | undefined {
  const [left, right] = [a, b].map((type) => {
    const whole = WHOLE_DIGITS.get(type);
    return whole === undefined ? digitsOfType(type) : { whole, fraction: 0 };
  });
  if (left === undefined || right === undefined) return undefined;
  const whole = Math.max(left.whole, right.whole);
  return decimalOf({ whole, fraction: Math.max(left.fraction, right.fraction) }, ANY);
}

/**
 * Returns the narrowest type that holds a value; `undefined` for null, which has no type.
 *
 * @example typeOf('2024-02-29') // 'date'
 */
export function typeOf(value: Json): ColumnType | undefined {
  if (typeof value === 'string') return timeTypeOf(value) ?? 'text';
  if (typeof value === 'number') return typeOfNumber(value);
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'bigint')
    return BigInt.asIntN(64, value) === value ? 'bigint' : decimalOf(digitsOf(String(value)), ANY);
  return value === null ? undefined : 'json';
}

function typeOfNumber(value: number): ColumnType {
  if ((value | 0) === value) return 'integer';
  if (Number.isSafeInteger(value)) return 'bigint';
  return Number.isFinite(value) ? 'double' : 'text';
}

/** A field of a struct. DuckDB calls the types of objects and lists with typed members STRUCT and LIST. */
export interface Field {
  readonly name: string;
  readonly type: ColumnType;
}

/** The parts of a nested type. */
export type Nested =
  | { readonly kind: 'struct'; readonly fields: readonly Field[] }
  | { readonly kind: 'list'; readonly element: ColumnType };

/** @example structOf([{ name: 'id', type: 'integer' }]) // 'struct [["id","integer"]]' */
export const structOf = (fields: readonly Field[]): NestedType =>
  `struct ${JSON.stringify(fields.map(({ name, type }) => [name, type]))}`;

/** @example listOf('integer') // 'list integer' */
export const listOf = (element: ColumnType): NestedType => `list ${element}`;

/** @example nestedIn('list integer') // { kind: 'list', element: 'integer' } */
export function nestedIn(type: NestedType): Nested {
  if (type.startsWith('list ')) return { kind: 'list', element: type.slice('list '.length) as ColumnType };
  const fields = JSON.parse(type.slice('struct '.length)) as readonly (readonly [string, ColumnType])[];
  return { kind: 'struct', fields: fields.map(([name, inner]) => ({ name, type: inner })) };
}

/** Returns whether a type, or one within it, is wanted. */
export function hasType(type: ColumnType, isWanted: (type: ColumnType) => boolean): boolean {
  if (!isNestedType(type)) return isWanted(type);
  const nested = nestedIn(type);
  if (nested.kind === 'list') return hasType(nested.element, isWanted);
  return nested.fields.some((field) => hasType(field.type, isWanted));
}

/** Chosen types of columns by the key of their values (docs/sinks.md#types-of-columns); values are stored unchanged, or refused. */
export type ChosenTypes = ReadonlyMap<string, ColumnType>;

export const asColumnType = (type: ChosenType): ColumnType => (type === 'string' ? 'text' : type);

/** Returns the types of the columns of items that are not split, by their keys. */
export const chosenFlat = (chosen: ReadonlyMap<string, ChosenColumn> | undefined): ChosenTypes =>
  new Map(Array.from(chosen ?? [], ([path, { type }]) => [path, asColumnType(type)] as const));

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;
const RANGES: ReadonlyMap<ColumnType, number> = new Map([
  ['integer', 32],
  ['bigint', 64],
]);

/**
 * Returns the JSON of a value in a column of a chosen type; for decimals it is a string. Strings that spell a number, a boolean or a time
 * are read as one.
 *
 * @param token JSON, not `null`
 * @returns `undefined` where the column would store another value
 * @example fitted('"19.90"', 'decimal(12,2)') // '"19.9"'
 */
export function fitted(token: string, type: ColumnType): string | undefined {
  if (type === 'json') return token;
  if (token.startsWith('{') || token.startsWith('[')) return undefined;
  const isText = token.startsWith('"');
  if (type === 'text') return isText ? token : JSON.stringify(token);
  const text = isText ? String(JSON.parse(token)) : token;
  if (type === 'boolean') return text === 'true' || text === 'false' ? text : undefined;
  if (type === 'date' || type === 'timestamp' || type === 'timestamptz')
    return isText && timeTypeOf(text) === type ? token : undefined;
  return NUMBER.test(text) ? fittedNumber(text, type) : undefined;
}

function fittedNumber(literal: string, type: ColumnType): string | undefined {
  if (type === 'double') return fitsDouble(literal) ? literal : undefined;
  const { whole, fraction } = digitsOf(literal);
  const most = digitsOfType(type);
  if (most !== undefined)
    return whole <= most.whole && fraction <= most.fraction ? JSON.stringify(plainDecimal(literal)) : undefined;
  const bits = RANGES.get(type);
  if (bits === undefined || fraction > 0 || whole > 19) return undefined;
  const integer = BigInt(plainDecimal(literal));
  return BigInt.asIntN(bits, integer) === integer ? String(integer) : undefined;
}

/** Returns the error for a value that its column would not store unchanged. */
export const misfit = (table: string, column: string, type: ColumnType, token: string): FatalError =>
  new FatalError(
    'COLUMN_TYPE',
    `The table ${JSON.stringify(table)} cannot be stored: its column ${JSON.stringify(column)} has the type ${type === 'text' ? 'string' : type} ` +
      `and a value that does not fit it: ${shortened(token, LONGEST)}. Nothing was stored. ` +
      'Choose a type that holds all values, or none, and run again.',
    { table },
  );

const LONGEST = 60;

/** Warns about chosen types without any value. */
export function warnOfUnmet(unmet: readonly ChosenColumn[], warn: Warn | undefined): void {
  for (const { place } of unmet) warn?.('FIELD_NOT_FOUND', `${place}: no item of this run has it. Correct the path.`);
}

/** Returns the error for an existing column whose values the chosen type cannot hold. */
export const otherType = (table: string, column: string, is: ColumnType, chosen: ColumnType): FatalError =>
  new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `The column ${JSON.stringify(column)} of the table ${JSON.stringify(table)} has the type ${isNestedType(is) ? is.split(' ', 1)[0] : is}, which ${chosen === 'text' ? 'string' : chosen} ` +
      'does not hold without loss. Choose a type that does, or rename the table, so that it is made again.',
    { table },
  );
