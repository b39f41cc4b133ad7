/** Values in columns whose type a person has chosen (docs/extensions/column-types.md): as they are, or not at all. */
import type { ChosenType } from '../../core/json/column-type';
import { FatalError } from '../../core/errors/errors';
import { digitsOf, fitsDouble, plainDecimal } from '../../core/json/decimal';
import { shortened } from '../../core/json/text';
import type { ChosenColumn } from '../../language/parts/output-plan';
import type { Warn } from '../../language/parts/sink';
import { isNestedType } from './column-type';
import type { ColumnType } from './column-type';
import { digitsOfType } from './decimal-type';
import { timeTypeOf } from './time-type';

/** Types of columns by the key of their values. */
export type ChosenTypes = ReadonlyMap<string, ColumnType>;

export const asColumnType = (type: ChosenType): ColumnType => (type === 'string' ? 'text' : type);

/** The types of the columns of items that are not split, by their keys. */
export const chosenFlat = (chosen: ReadonlyMap<string, ChosenColumn> | undefined): ChosenTypes =>
  new Map(Array.from(chosen ?? [], ([path, { type }]) => [path, asColumnType(type)] as const));

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d{1,4})?$/;
const RANGES: ReadonlyMap<ColumnType, number> = new Map([
  ['integer', 32],
  ['bigint', 64],
]);

/**
 * The JSON of a value in a column of a chosen type; of decimals it is a string. Strings that spell a number, a boolean or a time are
 * taken for one.
 *
 * @param token JSON, not `null`
 * @returns `undefined` where the column would hold another value
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

/** A value that its column would not hold as it is. */
export const misfit = (table: string, column: string, type: ColumnType, token: string): FatalError =>
  new FatalError(
    'COLUMN_TYPE',
    `The table ${JSON.stringify(table)} cannot be stored: its column ${JSON.stringify(column)} has the type ${type === 'text' ? 'string' : type} ` +
      `and a value that does not fit it: ${shortened(token, LONGEST)}. Nothing was stored. ` +
      'Choose a type that holds all values, or none, and run again.',
    { table },
  );

const LONGEST = 60;

/** Tells which chosen types no value has come for. */
export function warnOfUnmet(unmet: readonly ChosenColumn[], warn: Warn | undefined): void {
  for (const { place } of unmet) warn?.('FIELD_NOT_FOUND', `${place}: no item of this run has it. Correct the path.`);
}

/** A column that is there with another type, which the chosen one does not hold. */
export const otherType = (table: string, column: string, is: ColumnType, chosen: ColumnType): FatalError =>
  new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `The column ${JSON.stringify(column)} of the table ${JSON.stringify(table)} has the type ${isNestedType(is) ? is.split(' ', 1)[0] : is}, which ${chosen === 'text' ? 'string' : chosen} ` +
      'does not hold without loss. Choose a type that does, or rename the table, so that it is made anew.',
    { table },
  );
