/**
 * The values that must never be printed. One instance belongs to one run; every text that leaves the run for a log,
 * an error or an event goes through {@link Secrets.mask}.
 */

const MASK = '***';
/** `://user:password@host`: whatever stands before the last `@` of an authority, also where JSON text has `\/`. */
const USERINFO = /(:\\?\/\\?\/)[^/?#\s"<>]*@/g;
/** `://user:pass/word@host`, where what follows the colon is no port: up to the last `@` that is near. */
const BROKEN_USERINFO = /(:\\?\/\\?\/)[^/?#\s"<>@:[]*:(?=\d*[^\s\d/?#"<>@])[^/?#\s"<>@]*[/?# ][^"<>\r\n]{0,200}@/g;
/** What the userinfo of a URL is expected to be at most. */
const USERINFO_LENGTH = 300;
/** Shorter values are masked only where they stand alone, or every digit of a log would vanish. */
const ALWAYS_MASKED_LENGTH = 4;

/** ASCII only: the text keeps its length, and a letter its case whatever stands beside it. */
const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const hrefOf = (beginning: string, text: string): string => new URL(beginning + text).href.slice(beginning.length);

/** The forms in which a value may appear: as it is, in a URL, a form or JSON text (or one in another), in base64 or hex. */
function appearances(value: string): readonly string[] {
  const text = value.toWellFormed();
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, percent);
  const json = JSON.stringify(value).slice(1, -1);
  const asciiJson = json.replace(/[^\0-\x7F]/g, unicodeEscape);
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  const forms = [
    value,
    component,
    strict,
    component.replaceAll('%20', '+'),
    strict.replaceAll('%20', '+'),
    new URLSearchParams([['', text]]).toString().slice(1),
    encodeURI(text),
    hrefOf('http://h/', text),
    hrefOf('http://h/?', text),
    json,
    json.replaceAll('/', '\\/'),
    asciiJson,
    asciiJson.replaceAll('/', '\\/'),
    encodeURIComponent(component),
    encodeURIComponent(strict),
    JSON.stringify(json).slice(1, -1),
    JSON.stringify(asciiJson).slice(1, -1),
  ];
  if (value.length >= ALWAYS_MASKED_LENGTH)
    forms.push(
      base64,
      encodeURIComponent(base64),
      base64.replaceAll('+', '-').replaceAll('/', '_'),
      Buffer.from(value).toString('hex'),
    );
  // A shorter form is no encoding: the URL has resolved `..` in it.
  return forms.filter(({ length }) => length >= value.length);
}

/** A value and its lines: a key in PEM form may be printed line by line. */
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

/**
 * Registered values and how to mask them, in any case of ASCII letters.
 *
 * @example new Secrets(['a b/c']).mask('?key=A%20b%2Fc') // '?key=***'
 */
export class Secrets {
  readonly #values = new Set<string>();
  /** Forms by how they begin: a text takes about as long to mask with thousands of secrets as with one. */
  readonly #forms = new Map<string, Set<string>>();
  /** The characters that these begin with, by code: most places of a text are passed over by this alone. */
  readonly #firsts = new Set<number>();
  /** The lengths of these beginnings; shorter ones are whole forms. */
  readonly #sizes = new Set<number>();
  #longest = USERINFO_LENGTH;

  constructor(values: readonly string[] = []) {
    this.add(...values);
  }

  /** Registers values; empty ones are ignored. A text of several lines is also registered line by line. */
  add(...values: readonly string[]): void {
    for (const value of values) {
      if (value === '' || this.#values.has(value)) continue;
      this.#values.add(value);
      for (const form of partsOf(value).flatMap(appearances).map(lowerCase)) {
        const beginning = form.slice(0, ALWAYS_MASKED_LENGTH);
        this.#firsts.add(beginning.charCodeAt(0));
        this.#sizes.add(beginning.length);
        this.#longest = Math.max(this.#longest, form.length);
        this.#forms.set(beginning, (this.#forms.get(beginning) ?? new Set()).add(form));
      }
    }
  }

  /** No secret takes more characters in a text. */
  get longest(): number {
    return this.#longest;
  }

  /** The text with every registered value, and every userinfo of a URL, replaced by `***`. */
  mask(text: string): string {
    const masked = this.#forms.size === 0 ? text : this.#withoutValues(text);
    if (!masked.includes('@')) return masked;
    return masked.replace(BROKEN_USERINFO, `$1${MASK}@`).replace(USERINFO, `$1${MASK}@`);
  }

  #withoutValues(text: string): string {
    const searched = lowerCase(text);
    let masked = '';
    let done = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (!this.#firsts.has(searched.charCodeAt(at))) continue;
      const end = at + this.#lengthAt(searched, at);
      if (end === at) continue;
      // Secrets that overlap or touch get one mask: the rest of the second would tell a part of it.
      if (at > done || masked === '') masked += text.slice(done, at) + MASK;
      done = Math.max(done, end);
    }
    return done === 0 ? text : masked + text.slice(done);
  }

  /** The length of the longest form that begins here; 0 for none. */
  #lengthAt(text: string, at: number): number {
    let longest = 0;
    for (const size of this.#sizes)
      for (const form of this.#forms.get(text.slice(at, at + size)) ?? []) {
        const end = at + form.length;
        const isSecret = form.length >= ALWAYS_MASKED_LENGTH || standsAlone(text, at, end);
        if (form.length > longest && isSecret && text.startsWith(form, at)) longest = form.length;
      }
    return longest;
  }
}
