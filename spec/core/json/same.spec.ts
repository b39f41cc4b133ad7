import * as fc from 'fast-check';
import { objectFrom } from '../../../src/core/json/keys';
import { parseJson } from '../../../src/core/json/parse';
import { sameJson } from '../../../src/core/json/same';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json } from '../../../src/core/model';
import { anyJson } from './arbitrary-json';

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
