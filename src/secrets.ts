/**
 * The values that must never be printed. One instance belongs to one run; every text that leaves the run for a log,
 * an error or an event goes through {@link Secrets.mask}.
 */

const MASK = '***';
/** `scheme://user:password@host`: whatever stands before the last `@` of an authority. */
const USERINFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s"'<>]*@/gi;
/** Shorter values are masked only where they stand alone, or every digit of a log would vanish. */
const ALWAYS_MASKED_LENGTH = 4;

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The forms in which a value may appear: as it is, in a URL, in a form body, in JSON text, as basic credentials. */
function appearances(value: string): string[] {
  const encoded = encodeURIComponent(value.toWellFormed());
  const strict = encoded.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const base64 = Buffer.from(value).toString('base64');
  return [
    value,
    encoded,
    strict,
    encoded.replaceAll('%20', '+'),
    strict.replaceAll('%20', '+'),
    encodeURI(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'),
    ...(value.length >= ALWAYS_MASKED_LENGTH ? [base64, encodeURIComponent(base64)] : []),
  ];
}

export class Secrets {
  readonly #values = new Set<string>();
  readonly #forms = new Set<string>();
  #pattern: RegExp | undefined;

  constructor(values: readonly string[] = []) {
    this.add(...values);
  }

  /** Registers values; empty ones are ignored. A text of several lines is also registered line by line. */
  add(...values: readonly string[]): void {
    for (const value of values) {
      if (value === '' || this.#values.has(value)) continue;
      this.#values.add(value);
      for (const part of [value, ...value.split(/[\r\n]+/).filter((line) => line.length >= ALWAYS_MASKED_LENGTH)])
        for (const form of appearances(part)) this.#forms.add(form);
      this.#pattern = undefined;
    }
  }

  /** The text with every registered value, and every userinfo of a URL, replaced by `***`. */
  mask(text: string): string {
    const plain = text.replace(USERINFO, `$1${MASK}@`);
    if (this.#forms.size === 0) return plain;
    this.#pattern ??= new RegExp(
      [...this.#forms]
        .sort((a, b) => b.length - a.length)
        .map((form) =>
          form.length >= ALWAYS_MASKED_LENGTH ? escape(form) : `(?<![A-Za-z0-9])${escape(form)}(?![A-Za-z0-9])`,
        )
        .join('|'),
      'gi',
    );
    return plain.replace(this.#pattern, MASK);
  }
}
