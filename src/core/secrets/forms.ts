/**
 * How a value looks in base64 inside of a longer text, such as `user:value:more`: for each of the three places at which it may
 * begin in a group of three bytes, without the characters at its edges that hold bits of what stands beside it.
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

/** Shorter values are masked only where they stand alone, or every digit of a log would vanish. */
const ALWAYS_MASKED_LENGTH = 4;

/** ASCII only: the string keeps its length, and a letter its case whatever stands beside it. */
export const lowerCase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const percent = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;
const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const hrefOf = (beginning: string, text: string): string => new URL(beginning + text).href.slice(beginning.length);

/** Characters that serializers of JSON escape although they need not: those of Go, of PHP by its flags, and of .NET. */
const ESCAPED_IN_JSON: readonly RegExp[] = [/[&<>]/g, /[&<>']/g, /[&<>'+`]/g];
const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What else template engines write as numbers: those of Go, of Python, Mustache, Handlebars, Underscore, .NET, PHP and Java. */
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

/** The value in pages and in XML: named references, and numbers for other characters. */
const inHtml = (text: string): readonly string[] =>
  NUMBERED.map((numbers) => text.replace(/[&<>"'+/=`]/g, (one) => numbers[one] ?? HTML[one] ?? one));

/** The text in URLs and forms, by all who encode it, and twice. */
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

/** The text in JSON, with slashes escaped or not, in all characters or in those of ASCII; and in JSON text within JSON. */
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

/** JSON of serializers that escape more characters than they need. */
const inEscapedJson = (value: string): readonly string[] =>
  ESCAPED_IN_JSON.flatMap((characters) => {
    const ascii = quoted(value).replace(/[^\0-\x7F]/g, unicodeEscape);
    const escaped = ascii.replace(characters, unicodeEscape);
    return [escaped, escaped.replaceAll('\\"', '\\u0022'), escaped.replaceAll('/', '\\/')];
  });

/** The text in base64, alone or within a longer text: as it is, in a URL, for URLs, and in JSON of PHP and of .NET. */
const inBase64 = (text: string): readonly string[] =>
  [Buffer.from(text).toString('base64').replace(/=+$/, ''), ...base64Within(text)].flatMap((base64) => [
    base64,
    encodeURIComponent(base64),
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    base64.replaceAll('/', '\\/'),
    base64.replaceAll('+', unicodeEscape),
  ]);

/** UTF-8 that was read as Latin-1. */
const misread = (text: string): string => Buffer.from(text).toString('latin1');

/**
 * The forms in which a value may appear: as it is, in JSON text (or one in another), and either of them in a URL, a form, a page or
 * base64; in hex.
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
  // A shorter form is no encoding: the URL has resolved `..` in it.
  return [...new Set(forms)]
    .filter(({ length }) => length >= value.length)
    .flatMap((form) => (/[^\0-\x7F]/.test(form) ? [form, misread(form)] : [form]));
}

/** A value and its lines: a key in PEM form may be printed line by line. */
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

/** An index of secret values: finds the forms in which they appear. */
export class SecretForms {
  readonly #values = new Set<string>();
  /** Forms by how they begin: a string takes about as long to mask with thousands of secrets as with one. */
  readonly #forms = new Map<string, Set<string>>();
  /** The characters that these begin with, by code: most places of a string are passed over by this alone. */
  readonly #firsts = new Set<number>();
  /** The lengths of these beginnings; shorter ones are whole forms. */
  readonly #sizes = new Set<number>();
  #longest = 0;

  /** How many values there are. */
  get size(): number {
    return this.#values.size;
  }

  /** The most characters that a form takes in a string. */
  get longest(): number {
    return this.#longest;
  }

  has(value: string): boolean {
    return this.#values.has(value);
  }

  /** A text of several lines is also known line by line. */
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
   * The length of the longest form that begins at a place of a string; 0 for none. Where the string was cut, the beginning of
   * a form counts.
   *
   * @param text in lower case
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
