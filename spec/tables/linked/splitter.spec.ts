import fc from 'fast-check';
import { stringifyJson } from '../../../src/core/json/stringify';
import { parseData } from '../../../src/core/json/parse';
import type { Json, JsonObject } from '../../../src/core/model';
import { keptTable, tableToSplit } from '../../../src/tables/linked/known-tables';
import type { LinkedTable } from '../../../src/tables/linked/places';
import { keepJson } from '../../../src/tables/linked/places';
import { Names } from '../../../src/tables/names';
import { emptyColumns, KeyTwice, PlaceChanged, Splitter, tablesOf } from '../../../src/tables/linked/splitter';
import { runsOf } from '../../support/cases';

const linesOf = (items: readonly Json[]): Buffer =>
  Buffer.from(items.map((item) => `${stringifyJson(item)}\n`).join(''));

type Rows = Readonly<Record<string, readonly JsonObject[]>>;

interface How {
  /** The names of all tables. */
  readonly names?: Names;
  /** What an earlier split has left. */
  readonly kept?: Json;
  /** What happens before rows are split. */
  readonly begin?: (root: LinkedTable) => void;
}

/** Splits as often as it takes, and gives the rows by table, and what is known then. */
function splitted(
  lines: Buffer,
  { names = namesWith('t'), kept = null, begin }: How = {},
): { readonly rows: Rows; readonly root: LinkedTable } {
  for (let root = tableToSplit('t', kept, names); ; root = tableToSplit('t', kept, names, root))
    try {
      begin?.(root);
      new Splitter(root, names).split(lines);
      const tables = Array.from(tablesOf(root), (table) => [table.name, rowsIn(table.out.take())] as const);
      return { rows: Object.fromEntries(tables), root };
    } catch (error) {
      if (!(error instanceof PlaceChanged)) throw error;
    }
}

const split = (lines: Buffer, how?: How): Rows => splitted(lines, how).rows;

const namesWith = (...taken: readonly string[]): Names => {
  const names = new Names();
  for (const name of taken) names.take(name);
  return names;
};

const rowsIn = (lines: Buffer): readonly JsonObject[] =>
  lines
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => parseData(line) as JsonObject);

const keptOf = (root: LinkedTable): Json => parseData(stringifyJson(keptTable(root)));

const rowsOf = (...items: readonly Json[]): Rows => split(linesOf(items));

