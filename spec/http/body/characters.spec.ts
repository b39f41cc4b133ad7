import * as fc from 'fast-check';
import { BrokenItems } from '../../../src/core/json/item-reader';
import type { Headers } from '../../../src/core/model';
import { shownText, textOf, utf8Of, utf8Pieces } from '../../../src/http/body/characters';
import { Unreadable } from '../../../src/language/parts/errors';
import { anyText } from '../../support/any-text';

const TEXT = '{"name":"Bäche"}';
const MARK = '\uFEFF';
const type = (charset: string): Headers => ({ 'content-type': `application/json; charset=${charset}` });
const csv = (encoding?: string) => ({ name: 'csv', ...(encoding === undefined ? {} : { encoding }) });
const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('the characters of a body', () => {
  it.each<[string, Uint8Array, Headers]>([
    ['UTF-8, where nothing is said', Buffer.from(TEXT), {}],
    ['UTF-8 with a mark', Buffer.from(MARK + TEXT), type('iso-8859-1')],
    ['UTF-8, where an encoding is named that nobody knows', Buffer.from(TEXT), type('none')],
    ['UTF-8, where ISO-8859-1 is named', Buffer.from(TEXT), type('ISO-8859-1')],
    ['UTF-8, where US-ASCII is named', Buffer.from(TEXT), type('us-ascii')],
    ['ISO-8859-1 by the content type', Buffer.from(TEXT, 'latin1'), type('ISO-8859-1')],
    ['ISO-8859-1 in quotes', Buffer.from(TEXT, 'latin1'), type('"ISO-8859-1"')],
    ['ISO-8859-1 in single quotes', Buffer.from(TEXT, 'latin1'), type("'ISO-8859-1'")],
    ['UTF-16 by the content type', Buffer.from(TEXT, 'utf16le'), type('utf-16le')],
    ['UTF-16 by a mark', Buffer.from(MARK + TEXT, 'utf16le'), type('utf-8')],
    ['UTF-16 by a mark, big end first', bigEndian(MARK + TEXT), {}],
    ['UTF-16 by its zeros', Buffer.from(TEXT, 'utf16le'), {}],
    ['UTF-16 by its zeros, big end first', bigEndian(TEXT), type('utf-8')],
  ])('are those of %s', async (_, bytes, headers) => {
    expect(textOf(bytes, { headers })).toBe(TEXT);
    expect(Buffer.from(utf8Of(bytes, { headers })).toString().replace(MARK, '')).toBe(TEXT);
    expect(shownText(bytes, { headers })).toBe(TEXT);
    for (const length of [1, 2, 3, bytes.length]) expect(await inPieces(bytes, length, { headers })).toBe(TEXT);
  });

  it('are those of the encoding of the format, whatever the response says', async () => {
    const writing = { headers: type('utf-8'), format: csv('windows-1252') };
    const bytes = Buffer.from(TEXT, 'latin1');
    expect(textOf(bytes, writing)).toBe(TEXT);
    expect(await inPieces(bytes, 1, writing)).toBe(TEXT);
    // Even where it cannot be told from UTF-8.
    expect(textOf(Buffer.from('ä'), writing)).toBe('Ã¤');
  });

  it('are those that the body itself declares', () => {
    const declaredEncoding = (beginning: string): string | undefined => /encoding="(.*)"/.exec(beginning)?.[1];
    const bytes = Buffer.from('<?xml encoding="latin1"?>ä', 'latin1');
    expect(textOf(bytes, { headers: {}, format: { name: 'xml', declaredEncoding } })).toContain('?>ä');
  });

  it('need no copy of a body in UTF-8', () => {
    const bytes = Buffer.from(TEXT);
    expect(utf8Of(bytes, { headers: type('utf-8') })).toBe(bytes);
  });
});

