import { CUT, viewsOf } from './views';
import type { Span, View } from './views';

/** Shorter values are masked only if they are separate words, or every digit of a log would vanish. */
const ALWAYS_MASKED_LENGTH = 4;

/** The most characters that spell one in a text: twice percent-encoded UTF-8, with a sign for each layer around it. */
const LONGEST_ESCAPE = 16;

/**
 * Returns a text in which ASCII letters are small and `+` is a blank, as forms have it. It keeps its length, and the
 * result for a letter never depends on its neighbours.
 */
const compared = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()).replaceAll('+', ' ');

/**
 * Returns the forms of a value in base64, alone and within a longer text, such as `user:value:more`: one for each of the
 * three positions at which it may begin in a group of three bytes, without the edge characters that hold bits of the
 * neighbouring text; and the form for URLs.
 *
 * @example inBase64('pass') // ['cGFzcw', 'cGFzc', 'Bhc3', 'wYXNz']
 */
function inBase64(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const within = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const bits = (before + bytes.byteLength) * 8;
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  });
  const forms = [bytes.toString('base64').replace(/=+$/, ''), ...within];
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

/**
 * Returns what is searched for: the value, and its bytes in base64 and in hexadecimal digits. What looks like an escape in
 * it may be read as one, if a program has escaped other characters alone.
 */
const formsOf = (value: string): readonly string[] =>
  value.length < ALWAYS_MASKED_LENGTH
    ? [value]
    : [value, ...readingsOf(value.toWellFormed()), ...inBase64(value), Buffer.from(value).toString('hex')];

const readingsOf = (value: string): readonly string[] =>
  viewsOf(value)
    .map(({ text }) => text)
    .filter(({ length }) => length >= ALWAYS_MASKED_LENGTH);

/** Returns a value and its lines: a key in PEM form may be printed line by line. */
const partsOf = (value: string): readonly string[] => [
  value,
  ...value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(({ length }) => length >= ALWAYS_MASKED_LENGTH),
];

function standsAlone(text: string, start: number, end: number): boolean {
  return !/[a-z0-9]/.test(text.charAt(start - 1) + text.charAt(end));
}

/** An index of secret values that finds them in the readings of a text. */
export class KnownValues {
  readonly #values = new Set<string>();
  /** Forms by their beginning: masking a text takes about as long with thousands of secrets as with one. */
  readonly #forms = new Map<string, Set<string>>();
  /** The first characters of these beginnings, by code: most places of a text are skipped by this check alone. */
  readonly #firsts = new Set<number>();
  /** The lengths of these beginnings; a shorter one is a whole form. */
  readonly #sizes = new Set<number>();
  #longest = 0;
  #isEscaped = false;

  /** Returns the number of values. */
  get size(): number {
    return this.#values.size;
  }

  /** Returns the most characters that a value takes in a text. */
  get longest(): number {
    return this.#longest * LONGEST_ESCAPE;
  }

  /** Returns whether there is a value that programs escape. */
  get isEscaped(): boolean {
    return this.#isEscaped;
  }

  has(value: string): boolean {
    return this.#values.has(value);
  }

  /** Adds a value. A text of several lines is also added line by line. */
  add(value: string): void {
    this.#values.add(value);
    this.#isEscaped ||= /[^\w.-]/.test(value);
    this.#longest = Math.max(this.#longest, value.length);
    for (const form of new Set(partsOf(value).flatMap(formsOf).map(compared))) {
      // Blanks say nothing.
      if (form.trim() === '') continue;
      const beginning = form.slice(0, ALWAYS_MASKED_LENGTH);
      this.#firsts.add(beginning.charCodeAt(0));
      this.#sizes.add(beginning.length);
      this.#forms.set(beginning, (this.#forms.get(beginning) ?? new Set()).add(form));
    }
  }

  /** Returns the parts of a text that are values, by one of its readings; they may overlap. */
  spansIn(view: View): readonly Span[] {
    const spans: Span[] = [];
    const text = compared(view.text);
    for (let at = 0; at < text.length; at += 1) {
      const length = this.#firsts.has(text.charCodeAt(at)) ? this.#lengthAt(text, at) : 0;
      if (length > 0) spans.push(view.origin(at, at + length));
    }
    return spans;
  }

  /** Returns the length of the longest form that begins at a place of a text; 0 for none. */
  #lengthAt(text: string, at: number): number {
    let longest = 0;
    for (const size of this.#sizes)
      for (const form of this.#forms.get(text.slice(at, at + size)) ?? []) {
        const length = lengthOf(form, text, at);
        if (length > longest) longest = length;
      }
    return longest;
  }
}

/** Returns the length of a form at a place of a text; at the end of a cut text, the beginning of the form counts. */
function lengthOf(form: string, text: string, at: number): number {
  if (form.length < ALWAYS_MASKED_LENGTH)
    return text.startsWith(form, at) && standsAlone(text, at, at + form.length) ? form.length : 0;
  if (text.startsWith(form, at)) return form.length;
  const length = text.slice(at, at + form.length).indexOf(CUT);
  return length >= ALWAYS_MASKED_LENGTH && form.startsWith(text.slice(at, at + length)) ? length : 0;
}
