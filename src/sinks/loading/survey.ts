import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputPlan } from '../../plan/plan';
import type { ColumnNames } from '../../tables/schema/column-names';
import type { ChosenTypes } from '../../tables/schema/column-type';
import type { KnownColumn } from '../../tables/schema/schema';
import { addsRows } from '../../tables/table';
import type { PagesInFiles, PlaceOfItems } from '../journal/journal';

/** The lines of one table of a run. */
export interface TableLines {
  readonly dataType: string;
  readonly output: OutputPlan;
  /** The columns that the table has already, if the run adds to it. */
  readonly known: readonly KnownColumn[];
  readonly rows: number;
  /** The number of bytes of the largest page: no line is longer. */
  readonly largest: number;
  /** Where the last page begins: see `PlaceOfItems`. */
  readonly lastOffset: number;
  /** A file that has these lines and no others. */
  readonly file: string;
}

export interface SurveyOptions extends PagesInFiles {
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  readonly outputs: readonly OutputPlan[];
  /** The columns that a table of the destination has; none: there is no such table. */
  readonly known: (dataType: string) => Promise<readonly KnownColumn[]>;
  /** Columns of a table that are to be there although its lines do not have them; absent: there are none. */
  readonly empty?: (dataType: string) => readonly string[];
  /** The types of columns that the configuration says; absent: it says none. */
  readonly chosen?: (dataType: string) => ChosenTypes;
  /** Whether objects and lists of a table are STRUCT and LIST; absent: none are. */
  readonly hasStructs?: (dataType: string) => boolean;
  /** What columns belong to since earlier runs; absent: nobody knows. */
  readonly names?: (dataType: string) => ColumnNames;
}

/**
 * Finds a file with the lines of each table: that of the journal, unless it has lines that count no more.
 *
 * @example await surveyTables({ ...journal, folder, outputs, known: async () => [] }) // [{ dataType: 'items', … }]
 */
export async function surveyTables(options: SurveyOptions): Promise<readonly TableLines[]> {
  const tables: TableLines[] = [];
  for (const [dataType, extent] of await extentsOf(options.places(), (place) => place.dataType)) {
    const { rows, largest, lastOffset } = extent;
    const { path, run } = extent.first;
    const output = options.outputs[run] as OutputPlan;
    const known = addsRows(output, dataType) ? await options.known(dataType) : [];
    const file = (await isWholeFile(extent))
      ? path
      : await copied(options, dataType, join(options.folder, `${tables.length}.ndjson`));
    tables.push({ dataType, output, known, rows, largest, lastOffset, file });
  }
  return tables;
}

async function copied({ pages }: SurveyOptions, dataType: string, file: string): Promise<string> {
  const handle = await open(file, 'w');
  try {
    for await (const { lines } of pages((place) => place.dataType === dataType)) await handle.writeFile(lines);
  } finally {
    await handle.close();
  }
  return file;
}

/** Which files of a journal have the lines of one table, and no others. */

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
