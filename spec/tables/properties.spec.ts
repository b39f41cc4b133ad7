import fc from 'fast-check';
import { stringifyJson } from '../../src/core/json/stringify';
import type { JsonObject } from '../../src/core/model';
import { checkTables, exampleObject, shapedItems } from './linked-items';
import { makeTables, page } from './make-tables';
import { runsOf } from '../support/cases';

const tablesOf = async (...pages: (readonly JsonObject[])[]) =>
  (await makeTables(pages.map((items) => page('t', items)))).cells;

describe('language 8: tables of any items', () => {
  it('8.4 and 8.5: no cell is lost, and links lead to the rows of their list', async () => {
    await fc.assert(
      fc.asyncProperty(shapedItems, fc.boolean(), async ({ shape, items }, first) => {
        const example = exampleObject(shape);
        const all = first ? [example, ...items] : [...items, example];
        const numbered = all.map((item, at) => ({ number: at, ...item }));
        const fields = { ...shape.fields, number: { kind: 'scalar' } as const };
        checkTables(await tablesOf(...numbered.map((item) => [item])), { ...shape, fields }, numbered);
      }),
      { numRuns: runsOf(300) },
    );
  });

  it('8.1: pages together or one by one give the same tables', async () => {
    await fc.assert(
      fc.asyncProperty(shapedItems, fc.nat(8), async ({ items }, cut) => {
        const together = await tablesOf(items);
        expect(await tablesOf(...items.map((item) => [item]))).toEqual(together);
        expect(await tablesOf(items.slice(0, cut), items.slice(cut))).toEqual(together);
      }),
      { numRuns: runsOf(100) },
    );
  });

  it('8.5 rule 2: equal items have equal ids, different ones have different ids', async () => {
    await fc.assert(
      fc.asyncProperty(shapedItems, async ({ items }) => {
        const lists = items.map((item) => ({ item, list: ['x'] }));
        const [header = [], ...rows] = (await tablesOf(lists, lists))['t'] ?? [];
        const ids = rows.map((row) => row[header.indexOf('list')]);
        expect(ids).toHaveLength(2 * items.length);
        expect(ids.slice(items.length)).toEqual(ids.slice(0, items.length));
        expect(new Set(ids).size).toBe(new Set(items.map(stringifyJson)).size);
      }),
      { numRuns: runsOf(100) },
    );
  });
});
