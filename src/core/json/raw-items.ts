/** The items of a JSON text in its bytes: lines, ids and digests of them without parsing. */
import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Json, RawItems, ScratchBuffer } from '../model';
import { itemSpans } from './item-spans';
import type { ItemSpans } from './item-spans';
import { withAllDigits } from './literals';
import { parseData, parseList } from './parse';

const [FIRST, SECOND] = [0x811c9dc5, 0x9e3779b9];
const [PRIME, OTHER_PRIME] = [0x01000193, 0x85ebca6b];
const HIGH = 2 ** 21;

/**
 * Returns a number that is equal for equal bytes, and else most likely differs: 53 bits, so that a million different values hardly ever share one.
 *
 * @example hashOfBytes(Buffer.from('[17]'), 1, 3)
 */
function hashOfBytes(bytes: Uint8Array, from: number, to: number): number {
  let [first, second] = [FIRST, SECOND];
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    first = Math.imul(first ^ byte, PRIME);
    second = Math.imul(second ^ byte, OTHER_PRIME);
  }
  return (first >>> 0) * HIGH + (second >>> 11);
}

/** Does the same for the UTF-8 bytes of a string. */
export function hashOfText(text: string): number {
  const bytes = Buffer.from(text);
  return hashOfBytes(bytes, 0, bytes.length);
}

const LINE_END = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LAST_SPACE = 0x20;
const EMPTY_LIST = Buffer.from('[]');

/**
 * Finds the items in the bytes of a response without parsing them: items that are only passed on cost a copy.
 *
 * @param bytes valid UTF-8
 * @param path the keys that lead to the array of items; if absent, the array is the whole value, or the only array
 *   among its members
 * @param key a key of the items whose values are read: see {@link RawItems.values}
 * @param onRepeated is called with a key on the path that occurs twice, with values that differ
 * @returns `undefined` if the ordinary reader has to judge: see {@link itemSpans}
 * @example rawDocument(Buffer.from('[1, 2]'), [])?.lines('', '').toString() // '1\n2\n'
 */
export function rawDocument(
  bytes: Uint8Array,
  path: readonly string[] | undefined,
  key?: string,
  onRepeated?: (key: string) => void,
): RawDocument | undefined {
  const spans = itemSpans(bytes, path, key, onRepeated);
  if (spans === undefined) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new RawDocument(text, spans);
}

/** A JSON text whose items were found in its bytes. What is read of it is parsed when it is first read. */
export class RawDocument implements RawItems {
  readonly count: number;
  readonly path: readonly string[];
  readonly #text: Buffer;
  readonly #spans: ItemSpans;
  #data: Json | undefined;
  #ids: { readonly value: readonly number[] | undefined } | undefined;
  #values: { readonly value: readonly Json[] | undefined } | undefined;
  #print: string | undefined;
  #around: Json | undefined;

  constructor(text: Buffer, spans: ItemSpans) {
    this.#text = text;
    this.#spans = spans;
    this.count = spans.starts.length;
    this.path = spans.path;
  }

