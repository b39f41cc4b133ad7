/**
 * The values that must never be printed. One instance belongs to one run; every text that leaves the run for a log, an
 * error or an event passes through {@link Secrets.mask}. The runs of a client share a parent instance.
 */
import { mayNameSecret, namedSpans } from './names';
import { viewsOf, CUT } from './views';
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
    : [
        value,
        ...viewsOf(value.toWellFormed())
          .map(({ text }) => text)
          .filter(({ length }) => length >= ALWAYS_MASKED_LENGTH),
        ...inBase64(value),
        Buffer.from(value).toString('hex'),
      ];

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
class KnownValues {
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

const MASK = '***';
/** Matches `://user:password@host`: everything before the last `@` of an authority. */
const USERINFO = /:\/\/([^/?#\s"<>]+)@/g;
/** Matches `://user:pass/word@host`, if the text after the colon is not a port: up to the last `@` nearby. */
const BROKEN_USERINFO = /:\/\/([^/?#\s"<>@:[]*:(?=\d*[^\s\d/?#"<>@])[^/?#\s"<>@]*[/?# ][^"<>\r\n]{0,200})@/g;
/** The most characters of the userinfo of a URL. */
const USERINFO_LENGTH = 300;
/** The number of masked texts that are cached, and the most characters of one: most texts of a run repeat. */
const REMEMBERED = 500;
const REMEMBERED_LENGTH = 300;
/** The default number of values from responses that are remembered at least; older ones are forgotten. */
const LEARNED = 2_000;

/**
 * Registered values and how to mask them, in any case of ASCII letters.
 *
 * @example new Secrets(['a b/c']).mask('?key=A%20b%2Fc') // '?key=***'
 */
export class Secrets {
  readonly #given = new KnownValues();
  /** The recently learned values, and the ones before: a run may learn more values than memory can hold. */
  #recent = new KnownValues();
  #older = new KnownValues();
  /** Masked texts by their original, for the values known now. */
  readonly #masked = new Map<string, string>();
  /** Counts the registered values; texts that were masked before the latest one are not reused. */
  #version = 0;
  #maskedAt = 0;

  /**
   * @param values values to register
   * @param shared a parent with more values, common to several instances
   * @param kept the number of values from responses that are remembered at least
   */
  constructor(
    values: readonly string[] = [],
    private readonly shared?: Secrets,
    private readonly kept = LEARNED,
  ) {
    this.add(...values);
  }

  /** Registers values permanently; empty ones are ignored. A text of several lines is also registered line by line. */
  add(...values: readonly string[]): void {
    for (const value of values) {
      if (value === '' || this.#given.has(value)) continue;
      this.#given.add(value);
      this.#version += 1;
    }
  }

  /**
   * Registers values that change often, such as tokens of logins, cookies and signatures; the last thousands of them
   * are remembered. Empty ones are ignored.
   */
  learn(...values: readonly string[]): void {
    for (const value of values) {
      if (value === '' || this.#given.has(value) || this.#recent.has(value)) continue;
      if (this.#recent.size >= this.kept) {
        this.#older = this.#recent;
        this.#recent = new KnownValues();
      }
      this.#recent.add(value);
      this.#version += 1;
    }
  }

  /** Returns the most characters that a secret takes in a string. */
  get longest(): number {
    const own = Math.max(USERINFO_LENGTH, this.#given.longest, this.#recent.longest, this.#older.longest);
    return Math.max(own, this.shared?.longest ?? 0);
  }

  /**
   * Returns the text with every registered value, every userinfo of a URL, and every value under the name of a secret
   * replaced by `***`.
   */
  mask(text: string): string {
    if (text.length > REMEMBERED_LENGTH) return this.#mask(text);
    const version = this.#version + (this.shared === undefined ? 0 : this.shared.#version);
    if (version !== this.#maskedAt) this.#masked.clear();
    this.#maskedAt = version;
    const known = this.#masked.get(text);
    if (known !== undefined) return known;
    const masked = this.#mask(text);
    if (this.#masked.size >= REMEMBERED) this.#masked.clear();
    this.#masked.set(text, masked);
    return masked;
  }

  /**
   * Returns the text with every registered value replaced by `***`. Values under names of secrets stay, because names
   * say nothing in data.
   */
  maskValues(text: string): string {
    return maskedAt(text, this.spansIn(text));
  }

  /** Returns the parts of a text that are registered values, in order; none overlaps or touches another one. */
  spansIn(text: string): readonly (readonly [from: number, to: number])[] {
    const known = this.#known();
    return known.length === 0 ? [] : joined(valuesIn(readingsOf(text, known), known));
  }

  #mask(text: string): string {
    const known = this.#known();
    if (known.length === 0 && !text.includes('@') && !mayNameSecret(text)) return text;
    const views = readingsOf(text, known);
    const named = views.flatMap((view) => [...namedSpans(view), ...userinfoIn(view)]);
    return maskedAt(text, joined([...valuesIn(views, known), ...named]));
  }

  /** Returns the values that are known now. */
  #known(): readonly KnownValues[] {
    const own = [this.#given, this.#recent, this.#older].filter(({ size }) => size > 0);
    return this.shared === undefined ? own : [...own, ...this.shared.#known()];
  }
}

const readingsOf = (text: string, known: readonly KnownValues[]): readonly View[] =>
  viewsOf(
    text,
    // Only what programs escape looks different in base64 of JSON or a form.
    known.some(({ isEscaped }) => isEscaped),
  );

const valuesIn = (views: readonly View[], known: readonly KnownValues[]): readonly Span[] =>
  views.flatMap((view) => known.flatMap((values) => values.spansIn(view)));

function userinfoIn(view: View): readonly Span[] {
  if (!view.text.includes('@')) return [];
  return [BROKEN_USERINFO, USERINFO].flatMap((pattern) =>
    Array.from(view.text.matchAll(pattern), ({ index, 1: userinfo = '' }) => {
      const at = index + '://'.length;
      return view.origin(at, at + userinfo.length);
    }),
  );
}

/** Joins parts that overlap or touch: the rest of the second would reveal a part of a secret. */
function joined(spans: readonly Span[]): readonly Span[] {
  const all: [number, number][] = [];
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last === undefined || from > last[1]) all.push([from, to]);
    else last[1] = Math.max(last[1], to);
  }
  return all;
}

function maskedAt(text: string, spans: readonly Span[]): string {
  let masked = '';
  let done = 0;
  for (const [from, to] of spans) {
    masked += text.slice(done, from) + MASK;
    done = to;
  }
  return done === 0 ? text : masked + text.slice(done);
}
