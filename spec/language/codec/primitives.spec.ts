import { isLeft, right } from 'fp-ts/lib/Either';
import {
  asObject,
  dictionary,
  integer,
  list,
  numericValue,
  object,
  oneOfAnyCase,
  oneOrList,
  text,
  zeroCounts,
} from '../../../src/language/codec/primitives';

describe('plain values', () => {
  it.each([
    [5, 5],
    ['2', 2],
    [' -1.5e2', -150],
    ['.5', 0.5],
    [12n, 12],
    ['0x10', undefined],
    ['', undefined],
    ['1 apple', undefined],
    ['1e999', undefined],
    [true, undefined],
    [null, undefined],
    [undefined, undefined],
    [[1], undefined],
  ])('language 0.2: %p as a number is %p', (value, number) => {
    expect(numericValue(value)).toBe(number);
  });

  it('language 0.2: an integer lies in the safe range', () => {
    expect(integer.decode('9007199254740991')).toEqual(right(9007199254740991));
    expect(isLeft(integer.decode(9007199254740993n))).toBe(true);
    expect(isLeft(integer.decode(1.5))).toBe(true);
  });

  it('language 0.2: blank is the empty object, a list has its indexes as keys', () => {
    expect([null, '', 0, false, [], '0'].map((blank) => object.decode(blank))).toEqual(Array(6).fill(right({})));
    expect(asObject(['a', 'b'])).toEqual({ '0': 'a', '1': 'b' });
    expect(asObject('text')).toBeUndefined();
  });

  it('language 0.2: 0 is a value where it counts', () => {
    const count = zeroCounts(integer, 7);
    expect([0, '0', null, '', [], 3].map((input) => count.decode(input))).toEqual([0, 0, 7, 7, 7, 3].map(right));
    expect(isLeft(count.decode('x'))).toBe(true);
  });

  it('language 0.2: numbers are text where text is meant', () => {
    expect([5, 'a', 9007199254740993n].map((input) => text.decode(input))).toEqual(
      ['5', 'a', '9007199254740993'].map(right),
    );
    expect(isLeft(text.decode(true))).toBe(true);
  });

  it('house: lists, dictionaries and words', () => {
    expect(list(integer).decode(['1', 2])).toEqual(right([1, 2]));
    expect(oneOrList(integer).decode('1')).toEqual(right([1]));
    expect(dictionary(integer).decode({ a: '1' })).toEqual(right({ a: 1 }));
    expect(isLeft(dictionary(integer).decode('x'))).toBe(true);
    expect(oneOfAnyCase('Word', ['Yes', 'No']).decode('yES')).toEqual(right('Yes'));
  });
});
