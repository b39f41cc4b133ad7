import * as fc from 'fast-check';
import { anyText } from '../../support/any-text';
import { decodeUtf8 } from '../../../src/core/json/item-reader';

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : Buffer.from(part))));

describe('language 0.3 rule 5: invalid UTF-8 bytes are dropped', () => {
  it.each<[string, Uint8Array, string]>([
    ['nothing', bytes(), ''],
    ['a lone lead byte', bytes('a', [0xc3], 'b'), 'ab'],
    ['a lone continuation byte', bytes('a', [0x80], 'b'), 'ab'],
    ['bytes that UTF-8 never has', bytes([0xff, 0xfe], 'a', [0xc0, 0xaf], 'b'), 'ab'],
    ['a character cut off at the end', bytes('a', [0xe2, 0x82]), 'a'],
    ['a cut character before ASCII', bytes('a', [0xf0, 0x9f, 0x98], 'b'), 'ab'],
    ['a cut character before a whole one', bytes([0xe2, 0x82], 'é'), 'é'],
    ['half a surrogate pair', bytes('a', [0xed, 0xa0, 0x80], 'b'), 'ab'],
    ['beyond the last character', bytes('a', [0xf4, 0x90, 0x80, 0x80], 'b'), 'ab'],
    ['Latin-1', Buffer.from('café crème', 'latin1'), 'caf crme'],
    ['a U+FFFD that was sent stays', bytes('a\uFFFDb'), 'a\uFFFDb'],
    ['also beside bytes that go', bytes('a\uFFFD', [0xff], '\uFFFDb', [0xc3]), 'a\uFFFD\uFFFDb'],
    ['also right after a cut character', bytes([0xf0, 0x9f], '\uFFFD'), '\uFFFD'],
    ['control characters stay', bytes('\u0001\u0002\u0001', [0xff], '\u0000'), '\u0001\u0002\u0001\u0000'],
  ])('%s', (_, body, text) => {
    expect(decodeUtf8(body)).toBe(text);
  });

  it('a byte order mark at the beginning is dropped, one inside stays', () => {
    expect(decodeUtf8(bytes('\uFEFF{"a":"\uFEFF"}'))).toBe('{"a":"\uFEFF"}');
    expect(decodeUtf8(bytes('\uFEFF[', [0xff], ']'))).toBe('[]');
    expect(decodeUtf8(bytes('\uFEFF'))).toBe('');
  });

  it('reads the view, not the buffer below it', () => {
    const whole = bytes('abc', [0xff], 'def');
    expect(decodeUtf8(whole.subarray(1, 5))).toBe('bcd');
  });

  it('every text comes through', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.startsWith('\uFEFF'));
    fc.assert(fc.property(text, (value) => decodeUtf8(Buffer.from(value)) === value));
  });

  it('bytes that are never valid make no difference between characters', () => {
    const never = fc.constantFrom(0xc0, 0xc1, 0xf5, 0xfe, 0xff);
    const pieces = fc.array(fc.tuple(anyText(), fc.array(never)));
    fc.assert(
      fc.property(pieces, (parts) => {
        const clean = bytes('x', ...parts.map(([text]) => text.toWellFormed()));
        const dirty = bytes('x', ...parts.flatMap(([text, junk]) => [text.toWellFormed(), junk]));
        expect(decodeUtf8(dirty)).toBe(decodeUtf8(clean));
      }),
    );
  });
});
