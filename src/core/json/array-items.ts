/** Reads the elements of one array of a JSON text that arrives in pieces, without holding the text. */
import { BrokenItems, requireShort, decodeUtf8 } from './item-reader';
import type { ItemBlock, ItemReader } from './item-reader';
import { memberAt } from './literals';
import { entriesOf, isList, isObject } from './objects';
import { placeBelow } from './path';
import type { Json } from '../model';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LAST_SPACE = 0x20;

/** The most bytes outside the items. They are held, because only all of them together show whether the text is JSON. */
const LONGEST_AROUND = 16 * 2 ** 20;

/** Replaces the array in the text around it. */
const MARK = '\u0000 the array of items';
const MARK_BYTES = Buffer.from(JSON.stringify(MARK));

/**
 * Reads the elements of the array at a path. As in other paths, a key may have the delimiter in it. The reader of the elements finds out whether they are JSON: joined by
 * commas and in brackets they are JSON if and only if each of them is. The text around the array is checked at the end.
 *
 * @param path the keys that lead to the array; if absent, the array is the whole value, or the only array among its
 *   members
 * @param delimiter what separates the keys in a path
 * @example arrayItems(['items']).push(Buffer.from('{"items":[1,22,3')) // [1, 22], as bytes
 */
export const arrayItems = (path: readonly string[] | undefined, delimiter = '.'): ItemReader =>
  new ArrayItems(path, delimiter);

class ArrayItems implements ItemReader {
  #place: 'before' | 'inside' | 'after' = 'before';
  #isInString = false;
  #isEscaped = false;
  /** The text before the array, and later the text behind it. */
  #prefix: readonly Uint8Array[] = [];
  #around: Uint8Array[] = [];
  #aroundLength = 0;
  /**
   * For each container open before the array: the current key of an object, or `undefined` for an array. In the end,
   * the path.
   */
  readonly #keys: (string | undefined)[] = [];
  /** The bytes of the last string before the array: a key, if a colon follows. */
  #text: number[] = [];
  /** The number of containers open in the current element. */
  #depth = 0;
  /** The pieces of the current element that arrived before. */
  #begun: Uint8Array[] = [];
  #begunLength = 0;
  /** True if a part of an element has arrived, or a comma calls for one. */
  #hasBegun = false;
  #isDue = false;

  constructor(
    private readonly path: readonly string[] | undefined,
    private readonly delimiter: string,
  ) {}

