import * as fc from 'fast-check';
import {
  exactAt,
  keepLiterals,
  literalAt,
  losesDigits,
  sameJson,
  withAllDigits,
  withMember,
} from '../../../src/core/json/literals';
import { objectFrom } from '../../../src/core/json/objects';
import { parseData, parseJson, parseList } from '../../../src/core/json/parse';
import { stringifyAt, stringifyJson, stringifyValue } from '../../../src/core/json/stringify';
import type { Json, JsonArray, JsonObject } from '../../../src/core/model';
import { anyJson } from './arbitrary-json';

const spelling = '{"a":1.10,"b":[1E5,-0,12345678901234567.250],"c":{"__proto__":1e400},"1":9007199254740993.0}';
const objectOf = (text: string, notes?: 'spelling'): JsonObject => parseData(text, notes) as JsonObject;

describe('how numbers are spelled', () => {
  it.each(['1.10', '1E5', '-0', '0.0000001', '-0.00000012', '1000000000000000000000', '0.10', '1e-7'])(
    'keep %s, alone as well',
    (text) => {
      expect(stringifyJson(parseData(`[${text}]`, 'spelling'))).toBe(`[${text}]`);
    },
  );

  it('is written again', () => {
    expect(stringifyJson(parseData(spelling, 'spelling'))).toBe(spelling);
  });

  it('is kept only where the value has lost digits, unless it is asked for', () => {
    const lost = '{"a":1.1,"b":[100000,0,12345678901234567.250],"c":{"__proto__":1e400},"1":9007199254740993}';
    expect(stringifyJson(parseData(spelling))).toBe(lost);
    expect(stringifyValue(parseData(spelling, 'spelling'))).toBe(
      lost.replace('.250', '.25').replace('1e400', '1.0E+400'),
    );
  });

  it('is no part of the value', () => {
    const read = objectOf('{"a":12345678901234567.25}');
    expect(JSON.stringify(read)).toBe('{"a":12345678901234568}');
    expect(Object.keys(read)).toEqual(['a']);
    expect(stringifyJson({ ...read })).toBe('{"a":12345678901234568}');
  });

  it('does not outlive a change of the value', () => {
    const read = objectOf('{"a":12345678901234567.25,"b":1.10}', 'spelling');
    const copy = keepLiterals(read, { ...read, a: 7 });
    expect(stringifyJson(copy)).toBe('{"a":7,"b":1.10}');
    expect(literalAt(copy, 'a')).toBeUndefined();
  });

  it('belongs to the last of equal keys', () => {
    expect(stringifyJson(parseData('{"a":1.10,"a":2}', 'spelling'))).toBe('{"a":2}');
    expect(stringifyJson(parseData('{"a":1e400,"a":"x"}'))).toBe('{"a":"x"}');
  });

  it('is known of elements of a list', () => {
    const list = parseList(['1.10', '1e400', '"1.10"'], 'spelling');
    expect(list.map((_, at) => stringifyAt(list, at))).toEqual(['1.10', '1e400', '"1.10"']);
    expect(withAllDigits(list)).toEqual([1.1, '1.0E+400', '1.10']);
    expect(parseData('[1]') as JsonArray).toEqual(withAllDigits([1]));
  });

  it('tells values apart that JavaScript does not', () => {
    const [a, b, c] = ['1234567890.12345678', '1234567890.12345679', '1234567890.123456780'].map((n) => objectOf(`{"a":${n}}`)); // prettier-ignore
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(a, c)).toBe(true);
    expect(exactAt(a as JsonObject, 'a')).toBe('1234567890.12345678');
    expect([losesDigits(a ?? 0), losesDigits([[a ?? 0]]), losesDigits({ a: 1.1 })]).toEqual([true, true, false]);
  });
});

describe('an object with a member more', () => {
  it.each([
    ['{"a":1.10,"b":2}', 'c', '{"a":1.10,"b":2,"c":"new"}'],
    ['{"a":1.10,"b":2}', 'a', '{"a":"new","b":2}'],
    ['{"a":1.10}', '7', '{"a":1.10,"7":"new"}'],
    ['{"b":1,"7":2}', 'a', '{"b":1,"7":2,"a":"new"}'],
    ['{"__proto__":[1],"a":2}', 'b', '{"__proto__":[1],"a":2,"b":"new"}'],
    ['{"a":2}', '__proto__', '{"a":2,"__proto__":"new"}'],
  ])('%s with %s keeps order and digits', (text, key, made) => {
    expect(stringifyJson(withMember(objectOf(text, 'spelling'), key, 'new'))).toBe(made);
  });
});

describe('language 5.1 step 2: same structure, order of keys, types and values', () => {
  it.each<[Json | undefined, Json | undefined]>([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [
      objectFrom([
        ['b', 1],
        ['1', 2],
      ]),
      objectFrom([
        ['1', 2],
        ['b', 1],
      ]),
    ],
    [{ a: 1 }, { a: '1' }],
    [1, 1n],
    [0, false],
    ['', null],
    [null, undefined],
    [{ a: null }, {}],
    [{}, { a: null }],
    [[], {}],
    [{}, []],
    [{ 0: 'a' }, ['a']],
    [['a'], 'a'],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [[1, 2], [1]],
    [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } }],
    [{ a: 1 }, objectFrom([['__proto__', 1]])],
    [9007199254740993n, 9007199254740992n],
    ['é', 'e\u0301'],
  ])('%p and %p differ', (a, b) => {
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(b, a)).toBe(false);
  });

  it('two empty bodies are the same', () => {
    expect(sameJson(undefined, undefined)).toBe(true);
  });

  it('two readings of one text are the same', () => {
    const text = '{"b":[1,9007199254740993,{"x":null}],"1":{"__proto__":"é"},"0":1.50}';
    expect(sameJson(parseJson(text), parseJson(text))).toBe(true);
  });

  it('is an equivalence: exactly the values with the same text are the same', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (a, b) => {
        expect(sameJson(a, a)).toBe(true);
        expect(sameJson(a, parseJson(stringifyJson(a)))).toBe(true);
        expect(sameJson(parseJson(stringifyJson(a)), a)).toBe(true);
        expect(sameJson(a, b)).toBe(stringifyJson(a) === stringifyJson(b));
        expect(sameJson(a, b)).toBe(sameJson(b, a));
      }),
    );
  });

  it('a value and the same inside a list differ', () => {
    fc.assert(fc.property(anyJson, (value) => !sameJson(value, [value])));
  });
});
