import { FatalError } from '../../core/errors/errors';
import { csvLine } from '../files/csv-lines';
import { columnsAgree, columnsDiffer, commonPrimaryKey } from './tables';
import { saveChunks } from '../files/spooled-table';
import type { Table } from '../table';

/**
 * Tables of the same name, from mappings, automatic conversion or several iterations, become one
 * (docs/language/tables.md#names-of-tables, docs/language/mappings.md#what-else-to-know): the rows of the later follow
 * those of the earlier, and the first primary key that is given counts.
 *
 * @throws FatalError `API_SHAPE` when their columns differ
 * @example
 * appendTables([boatsOfJanuary, crew, boatsOfFebruary]); // boats of both months, crew
 */
export function appendTables(tables: readonly Table[]): readonly Table[] {
  const byName = new Map<string, Table>();
  for (const table of tables) {
    const earlier = byName.get(table.name);
    byName.set(table.name, earlier === undefined ? table : append(earlier, table));
  }
  return [...byName.values()];
}

function append(earlier: Table, later: Table): Table {
  if (!columnsAgree(earlier, later))
    throw new FatalError('API_SHAPE', columnsDiffer(earlier, later), { table: later.name });
  const csv = chain(earlier.csv, later.csv);
  return {
    ...earlier,
    primaryKey: commonPrimaryKey(earlier, later),
    count: earlier.count + later.count,
    rows: chain(earlier.rows, later.rows),
    csv,
    saveCsv: (path) => saveChunks(csvLine(earlier.columns), csv, path),
  };
}

/** All of the first, then all of the second, each time they are read. */
const chain = <T>(first: AsyncIterable<T>, second: AsyncIterable<T>): AsyncIterable<T> => ({
  async *[Symbol.asyncIterator]() {
    yield* first;
    yield* second;
  },
});
