import fc from 'fast-check';
import { furthest, movedBack } from '../../../src/core/json/furthest';
import type { Json } from '../../../src/core/model';

describe('furthest', () => {
  it.each<[Json | undefined, Json | undefined, Json | undefined]>([
    [1, 2, 2],
    [10, 9, 10],
    ['9', '10', '10'],
    [9007199254740993n, 9007199254740992, 9007199254740993n],
    ['1.5', '1.25', '1.5'],
    ['1700000000.123456781', '1700000000.123456789', '1700000000.123456789'],
    [1e25, 2, 1e25],
    ['2024-05-01T00:00:00Z', '2024-05-01T01:00:00+02:00', '2024-05-01T00:00:00Z'],
    ['2024-05-01', '2024-05-01T00:00:01Z', '2024-05-01T00:00:01Z'],
    ['2024-05-01 10:00:00', '2024-05-01T09:00:00', '2024-05-01 10:00:00'],
    ['b', 'a', 'b'],
    [null, 'a', 'a'],
    ['a', '', 'a'],
    [true, [1], undefined],
    [undefined, 0, 0],
  ])('of %p and %p is %p', (a, b, expected) => expect(furthest(a, b)).toBe(expected));

  it('of integers is the largest, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(), { minLength: 1 }), (numbers) => {
        const largest = numbers.reduce((a, b) => (a > b ? a : b));
        expect(numbers.map(String).reduce<Json | undefined>(furthest, undefined)).toBe(String(largest));
      }),
    );
  });
});

describe('movedBack', () => {
  it.each<[Json, number, Json]>([
    [10, 3, 7],
    [9007199254740993n, 1, 9007199254740992n],
    ['9007199254740993', 1, '9007199254740992'],
    ['1.5', 1, '0.5'],
    ['1700000000.123456789', 0.5, '1699999999.623456789'],
    ['1e999999999', 5, '1e999999999'],
    [0.3, 0.1, 0.2],
    ['2024-05-01T00:00:10Z', 20, '2024-04-30T23:59:50Z'],
    ['2024-05-01T00:00:10.500Z', 1, '2024-05-01T00:00:09.500Z'],
    ['2024-05-01T02:00:00+02:00', 60, '2024-05-01T01:59:00+02:00'],
    ['2024-05-01 00:00:10', 10, '2024-05-01 00:00:00'],
    ['2024-05-01', 86400, '2024-04-30'],
    ['2024-02-31T99:00:00Z', 5, '2024-02-31T99:00:00Z'],
    ['abc', 5, 'abc'],
    ['2024-05-01', 0, '2024-05-01'],
  ])('%p by %p is %p', (value, by, expected) => expect(movedBack(value, by)).toBe(expected));
});
