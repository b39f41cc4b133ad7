import * as fc from 'fast-check';
import type { JsonObject } from '../../../src/core/model';
import { compileMappings } from '../../../src/tables/mapping/mapping';
import { emitRows } from '../mapping-in-memory';

interface Leaf {
  readonly v: string;
}
interface Node {
  readonly id: number;
  readonly parts: readonly { readonly n: number; readonly leaves: readonly Leaf[] }[];
}

const leaf = fc.record({ v: fc.string() });
const part = fc.record({ n: fc.integer(), leaves: fc.array(leaf, { maxLength: 3 }) });
const trees = fc.uniqueArray(fc.record({ id: fc.nat(), parts: fc.array(part, { maxLength: 3 }) }), {
  maxLength: 5,
  selector: ({ id }) => id,
});

const mappingOf = (primaryKey: boolean): JsonObject => ({
  id: { mapping: { destination: 'id', primaryKey } },
  parts: {
    type: 'table',
    destination: 'part',
    tableMapping: {
      n: 'n',
      leaves: { type: 'table', destination: 'leaf', tableMapping: { v: 'v' } },
    },
  },
});

/** The rows of a table as objects. */
function write(primaryKey: boolean, items: readonly Node[]): Record<string, Record<string, string>[]> {
  const { tables, byDataType } = compileMappings({ node: mappingOf(primaryKey) });
  const written: Record<string, Record<string, string>[]> = { node: [], part: [], leaf: [] };
  for (const item of items)
    emitRows(byDataType.get('node'), item as unknown as JsonObject, (table, cells) => {
      const { name, columns } = tables[table] ?? { name: '', columns: [] };
      if (cells.length !== columns.length) throw new Error(`${name}: ${cells.length} cells`);
      written[name]?.push(Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])));
    });
  return written;
}

describe('links between the rows of a mapping', () => {
  it.each([
    [true, 'id'],
    [false, 'part'],
  ])('language 8.10 rules 2 to 4: with a primary key %s, a child leads to its parent by %s', (primaryKey, link) => {
    fc.assert(
      fc.property(trees, (items) => {
        const { node = [], part: parts = [] } = write(primaryKey, items);
        const idOf = new Map(node.map((row) => [row[link], row['id']]));
        const expected = items.flatMap(({ id, parts: of }) => of.map(({ n }) => [String(n), String(id)]));
        expect(parts.map((row) => [row['n'], idOf.get(row['node_pk'])])).toEqual(expected);
      }),
    );
  });

  it.each([true, false])('language 8.10 rule 8: nested rows lead up to the item; primary key: %s', (primaryKey) => {
    fc.assert(
      fc.property(trees, (items) => {
        const { node = [], part: parts = [], leaf: leaves = [] } = write(primaryKey, items);
        const idOf = new Map(node.map((row) => [primaryKey ? row['id'] : row['part'], row['id']]));
        const itemOf = new Map(parts.map((row) => [row['leaf'], idOf.get(row['node_pk'])]));
        const expected = items.flatMap(({ id, parts: of }) =>
          of.flatMap((inner) => inner.leaves.map(({ v }) => [v, String(id)])),
        );
        expect(leaves.map((row) => [row['v'], itemOf.get(row['part_pk'])])).toEqual(expected);
      }),
    );
  });

  it('language 8.10 rule 2: every run gives the same digests', () => {
    fc.assert(
      fc.property(trees, (items) => {
        expect(write(false, items)).toEqual(write(false, items));
      }),
    );
  });
});