describe('the splitter', () => {
  it('leaves flat items as they are, without ids', () => {
    expect(rowsOf({ id: 1, name: 'a' }, { id: 2, name: null })).toEqual({ t: [{ id: 1, name: 'a' }, { id: 2 }] });
  });

  it('makes columns of objects, however deep', () => {
    expect(rowsOf({ id: 1, address: { city: 'Bern', geo: { lat: 46.9 } } })).toEqual({
      t: [{ id: 1, address_city: 'Bern', address_geo_lat: 46.9 }],
    });
  });

  it('makes tables of lists, linked by ids, with the position in the list', () => {
    expect(
      rowsOf({ id: 7, lines: [{ sku: 'a', taxes: [1, 2] }, { sku: 'a' }] }, { id: 8, lines: [{ sku: 'b' }] }),
    ).toEqual({
      t: [
        { _row_id: 1, id: 7 },
        { _row_id: 2, id: 8 },
      ],
      t_lines: [
        { _row_id: 1, _parent_row_id: 1, _position: 0, sku: 'a' },
        { _row_id: 2, _parent_row_id: 1, _position: 1, sku: 'a' },
        { _row_id: 3, _parent_row_id: 2, _position: 0, sku: 'b' },
      ],
      t_lines_taxes: [
        { _row_id: 1, _parent_row_id: 1, _position: 0, value: 1 },
        { _row_id: 2, _parent_row_id: 1, _position: 1, value: 2 },
      ],
    });
  });

  it('takes a value that stands alone for a list of one, wherever the list comes', () => {
    const list = { t_tags: [{ _position: 0 }, { _position: 0 }, { _position: 1 }] };
    expect(rowsOf({ tags: 'a' }, { tags: ['b', 'c'] })).toMatchObject(list);
    expect(rowsOf({ tags: { k: 1 } }, { tags: [{ k: 2 }, { k: 3 }] })).toMatchObject(list);
  });

  it('keeps a value beside an object in a column of its own', () => {
    expect(rowsOf({ by: 'me' }, { by: { name: 'you' } }).t).toEqual([{ by: 'me' }, { by_name: 'you' }]);
  });

  it('takes items and elements that are no objects', () => {
    expect(rowsOf(1, [2, null], {})).toEqual({
      t: [{ _row_id: 1 }, { _row_id: 2 }, { _row_id: 3 }],
      t_value: [
        { _row_id: 1, _parent_row_id: 1, _position: 0, value: 1 },
        { _row_id: 2, _parent_row_id: 2, _position: 0, value: 2 },
        { _row_id: 3, _parent_row_id: 2, _position: 1 },
      ],
    });
    expect(rowsOf({ id: 1, matrix: [[1, 2], [3]] })).toMatchObject({
      t_matrix: [{ _row_id: 1 }, { _row_id: 2 }],
      t_matrix_value: [
        { _parent_row_id: 1, _position: 0, value: 1 },
        { _parent_row_id: 1, _position: 1, value: 2 },
        { _parent_row_id: 2, _position: 0, value: 3 },
      ],
    });
  });

  it('numbers columns whose names meet, and those that the API calls like the ids', () => {
    expect(rowsOf({ a: { b: 1 }, a_b: 2, A_B: 3, _row_id: 'x' }).t).toEqual([
      { a_b: 1, a_b_2: 2, A_B_3: 3, _row_id_2: 'x' },
    ]);
  });

  it('numbers a table whose name another dataType has', () => {
    const rows = split(linesOf([{ lines: [1] }]), { names: namesWith('t', 't_lines') });
    expect(Object.keys(rows)).toEqual(['t', 't_lines_2']);
  });

  it('makes names of tables that SQL takes without quotes', () => {
    expect(Object.keys(rowsOf({ 'sub items': [1], größe: [2] }))).toEqual(['t', 't_sub_items', 't_größe']);
  });

  it('leaves lists as JSON where the table has a column for them', () => {
    const begin = (root: LinkedTable): void => keepJson(root, ['tags']);
    expect(split(linesOf([{ tags: ['a'], at: { x: 1 } }]), { begin })).toEqual({ t: [{ tags: ['a'], at_x: 1 }] });
  });

  it('leaves what is very deep as JSON', () => {
    const deep = (levels: number): Json => (levels === 0 ? 1 : { a: deep(levels - 1) });
    const [row] = rowsOf(deep(40)).t ?? [];
    expect(Object.keys(row ?? {})).toEqual([Array(17).fill('a').join('_')]);
    expect(Object.values(row ?? {})).toEqual([deep(23)]);
  });

  it('says which columns there are to be, be there nothing but null in them', () => {
    const { root } = splitted(
      linesOf([
        { a: null, b: null, c: { d: null } },
        { a: 1, b: null },
      ]),
    );
    expect(emptyColumns(root)).toEqual(['a', 'b', 'c_d']);
  });

  it('has the columns of nulls in later runs, too, and none of keys that no item has any more', () => {
    const { root: first } = splitted(linesOf([{ a: null, gone: null, b: 1 }]));
    expect(emptyColumns(first)).toEqual(['a', 'gone', 'b']);
    const { root: later } = splitted(linesOf([{ a: null, b: null }]), { kept: keptOf(first) });
    expect(emptyColumns(later)).toEqual(['a', 'b']);
  });

  it('has no column of nulls that turned out to stand in lists', () => {
    const { root } = splitted(linesOf([{ a: { b: null } }, { a: [{ b: 1 }] }]));
    expect(emptyColumns(root)).toEqual([]);
  });

  it('throws at a key that stands twice in an object, not at one that stands in two', () => {
    expect(() => split(Buffer.from('{"a":1,"b":{"c":1,"c":2}}\n'))).toThrow(KeyTwice);
    expect(split(Buffer.from('{"a":[{"c":1},{"c":2}]}\n'))['t_a']).toHaveLength(2);
  });

  it('makes the same of items in a later run, in whatever order they come', () => {
    const { root: first } = splitted(linesOf([{ a: { b: 1 }, a_b: 2, tags: ['x'] }]));
    const rows = split(linesOf([{ tags: 'y', a_b: 2, a: { b: 1 } }]), { kept: keptOf(first) });
    expect(rows).toEqual({
      t: [{ _row_id: 1, a_b_2: 2, a_b: 1 }],
      t_tags: [{ _row_id: 1, _parent_row_id: 1, _position: 0, value: 'y' }],
    });
  });

  it('gives the names that it would have given if it had known all lists from the beginning', () => {
    expect(rowsOf({ line: { tax: [1] } }, { line: [{ tax: [2] }] })).toEqual({
      t: [{ _row_id: 1 }, { _row_id: 2 }],
      t_line: [
        { _row_id: 1, _parent_row_id: 1, _position: 0 },
        { _row_id: 2, _parent_row_id: 2, _position: 0 },
      ],
      t_line_tax: [
        { _row_id: 1, _parent_row_id: 1, _position: 0, value: 1 },
        { _row_id: 2, _parent_row_id: 2, _position: 0, value: 2 },
      ],
    });
    expect(rowsOf({ x: [1, [2], { value: 3 }] })['t_x']).toMatchObject([{ _row_id: 1 }, { _row_id: 2 }, { value: 3 }]);
    expect(rowsOf({ a: 1, a_2: 2 }, { A: 3, a: [4] }).t).toMatchObject([{ a_2: 2 }, { A: 3 }]);
  });

  it('leaves the names of earlier runs to what they were given to, be there lists now', () => {
    const { root } = splitted(linesOf([{ line: { tax: [1], rate: 2 } }]));
    const names = namesWith('t');
    const rows = split(linesOf([{ line_rate: 3, line: [{ tax: [2] }] }]), { kept: keptOf(root), names });
    expect(rows['t']).toMatchObject([{ line_rate_2: 3 }]);
    expect(rows['t_line_tax_2']).toMatchObject([{ value: 2 }]);
  });

  it('loses no value, makes none up, and gives each row an id of its own', () => {
    fc.assert(
      fc.property(fc.array(items(), { maxLength: 8 }), (some) => {
        const rows = split(linesOf(some));
        const scalars = Object.values(rows).flatMap((table) =>
          table.flatMap((row) => Object.entries(row).flatMap(([name, value]) => (IDS.has(name) ? [] : [value]))),
        );
        expect(sorted(scalars)).toEqual(sorted(some.flatMap(scalarsIn)));
        for (const [name, table] of Object.entries(rows)) {
          if (name !== 't' || Object.keys(rows).length > 1)
            expect(table.map((row) => row['_row_id'])).toEqual(table.map((_, at) => at + 1));
        }
        expect(rows['t']).toHaveLength(some.length);
      }),
      { numRuns: runsOf(300) },
    );
  });
});

const IDS = new Set(['_row_id', '_parent_row_id', '_position']);

const sorted = (values: readonly Json[]): readonly string[] => values.map((value) => stringifyJson(value)).sort();

const scalarsIn = (value: Json): readonly Json[] => {
  if (value === null) return [];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(scalarsIn);
  return typeof value === 'object' ? Object.values(value).flatMap(scalarsIn) : [value];
};

/** Items with few keys, so that values of several kinds meet at one place. */
const items = (): fc.Arbitrary<Json> =>
  fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c d', 'é"'), tie('value'), { maxKeys: 3 }) as fc.Arbitrary<Json>,
    ),
  })).value;
