import { CsvError, parse } from 'csv-parse/sync';
import type { Header } from './header';
import { beginsAsHtml } from './html';
import { Unreadable } from '../../language/parts/format/unreadable';

/** How the lines of a body are read. */
export interface CsvFormat {
  /** The one character between fields. */
  readonly delimiter: string;
  /** The one character around fields; empty: there are no quotes. */
  readonly quote: string;
  /** True: the first line has the names. An array: these are the names, and no line has them. */
  readonly header: Header;
  /** Lines above the header. */
  readonly skipLines: number;
}

/** The lines of a body as cells, and the keys of their columns. */
export interface CsvTable {
  readonly keys: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads lines. Empty ones are skipped; all others have as many fields as the first.
 *
 * @throws Unreadable with the number of the line that is at fault
 * @example readTable('id;n\n1;x\n', { delimiter: ';', quote: '"', header: true, skipLines: 0 })
 * // { keys: ['id', 'n'], rows: [['1', 'x']] }
 */
export function readTable(text: string, { delimiter, quote, header, skipLines }: CsvFormat): CsvTable {
  // A web page has lines like a table; it is none.
  if (beginsAsHtml(text)) throw new Unreadable('it is a web page');
  const mark = quote === '' ? false : quote;
  const lines = linesOf(text, { delimiter, quote: mark, escape: mark, from_line: skipLines + 1 });
  const [first, ...rest] = lines;
  if (first === undefined) return { keys: [], rows: [] };
  const names = header === true ? first : header === false ? first.map((_, at) => String(at)) : header;
  const keys = names.map((name, at) => (name === '' ? String(at) : name));
  checkNames(keys, first);
  if (header === true) checkDelimiter(first, delimiter);
  return { keys, rows: header === true ? rest : lines };
}

/** The line ends; they are named, since the parser would take the first one that it meets for that of all lines. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

interface Dialect {
  readonly delimiter: string;
  readonly quote: string | false;
  readonly escape: string | false;
  readonly from_line: number;
}

function linesOf(text: string, dialect: Dialect): readonly (readonly string[])[] {
  try {
    return parse(text, { ...dialect, record_delimiter: LINE_ENDS, skip_empty_lines: true });
  } catch (error) {
    if (error instanceof CsvError) throw new Unreadable(reasonOf(error));
    throw error;
  }
}

/** The reason in words of our own, since those of the parser quote the line. */
function reasonOf({ code, lines, record }: CsvError): string {
  const line = `line ${String(lines)}`;
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return `${line} has another number of fields (${Array.isArray(record) ? record.length : '?'}) than the first line`;
    case 'CSV_QUOTE_NOT_CLOSED':
      return `a quote is never closed (up to ${line})`;
    default:
      return `${line}: a quote stands in the middle of a field`;
  }
}

function checkNames(names: readonly string[], first: readonly string[]): void {
  if (names.length !== first.length)
    throw new Unreadable(`the lines have ${first.length} fields, but format.header has ${names.length} names`);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return;
  const remedy = 'give the names yourself: an array in format.header, and "skipLines" for the lines above the data';
  throw new Unreadable(`the header has the name ${JSON.stringify(twice)} twice; ${remedy}`);
}

/** What stands between fields in files that people make. */
const DELIMITERS = [',', ';', '\t', '|'];

/** Refuses a header of one name with another delimiter in it: all of each line would be the value of one column. */
function checkDelimiter(names: readonly string[], delimiter: string): void {
  const [only = ''] = names;
  const meant = DELIMITERS.find((other) => other !== delimiter && only.includes(other));
  if (names.length !== 1 || meant === undefined) return;
  const shown = JSON.stringify(meant);
  throw new Unreadable(
    `the header is one name with ${shown} in it: set format.delimiter to ${shown}; ` +
      'if it is one column, name it in format.header, with "skipLines": 1',
  );
}
