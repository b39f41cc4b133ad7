import fc from 'fast-check';
import type { Json, JsonObject, Item } from '../../../src/core/model';
import type { ShapingPlan } from '../../../src/plan/plan';
import { parseList, parseJson } from '../../../src/core/json/parse';
import { findItems } from '../../../src/sources/items';
import type { FoundItems } from '../../../src/sources/items';
import { shapingOf, unique, responseFilter } from '../../../src/sources/shaping/shaping';
import { stringifyJson } from '../../../src/core/json/stringify';

const CALL = { times: { previousStart: 0, currentStart: 1 }, bindings: new Map() };
const NOTHING: ShapingPlan = { compute: [], filter: [], exclude: [], unique: [], rename: new Map() };

const shape = (plan: Partial<ShapingPlan>) => shapingOf({ ...NOTHING, ...plan }, CALL, 'orders', () => undefined);
const page = (items: readonly Item[]): FoundItems => ({
  ...findItems({ delimiter: '.' }, items, 'orders'),
  count: items.length,
  ids: () => undefined,
  lines: () => Buffer.alloc(0),
});
const spelled = (...items: readonly string[]): FoundItems => page(parseList(items, 'spelling'));
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const item = fc.record(
  { id: fc.integer({ min: 0, max: 5 }), n: fc.integer({ min: 0, max: 9 }) },
  { requiredKeys: ['n'] },
);
const pages = fc.array(fc.array(item, { maxLength: 6 }), { maxLength: 6 });

