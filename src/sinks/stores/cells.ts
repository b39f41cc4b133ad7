/** Values of items as cells of typed columns, without loss. */
import { plainDecimal } from '../../core/json/decimal';
import { literalAt, memberAt } from '../../core/json/literals';
import type { Holder } from '../../core/json/literals';
import { isObject, keysOf } from '../../core/json/objects';
import { parseList } from '../../core/json/parse';
import { stringifyAt, stringifyJson } from '../../core/json/stringify';
import type { Item, Json } from '../../core/model';
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

/** The columns of a table, and how values become cells of them. */
export interface CellColumns<C> {
  /** The number of columns. */
  readonly width: number;
  /** Returns the index of the column of a key, `value` for items that are no objects; `undefined`: its values are left out. */
  readonly indexOf: (key: string) => number | undefined;
  readonly indexOfExtra: (name: string) => number | undefined;
  /** The cell of a column that an item has no value for. */
  readonly empty: C;
  readonly cellAt: (holder: Holder, key: string | number, at: number) => C;
  /** Returns the cell of a value that the job adds. */
  readonly added: (value: string, isInteger: boolean, at: number) => C;
}

/** Returns the rows of a page, cells by the index of their column. */
export function* rowsOf<C>(page: PageOfItems, columns: CellColumns<C>, notes?: 'spelling'): Generator<C[]> {
  const { width, indexOf, indexOfExtra, empty, cellAt, added } = columns;
  const items = itemsOf(page, notes);
  if (items.length === 0) return;
  const ofPage = Array.from(addedColumns(page), ([name, value]) => {
    const at = indexOfExtra(name) ?? -1;
    return [at, added(value, runColumn(name)?.type === 'integer', at)] as const;
  });
  const order: (string | number)[] = [];
  const places: (number | undefined)[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] as Item;
    const cells = new Array<C>(width).fill(empty);
    const holder = isObject(item) ? item : items;
    const keys = isObject(item) ? keysOf(item) : [index];
    for (let place = 0; place < keys.length; place += 1) {
      const key = keys[place] as string | number;
      // Most items have the same keys in the same order.
      if (order[place] !== key) places[place] = indexOf(typeof key === 'number' ? 'value' : key);
      order[place] = key;
      const at = places[place];
      if (at !== undefined) cells[at] = cellAt(holder, key, at);
    }
    for (const [at, cell] of ofPage) cells[at] = cell;
    yield cells;
  }
}

/**
 * @param schema knows all items of the pages
 * @throws FatalError COLUMN_TYPE from `cellAt` for a value that a chosen type cannot hold
 */
function cellColumns(schema: TableSchema, table: string): CellColumns<Cell> {
  const columns = schema.learned();
  const types = columns.map(({ columnType }) => columnType);
  return {
    width: columns.length,
    indexOf: schema.indexOf,
    indexOfExtra: schema.indexOfExtra,
    empty: null,
    cellAt: (holder, key, at) => {
      const type = types[at] ?? 'text';
      if (columns[at]?.isChosen !== true || isNull(memberAt(holder, key))) return cellOf(holder, key, type);
      const token = stringifyAt(holder, key);
      const cell = fittedCell(token, type);
      if (cell === undefined) throw misfit(table, columns[at].name, type, token);
      return cell;
    },
    added: (value, isInteger) => (isInteger ? BigInt(value) : value.toWellFormed()),
  };
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
        const columns = cellColumns(schema, table.dataType);
        for await (const page of options.pages(({ dataType, count }) => dataType === table.dataType && count > 0))
          yield [...rowsOf(page, columns, 'spelling')];
      };
      return [{ ...writeOf(table, schema), pages, filled: schema.learned().map(({ filled }) => filled) }];
    });
    return store(loads);
  },
  withoutRows: (load) => ({ ...load, pages: async function* () {}, filled: [] }),
};
