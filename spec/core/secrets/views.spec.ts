import * as fc from 'fast-check';
import { Secrets } from '../../../src/core/secrets/secrets';
import { viewsOf } from '../../../src/core/secrets/views';
import { runsOf } from '../../support/cases';

const SECRET = 'aB1=c&d/é<x>"y\\z';
const masked = (text: string, secret = SECRET): string => new Secrets([secret]).mask(text);

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const unit = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join('');
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const numeric = (character: string): string => `&#${character.codePointAt(0)};`;
const hexadecimal = (character: string): string => `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`;
const percent = (character: string): string =>
  Array.from(Buffer.from(character), (byte) => `%${hex(byte, 2)}`).join('');
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

describe('a secret as it is written by', () => {
  const php = (text: string): string =>
    json(text)
      .replace(/[^\0-\x7f]/g, unit)
      .replaceAll('/', '\\/');
  const go = (text: string): string => json(text).replace(/[<>&]/g, unit);
  const dotnet = (text: string): string =>
    json(text)
      .replaceAll('\\"', '\\u0022')
      .replace(/[<>&'+`]|[^\0-\x7f]/g, unit);

  it.each<[string, string]>([
    ['Gson, which escapes = as well', json(SECRET).replace(/[<>&='é]/g, unit)],
    ['Go, which leaves letters in UTF-8 and escapes &', go(SECRET)],
    ['PHP, JSON in JSON', php(php(SECRET))],
    ['Go, JSON in JSON', go(go(SECRET))],
    ['.NET, JSON in JSON', dotnet(dotnet(SECRET))],
    ['.NET, JSON in JSON in JSON', dotnet(dotnet(dotnet(SECRET)))],
    ['PHP, in JSON of Go, in JSON of .NET', dotnet(go(php(SECRET)))],
    ['HTML, all of it in decimal numbers', Array.from(SECRET, numeric).join('')],
    ['HTML, some of it in hexadecimal numbers', SECRET.replace(/[=&<>"]/g, hexadecimal)],
    ['a URL in upper case, all of it', Array.from(SECRET, percent).join('').toUpperCase()],
    ['a URL, half of it', SECRET.replace(/[&/"<]/g, percent)],
    ['a URL, the other half', SECRET.replace(/[=é>\\]/g, percent)],
    ['a URL in Latin-1', `aB1=c&d/%E9<x>"y\\z`],
    ['a URL in a URL in a URL', encodeURIComponent(encodeURIComponent(encodeURIComponent(SECRET)))],
    ['who reads UTF-8 as Latin-1', latin1(SECRET)],
    ['who reads UTF-8 as Latin-1 twice', latin1(latin1(SECRET))],
    ['JavaScript', SECRET.replace(/[=é]/g, (one) => `\\x${hex(one.charCodeAt(0), 2)}`)],
  ])('%s', (_, text) => {
    expect(masked(`found ${text} here`)).toBe('found *** here');
  });

  it.each([
    ['JSON', 'found "aB1\\u003dc\\u0026d\\/\\u00'],
    ['HTML', 'found aB1&#61;c&amp;d/&#2'],
    ['HTML', 'found aB1&#61;c&am'],
    ['a URL', 'found aB1%3Dc%26d%2F%C3'],
    ['a URL', 'found aB1%3Dc%26d%2'],
  ])('%s, and is cut off in the middle of an escape', (_, text) => {
    expect(masked(`${text}…`)).toMatch(/^found "?\*\*\*…$/);
  });

  it('is hidden below an escape that belongs to what stands before it', () => {
    // A backslash before the letter n is a line end in JSON, and may be a part of a path, too.
    expect(masked('C:\\n-o-p-1', 'n-o-p-1')).toBe('C:\\***');
  });
});

describe('a secret under the name of one that is escaped', () => {
  it.each([
    ['https://h/?a=1\\u0026access_token\\u003dabcd1234', 'https://h/?a=1\\u0026access_token\\u003d***'],
    ['{&quot;token&quot;:&quot;abcd1234&quot;}', '{&quot;token&quot;:&quot;***&quot;}'],
    ['"{\\\\\\"token\\\\\\":\\\\\\"abcd1234\\\\\\"}"', '"{\\\\\\"token\\\\\\":\\\\\\"***\\\\\\"}"'],
    ['next=https%3A%2F%2Fbob:pw@h%2F', 'next=https%3A%2F%2F***@h%2F'],
  ])('%s', (text, shown) => {
    expect(masked(text)).toBe(shown);
  });
});

describe('a secret in base64', () => {
  it.each([
    ['JSON', JSON.stringify({ user: 'ann', password: SECRET })],
    ['a form', new URLSearchParams({ user: 'ann', x: SECRET }).toString()],
    ['JSON in base64', Buffer.from(JSON.stringify({ user: 'ann', password: SECRET })).toString('base64')],
  ])('of %s', (_, text) => {
    for (const encoded of [Buffer.from(text).toString('base64'), Buffer.from(text).toString('base64url')]) {
      const shown = masked(`found ${encoded} here`);
      expect(shown).toMatch(/^found [\w+/-]+\*\*\*[\w+/=-]* here$/);
    }
  });
});

type IsChosen = (at: number) => boolean;
/** Writes characters of a text in another way: those that are chosen, and always the one that begins an escape. */
const each =
  (write: (character: string) => string, sign: string, written = write(sign)) =>
  (text: string, isChosen: IsChosen): string =>
    Array.from(text, (one, at) => (one === sign ? written : isChosen(at) ? write(one) : one)).join('');
const ENCODERS = {
  json: (text: string) => json(text),
  units: each(unit, '\\', '\\\\'),
  unitsOfMarks: (text: string) => json(text).replace(/[<>&='+`]|[^\0-\x7f]/g, unit),
  slashes: (text: string) => json(text).replaceAll('/', '\\/'),
  component: (text: string) => encodeURIComponent(text),
  form: (text: string) => new URLSearchParams([['', text]]).toString().slice(1),
  percent: each(percent, '%'),
  numeric: each(numeric, '&'),
  hexadecimal: each(hexadecimal, '&'),
  named: (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  latin1: (text: string) => latin1(text),
};
/** Those that only write the secret itself: a URL keeps its percent signs, and base64 of a short text may be any word. */
const FIRST = {
  ...ENCODERS,
  href: each((one) => (/[\w.-]/.test(one) ? one : percent(one)), '%', '%'),
  base64: (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
};

describe('any secret, encoded in any ways one after another', () => {
  const namesOf = <T extends object>(encoders: T) => Object.keys(encoders) as (keyof T)[];
  const secret = fc
    .oneof(
      fc.string({ unit: 'grapheme', minLength: 4, maxLength: 16 }),
      fc.string({ unit: fc.constantFrom(...Array.from('aZ9%\\/&;#"\'+= u00')), minLength: 4, maxLength: 16 }),
    )
    .map((text) => text.toWellFormed())
    // Shorter ones, and those that are shorter as a URL reads them, are masked as separate words alone.
    .filter((value) => viewsOf(value).every(({ text }) => text.replace(/[\s+]/g, '').length >= 4));
  const ways = fc.record({
    first: fc.constantFrom(...namesOf(FIRST)),
    others: fc.array(fc.constantFrom(...namesOf(ENCODERS)), { maxLength: 3 }),
    chosen: fc.array(fc.boolean(), { minLength: 5, maxLength: 11 }),
  });

  it('is masked, and nothing of it is left', () => {
    fc.assert(
      fc.property(secret, ways, (value, { first, others, chosen }) => {
        const isChosen = (at: number): boolean => chosen[at % chosen.length] === true;
        const begun = FIRST[first](value, isChosen);
        const text = others.reduce((sofar, name) => ENCODERS[name](sofar, isChosen), begun);
        expect(masked(`found ${text} here`, value)).toBe('found *** here');
      }),
      { numRuns: runsOf(2000) },
    );
  });
});

describe('the readings of a text', () => {
  it('are the text alone where nothing is escaped', () => {
    for (const text of ['', 'GET https://h.example/a?b=1', 'Über 100 %', 'a & b'])
      expect(viewsOf(text)).toHaveLength(1);
  });

  it('are so many at most, whatever the text is', () => {
    const nested = `%${'25'.repeat(100)}41 ${'\\'.repeat(1000)}"&amp;${'amp;'.repeat(100)}`;
    expect(viewsOf(nested).length).toBeLessThanOrEqual(40);
  });

  it('come from parts of the text that tell each character', () => {
    const text = fc.array(fc.constantFrom('a', '%41', '\\u0042', '&#67;', 'é', '%C3%A9', 'Ã©', '😀', '&', '%', '\\'));
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join('');
        for (const { text: read, origin } of viewsOf(whole).map((view) => ({
          text: view.text,
          origin: view.origin.bind(view),
        })))
          for (let at = 0; at < read.length; at += 1) {
            const [from, to] = origin(at, at + 1);
            expect(from).toBeLessThan(to);
            expect(to).toBeLessThanOrEqual(whole.length);
          }
      }),
    );
  });
});
