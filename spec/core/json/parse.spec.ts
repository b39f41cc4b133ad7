import * as fc from 'fast-check';
import { isList, keysOf } from '../../../src/core/json/objects';
import { jsonIn, parseJson } from '../../../src/core/json/parse';
import { sameJson } from '../../../src/core/json/literals';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json, JsonObject } from '../../../src/core/model';
import { anyJson } from './arbitrary-json';

const parseObject = (text: string): JsonObject => parseJson(text) as JsonObject;

describe('language 0.3 rule 2: integers keep all of their digits', () => {
  it.each<[string, Json]>([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740991', -9007199254740991],
    ['-9007199254740993', -9007199254740993n],
    ['18446744073709551615', 18446744073709551615n],
    ['1234567890123456', 1234567890123456],
    ['\t9007199254740993\r\n', 9007199254740993n],
    ['[9007199254740993]', [9007199254740993n]],
    ['9007199254740993.0', 9007199254740993n],
    ['1'.repeat(400), BigInt('1'.repeat(400))],
    ['[1,-9007199254740993,2]', [1, -9007199254740993n, 2]],
    ['[ 9007199254740993 ]', [9007199254740993n]],
    ['{"a":9007199254740993}', { a: 9007199254740993n }],
    ['{"a" :\n9007199254740993\n}', { a: 9007199254740993n }],
    ['{"a":{"b":[{"c":9007199254740993}],"d":1}}', { a: { b: [{ c: 9007199254740993n }], d: 1 } }],
  ])('%j', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each<[string, Json]>([
    ['[0, -0, 0.0]', [0, -0, 0]],
    ['1.0', 1],
    ['1.50', 1.5],
    ['9007199254740993e0', 9007199254740992],
    ['12345678901234567.5', 12345678901234568],
    ['1e20', 1e20],
    ['1E+9', 1e9],
    ['0.12345678901234567890', 0.12345678901234568],
    ['"9007199254740993"', '9007199254740993'],
    ['"[9007199254740993]"', '[9007199254740993]'],
    ['{"9007199254740993":1}', { '9007199254740993': 1 }],
  ])('%j is no long integer', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });
});

describe('language 0.3 rules 1 and 4: keys are data, in the order of the text', () => {
  it.each<[string, readonly string[]]>([
    ['{"b":1,"a":2}', ['b', 'a']],
    ['{"b":1,"10":2,"2":3,"a":4}', ['b', '10', '2', 'a']],
    ['{"b":1,"1" :2}', ['b', '1']],
    ['{"b":1,"\\u0031":2}', ['b', '1']],
    ['{"b":1,"1\\u00300":2}', ['b', '100']],
    ['{"b":1,"4294967294":2}', ['b', '4294967294']],
    ['{"b":1,"2":2,"b":3,"2":4,"a":5}', ['b', '2', 'a']],
    ['{"10":1,"__proto__":2,"1":3}', ['10', '__proto__', '1']],
    ['{}', []],
  ])('%s', (text, keys) => {
    expect(keysOf(parseObject(text))).toEqual(keys);
  });

  it('objects inside others each have their own order', () => {
    const value = parseObject('{"z":{"9":{"b":0,"1":0},"8":0},"1":[{"a":0,"3":0}]}');
    expect(stringifyJson(value)).toBe('{"z":{"9":{"b":0,"1":0},"8":0},"1":[{"a":0,"3":0}]}');
  });

  it.each(['{"__proto__":{"admin":true}}', '{"__proto__":{"admin":true},"1":9007199254740993}'])(
    '%s leaves the prototype alone',
    (text) => {
      const value = parseObject(text);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.hasOwn(value, '__proto__')).toBe(true);
      expect(value['admin']).toBeUndefined();
    },
  );

  it.each(['{"a":1,"a":2}', '{"a":1,"a":2,"1":9007199254740993}'])('%s: the last of a repeated key counts', (text) => {
    expect(parseObject(text)['a']).toBe(2);
  });
});

