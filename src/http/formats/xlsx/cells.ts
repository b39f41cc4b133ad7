import { numberOf } from '../../../core/json/decimal';
import { Unreadable } from '../../../language/parts/errors';
import { isoOf } from './workbook';
import { readElements, StringCollector, unescaped } from './parts';
import type { ChosenSheet, Workbook } from './workbook';

/** The value of a cell, with its spelling if it is a number. */
export interface Cell {
  readonly value: string | number | bigint | boolean;
  readonly literal?: string;
}

/** Cells with values by their column, from 0. */
export type Row = ReadonlyMap<number, Cell>;

/** A cell that is still being read. */
interface OpenCell {
  readonly place: string;
  readonly column: number;
  readonly type: string;
  readonly style: number;
  hasFormula: boolean;
  /** The text of its value; absent if it has no value element. */
  value?: string;
}

/**
 * Returns the rows of a sheet that have values, in their order.
 *
 * @param skipRows the number of rows to skip at the top
 * @throws Unreadable with the faulty cell
 */
export function rowsOf({ xml, path, workbook }: ChosenSheet, skipRows: number): readonly Row[] {
  if (!/<(?:\w+:)?sheetData[\s/>]/.test(xml))
    throw new Unreadable(`its part ${JSON.stringify(path)} has no rows of a sheet (sheetData)`);
  const rows: Row[] = [];
  const inline = new StringCollector();
  let isInside = false;
  let row = new Map<number, Cell>();
  let number = 0;
  let column = -1;
  let cell: OpenCell | undefined;
  let isValue = false;
  readElements(xml, path, {
    open: (name, attributes) => {
      if (name === 'sheetData') isInside = true;
      else if (cell !== undefined) {
        if (name === 'f') cell.hasFormula = true;
        else if (name === 'v') {
          isValue = true;
          cell.value = '';
        } else inline.open(name);
      } else if (isInside && name === 'row') {
        number = following(attributes['r'], number);
        row = new Map();
        column = -1;
      } else if (isInside && name === 'c') {
        cell = openCell(attributes, column, number);
        column = cell.column;
        inline.begin();
      }
    },
    text: (text) => {
      if (isValue && cell !== undefined) cell.value = (cell.value ?? '') + text;
      else inline.add(text);
    },
    close: (name) => {
      if (name === 'sheetData') isInside = false;
      else if (name === 'v') isValue = false;
      else if (name === 'c' && cell !== undefined) {
        const read = number > skipRows ? valueOf(cell, inline.end(), workbook) : undefined;
        if (read !== undefined) row.set(column, read);
        cell = undefined;
      } else if (cell !== undefined) inline.close(name);
      else if (isInside && name === 'row' && row.size > 0) rows.push(row);
    },
  });
  return rows;
}

/** Returns the number of a row: its own, which must be larger than the one before, or the next number. */
function following(written: string | undefined, before: number): number {
  const number = written === undefined ? before + 1 : Number(written);
  if (!Number.isInteger(number) || number <= before)
    throw new Unreadable(`after row ${before} its rows are out of order`);
  return number;
}

function openCell(
  { r: place, t: type = 'n', s: style = '0' }: Readonly<Record<string, string>>,
  before: number,
  row: number,
): OpenCell {
  const [, letters = '', digits] = /^([A-Z]{1,3})(\d+)$/.exec(place ?? '') ?? [];
  const column = place === undefined ? before + 1 : columnOf(letters);
  if (column >= MOST_COLUMNS) throw new Unreadable(`in row ${row} it has a cell beyond column XFD, the last one`);
  if (column <= before || (place !== undefined && Number(digits) !== row))
    throw new Unreadable(`in row ${row} its cells are out of order`);
  return { place: `${lettersOf(column)}${row}`, column, type, style: Number(style), hasFormula: false };
}

/** The most columns; the last one is XFD. */
const MOST_COLUMNS = 16_384;

/** Returns the index of a column, from 0: 27 for AB. */
const columnOf = (letters: string): number =>
  Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** Returns the letters of a column: AB for 27. */
export const lettersOf = (column: number): string =>
  column < 0 ? '' : lettersOf(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26));

/** A number in JSON syntax. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns the value of a cell; `undefined` for an empty one. */
function valueOf(cell: OpenCell, inline: string, workbook: Workbook): Cell | undefined {
  const { type, value, hasFormula, place } = cell;
  // Some programs omit the type of such a text.
  if (type === 'inlineStr' || (value === undefined && inline !== '')) return { value: inline };
  const isBlank = value === undefined || (value.trim() === '' && type !== 'str');
  if (hasFormula && isBlank)
    throw new Unreadable(
      `the cell ${place} has a formula without its result: whatever writes the file has to calculate it`,
    );
  if (isBlank) return undefined;
  switch (type) {
    case 'n':
      return numberIn(cell, value.trim(), workbook);
    case 's':
      return { value: sharedString(value.trim(), place, workbook) };
    case 'str':
      return { value: unescaped(value) };
    // The value is the text that is shown, such as `#N/A`; a date is in ISO 8601.
    case 'e':
    case 'd':
      return { value: value.trim() };
    case 'b':
      if (/^(?:[01]|true|false)$/.test(value.trim())) return { value: /^(?:1|true)$/.test(value.trim()) };
      throw damaged(place);
    default:
      throw damaged(place);
  }
}

const damaged = (place: string): Unreadable => new Unreadable(`the cell ${place} has a value that is none of its type`);

function sharedString(index: string, place: string, { strings }: Workbook): string {
  const found = /^\d+$/.test(index) ? strings[Number(index)] : undefined;
  if (found === undefined) throw damaged(place);
  return found;
}

/** Returns a number as written, or the date that its style shows. */
function numberIn({ style, place }: OpenCell, literal: string, { styles, is1904 }: Workbook): Cell {
  if (!NUMBER.test(literal)) throw damaged(place);
  if (styles !== undefined && style !== 0 && !(style < styles.length))
    throw new Unreadable(`the cell ${place} has a style that the file has not`);
  const kind = styles?.[style];
  const date = kind === undefined ? undefined : isoOf(Number(literal), kind, is1904);
  return date === undefined ? { value: numberOf(literal), literal } : { value: date };
}
