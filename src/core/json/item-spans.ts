/** Finds the items of a JSON text in its bytes without parsing them. */
import { losesDigits, skipKey, skipSpace, skipValue, UNREADABLE } from './skip-value';
import type { ScanFlags } from './skip-value';

/** The elements of the array that holds the items; offsets count bytes. */
export interface ItemSpans {
  /** The keys that lead to the array; empty if the array is the whole value. */
  readonly path: readonly string[];
  /** The offsets of its opening bracket, and after its closing bracket. */
  readonly from: number;
  readonly to: number;
  /** Element i begins at `starts[i]` and ends before `ends[i]`. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** True if white space is between the tokens of the array. */
  readonly spaced: boolean;
  /** The offset of the key `id` of each element; `undefined` where one has none. */
  readonly ids: readonly number[] | undefined;
  /** The same for the key that was looked for; `undefined` where one has none, and if none was looked for. */
  readonly members: readonly number[] | undefined;
  /** True if the text has numbers or keys that JSON.parse alone would not preserve; computed on first access. */
  readonly unusual: boolean;
}

const NO_KEY = -1;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BACKSLASH = 0x5c;

/**
 * Finds the array of items in the UTF-8 bytes of a JSON text, and checks that all of the text is JSON.
 *
 * @param path the keys that lead to the array; if absent, the array is the whole value, or the only array among its
 *   members
 * @param key a key of the elements that is looked for
 * @param onRepeated is called with a key on the path that occurs twice, with values that differ: only the last one counts
 * @returns `undefined` if the ordinary reader has to judge: the text is not JSON or has an unusual structure, or the
 *   array is missing or empty
 * @example itemSpans(Buffer.from('{"items":[1,22]}'), ['items']) // { from: 9, to: 15, starts: [10, 12], ends: [11, 14], … }
 */
export function itemSpans(
  bytes: Uint8Array,
  path: readonly string[] | undefined,
  key?: string,
  onRepeated?: (key: string) => void,
): ItemSpans | undefined {
  const doubtful: number[] = [];
  const member = key === undefined ? undefined : { key: Buffer.from(JSON.stringify(key)), at: NO_KEY };
  const met: ScanFlags = { space: false, unusual: false, doubtful, id: NO_KEY, member };
  const search = new Search(bytes, met);
  const start = skipSpace(bytes, byteOrderMark(bytes), met);
  const end = search.value(start, path ?? [], path === undefined);
  const isWhole = end !== UNREADABLE && skipSpace(bytes, end, met) === bytes.length;
  const { found, repeated } = search;
  if (repeated !== undefined) onRepeated?.(repeated);
  if (!isWhole || found === undefined || found.starts.length === 0) return undefined;
  return new Spans(found, () => met.unusual || losesDigits(bytes, doubtful));
}

/** A class, since a getter in an object literal is expensive: see docs/decisions/responses-and-pages.md. */
class Spans implements ItemSpans {
  readonly path: ItemSpans['path'];
  readonly from: number;
  readonly to: number;
  readonly starts: ItemSpans['starts'];
  readonly ends: ItemSpans['ends'];
  readonly spaced: boolean;
  readonly ids: ItemSpans['ids'];
  readonly members: ItemSpans['members'];
  #unusual: boolean | undefined;

  constructor(
    { path, from, to, starts, ends, spaced, ids, members }: Found,
    private readonly isUnusual: () => boolean,
  ) {
    this.path = path;
    this.from = from;
    this.to = to;
    this.starts = starts;
    this.ends = ends;
    this.spaced = spaced;
    this.ids = ids;
    this.members = members;
  }

  get unusual(): boolean {
    return (this.#unusual ??= this.isUnusual());
  }
}

const byteOrderMark = (bytes: Uint8Array): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

type Found = Omit<ItemSpans, 'unusual'>;

class Search {
  found: Found | undefined;
  /** A key on the path to the items that occurs twice, with values that differ. */
  repeated: string | undefined;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly met: ScanFlags,
  ) {}

