import type { Json } from '../model';
import { isList, isObject } from './objects';
import { decodeUtf8 } from './utf8';

/**
 * Items in bytes, each the text of one JSON value: item i begins at `starts[i]` and ends before `ends[i]`. What stands between two items
 * that are one byte apart is a comma.
 */
export interface ItemBlock {
  readonly bytes: Uint8Array;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** What reads items out of bytes that arrive piece by piece. */
export interface ItemReader {
  /**
   * Takes the next bytes.
   *
   * @returns the items that are complete with them
   * @throws BrokenItems
   */
  readonly push: (bytes: Uint8Array) => readonly ItemBlock[];
  /**
   * Takes the end.
   *
   * @returns what is complete with it
   * @throws BrokenItems when the body cannot end here
   */
  readonly end: () => readonly ItemBlock[];
  /**
   * The JSON text of a page: of these items, and of what stands beside them; absent: nothing does.
   *
   * @param list an array of items
   * @param isLast whether all of the body has come, so that all that stands beside the items is known
   */
  readonly page?: (list: Uint8Array, isLast: boolean) => Uint8Array;
  /** Of lines: all that has come, where that is at most the names of columns; absent, and `undefined`: nothing, or there are items. */
  readonly heading?: () => string | undefined;
}

/** A block of items, each given as its text. */
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

/** A body is not what it should be; the message says why, and quotes nothing of it. */
export class BrokenItems extends Error {
  override readonly name = 'BrokenItems';
}

/** The most bytes of one item, or of one line: what is longer is hardly an item, but a quote or a bracket that is never closed. */
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

/** Items of a block with commas between them; what has them already is left as it is. */
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

/** A longer body has something in it. */
const LONGEST = 2 ** 16;

/**
 * This tells whether a body certainly has no items: it is blank, or JSON without anything in an array.
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
