/** Validates JSON in its bytes without building values, for data that is only passed on. */
import { losesAny } from './decimal';
import { DEEPEST } from './objects';

/** Findings of a scan; flags are set and never cleared. */
export interface ScanFlags {
  /** White space between tokens. */
  space: boolean;
  /** Keys whose order JSON.parse alone would change (docs/language/README.md#json-without-loss). */
  unusual: boolean;
  /**
   * The begin and end of each number that JSON.parse may change; they are examined on demand. Absent if the caller does
   * not need them.
   */
  readonly doubtful?: number[];
  /** The offset of the key `id` of the object that the scan began with; -1 without one. */
  id?: number;
  /** Another key that is looked for, in quotes, and its offset in that object; -1 without one. */
  readonly member?: { readonly key: Uint8Array; at: number } | undefined;
}

/** The result for text that is not JSON, or that nests too deep for this scan. */
export const UNREADABLE = -1;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * The number of digits from which a number may be beyond JavaScript's precision; an exponent of three digits may be,
 * too.
 */
const MANY_DIGITS = 16;
const LARGE_EXPONENT_DIGITS = 3;

/**
 * Makes a lookup table: 1 for each byte that is accepted. Behind the end of a text, callers look up byte 0: an index that is not a number
 * would make every later lookup slow.
 */
const table = (accepts: (byte: number) => boolean): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => Number(accepts(byte)));
const among = (characters: string): Uint8Array => table((byte) => characters.includes(String.fromCharCode(byte)));
const PLAIN_IN_STRING = table((byte) => byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH);
const SPACE = among(' \t\r\n');
const DIGIT = among('0123456789');
const HEX = among('0123456789abcdefABCDEF');
const ESCAPED = among('"\\/bfnrt');
const LITERALS = ['true', 'false', 'null'].map((word) => Buffer.from(word));

/** Marks which of the open containers are objects, by depth. A scan is synchronous, so one array serves all scans. */
const inObject = new Uint8Array(DEEPEST / 2 + 2);

/** Returns the offset of the first byte that is not white space. */
export function skipSpace(bytes: Uint8Array, from: number, met: ScanFlags): number {
  let at = from;
  while (SPACE[bytes[at] ?? 0] === 1) at += 1;
  if (at > from) met.space = true;
  return at;
}

/**
 * Returns the offset after the value that begins at an offset, or {@link UNREADABLE}. It is one loop over the bytes,
 * without a call for each level, because this is the time that a page costs.
 *
 * @param from the offset of the first byte of the value, not white space
 */
export function skipValue(bytes: Uint8Array, from: number, met: ScanFlags): number {
  let depth = 0;
  let at = from;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = skipString(bytes, at);
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      const isObject = byte === OPEN_OBJECT;
      at = pastSpace(bytes, at + 1, met);
      if (bytes[at] === (isObject ? CLOSE_OBJECT : CLOSE_LIST)) at += 1;
      else {
        depth += 1;
        if (depth > DEEPEST / 2) return UNREADABLE;
        inObject[depth] = isObject ? 1 : 0;
        if (isObject) {
          if (depth === 1) noteKey(bytes, at, met);
          at = toValue(bytes, at, met);
        }
        if (at === UNREADABLE) return UNREADABLE;
        continue;
      }
    } else at = byte > 0x39 ? skipLiteral(bytes, at) : skipNumber(bytes, at, met);
    // This loop reads what follows a value: the ends of containers, and then a comma and the next value.
    for (;;) {
      if (at === UNREADABLE || depth === 0) return at;
      at = pastSpace(bytes, at, met);
      const next = bytes[at];
      const isObject = inObject[depth] === 1;
      at += 1;
      if (next === COMMA) {
        at = pastSpace(bytes, at, met);
        if (isObject) {
          if (depth === 1) noteKey(bytes, at, met);
          at = toValue(bytes, at, met);
        }
        break;
      }
      if (next !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) return UNREADABLE;
      depth -= 1;
    }
    if (at === UNREADABLE) return UNREADABLE;
  }
}

/** Notes the key `id`, by which items are distinguished, and the one that is looked for. */
function noteKey(bytes: Uint8Array, at: number, met: ScanFlags): void {
  if (bytes[at + 1] === 0x69 && bytes[at + 2] === 0x64 && bytes[at + 3] === QUOTE) met.id = at;
  if (met.member !== undefined && isAt(bytes, at, met.member.key)) met.member.at = at;
}

function isAt(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let next = 0; next < key.length; next += 1) if (bytes[at + next] !== key[next]) return false;
  return true;
}

