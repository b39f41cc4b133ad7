/** Reads JSON as bytes that are known to be valid, without white space between tokens. */
import { skipKey, skipString } from '../core/json/skip-value';

export const LINE_END = 0x0a;
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
/** The first bytes of literals. */
export const TRUE = 0x74;
export const FALSE = 0x66;
export const NULL = 0x6e;

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** A key as objects spell it. */
interface Spelled<T> {
  /** With its quotes and the colon. */
  readonly bytes: Buffer;
  readonly of: T;
}

/**
 * The keys of the objects at one place: most have the same keys in the same order as the object before.
 *
 * @example new Spellings((key) => key).at(Buffer.from('{"id":1}'), 1, 0).of // 'id'
 */
export class Spellings<T> {
  readonly #order: Spelled<T>[] = [];
  readonly #byText = new Map<string, Spelled<T>>();

  /** @param valueOf returns what is known of a key, of which several spellings may lead to the same */
  constructor(private readonly valueOf: (key: string) => T) {}

  /** @param place how many keys of the object are before this one */
  at(lines: Buffer, from: number, place: number): Spelled<T> {
    const guess = this.#order[place];
    if (guess !== undefined && isAt(lines, from, guess.bytes)) return guess;
    const end = skipKey(lines, from, MET);
    const text = lines.toString('latin1', from, end);
    const found = this.#byText.get(text) ?? {
      bytes: Buffer.from(lines.subarray(from, end)),
      of: this.valueOf(JSON.parse(lines.toString('utf8', from, end - 1)) as string),
    };
    this.#byText.set(text, found);
    this.#order[place] = found;
    return found;
  }
}

/** What nobody asks for. */
const MET = { space: false, unusual: false };

function isAt(lines: Buffer, at: number, bytes: Buffer): boolean {
  for (let byte = 0; byte < bytes.length; byte += 1) if (lines[at + byte] !== bytes[byte]) return false;
  return true;
}

/** @param from the first byte of a number, `true`, `false` or `null` */
export function endOfScalar(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === undefined || byte <= 0x20) return at;
    at += 1;
  }
}

/** @param from the opening bracket of an object or an array of any depth */
export function endOfNested(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; ;) {
    const byte = bytes[at];
    if (byte === QUOTE) at = skipString(bytes, at);
    else {
      at += 1;
      if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
      if (depth === 0 || byte === undefined) return at;
    }
  }
}

const NINE = 0x39;
const BACKSLASH = 0x5c;

/**
 * @param from the opening quote
 * @returns `undefined` for a string with escapes
 */
export function endOfPlainString(bytes: Uint8Array, from: number): number | undefined {
  for (let at = from + 1; ; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) return undefined;
  }
}

/** The number of characters below which a number has no more digits than JavaScript keeps. */
const MANY_DIGITS = 16;

/**
 * Returns whether a value is a number that JavaScript prints as it is written.
 *
 * @param isPlain whether `JSON.parse` keeps the digits of all numbers around it
 */
export function isCanonicalNumber(lines: Buffer, from: number, end: number, isPlain: boolean): boolean {
  if (!isPlain && end - from >= MANY_DIGITS) return false;
  const start = lines[from] === MINUS ? from + 1 : from;
  let hasPoint = false;
  for (let at = start; at < end; at += 1) {
    const byte = lines[at] as number;
    if (byte === POINT) hasPoint = true;
    else if (byte < ZERO || byte > NINE) return false;
  }
  // Small fractions are printed with an exponent.
  if (hasPoint) return lines[end - 1] !== ZERO && !(lines[start] === ZERO && lines[start + 2] === ZERO);
  return lines[start] !== ZERO || start === from;
}

/** Lines in memory that grows. */
export class GrowingBytes {
  protected end = 0;

  /** @param memory a buffer to reuse; it is replaced by a larger one when it is too small */
  constructor(protected memory: Buffer = Buffer.alloc(0)) {}

  get length(): number {
    return this.end;
  }

  /** Returns what was written, in the same memory. */
  get bytes(): Buffer {
    return this.memory.subarray(0, this.end);
  }

  /** Makes room for so many more bytes. */
  protected reserve(bytes: number): void {
    const needed = this.end + bytes;
    if (needed <= this.memory.length) return;
    const larger = Buffer.allocUnsafe(Math.max(SMALLEST, this.memory.length * 2, needed));
    this.memory.copy(larger, 0, 0, this.end);
    this.memory = larger;
  }
}

const SMALLEST = 4096;
