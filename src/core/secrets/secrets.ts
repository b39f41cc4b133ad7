/**
 * The values that must never be printed. One instance belongs to one run; every text that leaves the run for a log, an
 * error or an event passes through {@link Secrets.mask}. The runs of a client share a parent instance.
 */
import { lowerCase, SecretForms } from './forms';
import { maskNamed } from './names';

const MASK = '***';
/** Matches `://user:password@host`: everything before the last `@` of an authority, also if JSON text has `\/`. */
const USERINFO = /(:\\?\/\\?\/)[^/?#\s"<>]*@/g;
/** Matches `://user:pass/word@host`, if the text after the colon is not a port: up to the last `@` nearby. */
const BROKEN_USERINFO = /(:\\?\/\\?\/)[^/?#\s"<>@:[]*:(?=\d*[^\s\d/?#"<>@])[^/?#\s"<>@]*[/?# ][^"<>\r\n]{0,200}@/g;
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
  readonly #given = new SecretForms();
  /** The recently learned values, and the ones before: a run may learn more values than memory can hold. */
  #recent = new SecretForms();
  #older = new SecretForms();
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
        this.#recent = new SecretForms();
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
      // Secrets that overlap or touch get one mask: the rest of the second would reveal a part of it.
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
