import { Unreadable } from '../../../language/parts/errors';
import { filesIn } from '../zip';
import { ExcelParts, NO_EXCEL, StringCollector, readElements } from './parts';

/** A sheet of a workbook; its number counts only sheets with cells. */
interface Sheet {
  readonly name: string;
  readonly path: string;
}

/** The values that the cells of a sheet refer to. */
export interface Workbook {
  /** True if days are counted from 1904. */
  readonly is1904: boolean;
  readonly strings: readonly string[];
  /** The kinds of date of the styles, by the number of the style; absent if the file has no styles. */
  readonly styles?: readonly (DateKind | undefined)[];
}

/** A sheet of a file, as XML, with everything it refers to. */
export interface ChosenSheet {
  readonly xml: string;
  readonly path: string;
  readonly workbook: Workbook;
}

/** Returns whether a zip archive has the parts of an Excel file. */
export function isWorkbook(archive: Uint8Array): boolean {
  try {
    const names = filesIn(archive).map(({ name }) => name.toLowerCase());
    return names.includes('[content_types].xml') && names.some((name) => name.startsWith('xl/'));
  } catch (error) {
    if (error instanceof Unreadable) return false;
    throw error;
  }
}

/**
 * Returns the chosen sheet of an Excel file; without a choice, the only one.
 *
 * @param choice its name, or its number from 1
 * @throws Unreadable with the names of the sheets, if there is no such sheet
 */
export function sheetOf(bytes: Uint8Array, choice: string | number | undefined): ChosenSheet {
  const parts = new ExcelParts(bytes);
  const start = parts.relationships().find(({ type }) => type === 'officeDocument')?.path;
  if (start === undefined) throw new Unreadable(NO_EXCEL);
  if (!start.toLowerCase().endsWith('.xml')) throw new Unreadable('it is a binary Excel file (.xlsb), or none');
  const related = parts.relationships(start);
  const partOf = (wanted: string): string | undefined => related.find(({ type }) => type === wanted)?.path;
  const sheets: Sheet[] = [];
  let is1904 = false;
  readElements(parts.required(start), start, {
    open: (element, attributes) => {
      if (element === 'workbookPr') is1904 = /^(?:1|true|on)$/i.test(attributes['date1904'] ?? '');
      if (element !== 'sheet') return;
      const { name = '' } = attributes;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      const part = related.find((each) => each.id === id);
      if (part === undefined) throw new Unreadable(`it has no part for the sheet ${JSON.stringify(name)}`);
      // Charts and the like have no cells.
      if (part.type === 'worksheet') sheets.push({ name, path: part.path });
    },
  });
  const { path } = chosen(sheets, choice);
  const [strings, styles] = [partOf('sharedStrings'), partOf('styles')];
  const workbook: Workbook = {
    is1904,
    strings: strings === undefined ? [] : stringsOf(parts.required(strings), strings),
    ...(styles === undefined ? {} : { styles: stylesOf(parts.required(styles), styles) }),
  };
  return { xml: parts.required(path), path, workbook };
}

function chosen(sheets: readonly Sheet[], choice: string | number | undefined): Sheet {
  const [first] = sheets;
  if (first === undefined) throw new Unreadable('it has no sheet with cells');
  const names = sheets.map(({ name }) => JSON.stringify(name)).join(', ');
  if (choice === undefined) {
    if (sheets.length === 1) return first;
    throw new Unreadable(`it has several sheets; name one in format.sheet: ${names}`);
  }
  const found = typeof choice === 'number' ? sheets[choice - 1] : sheets.find(({ name }) => name === choice);
  if (found === undefined) throw new Unreadable(`it has no sheet as format.sheet says; it has ${names}`);
  return found;
}

function stringsOf(xml: string, path: string): readonly string[] {
  const strings: string[] = [];
  const collector = new StringCollector();
  readElements(xml, path, {
    open: (name) => {
      if (name === 'si') collector.begin();
      else collector.open(name);
    },
    close: (name) => {
      if (name === 'si') strings.push(collector.end());
      else collector.close(name);
    },
    text: (text) => {
      collector.add(text);
    },
  });
  return strings;
}

function stylesOf(xml: string, path: string): readonly (DateKind | undefined)[] {
  const own = new Map<number, DateKind | undefined>();
  const numbers: number[] = [];
  let isInCells = false;
  readElements(xml, path, {
    open: (name, attributes) => {
      const number = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmt') own.set(number, dateKindOf(attributes['formatCode'] ?? ''));
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells) numbers.push(number);
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return numbers.map((number) => (own.has(number) ? own.get(number) : builtInKind(number)));
}

/** The kind of date of a number in a style: a day, a time of day, or both. */
export type DateKind = 'date' | 'time' | 'moment';

/** Formats with a number and no text; those from 27 on depend on the language of Excel. */
const BUILT_IN: readonly (readonly [from: number, to: number, kind: DateKind])[] = [
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'moment'],
  [27, 31, 'date'],
  [32, 35, 'moment'],
  [36, 36, 'date'],
  [45, 45, 'time'],
  [47, 47, 'time'],
  [50, 54, 'date'],
  [55, 56, 'moment'],
  [57, 58, 'date'],
];

const builtInKind = (number: number): DateKind | undefined =>
  BUILT_IN.find(([from, to]) => number >= from && number <= to)?.[2];

/**
 * Returns the kind of date that a format shows; `undefined` for a number, and for a duration such as `[h]:mm`.
 *
 * @example dateKindOf('yyyy"-"mm"-"dd hh:mm') // 'moment'
 */
function dateKindOf(code: string): DateKind | undefined {
  // Quoted, escaped and padding characters and exponents are not letters of the format; its first section is for
  // numbers from 0 on.
  const [bare = ''] = code.replace(/"[^"]*"|[\\_*].|E[+-]/g, '').split(';', 1);
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return undefined;
  const letters = bare.replace(/\[[^\]]*\]/g, '');
  if (/general/i.test(letters)) return undefined;
  const isTime = /[hs]|a\/p|am\/pm/i.test(letters);
  const isDate = /[ydebg]|aaa/i.test(letters.replace(/am\/pm|a\/p/gi, ''));
  if (isDate) return isTime ? 'moment' : 'date';
  if (isTime) return 'time';
  return /m/i.test(letters) ? 'date' : undefined;
}

const DAY = 86_400_000;
/** The number of days to 10000-01-01. */
const LAST_DAY = 2_958_466;
/** The day 29 February 1900, which exists in Excel alone. */
const NO_DAY = 60;

/**
 * Converts a number of days to the date that it shows, in ISO 8601, to the millisecond; returns `undefined` if it is
 * not a date.
 *
 * @param is1904 whether days are counted from 1904
 * @example isoOf(45292.5, 'moment', false) // '2024-01-01T12:00:00'
 */
export function isoOf(days: number, kind: DateKind, is1904: boolean): string | undefined {
  const milliseconds = Math.round(days * DAY);
  const day = Math.floor(milliseconds / DAY);
  if (!(milliseconds >= 0 && day < LAST_DAY)) return undefined;
  if (kind !== 'date' && day === 0) return new Date(milliseconds).toISOString().slice(11, -1).replace('.000', '');
  if (!is1904 && (day === 0 || day === NO_DAY)) return undefined;
  const first = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, day < NO_DAY ? 31 : 30);
  const at = new Date(first + milliseconds);
  if (at.getUTCFullYear() > LAST_YEAR) return undefined;
  const text = at.toISOString().slice(0, -1).replace('.000', '');
  return kind === 'date' ? text.replace('T00:00:00', '') : text;
}

const LAST_YEAR = 9999;
