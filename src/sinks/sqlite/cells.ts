/** Values of items as SQLite holds them without loss. */
import { plainDecimal } from '../../core/json/decimal';
import { isObject, keysOf } from '../../core/json/keys';
import { literalAt, memberAt } from '../../core/json/literals';
import type { Holder } from '../../core/json/literals';
import { parseList } from '../../core/json/parse';
import { stringifyAt, stringifyJson } from '../../core/json/stringify';
import type { Item } from '../../core/model';
import type { PageOfItems } from '../journal/journal';
import { addedColumns, runColumn } from '../../tables/run-columns';
import { fitted, misfit } from '../../tables/schema/chosen-type';
import { isDecimal } from '../../tables/schema/decimal-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { TableSchema } from '../../tables/schema/schema';
import type { Cell } from './driver';

/** The types that SQLite has for columns. */
export type StorageType = 'INTEGER' | 'REAL' | 'TEXT';

/** @example storageOf('boolean') // 'INTEGER' */
export function storageOf(type: ColumnType): StorageType {
  if (type === 'boolean' || type === 'integer' || type === 'bigint') return 'INTEGER';
  return type === 'double' ? 'REAL' : 'TEXT';
}

/**
 * The rows of a page, cells by the place of their column.
 *
 * @param schema knows all items of the page
 * @throws FatalError COLUMN_TYPE for a value that a chosen type does not hold
 */
export function rowsOf(page: PageOfItems, schema: TableSchema, table: string): readonly (readonly Cell[])[] {
  const columns = schema.columns();
  const types = columns.map(({ type }) => type);
  const isChosen = schema.facts().map((facts) => facts.isChosen === true);
  const { lines } = page;
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8');
  if (text === '') return [];
  const items: readonly Item[] = parseList(text.trimEnd().split('\n'), 'spelling');
  const added = Array.from(addedColumns(page), ([name, value]) => {
    const cell = runColumn(name)?.type === 'integer' ? BigInt(value) : value.toWellFormed();
    return [schema.indexOfExtra(name) ?? -1, cell] as const;
  });
  return items.map((item, index) => {
    const cells = new Array<Cell>(types.length).fill(null);
    const keys = isObject(item) ? keysOf(item) : [index];
    for (const key of keys) {
      const at = schema.indexOf(typeof key === 'number' ? 'value' : key) ?? -1;
      const holder = isObject(item) ? item : items;
      const type = types[at] ?? 'text';
      cells[at] =
        isChosen[at] === true
          ? chosenCell(holder, key, { table, column: columns[at]?.name ?? '', type })
          : cellOf(holder, key, type);
    }
    for (const [at, value] of added) cells[at] = value;
    return cells;
  });
}

interface ChosenColumn {
  readonly table: string;
  readonly column: string;
  readonly type: ColumnType;
}

function chosenCell(holder: Holder, key: string | number, { table, column, type }: ChosenColumn): Cell {
  const value = memberAt(holder, key);
  if (value === null || value === undefined) return null;
  const token = stringifyAt(holder, key);
  const cell = fittedCell(token, type);
  if (cell === undefined) throw misfit(table, column, type, token);
  return cell;
}

/**
 * The cell of a value in a column of a given type.
 *
 * @param token JSON, not `null`
 * @returns `undefined` where the column would hold another value
 */
export function fittedCell(token: string, type: ColumnType): Cell | undefined {
  if (type === 'json') return token.toWellFormed();
  const fits = fitted(token, type);
  return fits === undefined ? undefined : cellOf(parseList([fits], 'spelling'), 0, type);
}

function cellOf(holder: Holder, key: string | number, type: ColumnType): Cell {
  const value = memberAt(holder, key);
  if (value === null || value === undefined) return null;
  if (type === 'json') return stringifyAt(holder, key).toWellFormed();
  if (typeof value === 'string') return value.toWellFormed();
  if (type === 'boolean') return value === true ? 1 : 0;
  if (typeof value === 'boolean' || typeof value === 'object') return stringifyJson(value);
  const literal = literalAt(holder, key);
  if (isDecimal(type)) return plainDecimal(literal ?? String(value));
  // A driver binds other numbers as doubles.
  if (storageOf(type) === 'INTEGER') return BigInt(value);
  return type === 'double' ? Number(value) : (literal ?? String(value));
}

/** A cell of a column that has got a wider type. */
export function convertedCell(cell: Cell, from: ColumnType, to: ColumnType): Cell {
  if (cell === null || from === to) return cell;
  const isText = storageOf(from) === 'TEXT' && !isDecimal(from);
  const value = from === 'boolean' ? String(Number(cell) === 1) : String(cell);
  if (to === 'json') return isText ? JSON.stringify(value) : value;
  if (storageOf(to) === 'TEXT') return isDecimal(to) ? plainDecimal(value) : value;
  return storageOf(to) === 'REAL' ? Number(cell) : cell;
}
