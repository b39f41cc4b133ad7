/** Which files of a journal have the lines of one table, and no others. */
import { stat } from 'node:fs/promises';
import type { PlaceOfItems } from './journal';

/** Where the pages of a table are. */
export interface TableExtent {
  readonly first: PlaceOfItems;
  rows: number;
  /** The number of bytes of the largest page. */
  largest: number;
  /** Where the last page begins: see {@link PlaceOfItems}. */
  lastOffset: number;
  /** The end of the lines, which follow each other from the start of one file; absent: there are others between them. */
  end: number | undefined;
}

/**
 * Finds where the pages of tables are.
 *
 * @param tableOf the table of a page; `undefined`: the page is left out
 * @returns the extents by table, in the order of their first pages
 * @example (await extentsOf(journal.places(), ({ dataType }) => dataType)).get('items')?.rows
 */
export async function extentsOf(
  places: AsyncIterable<PlaceOfItems>,
  tableOf: (place: PlaceOfItems) => string | undefined,
): Promise<ReadonlyMap<string, TableExtent>> {
  const found = new Map<string, TableExtent>();
  for await (const place of places) {
    const { path, offset, length, count } = place;
    const table = tableOf(place);
    if (table === undefined) continue;
    const extent = found.get(table) ?? { first: place, rows: 0, largest: 0, lastOffset: 0, end: 0 };
    found.set(table, extent);
    extent.rows += count;
    extent.largest = Math.max(extent.largest, length);
    extent.lastOffset = offset;
    extent.end = extent.end === offset && extent.first.path === path ? offset + length : undefined;
  }
  return found;
}

/** Whether a file has these lines and nothing else. */
export const isWholeFile = async ({ first, end }: TableExtent): Promise<boolean> =>
  end !== undefined && end === (await stat(first.path)).size;
