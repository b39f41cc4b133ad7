/** Values of items in a form that SQLite stores without loss. */
import { FatalError } from '../../core/errors/errors';
import { plainDecimal } from '../../core/json/decimal';
import { literalAt, memberAt, withMember } from '../../core/json/literals';
import type { Holder } from '../../core/json/literals';
import { isObject, keysOf, objectFrom, ownValue } from '../../core/json/objects';
import { parseJson, parseList } from '../../core/json/parse';
import { stringifyAt, stringifyJson } from '../../core/json/stringify';
import type { Item, JsonObject } from '../../core/model';
import { addedColumns, runColumn } from '../../tables/run-columns';
import { fitted, isDecimal, misfit } from '../../tables/schema/column-type';
import type { ColumnType } from '../../tables/schema/column-type';
import type { Column, TableSchema } from '../../tables/schema/schema';
import type { PageOfItems } from '../journal/journal';
import { learnTables } from '../loading/learn';
import type { FlatLoader } from '../loading/load';
import { learnedLoad } from '../loading/load-flat';
import type { LearnedLoad } from '../loading/load-flat';
import { surveyTables } from '../loading/survey';
import type { Cell } from './driver';

/** The column types of SQLite. */
export type StorageType = 'INTEGER' | 'REAL' | 'TEXT';

/** @example storageOf('boolean') // 'INTEGER' */
export function storageOf(type: ColumnType): StorageType {
  if (type === 'boolean' || type === 'integer' || type === 'bigint') return 'INTEGER';
  return type === 'double' ? 'REAL' : 'TEXT';
}

/**
 * Returns the rows of a page, cells by the index of their column.
 *
 * @param schema knows all items of the page
 * @throws FatalError COLUMN_TYPE for a value that a chosen type cannot hold
 */
function rowsOf(page: PageOfItems, schema: TableSchema, table: string): readonly (readonly Cell[])[] {
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

/** Returns a cell of a column that has got a wider type. */
export function convertedCell(cell: Cell, from: ColumnType, to: ColumnType): Cell {
  if (cell === null || from === to) return cell;
  const isText = storageOf(from) === 'TEXT' && !isDecimal(from);
  const value = from === 'boolean' ? String(Number(cell) === 1) : String(cell);
  if (to === 'json') return isText ? JSON.stringify(value) : value;
  if (storageOf(to) === 'TEXT') return isDecimal(to) ? plainDecimal(value) : value;
  return storageOf(to) === 'REAL' ? Number(cell) : cell;
}

/** The types of a table of which nothing is known. The types that SQLite lacks are kept beside the receipt. */
const WIDEST: Readonly<Record<StorageType, ColumnType>> = { INTEGER: 'bigint', REAL: 'double', TEXT: 'text' };
const KNOWN: readonly ColumnType[] = [
  ...(['boolean', 'integer', 'bigint', 'double', 'date', 'timestamp', 'timestamptz', 'json', 'text'] as const),
];

/** Returns the kept types, or the types of a table in place of the kept ones. */
export function typesOf(kept: unknown, table?: string, columns: readonly Column[] = []): JsonObject {
  const known = typeof kept === 'string' ? parseJson(kept) : kept;
  const types = isObject(known as JsonObject) ? (known as JsonObject) : {};
  if (table === undefined) return types;
  return withMember(types, table, objectFrom(columns.map(({ name, type }) => [name, type])));
}

/**
 * Returns the type of a column that rows are added to.
 *
 * @param declared the type in the table
 * @throws FatalError DESTINATION_INCOMPATIBLE for a type that a run would not make
 */
export function typeIn(table: string, column: string, declared: string, known: JsonObject): ColumnType {
  const storage = declared.toUpperCase() === 'INT' ? 'INTEGER' : declared.toUpperCase();
  const kept = ownValue(known, column);
  const type = typeof kept === 'string' ? (KNOWN.find((each) => each === kept) ?? decimalIn(kept)) : undefined;
  if (type !== undefined && storageOf(type) === storage) return type;
  if (storage === 'INTEGER' || storage === 'REAL' || storage === 'TEXT') return WIDEST[storage];
  const what = `The column ${JSON.stringify(column)} of the table ${JSON.stringify(table)} is of the type ${declared}`;
  throw new FatalError(
    'DESTINATION_INCOMPATIBLE',
    `${what}, which rows cannot be added to. Rename that table, or remove it.`,
    { table },
  );
}

function decimalIn(text: string): ColumnType | undefined {
  const type = text as ColumnType;
  return isDecimal(type) ? type : undefined;
}

/** One table of a run, whose rows can be read once. */
export interface RowLoad extends LearnedLoad {
  /** Returns the rows in their order, those of a page at a time. */
  readonly pages: () => AsyncIterable<readonly (readonly Cell[])[]>;
  /** How many values of each column are not null. */
  readonly filled: readonly number[];
}

/** Loads flat tables into SQLite: their columns are learned first, then each page is read again. */
export const BY_ROWS: FlatLoader<RowLoad> = {
  load: async (options, store) => {
    const tables = await surveyTables(options);
    const learned = await learnTables(options, tables);
    options.check(learned);
    const loads = tables.flatMap((table): RowLoad[] => {
      const schema = learned.get(table.dataType)?.schema;
      if (schema === undefined) return [];
      const pages = async function* (): AsyncGenerator<readonly (readonly Cell[])[]> {
        const isWanted = (place: { readonly dataType: string; readonly count: number }): boolean =>
          place.dataType === table.dataType && place.count > 0;
        for await (const page of options.pages(isWanted)) yield rowsOf(page, schema, table.dataType);
      };
      return [{ ...learnedLoad(table, schema), pages, filled: schema.facts().map(({ filled }) => filled) }];
    });
    return store(loads);
  },
  withoutRows: (load) => ({ ...load, pages: async function* () {}, filled: [] }),
};
