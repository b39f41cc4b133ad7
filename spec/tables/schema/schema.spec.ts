import fc from 'fast-check';
import { parseJson } from '../../../src/core/json/parse';
import type { Item, Json } from '../../../src/core/model';
import type { ColumnType } from '../../../src/tables/schema/column-type';
import { createSchema } from '../../../src/tables/schema/schema';
import type { Column, TableSchema } from '../../../src/tables/schema/schema';
import { LineLearner } from '../../../src/tables/schema/schema-lines';
import { runsOf } from '../../support/cases';

describe('schema', () => {
  const none = new Map<string, string>();

  function columnsFor(items: readonly Item[], known: readonly Column[] = []): Record<string, ColumnType> {
    const schema = createSchema(known);
    schema.see(items, none);
    return Object.fromEntries(schema.columns().map(({ name, type }) => [name, type]));
  }

  const typeFor = (...values: readonly Json[]): ColumnType | undefined => columnsFor(values.map((v) => ({ v })))['v'];

  describe('a schema', () => {
    it('tells the columns that came from those of earlier runs', () => {
      const schema = createSchema([
        { name: 'old', type: 'text' },
        { name: 'id', type: 'integer' },
      ]);
      schema.see([{ id: 1, more: null }], new Map([['boat', '7']]));
      expect(schema.met()).toEqual({ keys: ['id', 'more'], added: ['boat'] });
      schema.columnFor('asked');
      expect(schema.met().keys).toEqual(['id', 'more', 'asked']);
    });

    it('has columns in the order in which they first appear, extra ones after those of their item', () => {
      const schema = createSchema();
      schema.see([{ b: 1, a: null }], new Map([['boat', '7']]));
      schema.see([parseJson('{"10":1,"c":{},"b":2,"9":true}')], new Map([['crew', '']]));
      expect(schema.columns()).toEqual([
        { name: 'b', type: 'integer' },
        { name: 'a', type: 'text' },
        { name: 'boat', type: 'text' },
        { name: '10', type: 'integer' },
        { name: 'c', type: 'json' },
        { name: '9', type: 'boolean' },
        { name: 'crew', type: 'text' },
      ]);
      expect(schema.learned().map(({ filled }) => filled)).toEqual([2, 0, 1, 1, 1, 1, 1]);
    });

    it('takes the narrowest type that holds all values', () => {
      expect(typeFor(null)).toBe('text');
      expect(typeFor(1, null, 2 ** 40)).toBe('bigint');
      expect(typeFor(1, 2 ** 40, 1.5, 3)).toBe('double');
      expect(typeFor(1.5, 2 ** 40)).toBe('double');
      expect(typeFor(1.5, 9007199254740993n)).toBe('decimal(20,1)');
      expect(typeFor(9007199254740993n, 1, 1.5)).toBe('decimal(20,1)');
      expect(typeFor(1, 9223372036854775808n)).toBe('decimal(19,0)');
      expect(typeFor(1, 10n ** 37n)).toBe('decimal(38,0)');
      expect(typeFor(1, 10n ** 38n)).toBe('text');
      expect(typeFor(2n ** 70n, 1e-20)).toBe('text');
      expect(typeFor(2n ** 70n, 'x')).toBe('text');
      expect(typeFor('2024-01-31', '2024-02-29')).toBe('date');
      expect(typeFor('2024-01-31', 'soon')).toBe('text');
      expect(typeFor('2024-01-31', '2024-01-31T10:00:00')).toBe('text');
      expect(typeFor('x', 1, {})).toBe('json');
      expect(typeFor({}, 'x')).toBe('json');
      expect(typeFor(true, 0)).toBe('text');
    });

    it('does not depend on the order of the values', () => {
      const value = fc.constantFrom<Json>(
        null,
        true,
        1,
        2 ** 40,
        1.5,
        9007199254740993n,
        2n ** 63n,
        '2024-01-31',
        'x',
        {},
      );
      fc.assert(
        fc.property(fc.array(value), (values) => {
          expect(typeFor(...values)).toBe(typeFor(...values.toReversed()));
        }),
      );
    });

    it('says where texts stand beside other values', () => {
      const schema = createSchema();
      schema.see(
        [
          { a: 'x', b: 1, c: '2024-01-31', d: 2n ** 170n, e: 1 },
          { a: 'y', b: 'x', c: 'x', d: 1, e: 2 },
        ],
        none,
      );
      expect(schema.learned().map(({ mixed }) => mixed)).toEqual([false, true, false, true, false]);
    });

    it('tells names that differ only by case, and keeps telling them', () => {
      const schema = createSchema();
      schema.see([{ id: 1, ID: 'a', Id: true, id_2: 1.5, '': 1, __proto: 1 }], new Map([['id', 'extra']]));
      const names = schema.columns().map(({ name }) => name);
      expect(names).toEqual(['id', 'ID_2', 'Id_3', 'id_2_2', '_', '__proto', 'id_4']);
      expect(names[schema.indexOf('ID') ?? -1]).toBe('ID_2');
      expect(names[schema.indexOfExtra('id') ?? -1]).toBe('id_4');
      const again = createSchema(schema.columns());
      again.see([{ ID: 'b', id: 2 }], none);
      expect(names[again.indexOf('ID') ?? -1]).toBe('ID_2');
      expect(names[again.indexOf('id') ?? -1]).toBe('id');
      expect(again.columns()).toEqual(schema.columns());
    });

    it('keeps doubles beside integers that a double holds, of this run or of earlier ones', () => {
      const known = (type: ColumnType): Column[] => [{ name: 'v', type }];
      expect(columnsFor([{ v: 3_000_000_000 }], known('double'))).toEqual({ v: 'double' });
      expect(columnsFor([{ v: 3_000_000_000 }, { v: 0.5 }], known('integer'))).toEqual({ v: 'double' });
      expect(columnsFor([{ v: 9007199254740993n }], known('double'))).toEqual({ v: 'text' });
      expect(columnsFor([{ v: 0.5 }], known('bigint'))).toEqual({ v: 'decimal(20,1)' });
    });

    it('keeps the columns that a table has, and makes them wider', () => {
      const known: Column[] = [
        { name: 'a', type: 'integer' },
        { name: 'gone', type: 'date' },
        { name: 'big', type: 'bigint' },
      ];
      expect(columnsFor([{ b: 'x', a: 1.5, big: 0.5 }], known)).toEqual({
        a: 'double',
        gone: 'date',
        big: 'decimal(20,1)',
        b: 'text',
      });
    });

    it('has one column for items that are no objects', () => {
      expect(columnsFor([1, null, 'x', [2]])).toEqual({ value: 'json' });
      expect(columnsFor([{}, {}])).toEqual({ value: 'text' });
      expect(columnsFor([])).toEqual({});
    });

    it('takes keys that JavaScript has a meaning for', () => {
      const items = [JSON.parse('{"__proto__":1,"constructor":"x","toString":null}') as Item];
      const schema = createSchema();
      schema.see(items, none);
      expect(schema.columns().map(({ name, type }) => [name, type])).toEqual([
        ['__proto__', 'integer'],
        ['constructor', 'text'],
        ['toString', 'text'],
      ]);
    });
  });
});

