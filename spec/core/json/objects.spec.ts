import * as fc from 'fast-check';
import { sameJson } from '../../../src/core/json/literals';
import {
  defined,
  entriesOf,
  flatten,
  hasKeyOrder,
  isList,
  isObject,
  isWithout,
  keysOf,
  listAt,
  merge,
  objectAt,
  objectFrom,
  ownValue,
  stringAt,
  together,
  valueBelow,
} from '../../../src/core/json/objects';
import { stringifyJson } from '../../../src/core/json/stringify';
import type { Json, JsonObject, JsonScalar } from '../../../src/core/model';
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

  it('objectAt finds the object of an own key, or an empty one', () => {
    expect(objectAt({ time: { last: 1 } }, 'time')).toEqual({ last: 1 });
    for (const value of [{}, { time: [1] }, { time: null }, [], 'time', undefined])
      expect(objectAt(value, 'time')).toEqual({});
    expect(objectAt({}, 'constructor')).toEqual({});
  });

  it('listAt and stringAt find arrays and strings of own keys, and nothing else', () => {
    const value = { list: [1], text: 'a', none: null };
    expect([listAt(value, 'list'), listAt(value, 'text'), listAt('list', 'list'), listAt(undefined, 'list')]).toEqual([[1], [], [], []]); // prettier-ignore
    expect([stringAt(value, 'text'), stringAt(value, 'none'), stringAt({}, 'constructor')]).toEqual(['a', undefined, undefined]); // prettier-ignore
  });

  it('valueBelow follows own keys through objects alone', () => {
    const value = { log: { entries: [1], none: null } };
    expect(valueBelow(value, 'log', 'entries')).toEqual([1]);
    expect(valueBelow(value, 'log', 'none')).toBeNull();
    expect(valueBelow(value)).toBe(value);
    for (const keys of [['log', 'entries', '0'], ['log', 'none', 'a'], ['constructor'], ['b', 'c']])
      expect(valueBelow(value, ...keys)).toBeUndefined();
  });

  it('defined leaves out what is undefined, and keeps null', () => {
    expect(Object.entries(defined({ a: 1, b: undefined, c: null }))).toEqual([['a', 1], ['c', null]]); // prettier-ignore
  });

  it('together puts later members in the place of earlier ones, whole, and keeps their order', () => {
    const made = together(objectFrom([['10', { a: 1 }], ['2', 2]]), { 10: { b: 3 }, x: 4 }); // prettier-ignore
    expect(entriesOf(made)).toEqual([['10', { b: 3 }], ['2', 2], ['x', 4]]); // prettier-ignore
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

describe('isWithout', () => {
  const whole = { meta: { total: 1, next: 'x' }, data: { items: [7] } };
  it.each<[string, Json, boolean]>([
    ['nothing left around the list', { meta: { total: 1 }, data: {} }, false],
    ['the list, and what is around it, left out', { meta: {} }, true],
    ['the list as before', whole, false],
    ['a member of its own', { meta: {}, error: 'busy' }, false],
    ['nothing at all', {}, false],
    ['an array', [], false],
  ])('%s: %j', (_, data, expected) => expect(isWithout(data, whole, ['data', 'items'])).toBe(expected));

  it('looks at the members on the way to what is left out, and not at values', () => {
    expect(isWithout({ data: { count: 0 } }, { data: { count: 1, items: [7] } }, ['data', 'items'])).toBe(true);
    expect(isWithout({ data: { fault: 0 } }, { data: { count: 1, items: [7] } }, ['data', 'items'])).toBe(false);
  });
});