  push(bytes: Uint8Array): readonly ItemBlock[] {
    const blocks: ItemBlock[] = [];
    let at = 0;
    if (this.#place === 'before') at = this.#before(bytes);
    if (this.#place === 'inside') at = this.#inside(bytes, at, blocks);
    if (this.#place === 'after') this.#keepAround(bytes.subarray(at));
    return blocks;
  }

  end(): readonly ItemBlock[] {
    if (this.#place === 'inside') throw new BrokenItems('it ends within the array of items, so it is not complete');
    if (this.#place === 'after') this.#check(parsed([...this.#prefix, MARK_BYTES, ...this.#around]));
    return [];
  }

  page(list: Uint8Array, isLast: boolean): Uint8Array {
    // Without an array, the reader of whole bodies judges what this is.
    if (this.#place === 'before') return Buffer.concat(this.#around);
    if (isLast) return Buffer.concat([...this.#prefix, list, ...this.#around]);
    const path = this.#keys.map((key) => `{${JSON.stringify(key)}:`).join('');
    return Buffer.concat([Buffer.from(path), list, Buffer.from('}'.repeat(this.#keys.length))]);
  }

  /** @throws BrokenItems if a reader of the whole text would find another array */
  #check(around: Json): void {
    const { path, delimiter } = this;
    const lists =
      path === undefined && isObject(around)
        ? entriesOf(around).filter(([, value]) => isList(value) || value === MARK)
        : [];
    if (lists.length > 1)
      throw new BrokenItems(
        `it has several arrays (${lists.map(([key]) => key).join(', ')}): say which one by "dataField"`,
      );
    const place = placeBelow({ holder: [around], key: 0 }, path ?? [], delimiter);
    const found = lists[0]?.[1] ?? (place === undefined ? undefined : memberAt(place.holder, place.key));
    if (found === MARK) return;
    throw new BrokenItems(`it has a key twice that leads to the array ${this.#wanted()}`);
  }

  #wanted(): string {
    const { path } = this;
    if (path === undefined) return 'that could hold the items: "dataField" says where it is';
    return path.length === 0 ? 'as the whole value' : `at ${JSON.stringify(path.join(this.delimiter))}, the dataField`;
  }

  #keepAround(bytes: Uint8Array): void {
    this.#aroundLength += bytes.length;
    if (this.#aroundLength > LONGEST_AROUND)
      throw new BrokenItems(
        this.#place === 'before'
          ? `its first ${LONGEST_AROUND / 2 ** 20} MiB have no array ${this.#wanted()}`
          : `it has more than ${LONGEST_AROUND / 2 ** 20} MiB beside the array of items`,
      );
    if (bytes.length > 0) this.#around.push(Uint8Array.from(bytes));
  }

  /** Looks for the array; returns where its elements begin. */
  #before(bytes: Uint8Array): number {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (this.#isInString) {
        if (byte === QUOTE && !this.#isEscaped) this.#isInString = false;
        else this.#text.push(byte);
        this.#isEscaped = byte === BACKSLASH && !this.#isEscaped;
      } else if (byte === QUOTE) {
        this.#isInString = true;
        this.#text = [];
      } else if (byte === COLON) this.#keys[this.#keys.length - 1] = keyOf(this.#text);
      else if (byte === OPEN_LIST && this.#isWanted()) {
        this.#keepAround(bytes.subarray(0, at));
        this.#prefix = this.#around;
        this.#around = [];
        this.#place = 'inside';
        return at + 1;
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#keys.push(undefined);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#keys.pop();
    }
    this.#keepAround(bytes);
    return bytes.length;
  }

  /**
   * Returns whether an array that begins here holds the items. The elements of an array have no keys, so nothing below
   * an array matches.
   */
  #isWanted(): boolean {
    const keys = this.#keys;
    if (this.path === undefined) return keys.length === 0 || (keys.length === 1 && keys[0] !== undefined);
    return !keys.includes(undefined) && keys.join(this.delimiter) === this.path.join(this.delimiter);
  }

  /** Cuts the array into elements; returns the offset of what follows the array. */
  #inside(bytes: Uint8Array, begin: number, blocks: ItemBlock[]): number {
    const starts: number[] = [];
    const ends: number[] = [];
    // This loop runs once for each byte: reading members of the object would take several times as long.
    let [isInString, isEscaped, depth, hasBegun] = [this.#isInString, this.#isEscaped, this.#depth, this.#hasBegun];
    let from = begin;
    let at = begin;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte > LAST_SPACE) {
        if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) {
          const isLast = byte === CLOSE_LIST;
          if (!hasBegun && (!isLast || this.#isDue))
            throw new BrokenItems('the array of items has a comma without an item');
          if (hasBegun && this.#begunLength > 0) blocks.push(this.#whole(bytes.subarray(from, at)));
          else if (hasBegun) {
            starts.push(from);
            ends.push(at);
          }
          hasBegun = false;
          this.#isDue = !isLast;
          from = at + 1;
          if (!isLast) continue;
          this.#place = 'after';
          break;
        }
        if (!hasBegun) {
          hasBegun = true;
          from = at;
        }
        if (byte === QUOTE) isInString = true;
        else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
        else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
          if (depth === 0) throw new BrokenItems('the array of items has a bracket too many');
          depth -= 1;
        }
      }
    }
    if (starts.length > 0) blocks.push({ bytes, starts, ends });
    if (hasBegun) this.#keepBegun(bytes.subarray(from));
    [this.#isInString, this.#isEscaped, this.#depth, this.#hasBegun] = [isInString, isEscaped, depth, hasBegun];
    return this.#place === 'after' ? at + 1 : at;
  }

  #keepBegun(bytes: Uint8Array): void {
    this.#begunLength += bytes.length;
    requireShort(this.#begunLength);
    this.#begun.push(bytes);
  }

  /** Returns the item that began in earlier pieces. */
  #whole(rest: Uint8Array): ItemBlock {
    const bytes = Buffer.concat([...this.#begun, rest]);
    this.#begun = [];
    this.#begunLength = 0;
    return { bytes, starts: [0], ends: [bytes.length] };
  }
}

/**
 * Returns the key that these bytes spell, if they are a valid string. The end of the body shows whether the text is
 * JSON.
 */
function keyOf(bytes: readonly number[]): string | undefined {
  try {
    return JSON.parse(`"${Buffer.from(bytes).toString('utf8')}"`) as string;
  } catch {
    return undefined;
  }
}

function parsed(around: readonly Uint8Array[]): Json {
  try {
    return JSON.parse(decodeUtf8(Buffer.concat(around))) as Json;
  } catch {
    throw new BrokenItems('it is no JSON, or it ends too early');
  }
}
