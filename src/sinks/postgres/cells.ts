import { FatalError } from '../../core/errors/errors';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import type { ColumnType } from '../../tables/schema/column-type';

/** NULL in the text format of COPY: nothing in a cell looks like it. */
const NULL = '\\N';
const NEEDS_ESCAPE = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** The escape of U+0000 in JSON text. */
const NUL_ESCAPE = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/** A cell that PostgreSQL has no way to hold. */
export class UnstorableError extends Error {}

/**
 * A line of COPY in text format.
 *
 * @param cells the cells by index of the column; `undefined` stands for null
 * @param literals how numbers among them are spelled, where that is not what their value says
 * @throws UnstorableError for a string with U+0000 or with half a surrogate pair, which PostgreSQL does not store
 * @example copyLine(['a\tb', undefined], ['text', 'text']) // 'a\\tb\t\\N\n'
 */
export function copyLine(
  cells: readonly (Json | undefined)[],
  types: readonly ColumnType[],
  literals: readonly (string | undefined)[] = [],
): string {
  let line = '';
  for (let at = 0; at < types.length; at += 1) {
    const value = cells[at];
    if (at > 0) line += '\t';
    line +=
      value === null || value === undefined ? NULL : escaped(cellText(value, types[at] as ColumnType, literals[at]));
  }
  return `${line}\n`;
}

function cellText(value: Json, type: ColumnType, literal: string | undefined): string {
  // A column of integers takes no 1.0.
  if (literal !== undefined && type !== 'integer' && type !== 'bigint') return literal;
  if (type === 'json') {
    const json = stringifyJson(value);
    if (NUL_ESCAPE.test(json)) refuse('the character U+0000');
    return json;
  }
  if (typeof value === 'string') {
    if (value.includes('\0')) refuse('the character U+0000');
    if (!value.isWellFormed()) refuse('half of a UTF-16 surrogate pair');
    return value;
  }
  return typeof value === 'object' ? stringifyJson(value) : String(value);
}

const escaped = (text: string): string =>
  NEEDS_ESCAPE.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] as string) : text;

function refuse(what: string): never {
  throw new UnstorableError(`a string has ${what}, which PostgreSQL cannot store`);
}

/** The error for a row with such a cell. */
export const unstorable = (name: string, table: string, row: number, cause: UnstorableError): FatalError => {
  const remedy =
    'The rows of earlier runs are as they were. Leave the field out with a response filter or a mapping, and run again.';
  const place = `table ${JSON.stringify(table)}, row ${row} of the run`;
  const message = `The destination ${name} took no more: ${place}: ${cause.message}. ${remedy}`;
  return new FatalError('COLUMN_TYPE', message, { cause, table });
};
