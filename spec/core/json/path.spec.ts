import * as fc from 'fast-check';
import { entriesOf, isList, isObject } from '../../../src/core/json/objects';
import { parseData } from '../../../src/core/json/parse';
import { exactValueAt, keysAt, pathHint, valueAt } from '../../../src/core/json/path';
import type { Json } from '../../../src/core/model';
import { anyJson } from './arbitrary-json';

const data: Json = {
  rows: [{ id: 7 }, null, [1, [2]]],
  next: null,
  empty: '',
  '': { '': 1 },
  'a.b': 'dotted',
  '0': 'key',
  deep: { er: { still: false }, 'next.page': { 'of.all': 2 } },
  'deep.er': { gone: 1, still: true },
  'rows.4': 'fourth',
};

describe('specification 2, language 0.4: paths', () => {
  it.each<[string, Json | undefined]>([
    ['rows.0.id', 7],
    ['rows.2.1.0', 2],
    ['rows', data['rows']],
    ['rows.-3.id', 7],
    ['rows.-1.-1.-1', 2],
    ['deep.er.still', false],
    ['next', null],
    ['empty', ''],
    ['0', 'key'],
    ['', { '': 1 }],
    ['a.b', 'dotted'],
    ['deep.next.page.of.all', 2],
    ['deep.er.gone', 1],
    ['rows.4', 'fourth'],
  ])('%j leads to a value', (path, value) => {
    expect(valueAt(data, path)).toEqual(value);
  });

  it.each([
    'none',
    'deep.none.still',
    'next.x',
    'empty.length',
    'empty.0',
    'rows.length',
    'rows.-0',
    'rows.-01',
    'rows.-2',
    'rows.-4',
    'rows.--1',
    'deep.-1',
    'rows.00',
    'rows.0x0',
    'rows.1e0',
    'rows. 0',
    'rows.',
    'rows.3',
    'rows.9007199254740993',
    'rows.id',
    'deep.er.still.x',
    'constructor',
    'rows.constructor',
    'deep.toString',
    'deep.__proto__',
    'a.b.c',
    'a',
    'deep.next',
    'deep.next.page.of',
  ])('%j leads nowhere', (path) => {
    expect(valueAt(data, path)).toBeUndefined();
  });

  it('rule 1: a null element of a list counts as missing, a null under a key does not', () => {
    expect(valueAt(data, 'rows.1')).toBeUndefined();
    expect(valueAt([null], '0')).toBeUndefined();
    expect(valueAt({ '0': null }, '0')).toBeNull();
  });

  it('rule 1: a minus before a position of an array counts from its end; an object may have such a key', () => {
    expect(valueAt({ a: { '-1': 'key' } }, 'a.-1')).toBe('key');
    expect(exactValueAt(parseData('[1, 0.12345678901234567890]'), '-1')).toBe('0.1234567890123456789');
  });

  it('rule 2: the delimiter alone is the whole value', () => {
    expect(valueAt(data, '.')).toBe(data);
    expect(valueAt(5, '.')).toBe(5);
    expect(valueAt(undefined, '.')).toBeUndefined();
    expect(valueAt(data, '/', '/')).toBe(data);
  });

  it('rule 2: a path without delimiter is one key', () => {
    expect(valueAt(data, 'rows.0.id', '/')).toBeUndefined();
    expect(valueAt(data, '..')).toBeUndefined();
  });

  it('rule 3: a key with a dot is found where no path of keys leads to a value', () => {
    expect(valueAt({ a: { b: 1 }, 'a.b': 2 }, 'a.b')).toBe(1);
    expect(valueAt({ a: { c: 1 }, 'a.b': 2 }, 'a.b')).toBe(2);
    expect(exactValueAt(parseData('{"a.b":0.12345678901234567890}'), 'a.b')).toBe('0.1234567890123456789');
    expect(keysAt({ d: { 'x.y': [{ z: 1 }] } }, 'd.x.y.-1.z')).toEqual(['d', 'x.y', '0', 'z']);
    expect(keysAt({ d: 1 }, 'd.x')).toBeUndefined();
  });

  it('rule 3: another delimiter reaches keys with a dot', () => {
    expect(valueAt(data, 'a.b', '/')).toBe('dotted');
    expect(valueAt(data, 'deep/er/still', '/')).toBe(false);
    expect(valueAt(data, 'rows->0->id', '->')).toBe(7);
  });

  it.each<[Json | undefined]>([[undefined], [null], ['text'], [3], [true]])('%p has nothing inside', (value) => {
    expect(valueAt(value, 'a')).toBeUndefined();
  });

  it('reaches whatever lies inside, by the keys on the way', () => {
    const delimiter = '\u{10FFFF}|';
    const check = (root: Json, inner: Json, steps: readonly string[]): void => {
      const path = steps.join(delimiter);
      // Two empty keys spell the delimiter alone, which is the whole value.
      if (steps.length > 0 && path !== delimiter) expect(valueAt(root, path, delimiter)).toBe(inner);
      const children: readonly (readonly [string, Json])[] = isList(inner)
        ? inner.flatMap((element, at) =>
            element === null
              ? []
              : [String(at), String(at - inner.length)].map((step): readonly [string, Json] => [step, element]),
          )
        : isObject(inner)
          ? entriesOf(inner)
          : [];
      for (const [key, child] of children) if (!key.includes(delimiter)) check(root, child, [...steps, key]);
    };
    fc.assert(fc.property(anyJson, (value) => check(value, value, [])));
  });
});

describe('the hint about a path without a match', () => {
  it.each([
    ['a[0].b', '.', ' Did you mean "a.0.b"?'],
    ['data/items', '.', ' Did you mean "data.items"? Its delimiter is ".".'],
    ['data.items', '/', ' Did you mean "data/items"? Its delimiter is "/".'],
    ['data.v1/items', '/', ''],
    ['data.items', '.', ''],
    ['items', '/', ''],
  ])('%s with the delimiter %s: %s', (path, delimiter, hint) => {
    expect(pathHint(path, delimiter)).toBe(hint);
  });
});