  /**
   * Returns the offset after a value on the path.
   *
   * @param steps the rest of the path
   * @param detect whether the first array among the members is wanted, and must be the only one
   */
  value(from: number, steps: readonly string[], detect: boolean, path: readonly string[] = []): number {
    const first = this.bytes[from];
    const isEnd = detect || steps.length === 0;
    if (isEnd && first === OPEN_LIST) return this.#list(from, path);
    // A single object where the path ends is no list: nobody looks through it.
    if (first !== OPEN_OBJECT || (isEnd && !detect) || path.length > MOST_STEPS) return UNREADABLE;
    return this.#object(from, steps, detect && path.length === 0, path);
  }

  #object(from: number, steps: readonly string[], detect: boolean, path: readonly string[]): number {
    const { bytes, met } = this;
    const [wanted, ...rest] = steps;
    const keys = new Set<string>();
    // The value on the path, to be compared with another one of the same key.
    let [begin, end] = [0, 0];
    let at = skipSpace(bytes, from + 1, met);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      if (bytes[at] !== QUOTE) return UNREADABLE;
      const afterKey = skipKey(bytes, at, met);
      if (afterKey === UNREADABLE) return UNREADABLE;
      const key = this.#keyAt(at);
      // If keys are equal, the last one counts, and an escaped key may be the wanted one. Both are rare, so the other
      // reader handles them.
      if (key === undefined) return UNREADABLE;
      if (keys.has(key)) {
        if (key === (detect ? this.found?.path[0] : wanted) && !this.#isEqual(begin, end, afterKey))
          this.repeated = key;
        return UNREADABLE;
      }
      keys.add(key);
      at = skipSpace(bytes, afterKey, met);
      if (detect && bytes[at] === OPEN_LIST) {
        if (this.found !== undefined) return UNREADABLE;
        begin = at;
        end = at = this.#list(at, [key]);
      } else if (!detect && key === wanted) {
        begin = at;
        end = at = this.value(at, rest, false, [...path, key]);
      } else at = skipValue(bytes, at, met);
      if (at === UNREADABLE) return UNREADABLE;
      at = skipSpace(bytes, at, met);
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return UNREADABLE;
      at = skipSpace(bytes, at + 1, met);
    }
  }

  /** Returns whether the value behind a key is spelled as another one: then nothing is lost. */
  #isEqual(begin: number, end: number, afterKey: number): boolean {
    const from = skipSpace(this.bytes, afterKey, this.met);
    const to = from + end - begin;
    return (
      skipValue(this.bytes, from, this.met) === to &&
      Buffer.compare(this.bytes.subarray(begin, end), this.bytes.subarray(from, to)) === 0
    );
  }

  /** Returns the text of the key at its opening quote, unless it has escapes. */
  #keyAt(from: number): string | undefined {
    let end = from + 1;
    while (this.bytes[end] !== QUOTE) {
      if (this.bytes[end] === BACKSLASH) return undefined;
      end += 1;
    }
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + from + 1, end - from - 1).toString('utf8');
  }

  #list(from: number, path: readonly string[]): number {
    const { bytes, met } = this;
    const around = met.space;
    met.space = false;
    const starts: number[] = [];
    const ends: number[] = [];
    let ids: number[] | undefined = [];
    let members: number[] | undefined = met.member === undefined ? undefined : [];
    let at = skipSpace(bytes, from + 1, met);
    if (bytes[at] === CLOSE_LIST) at += 1;
    else
      for (;;) {
        starts.push(at);
        met.id = NO_KEY;
        if (met.member !== undefined) met.member.at = NO_KEY;
        at = skipValue(bytes, at, met);
        if (at === UNREADABLE) return UNREADABLE;
        ends.push(at);
        if (met.id === NO_KEY) ids = undefined;
        else ids?.push(met.id);
        if (met.member === undefined || met.member.at === NO_KEY) members = undefined;
        else members?.push(met.member.at);
        at = skipSpace(bytes, at, met);
        const byte = bytes[at];
        at += 1;
        if (byte === CLOSE_LIST) break;
        if (byte !== COMMA) return UNREADABLE;
        at = skipSpace(bytes, at, met);
      }
    this.found = { path, from, to: at, starts, ends, spaced: met.space, ids, members };
    met.space ||= around;
    return at;
  }
}

/** Maximum steps of a path; the reader that counts levels handles longer ones. */
const MOST_STEPS = 100;
