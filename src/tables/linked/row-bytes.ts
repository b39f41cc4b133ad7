const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LINE_END = 0x0a;
const ZERO = 0x30;

const FIRST_SIZE = 65_536;

/** Rows as lines of JSON objects, written member by member into bytes that grow. */
export class RowBytes {
  /** The rows since they were last taken. */
  rows = 0;
  #bytes = Buffer.allocUnsafe(FIRST_SIZE);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  open(): void {
    this.#need(1);
    this.#bytes[this.#length++] = OPEN_OBJECT;
  }

  /** @param key with its quotes and its colon */
  member(key: Uint8Array, source: Uint8Array, from: number, to: number): void {
    this.#need(key.length + to - from + 1);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = 0; index < key.length; index += 1) bytes[at++] = key[index] as number;
    // A copy by the runtime costs more than a few bytes.
    if (to - from < 32) for (let index = from; index < to; index += 1) bytes[at++] = source[index] as number;
    else {
      bytes.set(source.subarray(from, to), at);
      at += to - from;
    }
    bytes[at++] = COMMA;
    this.#length = at;
  }

  /** @param value no less than 0 */
  integer(key: Uint8Array, value: number): void {
    this.#need(key.length + 24);
    const bytes = this.#bytes;
    bytes.set(key, this.#length);
    let at = this.#length + key.length;
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
    let rest = value;
    for (let place = at + digits - 1; place >= at; place -= 1) {
      const next = Math.floor(rest / 10);
      bytes[place] = ZERO + rest - next * 10;
      rest = next;
    }
    at += digits;
    bytes[at++] = COMMA;
    this.#length = at;
  }

  /** Ends the row that was opened last. */
  end(): void {
    this.#need(2);
    const last = this.#length - 1;
    if (this.#bytes[last] === COMMA) this.#length = last;
    this.#bytes[this.#length++] = CLOSE_OBJECT;
    this.#bytes[this.#length++] = LINE_END;
    this.rows += 1;
  }

  /** Drops what was written after this length and number of rows. */
  dropTo(length: number, rows: number): void {
    this.#length = length;
    this.rows = rows;
  }

  /** Gives the bytes, which count until the next row is opened, and begins anew. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.dropTo(0, 0);
    return taken;
  }

  #need(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