  /** The parsed text. */
  get data(): Json {
    return (this.#data ??= this.isPlain ? (JSON.parse(utf8Text(this.#text)) as Json) : reads(this.#text));
  }

  get isPlain(): boolean {
    return !this.#spans.unusual;
  }

  lines(before: string, after: string, scratch?: ScratchBuffer): Uint8Array {
    return linesOf(this.#text, this.#spans, Buffer.from(before), Buffer.from(after), scratch);
  }

  first(): Json {
    return reads(this.bytes(0));
  }

  print(): string {
    return (this.#print ??= printOf(this.#text, this.#spans));
  }

  ids(): readonly number[] | undefined {
    const text = this.#text;
    this.#ids ??= { value: this.#spans.ids?.map((at) => hashOfBytes(text, ...valueBehind(text, at))) };
    return this.#ids.value;
  }

  values(): readonly Json[] | undefined {
    this.#values ??= { value: valuesBehind(this.#text, this.#spans) };
    return this.#values.value;
  }

  bytes(at?: number): Buffer {
    const { from, to, starts, ends } = this.#spans;
    return at === undefined ? this.#text.subarray(from, to) : this.#text.subarray(starts[at], ends[at]);
  }

  includes(item: Uint8Array): boolean {
    const { starts, ends } = this.#spans;
    return starts.some((start, at) => {
      const end = ends[at] as number;
      return end - start === item.length && this.#text.compare(item, 0, item.length, start, end) === 0;
    });
  }

  around(): Json {
    const { from, to } = this.#spans;
    return (this.#around ??= reads(Buffer.concat([this.#text.subarray(0, from), EMPTY_LIST, this.#text.subarray(to)])));
  }

  release(): void {
    this.#data = undefined;
    this.#values = undefined;
  }
}

/** Reads a small part: whether the whole is unusual would cost more to know. */
const reads = (part: Buffer): Json => parseData(utf8Text(part));

const COLON = 0x3a;

function valuesBehind(text: Buffer, { members }: ItemSpans): readonly Json[] | undefined {
  if (members === undefined) return undefined;
  const texts: string[] = [];
  let [before, end] = [0, 0];
  for (const at of members) {
    const [from, to] = valueBehind(text, at);
    if (to - from === end - before && areEqual(text, from, before, to - from)) continue;
    [before, end] = [from, to];
    texts.push(text.toString('utf8', from, text[from] === QUOTE ? to + 1 : to));
  }
  return texts.some(isNested) ? undefined : withAllDigits(parseList(texts));
}

function areEqual(text: Buffer, a: number, b: number, length: number): boolean {
  for (let at = 0; at < length; at += 1) if (text[a + at] !== text[b + at]) return false;
  return true;
}

const isNested = (text: string): boolean => text.startsWith('{') || text.startsWith('[');

/** Returns where the value of a member begins and ends, a string, a number or a word, by the offset of its key. */
function valueBehind(text: Buffer, key: number): readonly [number, number] {
  let from = text.indexOf(COLON, text.indexOf(QUOTE, key + 1)) + 1;
  while ((text[from] as number) <= LAST_SPACE) from += 1;
  let to = from + 1;
  if (text[from] === QUOTE) {
    while (text[to] !== QUOTE) to += text[to] === BACKSLASH ? 2 : 1;
    return [from, to];
  }
  while (!ENDS.has(text[to] as number)) to += 1;
  return [from, to];
}

const ENDS: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n,}'));

/** The number of bytes at each end of an array that its digest covers, besides its first and last item. */
const PRINTED = 1024;

function printOf(text: Buffer, { from, to, starts, ends }: ItemSpans): string {
  const list = text.subarray(from, to);
  const [first, last] = [0, starts.length - 1].map((at) => text.subarray(starts[at], ends[at]));
  const hash = createHash('sha1').update(`${starts.length} ${list.length} `).update(list.subarray(0, PRINTED));
  for (const item of [first, last]) if (item !== undefined) hash.update(item);
  return hash.update(list.subarray(-PRINTED)).digest('base64');
}

/** Returns bytes of UTF-8 as text, without a byte order mark. Bytes of ASCII are only copied. */
export function utf8Text(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function linesOf(
  text: Buffer,
  spans: ItemSpans,
  before: Buffer,
  after: Buffer,
  scratch: ScratchBuffer = (size) => Buffer.allocUnsafe(size),
): Uint8Array {
  if (spans.spaced || before.length > 0 || after.length > 0) return copied(text, spans, before, after, scratch);
  // The comma after each item becomes the end of its line.
  const { starts, ends } = spans;
  const from = starts[0] as number;
  const lines = scratch((ends[ends.length - 1] as number) - from + 1);
  text.copy(lines, 0, from, from + lines.length);
  for (const end of ends) lines[end - from] = LINE_END;
  return lines;
}

function copied(
  text: Buffer,
  { starts, ends, spaced }: ItemSpans,
  before: Buffer,
  after: Buffer,
  scratch: ScratchBuffer,
): Uint8Array {
  const around = before.length + after.length + 1;
  const lines = scratch((ends[ends.length - 1] as number) - (starts[0] as number) + starts.length * around);
  let at = 0;
  starts.forEach((start, item) => {
    const end = ends[item] as number;
    at += before.copy(lines, at);
    at = spaced ? copyTokens(text, start, end, lines, at) : at + text.copy(lines, at, start, end);
    at += after.copy(lines, at);
    lines[at++] = LINE_END;
  });
  return lines.subarray(0, at);
}

/** Copies a value without the white space between its tokens; returns the end of the copy. */
function copyTokens(text: Buffer, from: number, to: number, lines: Uint8Array, begin: number): number {
  let end = begin;
  let inString = false;
  for (let at = from; at < to; at += 1) {
    const byte = text[at] as number;
    if (byte === QUOTE) inString = !inString;
    else if (!inString && byte <= LAST_SPACE) continue;
    lines[end++] = byte;
    if (byte === BACKSLASH) lines[end++] = text[++at] as number;
  }
  return end;
}
