import fc from 'fast-check';
import type { Item, Json } from '../../../src/core/model';
import { createSchema } from '../../../src/tables/schema/schema';
import type { TableSchema } from '../../../src/tables/schema/schema';
import { lineLearner } from '../../../src/tables/schema/schema-lines';
import type { Oddities } from '../../../src/tables/schema/schema-lines';
import { runsOf } from '../../support/cases';

const none = new Map<string, string>();

function learned(...pages: readonly string[]): {
  readonly schema: TableSchema;
  readonly oddities: readonly Oddities[];
} {
  const schema = createSchema();
  const learn = lineLearner(schema);
  const oddities = pages.map((page) => learn(Buffer.from(page)));
  return { schema, oddities };
}

const known = (schema: TableSchema): unknown => ({ columns: schema.columns(), facts: schema.facts() });

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
  const item: fc.Arbitrary<Item> = fc.oneof({ weight: 8, arbitrary: fc.dictionary(key, value, { maxKeys: 5 }) }, value);
  const alike = fc.record({ id: fc.integer(), at: time, level: number, name: fc.string(), tags: fc.array(leaf) });
  /** What every reader gets from JSON.parse: the others are for another reader. */
  const isPlain = (items: readonly Item[]): boolean =>
    !/\d{16}|[eE][+-]?\d{3}|"(?:\d|\\)[^"]*":/.test(JSON.stringify(items));

  it('tells what looking at their items tells', () => {
    let checked = 0;
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.oneof(item, alike), { minLength: 1, maxLength: 6 }), { maxLength: 4 }),
        (pages) => {
          if (!pages.every(isPlain)) return;
          checked += 1;
          const schema = createSchema();
          const learn = lineLearner(schema);
          const expected = createSchema();
          for (const page of pages) {
            const items = page.map((one) => JSON.parse(JSON.stringify(one)) as Item);
            const { shapes } = learn(Buffer.from(items.map((one) => `${JSON.stringify(one)}\n`).join('')));
            schema.seeRows(items.length, none);
            expected.see(items, none);
            expect(shapes).toBe(items.some((one) => typeof one !== 'object' || one === null || Array.isArray(one)));
          }
          expect(known(schema)).toEqual(known(expected));
        },
      ),
      { numRuns: runsOf(2000) },
    );
    expect(checked).toBeGreaterThan(200);
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
    expect(oddities.map(({ shapes }) => shapes)).toEqual([false, true]);
    expect(schema.facts().map(({ filled }) => filled)).toEqual([3, 1]);
  });
});
