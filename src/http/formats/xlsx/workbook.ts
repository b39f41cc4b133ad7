import { Unreadable } from '../../../language/parts/format/unreadable';
import { filesIn } from '../zip/directory';
import { dateKindOf, builtInKind } from './date-format';
import type { DateKind } from './date-format';
import { readElements } from './elements';
import { ExcelParts, NO_EXCEL } from './parts';
import { StringCollector } from './strings';

/** A sheet of a workbook, by its place among those with cells. */
interface Sheet {
  readonly name: string;
  readonly path: string;
}

/** What the cells of a sheet refer to. */
export interface Workbook {
  /** Whether days are counted from 1904. */
  readonly is1904: boolean;
  readonly strings: readonly string[];
  /** Which cells of a style are dates, by the number of the style; absent where the file has no styles. */
  readonly styles?: readonly (DateKind | undefined)[];
}

/** A sheet of a file, as XML, with all that it refers to. */
export interface ChosenSheet {
  readonly xml: string;
  readonly path: string;
  readonly workbook: Workbook;
}

/** Whether a zip archive has the parts of an Excel file. */
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
 * The sheet of an Excel file that is asked for; without a choice, the only one.
 *
 * @param choice its name, or its place from 1
 * @throws Unreadable with the names of the sheets where there is no such one
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