describe('parseJson beside JSON.parse', () => {
  it('agrees on every text whose numbers are exact, by the fast way and by the careful one', () => {
    const whole = (_: string, value: unknown): unknown =>
      Number.isInteger(value) && !Number.isSafeInteger(value) ? 0.5 : value;
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(0, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, whole, space);
        const native = JSON.parse(text) as Json;
        expect(parseJson(text)).toEqual(native);
        expect(parseJson(`[${text},9007199254740993]`)).toEqual([native, 9007199254740993n]);
      }),
    );
  });

  it.each([
    '',
    ' ',
    '{',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
    '// a\n1',
    '01',
    '-',
    'NaN',
    'undefined',
    '1 2',
    '"\n"',
    '"\\x"',
    '\uFEFF1',
    '[9007199254740993,]',
    '{"1":2 /* a */}',
    '{"1":9007199254740993',
  ])('refuses %j', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it.each(['"\\u0041\\n\\"\\/\\\\\\b\\f\\r\\t"', '"\\ud83d\\ude00 \\ud800"', '"\u2028\u2029\u007f"'])(
    'reads the escapes of %s by the careful way too',
    (text) => {
      expect(parseJson(`{"1":${text}}`)).toEqual({ 1: JSON.parse(text) as Json });
    },
  );
});

describe('language 0.3: nothing is lost between parsing and writing', () => {
  it('what was written is read again', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const read = parseJson(stringifyJson(value));
        expect(sameJson(read, value)).toBe(true);
        expect(stringifyJson(read)).toBe(stringifyJson(value));
      }),
    );
  });
});

describe('parseJson under strain', () => {
  const deep = (inside: string): string => '['.repeat(100_000) + inside + ']'.repeat(100_000);

  it.each([
    ['a text without an end', '['.repeat(100_000), SyntaxError],
    ['lists around a long integer', deep('9007199254740993'), 'nested deeper than 500 levels'],
    [
      'objects with keys that look like numbers',
      '{"1":'.repeat(100_000) + '1' + '}'.repeat(100_000),
      'nested deeper than 500 levels',
    ],
  ])('%s, 100,000 levels deep, is an error that can be caught', (_, text, error) => {
    expect(() => parseJson(text)).toThrow(error);
  });

  it('500 levels are read, 501 are refused', () => {
    let depth = 0;
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    for (let value: Json | undefined = parseJson(nested(500)); isList(value); value = value[0]) depth += 1;
    expect(depth).toBe(500);
    expect(() => parseJson(nested(501))).toThrow(new SyntaxError('nested deeper than 500 levels'));
  });

  it.each(['1e400', '-1e400', '[1.5E+400]', '{"a":1e0400}', `${'1'.repeat(400)}.5`])(
    '%s is out of range: an error, never null',
    (text) => {
      expect(() => parseJson(text)).toThrow(/^the number -?1\S* is out of range$/);
    },
  );

  it.each([
    ['long integers', (size: number): string => `[${'9007199254740993,'.repeat(size)}0]`],
    [
      'keys that look like numbers',
      (size: number): string => `{${Array.from({ length: size }, (_, at) => `"${size - at}":0`).join()}}`,
    ],
    ['digits in a string', (size: number): string => `"${'1'.repeat(16 * size)}"`],
    ['spaces after strings', (size: number): string => `[${`"1"${' '.repeat(9)},`.repeat(size)}0]`],
  ])('the work for %s grows with the text, not with its square', (_, textOf) => {
    // The time of the processors: on a busy machine, the clock says nothing.
    const work = (text: string): number => {
      const before = process.cpuUsage();
      parseJson(text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const small = textOf(5_000);
    const large = textOf(100_000);
    work(small);
    const least = Math.min(work(small), work(small), work(small));
    // Twenty times the text: 400 times the work if it were quadratic.
    expect(Math.min(work(large), work(large), work(large))).toBeLessThan(Math.max(least, 1000) * 150);
  });
});

it('jsonIn reads data as parseData does, and is undefined for what is no JSON', () => {
  expect(jsonIn('{"id":9007199254740993}')).toEqual({ id: 9007199254740993n });
  expect([jsonIn('null'), jsonIn(''), jsonIn('{')]).toEqual([null, undefined, undefined]);
});
