import type { Client } from 'pg';
import type { NumberedPage, PostgresJournal } from './postgres-journal';
import { itemsOf, keysOfItem } from './postgres-rows';
import type { Seen } from './postgres-rows';
import { knownColumns, layoutOf } from './postgres-table';
import type { ExistingTable, TableLayout } from './postgres-table';
import { createSchema } from './schema';

/** What the items of a table told. */
export interface Learned {
  readonly layout: TableLayout;
  readonly seen: Seen;
  readonly rows: number;
}

/**
 * Reads all pages of a table for its columns.
 *
 * @param kept the table that the rows are added to, if there is one
 * @example (await learn(client, journal, 'user', undefined)).layout.columns // [{ name: 'id', … }]
 */
export async function learn(
  client: Client,
  journal: PostgresJournal,
  dataType: string,
  kept: ExistingTable | undefined,
): Promise<Learned> {
  const schema = createSchema(kept === undefined ? [] : knownColumns(kept));
  const seen: Seen = { keys: new Set(), extras: new Set() };
  let rows = 0;
  for await (const pages of batchesOf(client, journal, dataType))
    for (const { page } of pages) {
      const items = itemsOf(page);
      schema.see(items, page.extra);
      for (const item of items) for (const key of keysOfItem(item)) seen.keys.add(key);
      if (items.length > 0) for (const name of page.extra.keys()) seen.extras.add(name);
      rows += items.length;
    }
  return { layout: layoutOf(schema, kept?.columns), seen, rows };
}

/** Pages of a table in their order, as many at a time as memory may hold. */
export async function* batchesOf(
  client: Client,
  journal: PostgresJournal,
  dataType: string,
): AsyncGenerator<readonly NumberedPage[]> {
  let pages = await journal.pagesAfter(client, dataType, -1);
  while (pages.length > 0) {
    yield pages;
    pages = await journal.pagesAfter(client, dataType, pages.at(-1)?.seq ?? Infinity);
  }
}
