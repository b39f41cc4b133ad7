import * as fc from 'fast-check';
import { entriesOf, hasKeyOrder, isList, isObject, keysOf, objectFrom, ownValue } from '../../../src/core/json/keys';
import { sameJson } from '../../../src/core/json/same';
import type { Json } from '../../../src/core/model';
import { anyObject } from './arbitrary-json';

describe('language 0.3 rule 1: the order of keys', () => {
  it('objectFrom keeps the order of the pairs, whatever the keys look like', () => {
    const object = objectFrom([
      ['b', 1],
      ['10', 2],
      ['2', 3],
    ]);
    expect(keysOf(object)).toEqual(['b', '10', '2']);
    expect(entriesOf(object)).toEqual([
      ['b', 1],
      ['10', 2],
      ['2', 3],
    ]);
    expect(object).toEqual({ b: 1, 10: 2, 2: 3 });
  });

  it('a later pair of the same key wins, at the place of the first', () => {
    expect(
      entriesOf(
        objectFrom([
          ['b', 1],
          ['1', 2],
          ['b', 3],
          ['1', 4],
        ]),
      ),
    ).toEqual([
      ['b', 3],
      ['1', 4],
    ]);
  });

  it('an order is noted only where JavaScript has another', () => {
    expect(
      hasKeyOrder(
        objectFrom([
          ['b', 1],
          ['a', 2],
        ]),
      ),
    ).toBe(false);
    expect(
      hasKeyOrder(
        objectFrom([
          ['1', 1],
          ['2', 2],
          ['b', 3],
        ]),
      ),
    ).toBe(false);
    expect(
      hasKeyOrder(
        objectFrom([
          ['b', 1],
          ['1', 2],
        ]),
      ),
    ).toBe(true);
  });

  it('the noted order is no key itself, neither of the object nor of a copy', () => {
    const object = objectFrom([
      ['b', 1],
      ['1', 2],
    ]);
    expect(Object.keys(object)).toEqual(['1', 'b']);
    expect(Reflect.ownKeys({ ...object })).toEqual(['1', 'b']);
    expect(keysOf({ ...object, c: 3 })).toEqual(['1', 'b', 'c']);
  });

  it('pairs make the object again', () => {
    fc.assert(fc.property(anyObject, (object) => sameJson(objectFrom(entriesOf(object)), object)));
  });
});

describe('language 0.3 rule 4: names that JavaScript knows are data', () => {
  it('__proto__ becomes a key of its own', () => {
    const object = objectFrom([['__proto__', { admin: true }]]);
    expect(entriesOf(object)).toEqual([['__proto__', { admin: true }]]);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(object['admin']).toBeUndefined();
  });

  it.each(['constructor', 'toString', '__proto__', 'a'])('ownValue finds no %s in an empty object', (key) => {
    expect(ownValue({}, key)).toBeUndefined();
    expect(ownValue(objectFrom([[key, null]]), key)).toBeNull();
  });
});

describe('kinds of values', () => {
  it.each<[Json | undefined, boolean, boolean]>([
    [{}, true, false],
    [[], false, true],
    [null, false, false],
    [undefined, false, false],
    ['', false, false],
    [0, false, false],
    [1n, false, false],
  ])('%p: object %p, list %p', (value, object, list) => {
    expect(isObject(value)).toBe(object);
    expect(isList(value)).toBe(list);
  });
});
