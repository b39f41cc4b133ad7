import { CsvError, parse } from 'csv-parse/sync';
import { BrokenItems, blockOf } from '../../core/json/item-reader';
import type { ItemBlock, ItemReader } from '../../core/json/item-reader';
import { objectFrom } from '../../core/json/objects';
import type { JsonObject } from '../../core/model';
import { accept, codec, expected, refine, withSchema } from '../../language/codec/codec';
import type { Codec } from '../../language/codec/codec';
import { shown } from '../../language/codec/finding';
import { integerFrom, isMissing, string } from '../../language/codec/primitives';
import { always, withDefault } from '../../language/codec/record';
import { tolerant } from '../../language/codec/schema';
import { Unreadable } from '../../language/parts/errors';
import { defineFormat } from '../../language/parts/format';
import type { TextOf } from '../../language/parts/format';
import { beginsAsHtml } from '../body/web-page';
import { encoding, file, header } from './options';
import type { Header } from './options';
import { LineBlocks, brokenUnless } from './streaming';

/**
 * Returns one object for each line, with string values. Lines have as many fields as the first; empty ones are skipped,
 * unless there is one column.
 *
 * @throws Unreadable with the number of the faulty line
 * @example readCsv('id;n\n1;x\n', { delimiter: ';', quote: '"', header: true, skipLines: 0 })
 * // [{ id: '1', n: 'x' }]
 */
function readCsv(text: string, format: CsvFormat): readonly JsonObject[] {
  const { keys, rows } = readTable(text, format);
  return rows.map((cells) => objectFrom(cells.map((cell, at) => [keys[at] ?? '', cell])));
}

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

