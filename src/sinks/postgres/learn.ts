import type { Client } from 'pg';
import type { FilledTable, LoadedPages, PageOfLines } from './pages';
import { itemsOf, keysOfItem } from './rows';
import type { SeenColumns } from './rows';
import { knownColumns, layoutOf, NUMERIC } from './table';
import type { ExistingTable, TableLayout } from './table';
import { addedColumns } from '../../tables/run-columns';
import type { ChosenTypes } from '../../tables/schema/chosen-type';
import type { ColumnLimit, ColumnNames } from '../../tables/schema/column-names';
import { createSchema } from '../../tables/schema/schema';

/** Maximum columns of a table of PostgreSQL. */
const MOST_COLUMNS = 1600;

/** The columns of a table, as its items have them. */
export interface Learned {
  readonly layout: TableLayout;
  readonly seen: SeenColumns;
  readonly rows: number;
}

/** A table with its pages. */
export interface FilledPages extends FilledTable {
  /** The pages in their order, as many at a time as memory may hold; they can be read several times. */
  readonly groups: () => AsyncIterable<readonly PageOfLines[]>;
  /** The table whose rows its rows belong to; absent: it is that of items. */
  readonly parent?: string;
  /** Columns in which there was nothing but null; absent: items have a null where that is so. */
  readonly empty?: readonly string[];
  /** Columns that are not there unless they have values; absent: none. */
  readonly nested?: readonly string[];
  /** Columns that are there in any case, in this order, and make the table even if it has no rows. */
  readonly declared?: readonly string[];
  /** The types of columns that the configuration says; absent: none. */
  readonly types?: ChosenTypes;
  /** What columns belong to since earlier runs; absent: nobody knows. */
  readonly names?: ColumnNames;
  /** Hears of what columns belong to now, if there are rows. */
  readonly named?: (names: Required<ColumnNames>) => void;
  /** Hears of keys with a type that no item has. */
  readonly unmet?: (key: string) => void;
}

/**
 * Reads all pages of a table for its columns.
 *
 * @param kept the table that the rows are added to, if there is one
 * @param most the maximum number of columns
 * @param isOfSome whether they are some pages of a run: columns without values are left out
 * @throws FatalError TABLE_COLUMNS
 * @example (await learn(filled, undefined)).layout.columns // [{ name: 'id', … }]
 */
export async function learn(
  { dataType, groups, empty = [], declared = [], types, names, named, unmet }: FilledPages,
  kept: ExistingTable | undefined,
  most = Infinity,
  isOfSome = false,
): Promise<Learned> {
  const known = kept === undefined ? [] : knownColumns(kept);
  const schema = createSchema(known, limitOf(dataType, most), NUMERIC, types, names);
  const seen: SeenColumns = { keys: new Set(), extras: new Set() };
  let rows = 0;
  for (const name of declared) schema.columnFor(name);
  for await (const pages of groups())
    for (const page of pages) {
      const items = itemsOf(page);
      const added = addedColumns(page);
      schema.see(items, added);
      for (const item of items) for (const key of keysOfItem(item)) seen.keys.add(key);
      if (items.length > 0) for (const name of added.keys()) seen.extras.add(name);
      rows += items.length;
    }
  if (rows > 0) for (const key of types?.keys() ?? []) if (!seen.keys.has(key)) unmet?.(key);
  if (rows > 0) for (const name of empty) schema.columnFor(name);
  const layout = layoutOf(schema, kept?.columns, isOfSome);
  if (rows > 0) named?.(schema.names());
  return { layout, seen, rows };
}

const limitOf = (table: string, most: number): ColumnLimit =>
  most <= MOST_COLUMNS ? { table, most } : { table, most: MOST_COLUMNS, remedy: 'PostgreSQL takes no more of them.' };

/** Pages of a table in their order, as many at a time as memory may hold. */
export async function* pageGroupsOf(
  client: Client,
  journal: LoadedPages,
  dataType: string,
): AsyncGenerator<readonly PageOfLines[]> {
  let pages = await journal.pagesAfter(client, dataType, -1);
  while (pages.length > 0) {
    yield pages.map(({ page }) => page);
    pages = await journal.pagesAfter(client, dataType, pages.at(-1)?.seq ?? Infinity);
  }
}