describe('schema lines', () => {
  const none = new Map<string, string>();

  function learned(...pages: readonly string[]): {
    readonly schema: TableSchema;
    readonly oddities: readonly boolean[];
  } {
    const schema = createSchema();
    const learner = new LineLearner(schema);
    const oddities = pages.map((page) => learner.learn(Buffer.from(page)));
    return { schema, oddities };
  }

  const known = (schema: TableSchema): unknown => ({
    columns: schema.columns(),
    facts: schema.learned().map(({ filled, mixed }) => ({ filled, mixed })),
  });

  describe('learning from lines', () => {
    const key = fc.oneof(fc.constantFrom('id', 'name', 'größe', 'a"b', '__proto__'), fc.string({ maxLength: 4 }));
    const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger());
    const time = fc.constantFrom('2024-02-29', '2024-02-30', '2024-02-29T10:00:00Z', '2024-02-29 10:00:00');
    const leaf = fc.oneof(number, time, fc.string(), fc.boolean(), fc.constant(null));
    const value: fc.Arbitrary<Json> = fc.oneof(
      { weight: 4, arbitrary: leaf },
      fc.array(leaf, { maxLength: 3 }),
      fc.dictionary(key, leaf, { maxKeys: 2 }),
    );
    const item: fc.Arbitrary<Item> = fc.oneof(
      { weight: 8, arbitrary: fc.dictionary(key, value, { maxKeys: 5 }) },
      value,
    );
    const alike = fc.record({ id: fc.integer(), at: time, level: number, name: fc.string(), tags: fc.array(leaf) });
    /** What every reader gets from JSON.parse: the others are for another reader. */
    const isPlain = (items: readonly Item[]): boolean =>
      !/\d{16}|[eE][+-]?\d{3}|"(?:\d|\\)[^"]*":/.test(JSON.stringify(items));

    it('tells what looking at their items tells', () => {
      fc.assert(
        fc.property(
          fc.array(fc.array(fc.oneof(item, alike), { minLength: 1, maxLength: 6 }).filter(isPlain), { maxLength: 4 }),
          (pages) => {
            const schema = createSchema();
            const learner = new LineLearner(schema);
            const expected = createSchema();
            for (const page of pages) {
              const items = page.map((one) => JSON.parse(JSON.stringify(one)) as Item);
              const isOdd = learner.learn(Buffer.from(items.map((one) => `${JSON.stringify(one)}\n`).join('')));
              schema.seeRows(items.length, none);
              expected.see(items, none);
              expect(isOdd).toBe(items.some((one) => typeof one !== 'object' || one === null || Array.isArray(one)));
            }
            expect(known(schema)).toEqual(known(expected));
          },
        ),
        { numRuns: runsOf(2000) },
      );
    });

    it('knows a key in any spelling, and in any order', () => {
      const { schema } = learned('{"ab":1,"c":true}\n{"\\u0061b":2}\n{"c":false,"ab":3}\n{}\n');
      expect(known(schema)).toEqual({
        columns: [
          { name: 'ab', type: 'integer' },
          { name: 'c', type: 'boolean' },
        ],
        facts: [
          { filled: 3, mixed: false },
          { filled: 2, mixed: false },
        ],
      });
    });

    it('says when an object has a key twice, of which the last counts', () => {
      const { schema, oddities } = learned(
        '{"a":1,"b":1}\n',
        '{"a":1,"a":null}\n{"a":null,"\\u0061":2}\n{"a":1,"a":2,"a":3}\n',
      );
      expect(oddities).toEqual([false, true]);
      expect(schema.learned().map(({ filled }) => filled)).toEqual([3, 1]);
    });
  });
});
