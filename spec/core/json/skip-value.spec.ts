import * as fc from 'fast-check';
import { parseData, parsePlain } from '../../../src/core/json/parse';
import { arePlainLines } from '../../../src/core/json/skip-value';
import { stringifyJson } from '../../../src/core/json/stringify';
import { anyJson } from './arbitrary-json';

describe('arePlainLines', () => {
  it('is true of lines that JSON.parse reads as parseData does, and only of such', () => {
    fc.assert(
      fc.property(fc.array(anyJson, { minLength: 1 }), (values) => {
        const texts = values.map((value) => stringifyJson(value));
        const isPlain = arePlainLines(Buffer.from(texts.map((text) => `${text}\n`).join('')));
        for (const text of isPlain ? texts : [])
          expect(stringifyJson(parsePlain(text))).toBe(stringifyJson(parseData(text)));
        if (!isPlain) expect(texts.join('\n')).toMatch(/\d{16}|[eE]|"(?:\d|\\)/);
      }),
    );
  });

  it.each([
    [true, '{"a":0.03571428571428571,"b":"9007199254740993"}'],
    [true, '{"a":"call 00491234567890123456","b":0.03571428571428571}'],
    [false, '{"a":9007199254740993}'],
    [false, '{"a":0.1234567890123456789}'],
    [false, '[1e400]'],
    [false, '{"b":1,"7":2}'],
  ])('is %s of %s', (expected, line) => expect(arePlainLines(Buffer.from(`{"a":1}\n${line}\n`))).toBe(expected));
});

it('parseData reads digits in a string that are no number', () => {
  expect(parseData('{"a":"call: 00491234567890123456"}')).toEqual({ a: 'call: 00491234567890123456' });
});
