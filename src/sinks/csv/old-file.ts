/** Reads a CSV file that rows are added to; a user may have edited it. */
import { CsvError, parse } from 'csv-parse';
import type { Options } from 'csv-parse';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { FatalError } from '../../core/errors/errors';
import { LineBuffer, csvLine } from '../../tables/csv-lines';
import { unusableFile } from '../files/old-files';
import { LF, bytesIn } from '../files/lines';

/** The cells of a row. */
export type Row = readonly string[];

/** The approximate number of bytes that are written at once. */
const BLOCK = 65_536;
/** The accepted line ends; otherwise the parser would use the first one it finds for all lines. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

/**
 * Returns the rows that stay, as lines.
 *
 * @param isRemoved returns whether a row does not stay; absent: all stay
 * @returns their number
 * @throws FatalError DESTINATION_INCOMPATIBLE when the file cannot be read as a table
 */
export async function* oldLines(
  path: string,
  header: Row,
  columns: Row,
  isRemoved: ((cells: Row) => boolean) | undefined,
): AsyncGenerator<Uint8Array, number> {
  const missing = new Array<string>(columns.length - header.length).fill('');
  const first = Buffer.from(csvLine(header));
  const isAsWritten = async (): Promise<boolean> =>
    // The last line may be incomplete: a user may have edited it, or the file may have been cut. Then it is read row by row.
    (await bytesIn(path, { start: (await stat(path)).size - 1 }))[0] === LF &&
    (await bytesIn(path, { end: first.length - 1 })).equals(first);
  if (missing.length === 0 && isRemoved === undefined && (await isAsWritten()))
    return yield* wholeRows(path, first.length, header.length);
  async function* widened(): AsyncGenerator<Row> {
    for await (const cells of recordsOf(path, { from: 2 })) yield [...cells, ...missing];
  }
  return yield* asLines(widened(), (cells) => isRemoved?.(cells) !== true);
}

/**
 * Returns the rows that are kept, as lines of CSV.
 *
 * @returns their number
 */
export async function* asLines(
  rows: AsyncIterable<Row>,
  isKept: (cells: Row) => boolean,
): AsyncGenerator<Uint8Array, number> {
  const lines = new LineBuffer();
  let count = 0;
  for await (const cells of rows) {
    if (isKept(cells)) {
      lines.appendCells(cells);
      count += 1;
    }
    if (lines.length >= BLOCK) yield lines.take();
  }
  if (lines.length > 0) yield lines.take();
  return count;
}

/** @throws FatalError DESTINATION_INCOMPATIBLE as {@link oldLines} */
export async function headerOf(path: string): Promise<Row> {
  for await (const header of recordsOf(path, { to: 1 })) {
    const twice = header.find((name, at) => header.indexOf(name) < at);
    if (twice === undefined) return header;
    throw unusableFile(path, `it has two columns ${JSON.stringify(twice)}`);
  }
  return [];
}

/** Returns whether there is anything after the header. */
export async function hasRows(path: string): Promise<boolean> {
  for await (const _ of recordsOf(path, { from: 2, to: 2 })) return true;
  return false;
}

/** Returns the number of rows after the header; where a row cannot be read, of those before it: there are at least as many. */
export async function countRows(path: string): Promise<number> {
  let rows = 0;
  try {
    for await (const cells of recordsOf(path, { from: 2, relax_column_count: true, relax_quotes: true }))
      rows += cells.length > 0 ? 1 : 0;
  } catch (error) {
    if (!(error instanceof FatalError)) throw error;
  }
  return rows;
}

/** The delimiters of files that other programs save. */
const OTHER_DELIMITERS = [';', '\t', '|'];

/** Returns a hint for a header that is a single name with another delimiter in it, which is probably meant. */
export function hintFor([name = '', ...others]: Row): string | undefined {
  const other = others.length > 0 ? undefined : OTHER_DELIMITERS.find((delimiter) => name.includes(delimiter));
  return other === undefined
    ? undefined
    : `Its header is one name with ${JSON.stringify(other)} in it, as some spreadsheets save files: save it with commas.`;
}

async function* recordsOf(path: string, part: Options): AsyncGenerator<Row> {
  const parser = parse({ bom: true, record_delimiter: LINE_ENDS, ...part });
  const reading = pipeline(createReadStream(path), parser);
  // The loop below reports it.
  reading.catch(() => undefined);
  try {
    for await (const cells of parser) yield cells as Row;
  } catch (cause) {
    // The message of the parser quotes the line.
    if (cause instanceof CsvError) throw unusableFile(path, `line ${String(cause['lines'])}: ${cause.code}`);
    throw cause;
  }
}

/** The bytes of UTF-8 with a meaning in CSV. Rows that are passed on unchanged are only scanned, which is much faster than parsing. */
const [LINE_FEED, CR, QUOTE, COMMA] = [10, 13, 34, 44];

/** The position of a byte: before a field, in an unquoted one, between quotes, or after a quote that may have closed it. */
type Place = 'before' | 'bare' | 'quoted' | 'behind';

/**
 * Passes the bytes of rows on, and refuses those that are no rows of a table: with more or fewer fields, or with unclosed quotes.
 *
 * @param start the number of bytes of the first line, which is left out
 * @param columns the number of fields of each row
 * @returns the number of rows
 */
async function* wholeRows(path: string, start: number, columns: number): AsyncGenerator<Uint8Array, number> {
  let place: Place = 'before';
  let fields = 1;
  let line = 2;
  let rows = 0;
  const fault = (what: string): FatalError => unusableFile(path, `line ${line}: ${what}`);
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { start, highWaterMark: BLOCK });
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      if (byte === QUOTE) {
        if (place === 'bare') throw fault('a quote within a field that has none around it');
        place = place === 'quoted' ? 'behind' : 'quoted';
      } else if (place === 'quoted') {
        if (byte === LINE_FEED) line += 1;
      } else if (byte === LINE_FEED) {
        if (fields !== columns) throw fault(`${fields} fields in place of ${columns}`);
        fields = 1;
        rows += 1;
        line += 1;
        place = 'before';
      } else if (byte === COMMA) {
        fields += 1;
        place = 'before';
      } else if (byte !== CR) {
        if (place === 'behind') throw fault('text behind the quotes around a field');
        place = 'bare';
      }
    }
    yield chunk;
  }
  if (place === 'quoted') throw fault('a quote is not closed');
  return rows;
}
