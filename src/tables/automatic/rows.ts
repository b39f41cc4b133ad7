/** The rows of linked tables from the bytes of items (docs/language/tables.md): most values are copied, and never parsed. */
import { hash } from 'node:crypto';
import { losesDigits, withAllDigits } from '../../core/json/literals';
import { parseList } from '../../core/json/parse';
import { textOf } from '../../core/json/scalars';
import { stringifyJson, stringifyValue } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { endOfNested, endOfScalar } from '../linked/bytes';
import type { ItemsOfPage } from '../table';
import type { SpoolMark } from '../spool';
import type { Field, ListField, ObjectPlan, TablePlan } from './table-plan';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LINE_END = 0x0a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const FALSE = 0x66;
const NULL = 0x6e;
const TRUE = 0x74;
const OPEN_OBJECT = 0x7b;

/** The number of characters below which a number has no more digits than JavaScript keeps. */
const MANY_DIGITS = 16;

/**
 * Returns the JSON text of a value without one: equal values have equal texts. Items have the text of the API, where only values with equal
 * spelling are equal.
 */
export function contentText(value: Json): string {
  try {
    if (!losesDigits(value)) return JSON.stringify(value);
  } catch {
    // Only an integer beyond 2^53 gets here.
  }
  return stringifyValue(value);
}

/** A page as lines, from which its rows are made again when the structure has grown. */
export interface PageOfLines extends ItemsOfPage {
  /** Its items, one a line, without white space between tokens. */
  readonly lines: Buffer;
  /** True if `JSON.parse` can read the lines without loss. */
  readonly isPlain: boolean;
}

/** Thrown at a value for which the structure may have to grow. */
const GROWS = new Error('The structure grows.');

/**
 * Makes the rows of one dataType, by plans that fit all its items (docs/language/tables.md#columns). It runs for every cell, so it
 * allocates little.
 */
export class RowWriter {
  readonly #items: TablePlan;
  #page = 0;
  #isPlain = false;
  #tablesCreated = 0;
  #objects = 0;
  /** True while any value fits, since the structure has grown by the items. */
  #isMerged = true;
  /** True if the string whose end was found last has escapes. */
  #isEscaped = false;

  /**
   * @param tables the table of the items first
   * @param uniqueIn the id of the run; equal rows then have different ids. Absent: they have the same
   */
  constructor(
    readonly tables: readonly [TablePlan, ...TablePlan[]],
    private readonly uniqueIn?: string,
  ) {
    this.#items = tables[0];
  }

  /**
   * Appends the rows of one page.
   *
   * @param page the number of the page in the run
   */
  write({ lines, isPlain, extra }: PageOfLines, page: number): void {
    this.#page = page;
    this.#isPlain = isPlain;
    this.#tablesCreated = 0;
    this.#items.extra = this.#items.extraNames.map((name) => extra.get(name) ?? '');
    for (let [at, item] = [0, 0]; at < lines.length; item += 1) {
      if (this.uniqueIn !== undefined) this.#items.place = `${this.uniqueIn}:${page}:${item}`;
      at = this.#row(this.#items, lines, at);
      if (lines[at] === LINE_END) at += 1;
    }
  }

  /**
   * Does the same where all items of the page fit the structure as it is.
   *
   * @returns false if the structure may have to grow by one of them: then there are no rows of the page
   */
  writeIfFits(page: PageOfLines, number: number): boolean {
    const marks = this.tables.map(({ lines }) => lines.mark());
    this.#isMerged = false;
    try {
      this.write(page, number);
      return true;
    } catch (error) {
      if (error !== GROWS) throw error;
      this.tables.forEach((table, at) => {
        table.lines.backTo(marks[at] as SpoolMark);
        if (table.created?.page === number) table.created = undefined;
      });
      return false;
    } finally {
      this.#isMerged = true;
    }
  }

  /** @returns the end of the value */
  #row(table: TablePlan, lines: Buffer, from: number): number {
    table.created ??= { page: this.#page, order: this.#tablesCreated++ };
    const { row, object, dataColumns, extra } = table;
    const byte = lines[from];
    const isObject = byte === OPEN_OBJECT;
    const isScalar = !isObject && byte !== OPEN_LIST;
    if (byte !== NULL && !(object === undefined ? isScalar && dataColumns === 1 : isObject)) this.#mayGrow();
    let end: number;
    if (object !== undefined && isObject) end = this.#fill(object, lines, from);
    else {
      end = this.#endOf(lines, from);
      if (object !== undefined) clear(object);
      else if (dataColumns === 1) this.#cell(table, 0, lines, from, end);
    }
    for (let at = 0; at < extra.length; at += 1) row.text(dataColumns + at, extra[at] as string);
    for (const { from, to } of table.moves) row.move(from, to);
    table.lines.appendRow(row);
    return end;
  }

  /** @returns the end of the object */
  #fill(object: ObjectPlan, lines: Buffer, from: number): number {
    const number = (this.#objects += 1);
    let at = from + 1;
    for (let place = 0; lines[at] === QUOTE; place += 1) {
      const { of: field, bytes } = object.keys.at(lines, at, place);
      at += bytes.length;
      const end = this.#endOf(lines, at);
      if (field === undefined) this.#mayGrow();
      else {
        // The last of several values of a key counts.
        field.metIn = number;
        field.from = at;
        field.end = end;
        field.isEscaped = this.#isEscaped;
      }
      at = lines[end] === COMMA ? end + 1 : end;
    }
    object.from = from;
    object.end = at + 1;
    object.id = '';
    for (const field of object.fields) this.#field(object, field, field.metIn === number ? lines : undefined);
    return at + 1;
  }

