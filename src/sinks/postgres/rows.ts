import type { Client } from 'pg';
import { FatalError } from '../../core/errors/errors';
import { literalAt, lostDigitsAt, memberAt } from '../../core/json/literals';
import { stringifyAt, stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { optionalPackage } from '../../core/optional-package';
import { fitted, misfit } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { MetColumns } from '../../tables/schema/schema';
import type { PageOfItems } from '../journal/journal';
import { rowsOf } from '../stores/cells';
import type { CellColumns } from '../stores/cells';
import { isForeign } from './table';
import type { TableColumn, TableLayout } from './table';

/** The names of a destination and of a table of it, for users. */
interface CopiedInto {
  readonly name: string;
  readonly table: string;
}

/** The columns of a table that a run fills, and their values. */
export interface CopyWriter {
  /** The filled columns, in the order of the cells. */
  readonly filled: readonly TableColumn[];
  /**
   * Returns the rows of a page as lines of COPY.
   *
   * @param before the number of rows of the run before them
   */
  readonly lines: (page: PageOfItems, before: number) => string;
}

/**
 * Makes the writer of a table. Columns that no item has are left out, so that existing columns keep their defaults.
 *
 * @throws FatalError COLUMN_TYPE from `lines`
 */
export function copyWriter(layout: TableLayout, { keys, added }: MetColumns, place: CopiedInto): CopyWriter {
  const { columns, columnOf, columnOfExtra, keepsSpelling } = layout;
  const met = new Set<number | undefined>([...keys.map(columnOf), ...added.map(columnOfExtra)]);
  const chosen = [...columns.keys()].filter((at) => met.has(at));
  // Items may have no fields at all.
  const places = chosen.length === 0 ? [...columns.keys()] : chosen;
  const isAll = places.length === columns.length;
  const foreign = columns.map(isForeign);
  const cells: CellColumns<string> = {
    width: columns.length,
    indexOf: columnOf,
    indexOfExtra: columnOfExtra,
    empty: NULL,
    cellAt: (holder, key, at) => {
      const { name, type, isChosen } = columns[at] as TableColumn;
      const value = memberAt(holder, key) ?? null;
      if (isChosen !== true || type === 'json' || value === null)
        return copyCell(value, type, (foreign[at] === true ? lostDigitsAt : literalAt)(holder, key));
      const token = stringifyAt(holder, key);
      const fits = fitted(token, type);
      if (fits === undefined) throw misfit(place.table, name, type, token);
      return copyCell(fits.startsWith('"') ? (JSON.parse(fits) as string) : fits, type);
    },
    added: (value, isInteger, at) => copyCell(isInteger ? Number(value) : value, columns[at]?.type ?? 'text'),
  };
  return {
    filled: places.flatMap((at) => columns[at] ?? []),
    lines: (page, before) => {
      let lines = '';
      let row = before;
      try {
        for (const made of rowsOf(page, cells, keepsSpelling ? 'spelling' : undefined)) {
          lines += `${isAll ? made.join('\t') : places.map((at) => made[at]).join('\t')}\n`;
          row += 1;
        }
      } catch (error) {
        throw error instanceof UnstorableError ? unstorable(place, row + 1, error) : error;
      }
      return lines;
    },
  };
}

/** NULL in the text format of COPY: no cell can look like it. */
const NULL = '\\N';
const NEEDS_ESCAPE = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** The escape of U+0000 in JSON text. */
const NUL_ESCAPE = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/** A cell that PostgreSQL cannot store. */
class UnstorableError extends Error {}

/**
 * Returns a cell of a line of COPY in text format.
 *
 * @param literal the spelling of a number, if it differs from the value
 * @throws UnstorableError for a string with U+0000 or with half a surrogate pair, which PostgreSQL does not store
 * @example copyCell('a\tb', 'text') // 'a\\tb'
 */
export function copyCell(value: Json, type: ColumnType, literal?: string): string {
  if (value === null) return NULL;
  if (typeof value === 'number' && literal === undefined) return String(value);
  const text = cellText(value, type, literal);
  return NEEDS_ESCAPE.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] as string) : text;
}

function cellText(value: Json, type: ColumnType, literal: string | undefined): string {
  // An integer column does not accept 1.0.
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

function refuse(what: string): never {
  throw new UnstorableError(`a string has ${what}, which PostgreSQL cannot store`);
}

/** Returns the error for a row with such a cell. */
const unstorable = ({ name, table }: CopiedInto, row: number, cause: UnstorableError): FatalError => {
  const remedy =
    'The rows of earlier runs are as they were. Leave the field out with a response filter or a mapping, and run again.';
  const what = `table ${JSON.stringify(table)}, row ${row} of the run: ${cause.message}`;
  const message = `The destination ${name} took no more: ${what}. ${remedy}`;
  return new FatalError('COLUMN_TYPE', message, { cause, table });
};

/**
 * Loads lines of cells with COPY.
 *
 * @param target the table and its columns, in SQL
 * @example await copyInto(client, '"user" ("id")', '1\n2\n')
 */
export async function copyInto(client: Client, target: string, lines: string): Promise<void> {
  const { from } = optionalPackage('postgres://', 'pg-copy-streams');
  const stream = client.query(from(`COPY ${target} FROM STDIN`));
  await new Promise<void>((resolve, reject) => {
    stream.on('error', (error) => {
      // The rest of the lines must not be sent, since the server reads commands again.
      stream.destroy();
      reject(error);
    });
    stream.on('finish', resolve);
    stream.end(lines);
  });
}