describe('shaping', () => {
  it.each(['n<10', 'n<=10', 'n>-1', 'n>=-1'])('null and nothing are neither less nor more: %s', (condition) => {
    const items = [{ n: 1 }, { n: null }, {}, { n: 0 }];
    expect(shape({ filter: [condition] })(page(items)).items).toEqual([{ n: 1 }, { n: 0 }]);
    expect(shape({ exclude: [condition] })(page(items)).items).toEqual([{ n: null }, {}]);
  });

  it('unnest takes the list of a key with a dot out of the item', () => {
    const made = shape({ unnest: { path: 'order.lines', prefix: '' } })(page([{ id: 1, 'order.lines': [{ n: 2 }] }]));
    expect(made.items).toEqual([{ id: 1, n: 2 }]);
  });

  it.each<[string, Item, readonly Item[]]>([
    [
      'beside others',
      { id: 1, crew: { boat: 'A', members: [{ n: 2 }, 3] } },
      [
        { id: 1, crew: { boat: 'A' }, n: 2 },
        { id: 1, crew: { boat: 'A' }, value: 3 },
      ],
    ],
    ['alone', { crew: { members: [{ n: 2 }] }, id: 1 }, [{ crew: {}, id: 1, n: 2 }]],
    ['that is missing', { id: 1, crew: { boat: 'A' } }, []],
    ['in a list', { id: 1, crew: [{ members: [1] }] }, []],
  ])('unnest takes the list of a path out of the object that holds it: %s', (_, given, expected) => {
    expect(shape({ unnest: { path: 'crew.members', prefix: '' } })(page([given])).items).toEqual(expected);
  });

  it('steps see what the ones before have made, and an item that one drops is dropped', () => {
    const steps = [
      (each: JsonObject) => (each['n'] === 1 ? undefined : each),
      (each: JsonObject) => ({ ...each, seen: true }),
    ];
    const made = shape({ steps: () => steps })(page([{ n: 1 }, { n: 2 }]));
    expect(made.items).toEqual([{ n: 2, seen: true }]);
  });

  it.each([
    ['on==true', [{ on: true }, { on: 'true' }]],
    ['on==false', [{ on: false }]],
    ['on!=true', [{ on: false }, { on: null }, {}]],
    ['on~~%als%', [{ on: false }]],
    ['on==', [{ on: null }, {}]],
    ['on==1', []],
  ])('true and false are texts of these names: %s', (condition, expected) => {
    const items = [{ on: true }, { on: false }, { on: 'true' }, { on: null }, {}];
    expect(shape({ filter: [condition] })(page(items)).items).toEqual(expected);
    expect(shape({ exclude: [condition] })(page(items)).count).toBe(items.length - expected.length);
  });

  it('does not look at the items of a job without it', () => {
    const found = page([{ id: 1 }]);
    expect(shapingOf(undefined, CALL, 'orders', () => undefined)(found)).toBe(found);
  });

  it('gives of any pages what it would give of one, and counts every item', () => {
    fc.assert(
      fc.property(pages, (all) => {
        const plan = { filter: ['n>=2'], exclude: ['n==5', 'n==7'], unique: ['id'], rename: new Map([['n', 'm']]) };
        const one = shape(plan)(page(all.flat()));
        const shaping = shape(plan);
        const several = all.map((items) => shaping(page(items)));
        expect(several.flatMap(({ items }) => items)).toEqual(one.items);
        const ids = new Set<number>();
        const wanted = all.flat().filter(({ id, n }) => {
          if (n < 2 || n === 5 || n === 7) return false;
          if (id === undefined) return true;
          return !ids.has(id) && ids.add(id).has(id);
        });
        expect(one.items).toEqual(wanted.map(({ n, ...others }) => ({ ...others, m: n })));
        const { arrived = 0, delivered = 0, dropped } = one.shaped ?? {};
        expect(arrived).toBe(all.flat().length);
        expect(delivered + Object.values(dropped ?? {}).reduce((sum, count) => sum + count, 0)).toBe(arrived);
      }),
    );
  });

  it('keeps order and digits of what it does not change', () => {
    const found = spelled('{"10":1.50,"2":12345678901234567890.5,"list":[{"x":1.10},2.50]}');
    const unnested = shape({ unnest: { path: 'list', prefix: '' } })(found);
    expect(text(unnested.lines())).toBe(
      '{"10":1.50,"2":12345678901234567890.5,"x":1.10}\n{"10":1.50,"2":12345678901234567890.5,"value":2.50}\n',
    );
    const renamed = shape({ rename: new Map([['2', 'two']]) })(found);
    expect(text(renamed.lines())).toContain('{"10":1.50,"two":12345678901234567890.5,');
    expect(text(shape({ filter: ['.>2'] })(spelled('1.50', '2.50')).lines('>', '<'))).toBe('>2.50<\n');
  });

  it('computes one field after another', () => {
    const value =
      (name: string) =>
      (it: Item): Json =>
        (it as Record<string, Json>)[name] ?? null;
    const made = shape({
      compute: [
        { name: 'b', reads: ['a'], value: value('a') },
        { name: 'c', reads: ['b'], value: value('b') },
      ],
    })(page([{ a: 1 }, {}]));
    expect(made.items).toEqual([
      { a: 1, b: 1, c: 1 },
      { b: null, c: null },
    ]);
  });

  it.each<[string, Partial<ShapingPlan>, Item, string]>([
    ['a scalar has no fields', { rename: new Map([['a', 'b']]) }, 1, 'number'],
    ['an array has no fields', { unnest: { path: 'a', prefix: '' } }, [1], 'array'],
    [
      'two fields of one name',
      { rename: new Map([['a', 'b']]) },
      { a: 1, b: 2 },
      ".rename: it would give an item two fields with the name 'b'",
    ],
    ['two fields of one name', { unnest: { path: 'a', prefix: '' } }, { id: 1, a: [{ id: 2 }] }, 'prefix'],
    ['two fields of one name', { unnest: { path: 'a', prefix: '' } }, { value: 1, a: [2] }, 'prefix'],
  ])('%s', (_, plan, given, message) => {
    const call = (): unknown => shape(plan)(page([given]));
    expect(call).toThrow(message);
  });

  it.each<[Item, number]>([
    [{}, 0],
    [{ a: null }, 0],
    [{ a: [] }, 0],
    [{ a: { b: 1 } }, 1],
    [{ a: 'x' }, 1],
    [{ a: [1, null] }, 2],
  ])('unnest makes of %j so many items: %i', (given, count) => {
    const made = shape({ unnest: { path: 'a', prefix: '' } })(page([given]));
    expect(made.count).toBe(count);
    expect(made.shaped?.dropped.unnest).toBe(count === 0 ? 1 : 0);
  });

  it('takes keys of different types or places as different', () => {
    const items = [{ a: 1 }, { a: '1' }, { a: 1, b: 2 }, { a: [1] }, { a: '1,2' }];
    expect(shape({ unique: ['a'] })(page(items)).count).toBe(4);
    expect(
      shape({ unique: ['a', 'b'] })(
        page([
          { a: '1', b: '2' },
          { a: '1,2', b: '' },
          { a: '1', b: '2' },
        ]),
      ).count,
    ).toBe(2);
  });

  it('fails before it forgets keys', () => {
    const operation = unique(['id'], 'orders', 2);
    operation({ item: { id: 1 } });
    operation({ item: { id: 2 } });
    expect(operation({ item: { id: 1 } })).toEqual([]);
    expect(() => operation({ item: { id: 3 } })).toThrow('primary key');
  });
});

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
