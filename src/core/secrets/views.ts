/**
 * The readings of a text in which a secret may hide: as it is, and with the escapes of JSON, URLs and HTML, text in
 * base64, and UTF-8 that was read as Latin-1 undone, in any order and at several depths. An escape is undone wherever it
 * stands, because no two programs escape the same characters.
 */

/** The mark at the end of a text that was cut. */
export const CUT = '…';

/** A part of a text: from an index up to another one. */
export type Span = readonly [from: number, to: number];

/** One reading of a text. */
export class View {
  /**
   * @param text the text as it is read
   * @param froms where the part of the original text begins that a character comes from; absent if it is the same text
   * @param tos where that part ends
   */
  constructor(
    readonly text: string,
    private readonly froms?: Int32Array,
    private readonly tos?: Int32Array,
  ) {}

  from(at: number): number {
    return this.froms?.[at] ?? at;
  }

  to(at: number): number {
    return this.tos?.[at] ?? at + 1;
  }

  /** Returns the part of the original text that a part of this reading comes from. */
  origin(from: number, to: number): Span {
    return [this.from(from), this.to(to - 1)];
  }
}

/** The most readings of a text; each costs about as much as the text itself. */
const MOST_VIEWS = 40;

/**
 * Returns the readings of a text, the first of which is the text itself.
 *
 * @param base64 whether text in base64 is read as well
 * @example viewsOf('a%5Cu003db').map(({ text }) => text) // ['a%5Cu003db', 'a\\u003db', 'a=b']
 */
export function viewsOf(text: string, base64 = false): readonly View[] {
  const views = [new View(text)];
  if (!MAY_BE_ESCAPED.test(text) && !(base64 && mayBeBase64(text))) return views;
  const seen = new Set([text]);
  // The views that are added are read in their turn.
  for (const view of views)
    for (const read of base64 ? READINGS : ESCAPES) {
      const next = read(view);
      if (next === undefined || seen.has(next.text)) continue;
      seen.add(next.text);
      views.push(next);
      if (views.length === MOST_VIEWS) return views;
    }
  return views;
}

const MAY_BE_ESCAPED = /[\\%&\xC2-\xF4]/;

/** Returns a reading with one kind of escape undone; `undefined` if there is none. */
type Reading = (view: View) => View | undefined;

/** Adds what an escape stands for: a character and the part of the text that spells it. */
type Put = (character: string, from: number, to: number) => void;

const undoing =
  (isIn: (text: string) => boolean, escapes: RegExp, undo: (match: RegExpExecArray, put: Put) => void): Reading =>
  (view) => {
    if (!isIn(view.text)) return undefined;
    const rewritten = new Rewritten(view);
    const put: Put = (character, from, to) => rewritten.put(character, from, to);
    for (const match of view.text.matchAll(escapes)) {
      rewritten.keep(match.index);
      undo(match, put);
      rewritten.skip(match.index + match[0].length);
    }
    return rewritten.view();
  };

