import { hash } from 'node:crypto';
import { FatalError } from '../../errors';
import { parseTime } from '../../expressions/dates/relative-time';
import { stringifyJson } from '../../json/stringify';
import { isScalar, textOf, typeName } from '../../json/text';
import type { Json } from '../../model';
import { BAD_MAPPING, type ColumnEntry } from './entry';
import { exactValueAtPath, valueAtPath } from './path';
import { contentText } from '../automatic/row-id';

const DIGEST_DIGITS = 32;

/** What a cell needs to know beside the item. */
export interface CellContext {
  /** The dataType, which errors name. */
  readonly dataType: string;
  /** Unix seconds: what relative dates are relative to. */
  readonly baseSeconds: number;
}

/**
 * The cell of a `column` or `date` entry (docs/language/mappings.md#types-of-entries).
 *
 * @throws FatalError `API_SHAPE` for an array or an object without `forceType`
 */
export function cellText(item: Json, entry: ColumnEntry, { dataType, baseSeconds }: CellContext): string {
  const value = valueAtPath(item, entry.path);
  if (value === undefined) return '';
  if (entry.date && typeof value === 'string') return String(parseTime(value, baseSeconds) ?? value);
  const exact = exactValueAtPath(item, entry.path);
  if (isScalar(exact)) return textOf(exact);
  if (entry.forceType) return stringifyJson(value);
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
export function requireScalarKey(item: Json, entry: ColumnEntry, { dataType }: CellContext): void {
  const value = valueAtPath(item, entry.path);
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
