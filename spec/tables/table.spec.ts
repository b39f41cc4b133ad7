import { safeName } from '../../src/tables/names';
import { withPrimaryKeys } from '../../src/tables/table';
import type { Table } from '../../src/tables/table';

const table = (name: string, ...columns: readonly string[]): Table => ({
  name,
  columns,
  primaryKey: [],
  count: 0,
  rows: { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }) },
  csv: { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }) },
  saveCsv: () => Promise.resolve(),
});

describe('primary keys of automatic tables (docs/sinks.md#primary-keys)', () => {
  const keys = {
    primaryKeys: new Map([['a/b', ['y', 'x']]]),
    keyPlaces: new Map([['a/b', 'config.primaryKeys.a/b']]),
  };

  it('belong to the table of the dataType, in the order in which they are named', () => {
    const tables = withPrimaryKeys([table('a_b', 'x', 'y'), table('a_b_c', 'x', 'y')], keys, safeName);
    expect(tables.map(({ primaryKey }) => primaryKey)).toEqual([['y', 'x'], []]);
  });

  it('a column that is not there is an error with the columns that are, and the place to correct', () => {
    expect(() => withPrimaryKeys([table('a_b', 'x', 'z')], keys, safeName)).toThrow(
      'config.primaryKeys.a/b: no row of the table "a_b" has the column "y" of the primary key. Known: \'x\', \'z\'. ' +
        'Nothing was stored: correct the key, and run again without --resume.',
    );
  });
});