/** The escapes of JSON, JavaScript and PHP. One that was cut in two stands for nothing. */
const json = undoing(
  (text) => text.includes('\\'),
  /\\(?:u([\da-f]{4})|x([\da-f]{2})|([bfnrt])|([!-/:-@[-`{-~])|(?:u[\da-f]{0,3}|x[\da-f]?)?(?=…))/gi,
  ({ index, 0: whole, 1: unit, 2: byte, 3: control = '', 4: mark }, put) => {
    const code = unit ?? byte;
    const character = code === undefined ? (mark ?? CONTROLS[control.toLowerCase()] ?? '') : characterOf(code, 16);
    put(character, index, index + whole.length);
  },
);

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The escapes of HTML and XML. */
const html = undoing(
  (text) => /&(?:#|amp|lt|gt|quot|apos|[a-z]{0,4}…)/i.test(text),
  /&(?:#x([\da-f]{1,6});|#(\d{1,7});|(amp|lt|gt|quot|apos);|(?:#x?[\da-f]*|[a-z]*)(?=…))/gi,
  ({ index, 0: whole, 1: hex, 2: decimal, 3: name = '' }, put) => {
    const character =
      hex === undefined
        ? decimal === undefined
          ? (NAMED[name.toLowerCase()] ?? '')
          : characterOf(decimal, 10)
        : characterOf(hex, 16);
    put(character, index, index + whole.length);
  },
);

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function characterOf(digits: string, base: number): string {
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** The escapes of URLs and forms: bytes of UTF-8, or else of Latin-1. */
const percent = undoing(
  (text) => text.includes('%'),
  /(?=%)((?:%[\da-f]{2})*)(?:%[\da-f]?(?=…))?/gi,
  ({ index, input, 0: whole, 1: escapes = '' }, put) => {
    const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex');
    const isCut = input.startsWith(CUT, index + whole.length);
    for (const { character, at, length } of charactersIn(bytes, isCut))
      put(character, index + 3 * at, index + 3 * (at + length));
    if (whole.length > escapes.length) put('', index + escapes.length, index + whole.length);
  },
);

const MISREAD = /[\xC2-\xF4][\x80-\xBF]+/;

/** UTF-8 that was read as Latin-1. */
const misread = undoing(
  (text) => MISREAD.test(text),
  new RegExp(MISREAD, 'g'),
  ({ index, 0: whole }, put) => {
    for (const { character, at, length } of charactersIn(Buffer.from(whole, 'latin1'), false))
      put(character, index + at, index + at + length);
  },
);

const RUN = /[\w+/-]{16,}/g;

/** Base64 of a text has letters of both cases, which an address, for example, rarely has. */
const isMixed = (run: string): boolean => /[A-Z]/.test(run) && /[a-z]/.test(run);

const mayBeBase64 = (text: string): boolean => text.match(RUN)?.some(isMixed) === true;

/** Text in base64, whose groups of four characters begin at any of four places behind other text. */
const base64At = (before: number): Reading =>
  undoing(mayBeBase64, RUN, ({ index, 0: whole }, put) => {
    const begin = index + before;
    const characters = isMixed(whole) ? [...charactersIn(Buffer.from(whole.slice(before), 'base64'), false)] : [];
    const isRead = hasText(characters);
    for (let at = index; at < (isRead ? begin : index + whole.length); at += 1)
      put(whole.charAt(at - index), at, at + 1);
    if (!isRead) return;
    for (const { character, at, length } of characters)
      put(character, begin + Math.floor((at * 8) / 6), begin + Math.ceil(((at + length) * 8) / 6));
  });

/** The least number of characters in a row that a wrong place to begin does not give. */
const TEXT_LENGTH = 8;

/** Returns whether there is a text among characters, and not only what other bytes come to. */
function hasText(characters: readonly ByteCharacter[]): boolean {
  let row = 0;
  for (const { character, length } of characters) {
    row = length > 1 || /[\t\n\r\x20-\x7e]/.test(character) ? row + 1 : 0;
    if (row === TEXT_LENGTH) return true;
  }
  return false;
}

const ESCAPES: readonly Reading[] = [percent, json, html, misread];
const READINGS: readonly Reading[] = [...ESCAPES, ...[0, 1, 2, 3].map(base64At)];

interface ByteCharacter {
  readonly character: string;
  /** The index of its first byte, and the number of its bytes. */
  readonly at: number;
  readonly length: number;
}

/**
 * Returns the characters of bytes: those of UTF-8, or else of Latin-1.
 *
 * @param isCut whether an incomplete character at the end was cut, and stands for nothing
 */
function* charactersIn(bytes: Uint8Array, isCut: boolean): Generator<ByteCharacter> {
  for (let at = 0; at < bytes.length;) {
    const found = characterAt(bytes, at, isCut);
    yield found;
    at += found.length;
  }
}

function characterAt(bytes: Uint8Array, at: number, isCut: boolean): ByteCharacter {
  const first = bytes[at] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  const alone = { character: String.fromCharCode(first), at, length: 1 };
  if (length === 1) return alone;
  let code = first & (0x7f >> length);
  for (let next = 1; next < length; next += 1) {
    const byte = bytes[at + next];
    if (byte === undefined) return isCut ? { character: '', at, length: next } : alone;
    if (byte >> 6 !== 0b10) return alone;
    code = (code << 6) | (byte & 0x3f);
  }
  return code > 0x10ffff ? alone : { character: String.fromCodePoint(code), at, length };
}

/** A view that is being made of another one. */
class Rewritten {
  readonly #parts: string[] = [];
  #length = 0;
  /** The index in the other view up to which it is rewritten. */
  #done = 0;
  #isChanged = false;
  // No escape is shorter than what it stands for.
  readonly #froms: Int32Array;
  readonly #tos: Int32Array;

  constructor(private readonly source: View) {
    this.#froms = new Int32Array(source.text.length);
    this.#tos = new Int32Array(source.text.length);
  }

  /** Keeps the text up to an index. */
  keep(to: number): void {
    const { source } = this;
    if (this.#done < to) this.#parts.push(source.text.slice(this.#done, to));
    for (let at = this.#done; at < to; at += 1) this.#add(source.from(at), source.to(at));
    this.#done = to;
  }

  /** Adds a character that a part of the text spells. Without one, the character before it reaches further. */
  put(character: string, from: number, to: number): void {
    const { source } = this;
    this.#isChanged ||= character !== source.text.slice(from, to);
    this.#parts.push(character);
    for (let unit = 0; unit < character.length; unit += 1) this.#add(source.from(from), source.to(to - 1));
    if (character === '' && this.#length > 0) this.#tos[this.#length - 1] = source.to(to - 1);
  }

  /** Leaves out the text up to an index. */
  skip(to: number): void {
    this.#done = to;
  }

  /** Returns the view; `undefined` if it is the other one. */
  view(): View | undefined {
    if (!this.#isChanged) return undefined;
    this.keep(this.source.text.length);
    return new View(this.#parts.join(''), this.#froms, this.#tos);
  }

  #add(from: number, to: number): void {
    this.#froms[this.#length] = from;
    this.#tos[this.#length] = to;
    this.#length += 1;
  }
}
