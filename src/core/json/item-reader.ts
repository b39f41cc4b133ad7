import { isUtf8 } from 'node:buffer';
import type { Json } from '../model';
import { isList, isObject } from './objects';

/**
 * Items in bytes, each the text of one JSON value: item i begins at `starts[i]` and ends before `ends[i]`. If two items
 * are one byte apart, the byte between them is a comma.
 */
export interface ItemBlock {
  readonly bytes: Uint8Array;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Reads items from bytes that arrive in pieces. */
export interface ItemReader {
  /**
   * Takes the next bytes.
   *
   * @returns the items that are complete with them
   * @throws BrokenItems
   */
  readonly push: (bytes: Uint8Array) => readonly ItemBlock[];
  /**
   * Takes the end of the body.
   *
   * @returns the items that are complete with it
   * @throws BrokenItems if the body cannot end here
   */
  readonly end: () => readonly ItemBlock[];
  /**
   * Returns the JSON text of a page: its items and the text around them. Absent if there is no text around them.
   *
   * @param list an array of items
   * @param isLast whether the whole body has arrived, so that all text around the items is known
   */
  readonly page?: (list: Uint8Array, isLast: boolean) => Uint8Array;
  /**
   * Returns, for a format of lines, the whole body if it has at most the names of columns; `undefined` if there are
   * items. Absent for other formats.
   */
  readonly heading?: () => string | undefined;
}

/** Returns a block of items, each given as its text. */
export function blockOf(texts: readonly string[]): ItemBlock {
  const starts: number[] = [];
  const ends: number[] = [];
  let end = -1;
  for (const text of texts) {
    starts.push(end + 1);
    end += 1 + Buffer.byteLength(text);
    ends.push(end);
  }
  return { bytes: Buffer.from(texts.join(',')), starts, ends };
}

/** The error for a malformed body. The message says why, and quotes nothing of the body. */
export class BrokenItems extends Error {
  override readonly name = 'BrokenItems';
}

/** The most bytes of one item or line: a longer one is most likely a quote or a bracket that is never closed. */
const LONGEST_ITEM = 64 * 2 ** 20;

/** @throws BrokenItems */
export function requireShort(bytes: number): void {
  if (bytes > LONGEST_ITEM)
    throw new BrokenItems(
      `an item has more than ${LONGEST_ITEM / 2 ** 20} MiB: a quote, a bracket or a line is never closed`,
    );
}

const COMMA_BYTE = 0x2c;
const COMMA = Buffer.from(',');

/** Returns items of a block with commas between them; items that have them already are not copied. */
export function joined({ bytes, starts, ends }: ItemBlock, from: number, to: number): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  let begin = starts[from] as number;
  for (let at = from; at < to; at += 1) {
    const end = ends[at] as number;
    const next = at + 1 < to ? (starts[at + 1] as number) : undefined;
    if (next === end + 1 && bytes[end] === COMMA_BYTE) continue;
    parts.push(bytes.subarray(begin, end));
    if (next === undefined) break;
    parts.push(COMMA);
    begin = next;
  }
  return parts;
}

/** The length up to which a body is examined: a longer one has content. */
const LONGEST = 2 ** 16;

/**
 * Returns whether a body certainly has no items because it is blank, or JSON without anything in an array.
 *
 * @example holdsNoItems(Buffer.from('{"items":[],"total":0}')) // true
 */
export function holdsNoItems(body: Uint8Array): boolean {
  if (body.length > LONGEST) return false;
  const text = decodeUtf8(body).trim();
  if (text === '') return true;
  try {
    return !hasItems(JSON.parse(text) as Json);
  } catch {
    return false;
  }
}

const hasItems = (value: Json): boolean =>
  isList(value) ? value.length > 0 : isObject(value) && Object.values(value).some(hasItems);

const REPLACEMENT = '\uFFFD';
/** U+FFFD as bytes, each read as one character. */
const WRITTEN_REPLACEMENT = '\xEF\xBF\xBD';

/**
 * Decodes the text of a body. A byte order mark and invalid UTF-8 bytes are dropped
 * (docs/language/README.md#json-without-loss).
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = isUtf8(buffer) ? buffer.toString('utf8') : withoutInvalidBytes(buffer);
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/**
 * Decodes without invalid bytes. The decoder writes U+FFFD for invalid bytes, so each real U+FFFD is cut out before and
 * put back.
 */
function withoutInvalidBytes(buffer: Buffer): string {
  const parts = buffer.toString('latin1').split(WRITTEN_REPLACEMENT);
  const valid = parts.map((part) => Buffer.from(part, 'latin1').toString('utf8').replaceAll(REPLACEMENT, ''));
  return valid.join(REPLACEMENT);
}
