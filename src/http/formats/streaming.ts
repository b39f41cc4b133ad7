import { BrokenItems, requireShort } from '../../core/json/item-reader';
import { Unreadable } from '../../language/parts/errors';

/**
 * Runs a reader of whole bodies on a part of one.
 *
 * @throws BrokenItems if the reader throws {@link Unreadable}
 */
export function brokenUnless<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) throw new BrokenItems(error.message);
    throw error;
  }
}

const LINE_END = 0x0a;
const RETURN = 0x0d;

/** Options for finding lines. */
export interface LineBlocksOptions {
  /** The byte of a quote, inside which a line end does not count; absent without quotes. */
  readonly quote?: number;
  /** The number of lines to skip before the first line. */
  readonly skipLines?: number;
  /** True if the first line that is not empty, with everything before it, forms a separate block. */
  readonly firstAlone?: boolean;
}

/** Cuts bytes that arrive in pieces into blocks of whole lines. */
export class LineBlocks {
  #isQuoted = false;
  #skipLines: number;
  #isFirstDue: boolean;
  #isLineEmpty = true;
  #rest: Uint8Array[] = [];
  #restLength = 0;
  readonly #quote: number;

  constructor({ quote = -1, skipLines = 0, firstAlone = false }: LineBlocksOptions = {}) {
    this.#quote = quote;
    this.#skipLines = skipLines;
    this.#isFirstDue = firstAlone;
  }

  /** Returns the lines that are complete with these bytes. */
  push(bytes: Uint8Array): readonly Uint8Array[] {
    const blocks: Uint8Array[] = [];
    let from = 0;
    if (this.#isFirstDue) {
      const end = this.#endOfFirst(bytes);
      if (end === undefined) return this.#keep(bytes);
      this.#isFirstDue = false;
      blocks.push(this.#whole(bytes.subarray(0, end)));
      from = end;
    }
    const end = this.#endOfLast(bytes, from);
    if (end > from) blocks.push(this.#whole(bytes.subarray(from, end)));
    this.#keep(bytes.subarray(end));
    return blocks;
  }

  /** Returns the end of the first line; `undefined` if it is not in these bytes. */
  #endOfFirst(bytes: Uint8Array): number | undefined {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      const isSkipped = byte === LINE_END && this.#skipLines > 0;
      if (isSkipped) this.#skipLines -= 1;
      if (byte === LINE_END && !this.#isQuoted) {
        if (!isSkipped && !this.#isLineEmpty) return at + 1;
        this.#isLineEmpty = true;
        continue;
      }
      if (byte !== RETURN) this.#isLineEmpty = false;
      if (byte === this.#quote) this.#isQuoted = !this.#isQuoted;
    }
    return undefined;
  }

  /** Returns the end of the last complete line; the beginning if there is none. */
  #endOfLast(bytes: Uint8Array, from: number): number {
    const quote = this.#quote;
    if (quote < 0) return Math.max(from, bytes.lastIndexOf(LINE_END) + 1);
    // This loop runs once for each byte: reading members of the object would take several times as long.
    let isQuoted = this.#isQuoted;
    let end = from;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte === quote) isQuoted = !isQuoted;
      else if (byte === LINE_END && !isQuoted) end = at + 1;
    }
    this.#isQuoted = isQuoted;
    return end;
  }

  /** Keeps the beginning of a line. */
  #keep(bytes: Uint8Array): readonly Uint8Array[] {
    this.#restLength += bytes.length;
    requireShort(this.#restLength);
    if (bytes.length > 0) this.#rest.push(bytes);
    return [];
  }

  /** Returns the beginning of a line without an end. */
  rest(): Uint8Array {
    return this.#whole(new Uint8Array(0));
  }

  #whole(bytes: Uint8Array): Uint8Array {
    if (this.#restLength === 0) return bytes;
    const all = Buffer.concat([...this.#rest, bytes]);
    this.#rest = [];
    this.#restLength = 0;
    return all;
  }
}