/** CSV and similar formats (docs/language/responses.md#formats). */
export const csv = defineFormat({
  name: 'csv',
  label: 'CSV',
  summary: 'Reads lines with a delimiter: an array of objects, by the names of the header.',
  use: 'Use it for CSV and TSV.',
  answer: 'The lines are the items, without `dataField`.',
  options: {
    delimiter: withDefault(character('the delimiter'), ',', {
      about: 'The delimiter; a tabulator is `"\\t"`.',
      example: ';',
    }),
    quote: always(quote, {
      about: 'The quote around fields; empty for none.',
      default: '`"`',
      example: "'",
    }),
    header: always(header, {
      about: 'Where the names are: in the first line (`true`), nowhere (`false`: `0`, `1`, …), or in this array.',
      default: '`true`',
      example: ['id', 'name'],
    }),
    skipLines: withDefault(integerFrom(0), 0, {
      about: 'Lines to skip above the header or the data.',
      example: 2,
    }),
    encoding,
    file,
  },
  rules: [
    'Every value is a string.',
    'Empty lines are skipped; with a single column, they are empty fields.',
    'Any other line with another number of fields than the first is the error `API_FORMAT`, with its number.',
    'A column without a name gets its number, from 0. A duplicate name is an error.',
    'A header of one name with another delimiter in it is an error, and so is a web page.',
    'The delimiter cannot be the quote.',
    'The rows of several files are items. Two files that each have columns that the other lacks are an error.',
  ],
  example: {
    about: 'Semicolons separate the fields:',
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
  hasColumns: true,
  read: readCsv,
  stream: streamCsv,
});

/** Options for reading lines. */
export interface CsvFormat {
  /** The one character between fields. */
  readonly delimiter: string;
  /** The one character around fields; empty for no quotes. */
  readonly quote: string;
  /** If true, the first line has the names. An array has the names itself, and no line has them. */
  readonly header: Header;
  /** The number of lines above the header. */
  readonly skipLines: number;
}

/** The lines of a body as cells, and the keys of their columns. */
export interface CsvTable {
  readonly keys: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads lines. They have as many fields as the first; empty ones are skipped, unless there is one column, of which they
 * are an empty cell.
 *
 * @throws Unreadable with the number of the faulty line
 * @example readTable('id;n\n1;x\n', { delimiter: ';', quote: '"', header: true, skipLines: 0 })
 * // { keys: ['id', 'n'], rows: [['1', 'x']] }
 */
function readTable(text: string, { delimiter, quote, header, skipLines }: CsvFormat): CsvTable {
  // A web page has lines like a table, but it is not one.
  if (beginsAsHtml(text)) throw new Unreadable('it is a web page');
  const mark = quote === '' ? false : quote;
  const dialect = { delimiter, quote: mark, escape: mark, from_line: skipLines + 1 } as const;
  let filled: ReturnType<typeof linesOf>;
  try {
    filled = linesOf(text, { ...dialect, skip_empty_lines: true });
  } catch (error) {
    // With a wrong delimiter, quotes stand in the middle of fields.
    if (header === true) checkDelimiter(firstLine(text, skipLines).split(delimiter), delimiter);
    throw error;
  }
  const [first] = filled;
  if (first === undefined) return { keys: [], rows: [] };
  const lines = first.length === 1 ? linesOf(text, { ...dialect, skip_empty_lines: false }) : filled;
  const names = header === true ? first : header === false ? first.map((_, at) => String(at)) : header;
  const keys = names.map((name, at) => (name === '' ? String(at) : name));
  checkNames(keys, first);
  if (header === true) checkDelimiter(first, delimiter);
  return { keys, rows: header === true ? lines.slice(1 + lines.findIndex(([cell]) => cell === first[0])) : lines };
}

/** The line ends. They are listed, because the parser would otherwise expect the first one for all lines. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

interface Dialect {
  readonly delimiter: string;
  readonly quote: string | false;
  readonly escape: string | false;
  readonly from_line: number;
  readonly skip_empty_lines: boolean;
}

function linesOf(text: string, dialect: Dialect): readonly (readonly string[])[] {
  try {
    return parse(text, { ...dialect, record_delimiter: LINE_ENDS });
  } catch (error) {
    if (error instanceof CsvError) throw new Unreadable(reasonOf(error));
    throw error;
  }
}

/** Returns the reason in Headwater's words, because the parser's message quotes the line. */
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

/** The usual delimiters in files. */
const DELIMITERS = [',', ';', '\t', '|'];

const firstLine = (text: string, skipLines: number): string =>
  new RegExp(`^(?:[^\\r\\n]*(?:\\r\\n|\\n|\\r)){${skipLines}}[\\r\\n]*([^\\r\\n]*)`).exec(text)?.[1] ?? '';

/** Refuses a header of one name that contains another delimiter: each whole line would become the value of one column. */
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

/**
 * Reads lines as they arrive, in blocks of whole lines. The first line has the names or determines the number of
 * fields. A block with anything unusual goes to the reader of whole bodies, together with the first line, whose own
 * items are then removed.
 */
export function streamCsv(format: CsvFormat, textOf: TextOf): ItemReader {
  const { quote, skipLines } = format;
  if (quote.charCodeAt(0) > LAST_ASCII)
    throw new BrokenItems(`with "stream" a quote has to be an ASCII character, and ${JSON.stringify(quote)} is none`);
  const blocks = new LineBlocks({
    skipLines,
    firstAlone: true,
    ...(quote === '' ? {} : { quote: quote.charCodeAt(0) }),
  });
  let first: { readonly text: string; readonly rows: number; readonly read: QuickRows | undefined } | undefined;
  /** The text before the names: empty and skipped lines. */
  let head = '';
  let done = 0;
  const carefully = (text: string): ItemBlock =>
    brokenAfter(done, () => {
      const { keys, rows } = readTable((first?.text ?? head) + text, format);
      if (first === undefined && keys.length === 0) {
        head += text;
        return blockOf([]);
      }
      const own = rows.slice(first?.rows ?? 0);
      first ??= { text: head + text, rows: rows.length, read: quickRows(keys, format) };
      const memberOf = (cell: string, at: number): string => `${JSON.stringify(keys[at])}:${JSON.stringify(cell)}`;
      return blockOf(own.map((cells) => `{${cells.map(memberOf).join(',')}}`));
    });
  const itemsOf = (bytes: Uint8Array): ItemBlock => {
    const text = textOf(bytes);
    const block = first?.read?.(Buffer.from(text)) ?? carefully(text);
    done += block.starts.length;
    return block;
  };
  return {
    heading: () => (done === 0 ? first?.text.trim() : undefined),
    push: (bytes) => blocks.push(bytes).map(itemsOf),
    end: () => {
      const rest = blocks.rest();
      return rest.length === 0 ? [] : [itemsOf(rest)];
    },
  };
}

const LAST_ASCII = 0x7f;

/** Adds the position of the block to a message, because its lines are counted from its beginning. */
const brokenAfter = <T>(items: number, read: () => T): T =>
  brokenUnless(() => {
    try {
      return read();
    } catch (error) {
      if (items === 0 || !(error instanceof Unreadable)) throw error;
      throw new Unreadable(`after item ${items}, counting lines from there: ${error.message}`);
    }
  });

/**
 * Reads whole lines; returns `undefined` if anything in them needs the careful reader, which has the error messages.
 */
export type QuickRows = (bytes: Uint8Array) => ItemBlock | undefined;

const LINE_END = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const CLOSE_OBJECT = 0x7d;
const ASCII_END = 0x7f;
const NONE = -1;

/**
 * Converts lines of CSV to JSON byte by byte, each to an object of strings: for a large body this is several times
 * faster than with characters, cells and objects.
 *
 * @param keys the keys of the columns
 * @returns `undefined` if the delimiter has more than one byte
 * @example quickRows(['id', 'n'], { delimiter: ';', quote: '"' })?.(Buffer.from('1;x\n')) // {"id":"1","n":"x"}
 */
export function quickRows(
  keys: readonly string[],
  { delimiter, quote }: { readonly delimiter: string; readonly quote: string },
): QuickRows | undefined {
  const between = delimiter.charCodeAt(0);
  if (keys.length === 0 || between > ASCII_END || between === LINE_END || between === RETURN) return undefined;
  const mark = quote === '' ? NONE : quote.charCodeAt(0);
  const before = keys.map((key, at) => Buffer.from(`${at === 0 ? '{' : '",'}${JSON.stringify(key)}:"`));
  const written = new GrowingBytes(before.reduce((bytes, { length }) => bytes + length, END_BYTES));
  return (bytes) => rowsOf(bytes, before, between, mark, written);
}

/** The bytes for the last quote and the bracket of a row, and the comma before the next one. */
const END_BYTES = 3;

/** The most bytes of an escape. */
const ESCAPE_BYTES = 6;

/** A buffer that is kept between calls: allocating memory for many megabytes costs more than filling it. */
class GrowingBytes {
  bytes: Uint8Array = new Uint8Array(0);

  /** @param row the number of bytes of a row without its cells */
  constructor(readonly row: number) {}

  /** Grows the buffer for a number of bytes, the frame of a row, and an escape. */
  reserve(used: number, more: number): Uint8Array {
    const wanted = used + more + this.row + ESCAPE_BYTES;
    if (this.bytes.length < wanted) {
      const grown = new Uint8Array(2 * wanted);
      grown.set(this.bytes.subarray(0, used));
      this.bytes = grown;
    }
    return this.bytes;
  }
}

function rowsOf(
  bytes: Uint8Array,
  before: readonly Buffer[],
  between: number,
  mark: number,
  written: GrowingBytes,
): ItemBlock | undefined {
  const starts: number[] = [];
  const ends: number[] = [];
  const { length } = bytes;
  let out = written.bytes;
  let end = 0;
  let at = 0;
  /** Writes the JSON escape of a byte, and grows the buffer for the remaining bytes. */
  const escape = (byte: number): void => {
    const text = JSON.stringify(String.fromCharCode(byte));
    for (let index = 1; index < text.length - 1; index += 1) out[end++] = text.charCodeAt(index);
    out = written.reserve(end, length - at);
  };
  while (at < length) {
    // Of one column, an empty line is a row.
    if (before.length > 1 && (bytes[at] === LINE_END || bytes[at] === RETURN)) {
      at += 1;
      continue;
    }
    // All remaining bytes may be one row; each escape reserves space for the next one.
    out = written.reserve(end, length - at);
    starts.push(end);
    for (let column = 0; ; column += 1) {
      const member = before[column];
      if (member === undefined) return undefined;
      out.set(member, end);
      end += member.length;
      if (at < length && bytes[at] === mark) {
        for (at += 1; ; at += 1) {
          if (at >= length) return undefined;
          const byte = bytes[at] as number;
          if (byte === mark) {
            at += 1;
            if (at >= length || bytes[at] !== mark) break;
          }
          if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) escape(byte);
          else out[end++] = byte;
        }
      } else {
        for (; at < length; at += 1) {
          const byte = bytes[at] as number;
          if (byte === between || byte === LINE_END || byte === RETURN) break;
          if (byte === mark) return undefined;
          if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) escape(byte);
          else out[end++] = byte;
        }
      }
      if (at < length && bytes[at] === between) {
        at += 1;
        continue;
      }
      const isEnd = at >= length || bytes[at] === LINE_END || bytes[at] === RETURN;
      if (!isEnd || column + 1 < before.length) return undefined;
      at += bytes[at] === RETURN && bytes[at + 1] === LINE_END ? 2 : 1;
      break;
    }
    out[end++] = QUOTE;
    out[end++] = CLOSE_OBJECT;
    ends.push(end);
    out[end++] = COMMA;
  }
  return { bytes: out.slice(0, Math.max(0, end - 1)), starts, ends };
}