  /** @param lines absent: the object has no such key */
  #field(object: ObjectPlan, field: Field, lines: Buffer | undefined): void {
    const { from, end, column } = field;
    const { row } = object.table;
    const byte = lines === undefined ? NULL : lines[from];
    if (field.kind === 'object') {
      if (byte !== NULL && byte !== OPEN_OBJECT) this.#mayGrow();
      if (lines === undefined || byte !== OPEN_OBJECT) clear(field.object);
      else this.#fill(field.object, lines, from);
    } else if (lines === undefined || byte === NULL) row.text(column, '');
    else if (field.kind === 'list') row.text(column, this.#list(object, field, lines));
    else {
      if (byte === OPEN_OBJECT || byte === OPEN_LIST || field.node.kind === 'null') this.#mayGrow();
      this.#isEscaped = field.isEscaped;
      this.#cell(object.table, column, lines, from, end);
    }
  }

  /** Makes the rows of an array, or of a single value in its place; returns the id that links them, or nothing if there are none. */
  #list(object: ObjectPlan, { table, from, end }: ListField, lines: Buffer): string {
    const isList = lines[from] === OPEN_LIST;
    if (lines[from] === OPEN_OBJECT && table.object === undefined) this.#mayGrow();
    if (end === from + 2 && (isList || lines[from] === OPEN_OBJECT)) return '';
    const id = this.#idOf(object, lines);
    table.extra = [id];
    if (!isList) {
      table.place = '';
      this.#row(table, lines, from);
      return id;
    }
    for (let [at, position] = [from + 1, 0]; lines[at] !== CLOSE_LIST; position += 1) {
      if (this.uniqueIn !== undefined) table.place = String(position);
      at = this.#row(table, lines, at);
      if (lines[at] === COMMA) at += 1;
    }
    return id;
  }

  /** Notes where a cell is in the lines, if it is there as it is written. */
  #cell({ row }: TablePlan, column: number, lines: Buffer, from: number, end: number): void {
    const byte = lines[from];
    if (byte === QUOTE && !this.#isEscaped) row.span(column, lines, from + 1, end - 1);
    else if (byte === NULL || byte === FALSE) row.text(column, '');
    else if (byte === TRUE) row.text(column, '1');
    else if (isPrintedSo(lines, from, end) && (this.#isPlain || end - from < MANY_DIGITS))
      row.span(column, lines, from, end);
    else row.text(column, cellOf(lines.toString('utf8', from, end)));
  }

  /**
   * Returns the id of the object whose row is in progress: its path and 32 hexadecimal digits, the same in every run. They come from its JSON
   * text, and from what distinguishes equal objects: the id of the enclosing object, or the extra columns of the row.
   */
  #idOf(object: ObjectPlan, lines: Buffer): string {
    if (object.id !== '') return object.id;
    const { path, enclosing, table } = object;
    const content = lines.subarray(object.from, object.end);
    const around = enclosing === undefined ? aroundRow(table) : this.#idOf(enclosing, lines);
    // An item has the text of the API.
    const text = enclosing === undefined && table === this.#items ? content : contentText(valueOf(content.toString()));
    // Unlike the result of a template, that of join is one piece in memory: it is read character by character for each row below.
    object.id = [path, hash('sha256', around === '' ? text : `${text.toString()}\n${around}`).slice(0, 32)].join('_');
    return object.id;
  }

  #mayGrow(): void {
    if (!this.#isMerged) throw GROWS;
  }

  /** Returns the end of a value, and notes whether a string has escapes. */
  #endOf(lines: Buffer, from: number): number {
    const byte = lines[from];
    this.#isEscaped = false;
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) return endOfNested(lines, from);
    if (byte !== QUOTE) return endOfScalar(lines, from);
    for (let at = from + 1; ; at += 1) {
      const next = lines[at];
      if (next === QUOTE) return at + 1;
      if (next !== BACKSLASH) continue;
      this.#isEscaped = true;
      at += 1;
    }
  }
}

/** Returns whether JavaScript prints a number as it is written, if it keeps its digits. */
function isPrintedSo(lines: Buffer, from: number, end: number): boolean {
  const start = lines[from] === MINUS ? from + 1 : from;
  let hasPoint = false;
  for (let at = start; at < end; at += 1) {
    const byte = lines[at] as number;
    if (byte === POINT) hasPoint = true;
    else if (byte < ZERO || byte > NINE) return false;
  }
  // Small fractions are printed with an exponent.
  if (hasPoint) return lines[end - 1] !== ZERO && !(lines[start] === ZERO && lines[start + 2] === ZERO);
  return lines[start] !== ZERO || start === from;
}

/** Empties the cells of an object that is null, or not there. */
function clear({ table, columns }: ObjectPlan): void {
  for (let at = columns[0]; at < columns[1]; at += 1) table.row.text(at, '');
}

/** Returns the cell of a value from its JSON text. */
function cellOf(text: string): string {
  const value = valueOf(text);
  return typeof value === 'object' && value !== null ? stringifyJson(value) : textOf(value);
}

const valueOf = (text: string): Json => withAllDigits(parseList([text]))[0] ?? null;

const aroundRow = ({ extra, place }: TablePlan): string =>
  (extra.length === 0 ? '' : JSON.stringify(extra)) + (place === '' ? '' : `\n${place}`);
