/** Values of items as cells of typed columns, without loss. */
import { plainDecimal } from '../../core/json/decimal';
import { literalAt, memberAt } from '../../core/json/literals';
import type { Holder } from '../../core/json/literals';
import { isObject, keysOf } from '../../core/json/objects';
import { parseList } from '../../core/json/parse';
import { stringifyAt, stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { addedColumns, runColumn } from '../../tables/run-columns';
import { fitted, isDecimal, misfit } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { TableSchema } from '../../tables/schema/schema';
import { itemsOf } from '../journal/journal';
import type { PageOfItems } from '../journal/journal';
import { learnTables } from '../loading/learn';
import type { FlatLoader } from '../loading/load';
import { writeOf } from '../loading/load-flat';
import type { TableWrite } from '../loading/load-flat';
import { surveyTables } from '../loading/survey';

/** A cell of a row, by the type of its column: dates and times are texts as the API spelled them, decimals texts of all digits. */
export type Cell = string | number | bigint | boolean | null;

/** Some rows; cells are in the order of the columns. */
export type CellRows = readonly (readonly Cell[])[];

/** What a run writes to one table. */
export interface CellWrite extends TableWrite {
  /** Returns the rows in their order, those of a page at a time; each call reads them from the first one on. */
  readonly pages: () => AsyncIterable<CellRows>;
  /** How many values of each column are not null. */
  readonly filled: readonly number[];
}

/**
 * Returns the rows of a page, cells by the index of their column.
 *
 * @param schema knows all items of the page
 * @throws FatalError COLUMN_TYPE for a value that a chosen type cannot hold
 */
function rowsOf(page: PageOfItems, schema: TableSchema, table: string): CellRows {
  const columns = schema.learned();
  const items = itemsOf(page, 'spelling');
  const added = Array.from(addedColumns(page), ([name, value]) => {
    const cell = runColumn(name)?.type === 'integer' ? BigInt(value) : value.toWellFormed();
    return [schema.indexOfExtra(name) ?? -1, cell] as const;
  });
  const cellAt = (holder: Holder, key: string | number, at: number): Cell => {
    const { name = '', columnType: type = 'text', isChosen = false } = columns[at] ?? {};
    if (!isChosen || isNull(memberAt(holder, key))) return cellOf(holder, key, type);
    const token = stringifyAt(holder, key);
    const cell = fittedCell(token, type);
    if (cell === undefined) throw misfit(table, name, type, token);
    return cell;
  };
  return items.map((item, index) => {
    const cells = new Array<Cell>(columns.length).fill(null);
    const [holder, keys] = isObject(item) ? [item, keysOf(item)] : [items, [index]];
    for (const key of keys) {
      const at = schema.indexOf(typeof key === 'number' ? 'value' : key) ?? -1;
      cells[at] = cellAt(holder, key, at);
    }
    for (const [at, cell] of added) cells[at] = cell;
    return cells;
  });
}

const isNull = (value: Json | undefined): value is null | undefined => value === null || value === undefined;

/**
 * Returns the cell of a value in a column of a given type.
 *
 * @param token JSON, not `null`
 * @returns `undefined` if the column would store another value
 */
export function fittedCell(token: string, type: ColumnType): Cell | undefined {
  if (type === 'json') return token.toWellFormed();
  const fits = fitted(token, type);
  return fits === undefined ? undefined : cellOf(parseList([fits], 'spelling'), 0, type);
}

function cellOf(holder: Holder, key: string | number, type: ColumnType): Cell {
  const value = memberAt(holder, key);
  if (isNull(value)) return null;
  if (type === 'json') return stringifyAt(holder, key).toWellFormed();
  if (typeof value === 'string') return value.toWellFormed();
  if (type === 'boolean') return value === true;
  if (typeof value === 'boolean' || typeof value === 'object') return stringifyJson(value);
  const literal = literalAt(holder, key);
  if (isDecimal(type)) return plainDecimal(literal ?? String(value));
  // A driver binds other numbers as doubles.
  if (type === 'integer' || type === 'bigint') return BigInt(value);
  return type === 'double' ? Number(value) : (literal ?? String(value));
}

/**
 * Returns a cell of a column that has got a wider type; a value that becomes text is written as JSON writes it.
 *
 * @example convertedCell(true, 'boolean', 'text') // 'true'
 */
export function convertedCell(cell: Cell, from: ColumnType, to: ColumnType): Cell {
  if (cell === null || from === to) return cell;
  const text = String(cell);
  if (to === 'json') return ['text', 'date', 'timestamp', 'timestamptz'].includes(from) ? JSON.stringify(text) : text;
  if (to === 'double') return Number(cell);
  return isDecimal(to) ? plainDecimal(text) : to === 'text' || typeof cell === 'string' ? text : cell;
}

/** Loads flat tables as cells: their columns are learned first, then each page is read again. */
export const BY_CELLS: FlatLoader<CellWrite> = {
  load: async (options, store) => {
    const tables = await surveyTables(options);
    const learned = await learnTables(options, tables);
    options.check(learned);
    const loads = tables.flatMap((table): CellWrite[] => {
      const schema = learned.get(table.dataType)?.schema;
      if (schema === undefined) return [];
      const pages = async function* (): AsyncGenerator<CellRows> {
        for await (const page of options.pages(({ dataType, count }) => dataType === table.dataType && count > 0))
          yield rowsOf(page, schema, table.dataType);
      };
      return [{ ...writeOf(table, schema), pages, filled: schema.learned().map(({ filled }) => filled) }];
    });
    return store(loads);
  },
  withoutRows: (load) => ({ ...load, pages: async function* () {}, filled: [] }),
};
