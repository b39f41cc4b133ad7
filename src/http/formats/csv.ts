import { CsvError, parse } from 'csv-parse/sync';
import type { CsvFormat } from '../../config/configuration';
import { objectFrom } from '../../json/keys';
import type { JsonObject } from '../../model';
import { Unreadable } from './unreadable';

/**
 * One object a line, every value a text. Empty lines are skipped; all others have as many fields as the first.
 *
 * @throws Unreadable with the number of the line that is at fault
 * @example readCsv('id;n\n1;x\n', { type: 'csv', delimiter: ';', quote: '"', header: true, skipLines: 0 })
 * // [{ id: '1', n: 'x' }]
 */
export function readCsv(text: string, { delimiter, quote, header, skipLines }: CsvFormat): readonly JsonObject[] {
  const mark = quote === '' ? false : quote;
  const lines = linesOf(text, { delimiter, quote: mark, escape: mark, from_line: skipLines + 1 });
  const [first, ...rest] = lines;
  if (first === undefined) return [];
  const names = header === true ? first : header === false ? first.map((_, at) => String(at)) : header;
  const keys = names.map((name, at) => (name === '' ? String(at) : name));
  checkNames(keys, first);
  return (header === true ? rest : lines).map((cells) => objectFrom(cells.map((cell, at) => [keys[at] ?? '', cell])));
}

/** Named, since the parser would take the first line end that it meets for that of all lines. */
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

/** In words of our own: those of the parser quote the line. */
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
  const remedy = 'give the names yourself: a list in format.header, and "skipLines" for the lines above the data';
  throw new Unreadable(`the header has the name ${JSON.stringify(twice)} twice; ${remedy}`);
}