/** Returns the offset of the value of a member. */
function toValue(bytes: Uint8Array, from: number, met: ScanFlags): number {
  if (bytes[from] !== QUOTE) return UNREADABLE;
  const at = skipKey(bytes, from, met);
  return at === UNREADABLE ? UNREADABLE : pastSpace(bytes, at, met);
}

/** Does the same as {@link skipSpace}, without a call if there is not white space. */
const pastSpace = (bytes: Uint8Array, at: number, met: ScanFlags): number =>
  (bytes[at] as number) > 0x20 ? at : skipSpace(bytes, at, met);

/**
 * Returns the offset after a key and its colon. Keys that look like numbers are unusual, because JavaScript puts them
 * first.
 */
export function skipKey(bytes: Uint8Array, from: number, met: ScanFlags): number {
  const first = bytes[from + 1] ?? 0;
  if (DIGIT[first] === 1 || first === BACKSLASH) met.unusual = true;
  const end = skipString(bytes, from);
  if (end === UNREADABLE) return UNREADABLE;
  const at = bytes[end] === COLON ? end : skipSpace(bytes, end, met);
  return bytes[at] === COLON ? at + 1 : UNREADABLE;
}

/**
 * Returns the offset after a string.
 *
 * @param from the offset of the opening quote
 */
export function skipString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  for (;;) {
    while (PLAIN_IN_STRING[bytes[at] ?? 0] === 1) at += 1;
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) return UNREADABLE;
    const escaped = bytes[at + 1] ?? 0;
    if (ESCAPED[escaped] === 1) at += 2;
    else if (escaped === 0x75 && areHex(bytes, at + 2)) at += 6;
    else return UNREADABLE;
  }
}

function areHex(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < from + 4; at += 1) if (HEX[bytes[at] ?? 0] !== 1) return false;
  return true;
}

function skipLiteral(bytes: Uint8Array, from: number): number {
  const word = LITERALS.find((literal) => literal[0] === bytes[from]);
  if (word === undefined) return UNREADABLE;
  for (let at = 1; at < word.length; at += 1) if (bytes[from + at] !== word[at]) return UNREADABLE;
  return from + word.length;
}

function skipNumber(bytes: Uint8Array, from: number, met: ScanFlags): number {
  const start = bytes[from] === 0x2d ? from + 1 : from;
  let at = skipDigits(bytes, start);
  if (at === start || (bytes[start] === 0x30 && at > start + 1)) return UNREADABLE;
  if (bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = skipDigits(bytes, fraction);
    if (at === fraction) return UNREADABLE;
  }
  let isDoubtful = at - start >= MANY_DIGITS;
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    const sign = bytes[at + 1];
    const exponent = at + (sign === 0x2b || sign === 0x2d ? 2 : 1);
    at = skipDigits(bytes, exponent);
    if (at === exponent) return UNREADABLE;
    isDoubtful ||= at - exponent >= LARGE_EXPONENT_DIGITS;
  }
  if (isDoubtful) met.doubtful?.push(from, at);
  return at;
}

/** Returns whether `JSON.parse` reads lines of JSON, without white space between tokens, without loss. */
export function arePlainLines(lines: Uint8Array): boolean {
  const doubtful: number[] = [];
  const met: ScanFlags = { space: false, unusual: false, doubtful };
  for (let at = 0; at < lines.length; at += 1) {
    at = skipValue(lines, at, met);
    if (at === UNREADABLE || met.unusual) return false;
  }
  return !losesDigits(lines, doubtful);
}

/** Returns whether JSON.parse changes any of the doubtful numbers. */
export const losesDigits = (bytes: Uint8Array, doubtful: readonly number[]): boolean =>
  doubtful.length > 0 && losesAny(literalsAt(bytes, doubtful));

/** Returns the numbers between these pairs of offsets, separated by commas. */
function literalsAt(bytes: Uint8Array, pairs: readonly number[]): string {
  let length = 0;
  for (let at = 0; at < pairs.length; at += 2) length += (pairs[at + 1] as number) - (pairs[at] as number) + 1;
  const joined = Buffer.allocUnsafe(length);
  let end = 0;
  for (let at = 0; at < pairs.length; at += 2) {
    const to = pairs[at + 1] as number;
    for (let from = pairs[at] as number; from < to; from += 1) joined[end++] = bytes[from] as number;
    joined[end++] = COMMA;
  }
  return joined.toString('latin1', 0, length - 1);
}

function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (DIGIT[bytes[at] ?? 0] === 1) at += 1;
  return at;
}
