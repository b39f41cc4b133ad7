/** Lines as bytes, with the least work for each cell: what makes tables affordable. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const LINE_END = 0x0a;
const FIRST_BEYOND_ASCII = 0x80;
const SMALLEST = 4096;
/** A UTF-16 unit takes at most three bytes of UTF-8, and a quote two. */
const BYTES_A_UNIT = 3;
/** Two quotes and a comma. */
const AROUND_A_CELL = 3;
/** Longer cells are written faster by the runtime than unit by unit. */
const LONG_CELL = 64;

/**
 * @example
 * const lines = new LineBuffer();
 * lines.appendCells(['1', 'a "b"']);
 * lines.bytes.toString(); // '"1","a ""b"""\n'
 */
export class LineBuffer {
  #memory: Buffer;
  #end = 0;

  /** @param memory a buffer to reuse; it is replaced by a larger one when it is too small */
  constructor(memory: Buffer = Buffer.alloc(0)) {
    this.#memory = memory;
  }

  get length(): number {
    return this.#end;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#end);
  }

  /** The memory behind the bytes, for another buffer when these are written. */
  get memory(): Buffer {
    return this.#memory;
  }

  /** Appends a string without line ends as one line. */
  appendText(text: string): void {
    this.#reserve(text.length * BYTES_A_UNIT + 1);
    this.#end += this.#memory.write(text, this.#end);
    this.#memory[this.#end++] = LINE_END;
  }

  /** Appends a line of CSV (docs/language/tables.md#files-and-buckets). */
  appendCells(cells: readonly string[]): void {
    for (let at = 0; at < cells.length; at += 1) this.#appendCell(cells[at] as string, at > 0);
    this.#reserve(1);
    this.#memory[this.#end++] = LINE_END;
  }

  #appendCell(cell: string, follows: boolean): void {
    this.#reserve(cell.length * BYTES_A_UNIT + AROUND_A_CELL);
    const memory = this.#memory;
    let end = this.#end;
    if (follows) memory[end++] = COMMA;
    memory[end++] = QUOTE;
    end = cell.length < LONG_CELL ? writeShort(memory, end, cell) : writeQuoted(memory, end, cell);
    memory[end++] = QUOTE;
    this.#end = end;
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#memory.length) return;
    const larger = Buffer.allocUnsafe(Math.max(SMALLEST, this.#memory.length * 2, needed));
    this.#memory.copy(larger, 0, 0, this.#end);
    this.#memory = larger;
  }
}

/** Writes unit by unit, which is faster than any call for the usual cell. Returns the offset after the cell. */
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
