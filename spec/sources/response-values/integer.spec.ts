import fc from 'fast-check';
import type { Json } from '../../../src/core/model';
import { hasFraction, integerOf, jsonInteger } from '../../../src/sources/response-values';

describe('integerOf (language 5.2, 5.7)', () => {
  it.each<[Json, bigint]>([
    [7, 7n],
    [-0.5, 0n],
    [1.99, 1n],
    [1e20, 100000000000000000000n],
    [9007199254740993n, 9007199254740993n],
    ['7', 7n],
    [' -7 ', -7n],
    ['+7', 7n],
    ['007', 7n],
    ['7.', 7n],
    ['.9', 0n],
    ['9007199254740993.9', 9007199254740993n],
    ['1.5e3', 1500n],
    ['2E-1', 0n],
  ])('%p is %p', (value, integer) => {
    expect(integerOf(value)).toBe(integer);
  });

  it.each<[Json]>([[1.5], [-0.5], ['1.5'], [' -.01 '], ['9007199254740993.9'], ['15e-1'], ['1.55e1']])(
    '%p has a fraction',
    (value) => {
      expect(hasFraction(value)).toBe(true);
    },
  );

  it.each<[Json]>([[7], [9007199254740993n], ['7'], ['7.'], ['7.00'], ['1.5e3'], [null], [true], [[1]]])(
    '%p has none',
    (value) => {
      expect(hasFraction(value)).toBe(false);
    },
  );

  it.each<[Json | undefined]>([
    [undefined],
    [null],
    [true],
    [''],
    [' '],
    ['.'],
    ['e5'],
    ['0x10'],
    ['7a'],
    ['1 2'],
    ['1e999'],
    [Infinity],
    [NaN],
    [[7]],
    [{}],
  ])('%p is not numeric', (value) => {
    expect(integerOf(value)).toBeUndefined();
  });

  it('reads its own texts back to the last digit', () => {
    fc.assert(fc.property(fc.bigInt(), (value) => expect(integerOf(value.toString())).toBe(value)));
  });
});

describe('jsonInteger', () => {
  it.each<[bigint, number | bigint]>([
    [0n, 0],
    [-5n, -5],
    [9007199254740991n, 9007199254740991],
    [9007199254740992n, 9007199254740992n],
    [-9007199254740993n, -9007199254740993n],
  ])('%p is %p', (value, json) => {
    expect(jsonInteger(value)).toBe(json);
  });
});
