/**
 * Returns the forms of a value in base64 within a longer text, such as `user:value:more`: one for each of the three
 * positions at which it may begin in a group of three bytes, without the edge characters that hold bits of the
 * neighbouring text.
 *
 * @example base64Within('pass') // ['cGFzc', 'Bhc3', 'wYXNz']
 */
const base64Within = (value: string): readonly string[] => {
  const bytes = Buffer.from(value);
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const bits = (before + bytes.byteLength) * 8;
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  });
};

/** Shorter values are masked only if they are separate words, or every digit of a log would vanish. */
const ALWAYS_MASKED_LENGTH = 4;

/**
 * Converts ASCII letters only to lower case: the string keeps its length, and the result for a letter never depends on
 * its neighbours.
 */
export const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const hrefOf = (beginning: string, text: string): string => new URL(beginning + text).href.slice(beginning.length);

/**
 * Characters that JSON serializers escape although JSON does not require it: those of Go, of PHP with its flags, and of
 * .NET.
 */
const ESCAPED_IN_JSON: readonly RegExp[] = [/[&<>]/g, /[&<>']/g, /[&<>'+`]/g];
const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Other characters that template engines write as numbers: those of Go, of Python, Mustache, Handlebars, Underscore,
 * .NET, PHP and Java.
 */
const NUMBERED: readonly Readonly<Record<string, string>>[] = [
  {},
  { "'": '&#39;' },
  { "'": '&#039;' },
  { "'": '&apos;' },
  { "'": '&#x27;' },
  { "'": '&#39;', '+': '&#43;' },
  { "'": '&#x27;', '+': '&#x2B;' },
  { "'": '&#39;', '"': '&#34;' },
  { "'": '&#39;', '"': '&#34;', '+': '&#43;' },
  { "'": '&#x27;', '`': '&#x60;' },
  { "'": '&#39;', '/': '&#x2F;' },
  { "'": '&#x27;', '/': '&#x2F;' },
  { "'": '&#39;', '/': '&#x2F;', '=': '&#x3D;', '`': '&#x60;' },
  { "'": '&#x27;', '=': '&#x3D;', '`': '&#x60;' },
];

/** Returns the forms of a value in HTML and XML: named references, and numbers for other characters. */
const inHtml = (text: string): readonly string[] =>
  NUMBERED.map((numbers) => text.replace(/[&<>"'+/=`]/g, (one) => numbers[one] ?? HTML[one] ?? one));

/** Returns the forms of a string in URLs and forms, by all common encoders, and encoded twice. */
function inUrl(text: string): readonly string[] {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, percent);
  return [
    component,
    strict,
    component.replaceAll('%20', '+'),
    strict.replaceAll('%20', '+'),
    new URLSearchParams([['', text]]).toString().slice(1),
    encodeURI(text),
    hrefOf('http://h/', text),
    hrefOf('http://h/?', text),
    encodeURIComponent(component),
    encodeURIComponent(strict),
  ];
}

/**
 * Returns the forms of a string in JSON: with slashes escaped or not, with all characters or ASCII only; and in JSON text
 * within JSON.
 */
function inJson(value: string): readonly string[] {
  const json = quoted(value);
  const ascii = json.replace(/[^\0-\x7F]/g, unicodeEscape);
  const slashes = [json, ascii].map((text) => text.replaceAll('/', '\\/'));
  return [
    json,
    ascii,
    ...slashes,
    quoted(json),
    quoted(ascii),
    ...slashes.map((text) => quoted(text).replaceAll('/', '\\/')),
  ];
}

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Returns the JSON forms of serializers that escape more characters than necessary. */
const inEscapedJson = (value: string): readonly string[] =>
  ESCAPED_IN_JSON.flatMap((characters) => {
    const ascii = quoted(value).replace(/[^\0-\x7F]/g, unicodeEscape);
    const escaped = ascii.replace(characters, unicodeEscape);
    return [escaped, escaped.replaceAll('\\"', '\\u0022'), escaped.replaceAll('/', '\\/')];
  });

/**
 * Returns the forms of a string in base64, alone or within a longer string: plain, in a URL, for URLs, and in JSON of PHP
 * and of .NET.
 */
const inBase64 = (text: string): readonly string[] =>
  [Buffer.from(text).toString('base64').replace(/=+$/, ''), ...base64Within(text)].flatMap((base64) => [
    base64,
    encodeURIComponent(base64),
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    base64.replaceAll('/', '\\/'),
    base64.replaceAll('+', unicodeEscape),
  ]);

/** Returns UTF-8 that was wrongly read as Latin-1. */
const misread = (text: string): string => Buffer.from(text).toString('latin1');

/**
 * Returns the forms in which a value may appear: plain, in JSON text (or JSON in JSON), each of them also in a URL, a
 * form, HTML or base64; and in hex.
 */
function appearances(value: string): readonly string[] {
  const isLong = value.length >= ALWAYS_MASKED_LENGTH;
  const spellings = [...new Set([value, ...inJson(value)])];
  const forms = spellings.flatMap((text) => [
    text,
    ...inUrl(text.toWellFormed()),
    ...inHtml(text.toWellFormed()),
    ...(isLong ? inBase64(text) : []),
  ]);
  forms.push(...inEscapedJson(value));
  if (isLong) forms.push(Buffer.from(value).toString('hex'));
  // A shorter form is not an encoding: the URL has resolved `..` in it.
  return [...new Set(forms)]
    .filter(({ length }) => length >= value.length)
    .flatMap((form) => (/[^\0-\x7F]/.test(form) ? [form, misread(form)] : [form]));
}

/** Returns a value and its lines: a key in PEM form may be printed line by line. */
const partsOf = (value: string): readonly string[] => [
  value,
  ...value
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(({ length }) => length >= ALWAYS_MASKED_LENGTH),
];

/** The mark at the end of a string that was cut. */
const CUT = '…';

function standsAlone(text: string, start: number, end: number): boolean {
  return !/[a-z0-9]/.test(text.charAt(start - 1) + text.charAt(end));
}

/** An index of secret values that finds the forms in which they appear. */
export class SecretForms {
  readonly #values = new Set<string>();
  /** Forms by their beginning: masking a string takes about as long with thousands of secrets as with one. */
  readonly #forms = new Map<string, Set<string>>();
  /** The first characters of these beginnings, by code: most places of a string are skipped by this check alone. */
  readonly #firsts = new Set<number>();
  /** The lengths of these beginnings; a shorter one is a whole form. */
  readonly #sizes = new Set<number>();
  #longest = 0;

  /** Returns the number of values. */
  get size(): number {
    return this.#values.size;
  }

  /** Returns the most characters that a form takes in a string. */
  get longest(): number {
    return this.#longest;
  }

  has(value: string): boolean {
    return this.#values.has(value);
  }

  /** Adds a value. A text of several lines is also added line by line. */
  add(value: string): void {
    this.#values.add(value);
    for (const form of new Set(partsOf(value).flatMap(appearances).map(lowerCase))) {
      const beginning = form.slice(0, ALWAYS_MASKED_LENGTH);
      this.#firsts.add(beginning.charCodeAt(0));
      this.#sizes.add(beginning.length);
      this.#longest = Math.max(this.#longest, form.length);
      this.#forms.set(beginning, (this.#forms.get(beginning) ?? new Set()).add(form));
    }
  }

  /**
   * Returns the length of the longest form that begins at a place of a string; 0 for none. At the end of a cut string,
   * the beginning of a form counts.
   *
   * @param text the string in lower case
   */
  lengthAt(text: string, at: number): number {
    if (!this.#firsts.has(text.charCodeAt(at))) return 0;
    let longest = 0;
    for (const size of this.#sizes)
      for (const form of this.#forms.get(text.slice(at, at + size)) ?? []) {
        const length = lengthOf(form, text, at);
        if (length > longest) longest = length;
      }
    return longest;
  }
}

function lengthOf(form: string, text: string, at: number): number {
  if (form.length < ALWAYS_MASKED_LENGTH)
    return text.startsWith(form, at) && standsAlone(text, at, at + form.length) ? form.length : 0;
  if (text.startsWith(form, at)) return form.length;
  const end = text.indexOf(CUT, at);
  if (end < at + ALWAYS_MASKED_LENGTH || end >= at + form.length) return 0;
  return form.startsWith(text.slice(at, end)) ? end - at : 0;
}
