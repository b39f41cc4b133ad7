import type { Client } from 'pg';
import type { FilledTable, PageOfLines, PostgresJournal } from './journal';
import { itemsOf, keysOfItem } from './rows';
import type { SeenColumns } from './rows';
import { knownColumns, layoutOf, NUMERIC } from './table';
import type { ExistingTable, TableLayout } from './table';
import { createSchema } from '../schema/schema';
import type { ColumnLimit } from '../schema/schema';

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
  /** Columns in which there was nothing but null; absent: items have a null where that is so. */
  readonly empty?: readonly string[];
}

/**
 * Reads all pages of a table for its columns.
 *
 * @param kept the table that the rows are added to, if there is one
 * @param most the maximum number of columns
 * @throws FatalError TABLE_COLUMNS
 * @example (await learn(filled, undefined)).layout.columns // [{ name: 'id', … }]
 */
export async function learn(
  { dataType, groups, empty = [] }: FilledPages,
  kept: ExistingTable | undefined,
  most = Infinity,
): Promise<Learned> {
  const schema = createSchema(kept === undefined ? [] : knownColumns(kept), limitOf(dataType, most), NUMERIC);
  const seen: SeenColumns = { keys: new Set(), extras: new Set() };
  let rows = 0;
  for await (const pages of groups())
    for (const page of pages) {
      const items = itemsOf(page);
      schema.see(items, page.extra);
      for (const item of items) for (const key of keysOfItem(item)) seen.keys.add(key);
      if (items.length > 0) for (const name of page.extra.keys()) seen.extras.add(name);
      rows += items.length;
    }
  if (rows > 0) for (const name of empty) schema.columnFor(name);
  return { layout: layoutOf(schema, kept?.columns), seen, rows };
}

const limitOf = (table: string, most: number): ColumnLimit =>
  most <= MOST_COLUMNS ? { table, most } : { table, most: MOST_COLUMNS, remedy: 'PostgreSQL takes no more of them.' };

/** Pages of a table in their order, as many at a time as memory may hold. */
export async function* pageGroupsOf(
  client: Client,
  journal: PostgresJournal,
  dataType: string,
): AsyncGenerator<readonly PageOfLines[]> {
  let pages = await journal.pagesAfter(client, dataType, -1);
  while (pages.length > 0) {
    yield pages.map(({ page }) => page);
    pages = await journal.pagesAfter(client, dataType, pages.at(-1)?.seq ?? Infinity);
  }
}
