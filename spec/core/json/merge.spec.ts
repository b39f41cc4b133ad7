import * as fc from 'fast-check';
import { keysOf, objectFrom } from '../../../src/core/json/keys';
import { merge } from '../../../src/core/json/merge';
import { sameJson } from '../../../src/core/json/same';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { JsonObject } from '../../../src/core/model';
import { anyObject } from './arbitrary-json';

describe('language 2.4: parameters laid over defaults', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['other names stay', { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ['a name is replaced', { a: 1, b: 2 }, { a: 'x' }, { a: 'x', b: 2 }],
    ['objects merge key by key', { f: { a: 1, b: 2 } }, { f: { b: 3, c: 4 } }, { f: { a: 1, b: 3, c: 4 } }],
    ['lists merge index by index', { l: [1, 2, 3] }, { l: [9] }, { l: [9, 2, 3] }],
    ['a longer list goes on', { l: [1] }, { l: [8, 9] }, { l: [8, 9] }],
    ['lists of objects merge inside', { l: [{ a: 1 }, 2] }, { l: [{ b: 3 }] }, { l: [{ a: 1, b: 3 }, 2] }],
    ['null replaces', { a: { b: 1 } }, { a: null }, { a: null }],
    ['a scalar replaces an object', { a: { b: 1 } }, { a: 0 }, { a: 0 }],
    ['an object replaces a scalar', { a: 0 }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['an object replaces a list', { a: [1, 2] }, { a: { b: 1 } }, { a: { b: 1 } }],
    ['a list replaces an object', { a: { b: 1 } }, { a: [1] }, { a: [1] }],
    ['empty over something', { a: { b: 1 }, l: [1] }, { a: {}, l: [] }, { a: { b: 1 }, l: [1] }],
  ])('%s', (_, under, over, merged) => {
    expect(merge(under, over)).toEqual(merged);
  });

  it('names keep the order of the defaults, new ones follow', () => {
    const merged = merge({ v: 1, key: 'd' }, { sort: 'up', key: 'j' });
    expect(stringifyJson(merged)).toBe('{"v":1,"key":"j","sort":"up"}');
  });

  it('the order of keys that look like numbers stays', () => {
    const merged = merge(
      objectFrom([
        ['b', 1],
        ['2', 2],
      ]),
      objectFrom([
        ['9', 3],
        ['1', 4],
        ['b', 5],
      ]),
    );
    expect(keysOf(merged)).toEqual(['b', '2', '9', '1']);
    expect(merged['b']).toBe(5);
  });

  it('__proto__ is data', () => {
    const merged = merge({}, objectFrom([['__proto__', { admin: true }]]));
    expect(merged['admin']).toBeUndefined();
    expect(({} as JsonObject)['admin']).toBeUndefined();
    expect(keysOf(merged)).toEqual(['__proto__']);
  });

  it('an empty object changes nothing, on either side; nor does an object over itself', () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        expect(sameJson(merge(object, {}), object)).toBe(true);
        expect(sameJson(merge({}, object), object)).toBe(true);
        expect(sameJson(merge(object, object), object)).toBe(true);
      }),
    );
  });

  it('what was laid over stays on top, and neither side is changed', () => {
    fc.assert(
      fc.property(anyObject, anyObject, (under, over) => {
        const before = [stringifyJson(under), stringifyJson(over)];
        const merged = merge(under, over);
        expect(sameJson(merge(merged, over), merged)).toBe(true);
        expect(keysOf(merged)).toEqual([...new Set([...keysOf(under), ...keysOf(over)])]);
        expect([stringifyJson(under), stringifyJson(over)]).toEqual(before);
      }),
    );
  });
});