describe('bytes that are in no encoding', () => {
  const latin = Buffer.from(TEXT, 'latin1');
  const odd = Buffer.from(`${MARK}{}`, 'utf16le').subarray(0, -1);
  const SET = 'set "encoding" in the format of the job to what it is, such as';

  it.each<[string, Uint8Array, Headers, string]>([
    [
      'nothing is said',
      latin,
      {},
      `it holds bytes that are no UTF-8, and nothing says what else it is: ${SET} {"type":"json","encoding":"windows-1252"}`,
    ],
    [
      'UTF-8 is named',
      latin,
      type('utf-8'),
      `it holds bytes that are no UTF-8, which it says it is: ${SET} {"type":"json","encoding":"windows-1252"}`,
    ],
    [
      'UTF-16 is named',
      odd,
      {},
      `it holds bytes that are no UTF-16le, which it says it is: ${SET} {"type":"json","encoding":"utf-8"}`,
    ],
  ])('are refused where %s', (_, bytes, headers, message) => {
    expect(() => textOf(bytes, { headers })).toThrow(new Unreadable(message));
    expect(() => utf8Of(bytes, { headers })).toThrow(new Unreadable(message));
  });

  it('are refused as they arrive', async () => {
    await expect(inPieces(odd, 3, { headers: {} })).rejects.toThrow(BrokenItems);
    await expect(inPieces(Buffer.from('"\xE9"', 'latin1'), 3, { headers: type('shift_jis') })).rejects.toThrow(
      /no shift_jis, which it says it is/,
    );
  });

  it('name the format that needs an encoding', () => {
    expect(() => textOf(latin, { headers: {}, format: csv() })).toThrow(/\{"type":"csv","encoding":"windows-1252"\}/);
  });

  it('show that they were no characters, where the format names the encoding', async () => {
    const writing = { headers: {}, format: csv('utf-8') };
    expect(textOf(latin, writing)).toBe(TEXT.replace('ä', '\uFFFD'));
    expect(Buffer.from(utf8Of(latin, writing)).toString()).toBe(TEXT.replace('ä', '\uFFFD'));
    expect(await inPieces(latin, 4, writing)).toBe(TEXT.replace('ä', '\uFFFD'));
  });

  it('are shown in messages as Latin-1', () => {
    expect(shownText(latin, { headers: {} })).toBe(TEXT);
  });
});

describe('a body in pieces', () => {
  const anyLength = fc.integer({ min: 1, max: 9 });

  it('has the characters of the whole one, in UTF-8 and in UTF-16, however it is cut', async () => {
    // Zeros show UTF-16.
    const unmarked = anyText().map((text) => `[${text.toWellFormed().replaceAll('\0', '')}`);
    await fc.assert(
      fc.asyncProperty(unmarked, anyLength, async (text, length) => {
        for (const headers of [{}, type('ISO-8859-1')])
          expect(await inPieces(Buffer.from(text), length, { headers })).toBe(text);
        for (const bytes of [Buffer.from(MARK + text, 'utf16le'), bigEndian(MARK + text)])
          expect(await inPieces(bytes, length, { headers: {} })).toBe(text);
      }),
    );
  });

  it('has the characters of the whole one in Latin-1', async () => {
    // Not those that are letters of UTF-8 in pairs.
    const text = fc.string({ unit: fc.constantFrom('a', '"', 'é', 'ü', 'ß'), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, anyLength, async (value, length) => {
        const bytes = Buffer.from(value, 'latin1');
        expect(await inPieces(bytes, length, { headers: type('ISO-8859-1') })).toBe(value);
      }),
    );
  });
});

/** What bytes come to that arrive in pieces of a length. */
async function inPieces(bytes: Uint8Array, length: number, writing: Parameters<typeof utf8Pieces>[1]): Promise<string> {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += length) yield await Promise.resolve(bytes.subarray(at, at + length));
  };
  const parts: Uint8Array[] = [];
  for await (const part of utf8Pieces(pieces(), writing)) parts.push(part);
  return Buffer.concat(parts).toString();
}
