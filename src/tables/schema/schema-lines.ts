/** Learns columns from the bytes of lines: values of which only the kind counts are not parsed. */
import { skipString } from '../../core/json/skip-value';
import type { Json } from '../../core/model';
import {
  COMMA,
  FALSE,
  LINE_END,
  MINUS,
  NULL,
  OPEN_LIST,
  OPEN_OBJECT,
  PLUS,
  POINT,
  QUOTE,
  Spellings,
  TRUE,
  endOfNested,
  isDigit,
} from '../bytes';
import type { LearnedColumn } from './learned-column';
import type { TableSchema } from './schema';
import { timeTypeAt } from './time-type';

/** The maximum characters of a number, its sign included, that certainly fits 32 bits. */
const INTEGER_BYTES = 9;
/** A value that stands for any array or object. */
const NESTED: Json = [];

/** The values of one column, which several spellings of its key can lead to. */
interface Values {
  readonly column: LearnedColumn;
  /** The number of the line of the last value, and whether it was null. */
  line: number;
  wasNull: boolean;
}

/**
 * Learns from lines of JSON, each with its LF, without white space between tokens, as `schema.see` learns from their items; for lines that
 * `JSON.parse` reads without loss.
 *
 * @example
 * new LineLearner(schema).learn(Buffer.from('{"id":1}\n'));
 * schema.columns(); // [{ name: 'id', type: 'integer' }]
 */
export class LineLearner {
  readonly #spellings = new Spellings((key) => this.#valuesOf(this.schema.columnFor(key)));
  readonly #values = new Map<LearnedColumn, Values>();
  #line = 0;
  #shapes = false;

  constructor(private readonly schema: TableSchema) {}

  /** @returns whether there are items that are no objects, or objects that have a key twice, which some JSON readers misread */
  learn(lines: Buffer): boolean {
    this.#shapes = false;
    for (let at = 0; at < lines.length;)
      at = lines[at] === OPEN_OBJECT ? this.#object(lines, at) : this.#other(lines, at);
    return this.#shapes;
  }

  /** @returns the start of the next line */
  #object(lines: Buffer, from: number): number {
    this.#line += 1;
    let at = from + 1;
    for (let place = 0; lines[at] === QUOTE; place += 1) {
      const { bytes, of: values } = this.#spellings.at(lines, at, place);
      at += bytes.length;
      this.#begin(values, lines[at] === NULL);
      at = this.#value(lines, at, values.column);
      if (lines[at] === COMMA) at += 1;
    }
    return at + 2;
  }

  /** Reads an item that is no object. */
  #other(lines: Buffer, from: number): number {
    const found = lines.indexOf(LINE_END, from);
    const end = found < 0 ? lines.length : found;
    this.schema.columnFor('value').see(JSON.parse(lines.toString('utf8', from, end)) as Json);
    this.#shapes = true;
    return end + 1;
  }

  #valuesOf(column: LearnedColumn): Values {
    const values = this.#values.get(column) ?? { column, line: 0, wasNull: true };
    this.#values.set(column, values);
    return values;
  }

  /** Starts a value; the last one of equal keys counts. */
  #begin(values: Values, isNull: boolean): void {
    if (values.line === this.#line) {
      this.#shapes = true;
      if (!values.wasNull) values.column.filled -= 1;
    }
    values.line = this.#line;
    values.wasNull = isNull;
  }

  /** @returns the end of the value */
  #value(lines: Buffer, at: number, column: LearnedColumn): number {
    const byte = lines[at];
    if (byte !== OPEN_OBJECT && byte !== OPEN_LIST) return seeScalar(lines, at, column);
    if (column.type === 'json') column.filled += 1;
    else column.see(NESTED);
    return endOfNested(lines, at);
  }
}

/**
 * Adds a value to its column that is neither array nor object.
 *
 * @param at the first byte of the value
 * @returns its end
 */
export function seeScalar(lines: Buffer, at: number, column: LearnedColumn): number {
  const byte = lines[at];
  if (byte === QUOTE) return seeText(lines, at, column);
  if (byte === NULL) return at + 4;
  if (byte !== TRUE && byte !== FALSE) return seeNumber(lines, at, column);
  if (column.type === 'boolean') column.filled += 1;
  else column.see(byte === TRUE);
  return at + (byte === TRUE ? 4 : 5);
}

/** Adds a string; a time with escapes counts as text. */
function seeText(lines: Buffer, at: number, column: LearnedColumn): number {
  const end = skipString(lines, at);
  if (column.type === 'text') column.filled += 1;
  else if (column.seeText(timeTypeAt(lines, at + 1, end - 1) ?? 'text')) column.cause = lines.toString('utf8', at, end);
  return end;
}

function seeNumber(lines: Buffer, at: number, column: LearnedColumn): number {
  const from = lines[at] === MINUS ? at + 1 : at;
  const point = pastDigits(lines, from);
  let end = lines[point] === POINT ? pastDigits(lines, point + 1) : point;
  const isInteger = end === point && !isExponent(lines[end]);
  const fits =
    column.type === 'integer'
      ? isInteger && end - at <= INTEGER_BYTES
      : column.type === 'double' && !isExponent(lines[end]) && hasPlaces(column, point - from, end - point - 1);
  if (fits) {
    column.filled += 1;
    return end;
  }
  // Counts the written digits, zeros included: otherwise each number with two decimals would need a closer look.
  column.whole = Math.max(column.whole, point - from);
  column.fraction = Math.max(column.fraction, end - point - 1);
  while (isPartOfNumber(lines[end])) end += 1;
  column.see(Number(lines.toString('latin1', at, end)));
  return end;
}

/** Returns whether a double is known to be no wider than earlier ones. */
const hasPlaces = (column: LearnedColumn, whole: number, fraction: number): boolean =>
  !column.beyond && whole <= column.whole && fraction <= column.fraction;

function pastDigits(lines: Buffer, from: number): number {
  let end = from;
  while (isDigit(lines[end])) end += 1;
  return end;
}

const isExponent = (byte: number | undefined): boolean => byte === 0x65 || byte === 0x45;
const isPartOfNumber = (byte: number | undefined): boolean =>
  isDigit(byte) || isExponent(byte) || byte === POINT || byte === MINUS || byte === PLUS;
