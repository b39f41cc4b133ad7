import * as fc from 'fast-check';
import { flatten } from '../../../src/core/json/flatten';
import { entriesOf, isList, isObject, objectFrom } from '../../../src/core/json/keys';
import type { Json, JsonScalar } from '../../../src/core/model';
import { anyObject } from './arbitrary-json';

describe('language 1.4: nested names', () => {
  it.each<[string, Json, readonly (readonly [string, JsonScalar])[]]>([
    [
      'the sample',
      { server: { host: 'h', ports: [80] }, '#token': 't' },
      [
        ['server.host', 'h'],
        ['server.ports.0', 80],
        ['#token', 't'],
      ],
    ],
    ['empty lists and objects give no name', { a: [], b: {}, c: { d: [[], {}] }, e: '' }, [['e', '']]],
    [
      'null, false and 0 are values',
      { a: null, b: [false, 0] },
      [
        ['a', null],
        ['b.0', false],
        ['b.1', 0],
      ],
    ],
    [
      'an empty key is a key',
      { '': { b: 1, '': 2 }, c: { '': 3 } },
      [
        ['.b', 1],
        ['.', 2],
        ['c.', 3],
      ],
    ],
    [
      'the order of the text',
      objectFrom([
        ['b', 1],
        ['2', { x: 9007199254740993n }],
      ]),
      [
        ['b', 1],
        ['2.x', 9007199254740993n],
      ],
    ],
    ['the last of equal names wins', { 'a.b': 1, a: { b: 2 } }, [['a.b', 2]]],
    ['__proto__ is data', objectFrom([['__proto__', { a: 1 }]]), [['__proto__.a', 1]]],
    [
      'a list',
      ['x', ['y']],
      [
        ['0', 'x'],
        ['1.0', 'y'],
      ],
    ],
  ])('%s', (_, value, names) => {
    expect([...flatten(value)]).toEqual(names);
  });

  it('a prefix comes before every name', () => {
    expect([...flatten({ a: [1], b: 2 }, 'p')]).toEqual([
      ['p.a.0', 1],
      ['p.b', 2],
    ]);
    expect([...flatten('x', 'p')]).toEqual([['p', 'x']]);
  });

  it('gives every scalar once, in reading order, where no key holds a dot', () => {
    const scalars = (value: Json): readonly JsonScalar[] => {
      if (isList(value)) return value.flatMap(scalars);
      if (isObject(value)) return entriesOf(value).flatMap(([, inner]) => scalars(inner));
      return [value];
    };
    const dotless = (value: Json): boolean => {
      if (isList(value)) return value.every(dotless);
      return !isObject(value) || entriesOf(value).every(([key, inner]) => !key.includes('.') && dotless(inner));
    };
    fc.assert(
      fc.property(anyObject.filter(dotless), (object) => {
        expect([...flatten(object).values()]).toEqual(scalars(object));
      }),
    );
  });
});
