/**
 * The values that must never be printed. One instance belongs to one run; every text that leaves the run for a log,
 * an error or an event goes through {@link Secrets.mask}. The runs of a client have a common instance above their own.
 */
import { lowerCase, SecretForms } from './forms';
import { maskNamed } from './names';

const MASK = '***';
/** `://user:password@host`: whatever stands before the last `@` of an authority, also where JSON text has `\/`. */
const USERINFO = /(:\\?\/\\?\/)[^/?#\s"<>]*@/g;
/** `://user:pass/word@host`, where what follows the colon is no port: up to the last `@` that is near. */
const BROKEN_USERINFO = /(:\\?\/\\?\/)[^/?#\s"<>@:[]*:(?=\d*[^\s\d/?#"<>@])[^/?#\s"<>@]*[/?# ][^"<>\r\n]{0,200}@/g;
/** What the userinfo of a URL is expected to be at most. */
const USERINFO_LENGTH = 300;
/** How many texts are known that were masked, and the most characters of one: most of what a run tells comes again. */
const REMEMBERED = 500;
const REMEMBERED_LENGTH = 300;
/** How many of the values that responses give are known at least, unless told otherwise: those before them are forgotten. */
const LEARNED = 2_000;

/**
 * Registered values and how to mask them, in any case of ASCII letters.
 *
 * @example new Secrets(['a b/c']).mask('?key=A%20b%2Fc') // '?key=***'
 */
export class Secrets {
  readonly #given = new SecretForms();
  /** What was learned, and before that: a run may learn of more values than there is memory for. */
  #recent = new SecretForms();
  #older = new SecretForms();
  /** What texts look like masked, with the values that are known now. */
  readonly #masked = new Map<string, string>();
  /** Counts the values that have come; what was masked before one came counts no more. */
  #version = 0;
  #maskedAt = 0;

  /**
   * @param values values to register
   * @param shared knows more values: those that this instance and others have in common
   * @param kept how many of the values that responses give are known at least
   */
  constructor(
    values: readonly string[] = [],
    private readonly shared?: Secrets,
    private readonly kept = LEARNED,
  ) {
    this.add(...values);
  }

  /** Registers values for good; empty ones are ignored. A text of several lines is also registered line by line. */
  add(...values: readonly string[]): void {
    for (const value of values) {
      if (value === '' || this.#given.has(value)) continue;
      this.#given.add(value);
      this.#version += 1;
    }
  }

  /**
   * Registers values that come anew again and again, such as tokens of logins, cookies and signatures; the last thousands
   * of them are known. Empty ones are ignored.
   */
  learn(...values: readonly string[]): void {
    for (const value of values) {
      if (value === '' || this.#given.has(value) || this.#recent.has(value)) continue;
      if (this.#recent.size >= this.kept) {
        this.#older = this.#recent;
        this.#recent = new SecretForms();
      }
      this.#recent.add(value);
      this.#version += 1;
    }
  }

  /** The most characters that a secret takes in a string. */
  get longest(): number {
    const own = Math.max(USERINFO_LENGTH, this.#given.longest, this.#recent.longest, this.#older.longest);
    return Math.max(own, this.shared?.longest ?? 0);
  }

  /**
   * The text with every registered value, every userinfo of a URL, and what stands under the name of a secret, replaced by
   * `***`.
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

  /** The text with every registered value replaced by `***`: data, in which names say nothing, stays as it is. */
  maskValues(text: string): string {
    return this.#withoutValues(text);
  }

  #mask(text: string): string {
    const masked = maskNamed(this.#withoutValues(text), MASK);
    if (!masked.includes('@')) return masked;
    return masked.replace(BROKEN_USERINFO, `$1${MASK}@`).replace(USERINFO, `$1${MASK}@`);
  }

  #withoutValues(text: string): string {
    const known = this.#forms().filter(({ size }) => size > 0);
    if (known.length === 0) return text;
    const searched = lowerCase(text);
    let masked = '';
    let done = 0;
    for (let at = 0; at < text.length; at += 1) {
      let length = 0;
      for (const forms of known) length = Math.max(length, forms.lengthAt(searched, at));
      if (length === 0) continue;
      // Secrets that overlap or touch get one mask: the rest of the second would tell a part of it.
      if (at > done || masked === '') masked += text.slice(done, at) + MASK;
      done = Math.max(done, at + length);
    }
    return done === 0 ? text : masked + text.slice(done);
  }

  #forms(): readonly SecretForms[] {
    const own = [this.#given, this.#recent, this.#older];
    return this.shared === undefined ? own : [...own, ...this.shared.#forms()];
  }
}
