/** Lines of cells: CSV as in docs/language/tables.md#files-and-buckets (comma, every field quoted, quotes doubled, each line ended by LF), or another separator and no quotes. */
import { COMMA, GrowingBytes, LINE_END, QUOTE } from './bytes';

const FIRST_BEYOND_ASCII = 0x80;
/** A UTF-16 unit takes at most three bytes of UTF-8, and a quote two. */
const BYTES_A_UNIT = 3;
/** Two quotes and a comma. */
const AROUND_A_CELL = 3;
/** The runtime writes longer cells faster than the loop over code units. */
const LONG_CELL = 64;

/**
 * Lines as bytes, with little work for each cell, which decides the speed of tables.
 *
 * @example
 * const lines = new LineBuffer();
 * lines.appendCells(['1', 'a "b"']);
 * lines.bytes.toString(); // '"1","a ""b"""\n'
 */
export class LineBuffer extends GrowingBytes {
  /**
   * @param memory a buffer to reuse
   * @param isQuoted whether cells are quoted
   */
  constructor(
    memory?: Buffer,
    private readonly separator = COMMA,
    private readonly isQuoted = true,
  ) {
    super(memory);
  }

  /** Returns the buffer behind the bytes, which can be reused when these are written. */
  get reusable(): Buffer {
    return this.memory;
  }

  /** Returns a copy of the bytes, and starts again. */
  take(): Buffer {
    const taken = Buffer.from(this.bytes);
    this.end = 0;
    return taken;
  }

  /** Appends a line of CSV (docs/language/tables.md#files-and-buckets). */
  appendCells(cells: readonly string[]): void {
    for (let at = 0; at < cells.length; at += 1) this.#appendCell(cells[at] as string, at > 0);
    this.reserve(1);
    this.memory[this.end++] = LINE_END;
  }

  /** Appends the line of a row. */
  appendRow({ lines, texts, starts, ends }: RowOfCells): void {
    for (let at = 0; at < texts.length; at += 1) {
      const text = texts[at];
      if (text === undefined) this.#appendBytes(lines, starts[at] as number, ends[at] as number, at > 0);
      else this.#appendCell(text, at > 0);
    }
    this.reserve(1);
    this.memory[this.end++] = LINE_END;
  }

  /** Takes back what was appended behind a length. */
  backTo(length: number): void {
    this.end = length;
  }

  #appendBytes(lines: Buffer, from: number, to: number, follows: boolean): void {
    this.reserve(to - from + AROUND_A_CELL);
    const memory = this.memory;
    let end = this.#begin(memory, follows);
    if (to - from < LONG_CELL) for (let at = from; at < to; at += 1) memory[end++] = lines[at] as number;
    else end += lines.copy(memory, end, from, to);
    this.end = end;
    if (this.isQuoted) memory[this.end++] = QUOTE;
  }

  #appendCell(cell: string, follows: boolean): void {
    this.reserve(cell.length * BYTES_A_UNIT + AROUND_A_CELL);
    const memory = this.memory;
    const begin = this.#begin(memory, follows);
    if (!this.isQuoted) this.end = begin + memory.write(cell, begin);
    else {
      this.end = cell.length < LONG_CELL ? writeShort(memory, begin, cell) : writeQuoted(memory, begin, cell);
      memory[this.end++] = QUOTE;
    }
  }

  /** Returns the offset of a cell. */
  #begin(memory: Buffer, follows: boolean): number {
    let end = this.end;
    if (follows) memory[end++] = this.separator;
    if (this.isQuoted) memory[end++] = QUOTE;
    return end;
  }
}

/** The cells of a row: texts, or bytes of the lines that they come from, which need no escapes. */
export class RowOfCells {
  lines: Buffer = Buffer.alloc(0);
  /** `undefined` where the cell is between `starts` and `ends`. */
  readonly texts: (string | undefined)[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];

  text(column: number, text: string): void {
    this.texts[column] = text;
  }

  /** @param lines the same for all cells of a row */
  span(column: number, lines: Buffer, from: number, end: number): void {
    this.lines = lines;
    this.texts[column] = undefined;
    this.starts[column] = from;
    this.ends[column] = end;
  }

  move(from: number, to: number): void {
    this.texts[to] = this.texts[from];
    this.starts[to] = this.starts[from] as number;
    this.ends[to] = this.ends[from] as number;
    this.texts[from] = '';
  }
}

/** Writes code unit by code unit, which is faster than any call for the usual cell. Returns the offset after the cell. */
function writeShort(memory: Buffer, begin: number, cell: string): number {
  let end = begin;
  for (let at = 0; at < cell.length; at += 1) {
    const unit = cell.charCodeAt(at);
    if (unit >= FIRST_BEYOND_ASCII) return writeQuoted(memory, begin, cell);
    memory[end++] = unit;
    if (unit === QUOTE) memory[end++] = QUOTE;
  }
  return end;
}

function writeQuoted(memory: Buffer, begin: number, cell: string): number {
  return begin + memory.write(cell.includes('"') ? cell.replaceAll('"', '""') : cell, begin);
}

/**
 * Returns one line of CSV, including its line end.
 *
 * @example csvLine(['1', 'a "b"']) // '"1","a ""b"""\n'
 */
export function csvLine(cells: readonly string[]): string {
  const lines = new LineBuffer();
  lines.appendCells(cells);
  return lines.bytes.toString();
}

/** Returns the rows of lines that {@link csvLine} made: as many rows at once as a chunk completes. */
export async function* readCsv(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly (readonly string[])[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const { rows, end } = completeRows(text);
    text = text.slice(end);
    if (rows.length > 0) yield rows;
  }
}

/** Returns the complete rows, and the start of the first incomplete one. */
function completeRows(text: string): { readonly rows: readonly (readonly string[])[]; readonly end: number } {
  const rows: string[][] = [];
  let row: string[] = [];
  let end = 0;
  let opening = 0;
  for (;;) {
    const closing = closingQuote(text, opening + 1);
    if (closing < 0 || closing + 1 === text.length) return { rows, end };
    row.push(text.slice(opening + 1, closing).replaceAll('""', '"'));
    opening = closing + 2;
    if (text[closing + 1] === ',') continue;
    rows.push(row);
    row = [];
    end = opening;
  }
}

/** Returns the end of the field that begins at `from`; the last character of an unfinished text may be half a quote. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}
