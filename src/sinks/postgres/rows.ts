import type { Client } from 'pg';
import { FatalError } from '../../core/errors/errors';
import { literalAt, lostDigitsAt, memberAt } from '../../core/json/literals';
import { isObject, keysOf } from '../../core/json/objects';
import { stringifyAt, stringifyJson } from '../../core/json/stringify';
import type { Item, Json } from '../../core/model';
import { optionalPackage } from '../../core/optional-package';
import { addedColumns, runColumn } from '../../tables/run-columns';
import { fitted, misfit } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { MetColumns } from '../../tables/schema/schema';
import { itemsOf } from '../journal/journal';
import type { PageOfItems } from '../journal/journal';
import { isForeign } from './table';
import type { TableColumn, TableLayout } from './table';

/** The columns of a table that a run fills, and their values. */
export interface CopyWriter {
  /** The indexes of the filled columns in the layout. */
  readonly places: readonly number[];
  /**
   * Returns the rows of a page as lines of COPY.
   *
   * @param refused makes the error for a row that PostgreSQL cannot store, by its index in the page
   */
  readonly lines: (page: PageOfItems, refused: (index: number, cause: UnstorableError) => FatalError) => string;
}

/** The column of items that are no objects. */
const VALUE = 'value';

const keysOfItem = (item: Item): readonly string[] => (isObject(item) ? keysOf(item) : [VALUE]);

/**
 * Makes the writer of a table. Columns that no item has are left out, so that existing columns keep their defaults.
 *
 * @throws FatalError COLUMN_TYPE from `lines`
 */
export function copyWriter(layout: TableLayout, { keys, added }: MetColumns, table: string): CopyWriter {
  const { columns, columnOf, columnOfExtra, keepsSpelling } = layout;
  const filled = new Set<number | undefined>([...keys.map(columnOf), ...added.map(columnOfExtra)]);
  const chosen = [...columns.keys()].filter((place) => filled.has(place));
  // Items may have no fields at all.
  const places = chosen.length === 0 ? [...columns.keys()] : chosen;
  const types = places.map((place) => columns[place]?.type ?? 'text');
  const foreign = places.map((place) => isForeign(columns[place] as TableColumn));
  const order = new Map(places.map((place, index) => [place, index]));
  const at = (place: number | undefined): number => order.get(place as number) ?? -1;
  const atKey = new Map(keys.map((key) => [key, at(columnOf(key))]));
  const atExtra = new Map(added.map((name) => [name, at(columnOfExtra(name))]));
  const isFitted = places.map((place, at) => columns[place]?.isChosen === true && types[at] !== 'json');
  const fit = (token: string, cell: number): string => {
    const type = types[cell] ?? 'text';
    const fits = fitted(token, type);
    if (fits === undefined) throw misfit(table, columns[places[cell] ?? -1]?.name ?? '', type, token);
    return fits.startsWith('"') ? (JSON.parse(fits) as string) : fits;
  };
  const lineOf = (items: readonly Item[], index: number, values: ReadonlyMap<string, string>): string => {
    const item = items[index] as Item;
    const cells = new Array<Json | undefined>(places.length);
    const literals = new Array<string | undefined>(places.length);
    for (const key of keysOfItem(item)) {
      const [holder, place] = isObject(item) ? [item, key] : [items, index];
      const cell = atKey.get(key) as number;
      // A column that waits for a value.
      if (cell < 0) continue;
      if (isFitted[cell] === true && memberAt(holder, place) !== null) {
        cells[cell] = fit(stringifyAt(holder, place), cell);
        continue;
      }
      cells[cell] = memberAt(holder, place);
      literals[cell] = (foreign[cell] === true ? lostDigitsAt : literalAt)(holder, place);
    }
    for (const [name, value] of values)
      cells[atExtra.get(name) as number] = runColumn(name)?.type === 'integer' ? Number(value) : value;
    return copyLine(cells, types, literals);
  };
  return {
    places,
    lines: (page, refused) => {
      const values = addedColumns(page);
      return itemsOf(page, keepsSpelling ? 'spelling' : undefined)
        .map((_, index, items) => {
          try {
            return lineOf(items, index, values);
          } catch (error) {
            throw error instanceof UnstorableError ? refused(index, error) : error;
          }
        })
        .join('');
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
 * Returns a line of COPY in text format.
 *
 * @param cells the cells by index of the column; `undefined` stands for null
 * @param literals the spelling of numbers among them, if it differs from the value
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

const escaped = (text: string): string =>
  NEEDS_ESCAPE.test(text) ? text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] as string) : text;

function refuse(what: string): never {
  throw new UnstorableError(`a string has ${what}, which PostgreSQL cannot store`);
}

/** Returns the error for a row with such a cell. */
export const unstorable = (name: string, table: string, row: number, cause: UnstorableError): FatalError => {
  const remedy =
    'The rows of earlier runs are as they were. Leave the field out with a response filter or a mapping, and run again.';
  const place = `table ${JSON.stringify(table)}, row ${row} of the run`;
  const message = `The destination ${name} took no more: ${place}: ${cause.message}. ${remedy}`;
  return new FatalError('COLUMN_TYPE', message, { cause, table });
};

/**
 * Loads lines of `copyLine` with COPY.
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
