import type { Client } from 'pg';
import { FatalError } from '../../core/errors/errors';
import { literalAt, lostDigitsAt } from '../../core/json/literals';
import { parseList } from '../../core/json/parse';
import { skipString } from '../../core/json/skip-value';
import { stringifyAt, stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { optionalPackage } from '../../core/optional-package';
import {
  COMMA,
  FALSE,
  LINE_END,
  NULL as NULL_BYTE,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  Spellings,
  TRUE,
} from '../../tables/bytes';
import { endOfNested, endOfPlainString, endOfScalar, isCanonicalNumber } from '../../tables/bytes';
import { LineBuffer, RowOfCells } from '../../tables/csv-lines';
import { addedColumns, runColumn } from '../../tables/run-columns';
import { fitted, misfit } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { MetColumns } from '../../tables/schema/schema';
import { bytesOf } from '../journal/journal';
import type { PageOfItems } from '../journal/journal';
import { isForeign } from './table';
import type { TableColumn, TableLayout } from './table';

/** The names of a destination and of a table of it, for users. */
interface CopiedInto {
  readonly name: string;
  readonly table: string;
}

/** A column, and its cell in a line. */
interface Target {
  readonly column: TableColumn;
  /** -1: no line has it. */
  readonly cell: number;
  /** True if values have to be parsed, to see whether the type that a user chose can hold them. */
  readonly isChosen: boolean;
  readonly isJson: boolean;
}

/** Makes lines of COPY of the columns of a table that a run fills: most values are copied from the bytes of items, and never parsed. */
export class CopyWriter {
  /** The filled columns, in the order of the cells. */
  readonly filled: readonly TableColumn[];
  /** The lines so far. */
  readonly lines = new LineBuffer(undefined, TAB, false);
  readonly #layout: TableLayout;
  readonly #targets: readonly Target[];
  readonly #keys: Spellings<Target | undefined>;
  readonly #row = new RowOfCells();

  /** Columns that no item has are left out, so that existing columns keep their defaults. */
  constructor(
    layout: TableLayout,
    { keys, added }: MetColumns,
    private readonly place: CopiedInto,
  ) {
    const { columns, columnOf, columnOfExtra } = layout;
    const met = new Set<number | undefined>([...keys.map(columnOf), ...added.map(columnOfExtra)]);
    const chosen = columns.filter((_, at) => met.has(at));
    // Items may have no fields at all.
    this.filled = chosen.length === 0 ? columns : chosen;
    this.#layout = layout;
    this.#targets = columns.map((column) => {
      const isJson = column.type === 'json';
      return { column, cell: this.filled.indexOf(column), isJson, isChosen: column.isChosen === true && !isJson };
    });
    this.#keys = new Spellings((key) => this.#targets[columnOf(key) ?? -1]);
  }

  /**
   * Appends the rows of a page.
   *
   * @param before the number of rows of the run before them
   * @throws FatalError COLUMN_TYPE
   */
  add(page: PageOfItems, before: number): void {
    const bytes = bytesOf(page);
    const isPlain = page.isPlain === true;
    const added = Array.from(addedColumns(page), ([name, value]) => {
      const target = this.#targets[this.#layout.columnOfExtra(name) ?? -1];
      const isInteger = runColumn(name)?.type === 'integer';
      return [target, copyCell(isInteger ? Number(value) : value, target?.column.type ?? 'text')] as const;
    });
    for (let [at, row] = [0, before + 1]; at < bytes.length; row += 1) {
      for (let cell = 0; cell < this.filled.length; cell += 1) this.#row.text(cell, NULL);
      try {
        at = this.#item(bytes, at, isPlain);
      } catch (error) {
        throw error instanceof UnstorableError ? unstorable(this.place, row, error) : error;
      }
      for (const [target, text] of added) if (target !== undefined) this.#row.text(target.cell, text);
      this.lines.appendRow(this.#row);
      if (bytes[at] === LINE_END) at += 1;
    }
  }

  /** @returns the end of the item */
  #item(bytes: Buffer, from: number, isPlain: boolean): number {
    if (bytes[from] !== OPEN_OBJECT)
      return this.#value(this.#targets[this.#layout.columnOf(VALUE) ?? -1], bytes, from, isPlain);
    let at = from + 1;
    for (let place = 0; bytes[at] === QUOTE; place += 1) {
      const key = this.#keys.at(bytes, at, place);
      at = this.#value(key.of, bytes, at + key.bytes.length, isPlain);
      if (bytes[at] === COMMA) at += 1;
    }
    return at + 1;
  }

  /**
   * @param target `undefined`: the value is left out
   * @returns the end of the value
   */
  #value(target: Target | undefined, bytes: Buffer, from: number, isPlain: boolean): number {
    const byte = bytes[from];
    const isNested = byte === OPEN_OBJECT || byte === OPEN_LIST;
    const plainEnd = byte === QUOTE ? endOfPlainString(bytes, from) : isNested ? undefined : endOfScalar(bytes, from);
    const end = plainEnd ?? (isNested ? endOfNested(bytes, from) : skipString(bytes, from));
    if (target === undefined || target.cell < 0) return end;
    const { cell, isJson, isChosen } = target;
    const isAsWritten =
      plainEnd !== undefined &&
      !isChosen &&
      (byte === QUOTE || byte === TRUE || byte === FALSE || isCanonicalNumber(bytes, from, end, isPlain));
    if (isAsWritten && byte === QUOTE && !isJson) this.#row.span(cell, bytes, from + 1, end - 1);
    else if (isAsWritten) this.#row.span(cell, bytes, from, end);
    else this.#row.text(cell, byte === NULL_BYTE ? NULL : this.#parsed(target, bytes.toString('utf8', from, end)));
    return end;
  }

  /** Returns the cell of a value from its JSON text. */
  #parsed({ column, isChosen }: Target, text: string): string {
    const { name, type } = column;
    const values = parseList([text], this.#layout.keepsSpelling ? 'spelling' : undefined);
    if (!isChosen) return copyCell(values[0] ?? null, type, (isForeign(column) ? lostDigitsAt : literalAt)(values, 0));
    const token = stringifyAt(values, 0);
    const fits = fitted(token, type);
    if (fits === undefined) throw misfit(this.place.table, name, type, token);
    return copyCell(fits.startsWith('"') ? (JSON.parse(fits) as string) : fits, type);
  }
}

/** The column of items that are no objects. */
const VALUE = 'value';
const TAB = 0x09;

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
 * Loads lines of cells with COPY. The lines may change when it has ended.
 *
 * @param target the table and its columns, in SQL
 * @example await copyInto(client, '"user" ("id")', '1\n2\n')
 */
export async function copyInto(client: Client, target: string, lines: string | Uint8Array): Promise<void> {
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
