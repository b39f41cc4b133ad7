import { CsvError, parse } from 'csv-parse/sync';
import { accept, codec, expected, refine, withSchema, type Codec } from '../../codec/codec';
import { integerFrom, isMissing, string } from '../../codec/primitives';
import { always, withDefault } from '../../codec/record';
import { tolerant } from '../../codec/schema';
import { shown } from '../../codec/show';
import { objectFrom } from '../../json/keys';
import type { JsonObject } from '../../model';
import { BrokenItems } from '../../json/item-reader';
import type { ItemReader } from '../../json/item-reader';
import { stringifyJson } from '../../json/stringify';
import { brokenUnless } from './broken-unless';
import { defineFormat } from './define';
import type { TextOf } from './define';
import { encoding } from './encoding';
import { file } from './file';
import { beginsAsHtml } from './html';
import { header } from './header';
import type { Header } from './header';
import { LineBlocks } from './line-blocks';
import { Unreadable } from './unreadable';

/** How the lines of a body are read. */
interface CsvFormat {
  /** The one character between fields. */
  readonly delimiter: string;
  /** The one character around fields; empty: there are no quotes. */
  readonly quote: string;
  /** Whether the first line has the names; or the names, when there is no such line. */
  readonly header: Header;
  /** Lines above the header. */
  readonly skipLines: number;
}

/**
 * One object a line, every value a string. Empty lines are skipped; all others have as many fields as the first.
 *
 * @throws Unreadable with the number of the line that is at fault
 * @example readCsv('id;n\n1;x\n', { delimiter: ';', quote: '"', header: true, skipLines: 0 })
 * // [{ id: '1', n: 'x' }]
 */
function readCsv(text: string, { delimiter, quote, header, skipLines }: CsvFormat): readonly JsonObject[] {
  // A web page has lines like a table; it is none.
  if (beginsAsHtml(text)) throw new Unreadable('it is a web page');
  const mark = quote === '' ? false : quote;
  const lines = linesOf(text, { delimiter, quote: mark, escape: mark, from_line: skipLines + 1 });
  const [first, ...rest] = lines;
  if (first === undefined) return [];
  const names = header === true ? first : header === false ? first.map((_, at) => String(at)) : header;
  const keys = names.map((name, at) => (name === '' ? String(at) : name));
  checkNames(keys, first);
  return (header === true ? rest : lines).map((cells) => objectFrom(cells.map((cell, at) => [keys[at] ?? '', cell])));
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

/**
 * Reads lines as they arrive, in blocks of whole ones. Each block is read behind the first line, which has the names or tells the
 * number of fields; its own items are left out then.
 */
function streamCsv(format: CsvFormat, textOf: TextOf): ItemReader {
  const { quote, skipLines } = format;
  if (quote.charCodeAt(0) > LAST_ASCII)
    throw new BrokenItems(`with "stream" a quote has to be an ASCII character, and ${JSON.stringify(quote)} is none`);
  const blocks = new LineBlocks({
    skipLines,
    firstAlone: true,
    ...(quote === '' ? {} : { quote: quote.charCodeAt(0) }),
  });
  let lead: string | undefined;
  let inLead = 0;
  let done = 0;
  const itemsOf = (block: Uint8Array): readonly Uint8Array[] =>
    brokenAfter(done, () => {
      const text = textOf(block);
      const rows = readCsv((lead ?? '') + text, format);
      const own = rows.slice(inLead);
      if (lead === undefined) {
        lead = text;
        inLead = rows.length;
      }
      done += own.length;
      return own.map((row) => Buffer.from(stringifyJson(row)));
    });
  return {
    push: (bytes) => blocks.push(bytes).flatMap(itemsOf),
    end: () => {
      const rest = blocks.rest();
      return rest.length === 0 ? [] : itemsOf(rest);
    },
  };
}

const LAST_ASCII = 0x7f;

/** The lines of a block are counted from the first one of the body, so the message tells where the block begins. */
const brokenAfter = <T>(items: number, read: () => T): T =>
  brokenUnless(() => {
    try {
      return read();
    } catch (error) {
      if (items === 0 || !(error instanceof Unreadable)) throw error;
      throw new Unreadable(`after item ${items}, counting lines from there: ${error.message}`);
    }
  });

const character = (what: string): Codec<string> =>
  withSchema(
    refine('Character', string, (written, context) =>
      Array.from(written).length === 1 ? accept(written) : expected(`${what}: one character`, written, context),
    ),
    () => ({ type: 'string', minLength: 1, maxLength: 1 }),
  );

const quoteMark = character('the quote, or an empty string for none');
const quote: Codec<string> = codec(
  'Quote',
  tolerant({ type: 'string', maxLength: 1 }, { enum: [false, null] }),
  (input, context) => {
    if (isMissing(input)) return accept('"');
    return input === '' || input === false ? accept('') : quoteMark.validate(input, context);
  },
);

const COMMAS: CsvFormat = { delimiter: ',', quote: '"', header: true, skipLines: 0 };
const BEGINS = /^\s*[^\s[{<]/;

/** CSV and the like (docs/extensions/response-formats.md). */
export const csv = defineFormat({
  name: 'csv',
  label: 'CSV',
  summary: 'Reads a body as lines with a delimiter: an array of objects, one a line, by the names of the header.',
  use: 'The API answers with CSV or TSV.',
  answer: 'Lines of equally many fields, mostly with a header; items are found without `dataField`.',
  options: {
    delimiter: withDefault(character('the delimiter'), ',', {
      about: 'What stands between two fields; a tabulator is `"\\t"`.',
      example: ';',
    }),
    quote: always(quote, {
      about: 'What stands around a field that holds a delimiter. If it is empty, nothing does.',
      default: '`"`',
      example: "'",
    }),
    header: always(header, {
      about:
        'With `true` the first line has the names, with `false` they are `0`, `1`, …; an array has the names where no line has them.',
      default: '`true`',
      example: ['id', 'name'],
    }),
    skipLines: withDefault(integerFrom(0), 0, {
      about: 'Lines above the header, or above the data, that are passed over.',
      unit: 'lines',
      example: 2,
    }),
    encoding,
    file,
  },
  rules: [
    'Every value is a string.',
    'Empty lines are passed over; any other line with another number of fields than the first is the error `API_FORMAT`, with its number.',
    'A column without a name has its number, from 0.',
    'A name that comes twice in the header is an error.',
    'The delimiter cannot be the quote.',
    'A web page is no CSV.',
  ],
  example: {
    about: 'Fields are separated by semicolons; the first line names them.',
    config: { api: {}, config: { jobs: [{ endpoint: 'levels', format: { type: 'csv', delimiter: ';' } }] } },
    exchanges: [
      { request: 'GET /levels', headers: { 'content-type': 'text/csv' }, response: 'id;level\n1;2.5\n2;3.0\n' },
    ],
    items: [
      { id: '1', level: '2.5' },
      { id: '2', level: '3.0' },
    ],
  },
  check: (options) =>
    options.delimiter === options.quote
      ? [{ message: `expected a delimiter that is not the quote, found ${shown(options.delimiter, [])}` }]
      : [],
  contentTypes: [
    { type: /^(?:text|application)\/(?:x-)?csv$|^text\/comma-separated-values$/, begins: BEGINS, options: COMMAS },
    { type: /^text\/tab-separated-values$/, begins: BEGINS, options: { ...COMMAS, delimiter: '\t', quote: '' } },
  ],
  otherNames: { tsv: { delimiter: '\t' }, zip: { file: '*.csv' } },
  read: readCsv,
  stream: streamCsv,
});
