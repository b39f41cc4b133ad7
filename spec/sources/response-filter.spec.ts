import { parseJson } from '../../src/core/json/parse';
import { stringifyJson } from '../../src/core/json/stringify';
import type { Item } from '../../src/core/model';
import { responseFilter } from '../../src/sources/response-filter';

const filtered = (paths: readonly string[], item: Item, keepScalars = false, delimiter = '.'): Item | undefined =>
  responseFilter({ paths, delimiter, keepScalars })?.(item);

describe('responseFilter (language 6.4)', () => {
  it('the sample', () => {
    const item = { id: 4, meta: 'x', parts: [{ n: 1, spec: { w: 2 } }, { n: 2 }] };
    expect(filtered(['meta', 'parts[].spec'], item)).toEqual({
      id: 4,
      meta: '"x"',
      parts: [{ n: 1, spec: '{"w":2}' }, { n: 2 }],
    });
  });

  it('without paths there is nothing to do', () => {
    expect(responseFilter({ paths: [], delimiter: '.', keepScalars: false })).toBeUndefined();
  });

  it('rule 1: key[] at the end is every element', () => {
    expect(filtered(['a[]'], { a: [1, { b: 2 }] })).toEqual({ a: ['1', '{"b":2}'] });
  });

  it.each<[string, Item]>([
    ['a step whose key is absent', { b: 1 }],
    ['a value that is no object', { a: 1 }],
    ['an item that is no object', 'text'],
  ])('rule 2: %s leaves the item unchanged', (_, item) => {
    expect(filtered(['a.b'], item)).toEqual(item);
  });

  it('rule 3: key[] on a value that is no list is an error', () => {
    expect(() => filtered(['a[].b'], { a: 1 })).toThrow("Error filtering response. 'a' is not an array.");
  });

  it('rule 4: a step without [] does not enter lists', () => {
    const item = { rows: [{ x: 1 }] };
    expect(filtered(['rows.x'], item)).toEqual(item);
  });

  it.each<[Item, Item]>([
    ['a', '"a"'],
    [false, 'false'],
    [null, 'null'],
    ['', '""'],
    [1.5, '1.5'],
    [[1], '[1]'],
  ])('rule 5, level 3: %j becomes the text %j', (value, text) => {
    expect(filtered(['a'], { a: value })).toEqual({ a: text });
  });

  it.each<[Item, Item]>([
    ['a', 'a'],
    [false, false],
    [null, null],
    [[], []],
    [{}, '{}'],
    [[1], '[1]'],
    [{ b: 1 }, '{"b":1}'],
  ])('rule 5, level 2: %j becomes %j', (value, result) => {
    expect(filtered(['a'], { a: value }, true)).toEqual({ a: result });
  });

  it('several paths apply one after another', () => {
    expect(filtered(['a.b', 'a'], { a: { b: { c: 1 } } })).toEqual({ a: '{"b":"{\\"c\\":1}"}' });
  });

  it('takes another delimiter', () => {
    expect(filtered(['a.b/c'], { 'a.b': { c: [1] } }, false, '/')).toEqual({ 'a.b': { c: '[1]' } });
  });

  it('keeps big integers, the order of keys, and the item that it was given', () => {
    const item = parseJson('{"9":{"id":9007199254740993},"b":1,"1":2}');
    const result = filtered(['9'], item);
    expect(stringifyJson(result ?? null)).toBe('{"9":"{\\"id\\":9007199254740993}","b":1,"1":2}');
    expect(stringifyJson(item)).toBe('{"9":{"id":9007199254740993},"b":1,"1":2}');
  });
});
