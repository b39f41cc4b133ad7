import { hash } from 'node:crypto';
import { FatalError } from '../../core/errors/errors';
import { parseTime } from '../../language/expressions/dates/relative-time';
import { exactAt, memberAt } from '../../core/json/literals';
import { stringifyAt } from '../../core/json/stringify';
import { isScalar, textOf, typeName } from '../../core/json/text';
import type { Json, JsonScalar } from '../../core/model';
import { BAD_MAPPING, type ColumnEntry } from './entry';
import { placeAt, type Place } from './path';
import { contentText } from '../automatic/row-id';

const DIGEST_DIGITS = 32;

/** What a cell needs to know beside the item. */
export interface CellContext {
  /** The dataType, which errors name. */
  readonly dataType: string;
  /** Unix seconds: what relative dates are relative to. */
  readonly baseSeconds: number;
}

/** How cells are written; a cell of nothing is empty. */
export interface CellWriter {
  /** A string that stands in no item. */
  readonly text: (text: string) => string;
  /** A number of seconds. */
  readonly seconds: (seconds: number) => string;
  readonly scalar: (place: Place) => string;
  /** An array or an object. */
  readonly nested: (place: Place) => string;
}

/** The string of a scalar, with all digits of a number. */
export const plainText = ({ holder, key }: Place): string => textOf((exactAt(holder, key) ?? null) as JsonScalar);

/** Cells as the strings of CSV (docs/language/tables.md#columns). */
export const STRINGS: CellWriter = {
  text: (text) => text,
  seconds: String,
  scalar: plainText,
  nested: ({ holder, key }) => stringifyAt(holder, key),
};

/** Cells as JSON: numbers and booleans stay what they are, with the digits that came. */
export const JSON_VALUES: CellWriter = {
  text: (text) => JSON.stringify(text),
  seconds: String,
  scalar: ({ holder, key }) => (memberAt(holder, key) === null ? '' : stringifyAt(holder, key)),
  nested: ({ holder, key }) => stringifyAt(holder, key),
};

/**
 * The cell of a `column` or `date` entry (docs/language/mappings.md#types-of-entries).
 *
 * @throws FatalError `API_SHAPE` for an array or an object without `forceType`
 */
export function cellAt(
  item: Place,
  entry: ColumnEntry,
  write: CellWriter,
  { dataType, baseSeconds }: CellContext,
): string {
  const place = placeAt(item, entry.path);
  const value = place === undefined ? undefined : memberAt(place.holder, place.key);
  if (place === undefined || value === undefined) return '';
  if (entry.date && typeof value === 'string') {
    const seconds = parseTime(value, baseSeconds);
    return seconds === undefined ? write.text(value) : write.seconds(seconds);
  }
  if (isScalar(value)) return write.scalar(place);
  if (entry.forceType) return write.nested(place);
  throw new FatalError(
    'API_SHAPE',
    `Error saving '${dataType}' data to CSV column: Error writing '${entry.column}' column: ` +
      `the API gave a value of type ${typeName(value)} for ${entry.place}. ` +
      `Set "forceType": true there to keep it as JSON text, or map it with "type": "table".`,
    { table: dataType },
  );
}

/**
 * Refuses an array or an object as a part of a row's key, which `forceType` lets into the cell.
 *
 * @throws FatalError `API_SHAPE`
 */
export function requireScalarKey(item: Place, entry: ColumnEntry, { dataType }: CellContext): void {
  const place = placeAt(item, entry.path);
  const value = place === undefined ? undefined : memberAt(place.holder, place.key);
  if (value === undefined || isScalar(value)) return;
  throw new FatalError(
    'API_SHAPE',
    `${BAD_MAPPING}Only scalar values are allowed in primary key. ` +
      `The API gave a value of type ${typeName(value)} for ${entry.place}. Choose other columns as primary key.`,
    { table: dataType },
  );
}

/**
 * The key of a row without primary key: 32 lowercase hexadecimal digits, the same for the same content.
 *
 * @param parentKey the key of the parent row, for rows of child tables
 * @param extra parent and user columns of the job
 */
export function rowDigest(item: Json, parentKey: string | undefined, extra: ReadonlyMap<string, string>): string {
  const content = contentText([item, parentKey ?? null, ...[...extra].flat()]);
  return hash('sha256', content).slice(0, DIGEST_DIGITS);
}
