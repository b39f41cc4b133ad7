import { runInNewContext } from 'node:vm';
import { notJson, withoutUndefined } from '../../../src/core/json/not-json';

class Station {
  readonly name = 'Mill Weir';
}
const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;
const shared = { a: 1 };

describe('notJson', () => {
  it.each([
    ['a Date', new Date(0), 'a Date; write it as a string, for example by toISOString()'],
    ['a function', () => 1, 'a function'],
    ['a class', Station, 'a function'],
    ['a Map', new Map([['a', 1]]), 'a Map'],
    ['a Set', new Set([1]), 'a Set'],
    ['an instance', new Station(), 'a Station'],
    ['a symbol', Symbol('a'), 'a symbol'],
    ['NaN', NaN, 'NaN'],
    ['Infinity', -Infinity, '-Infinity'],
    ['a string object', Object('text'), 'a String'],
    ['bytes', new Uint8Array(1), 'an Uint8Array'],
  ])('finds %s, wherever it stands', (_, value: unknown, name) => {
    const message = `expected JSON, found ${name}`;
    expect(notJson(value)).toEqual([{ path: [], message }]);
    expect(notJson({ a: [1, { b: value }] })).toEqual([{ path: ['a', 1, 'b'], message }]);
  });

  it('finds undefined and holes in arrays, and what holds itself', () => {
    expect(notJson([1, undefined]).map(({ path }) => path)).toEqual([[1]]);
    // eslint-disable-next-line no-sparse-arrays
    expect(notJson([1, , 3]).map(({ path }) => path)).toEqual([[1]]);
    expect(notJson({ a: cyclic })).toEqual([
      { path: ['a', 'self'], message: 'expected JSON, found an object that holds itself' },
    ]);
  });

  it('takes JSON, bigints, objects of other realms and without a prototype, and what stands at several places', () => {
    const value = {
      a: [null, true, 1.5, 'x', 10n ** 20n, { b: undefined }],
      c: Object.assign(Object.create(null) as object, { d: 1 }),
    };
    expect(notJson(value)).toEqual([]);
    expect(notJson(runInNewContext('({ a: [{ b: 1 }] })'))).toEqual([]);
    expect(notJson([shared, { shared }])).toEqual([]);
  });
});

describe('withoutUndefined', () => {
  it('leaves members out, and is the value itself where there are none', () => {
    expect(Object.keys(withoutUndefined({ a: undefined, b: 1 }) as object)).toEqual(['b']);
    expect(withoutUndefined([{ a: { b: undefined } }])).toEqual([{ a: {} }]);
    expect(withoutUndefined(shared)).toBe(shared);
  });
});
