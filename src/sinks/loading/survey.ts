import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputPlan } from '../../plan/plan';
import type { ColumnNames } from '../../tables/schema/column-names';
import type { ChosenTypes } from '../../tables/schema/column-type';
import type { KnownColumn } from '../../tables/schema/schema';
import { addsRows } from '../../tables/table';
import type { PageOfItems, PagesInFiles, PlaceOfItems } from '../journal/journal';

/** The lines of one table of a run. */
export interface TableLines {
  readonly dataType: string;
  readonly output: OutputPlan;
  /** The columns of the existing table, if the run adds to it. */
  readonly known: readonly KnownColumn[];
  readonly rows: number;
  /** The number of bytes of the largest page; no line is longer. */
  readonly largest: number;
  /** The offset of the last page: see `PlaceOfItems`. */
  readonly lastOffset: number;
  /** A file that contains exactly these lines. */
  readonly file: string;
}

export interface SurveyOptions extends PagesInFiles {
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  readonly outputs: readonly OutputPlan[];
  /** Returns the columns of a table of the destination; none: it does not exist. */
  readonly known: (dataType: string) => Promise<readonly KnownColumn[]>;
  /** Returns the columns of a table that are created although its lines lack them; absent: there are none. */
  readonly empty?: (dataType: string) => readonly string[];
  /** Returns the column types of the configuration; absent: there are none. */
  readonly chosen?: (dataType: string) => ChosenTypes;
  /** Returns whether objects and lists of a table are STRUCT and LIST; absent: none are. */
  readonly hasStructs?: ((dataType: string) => boolean) | undefined;
  /** Returns the members that columns belong to since earlier runs; absent: unknown. */
  readonly names?: (dataType: string) => ColumnNames;
}

/**
 * Finds a file with the lines of each table: that of the journal, unless it contains superseded lines.
 *
 * @example await surveyTables({ ...journal, folder, outputs, known: async () => [] }) // [{ dataType: 'items', … }]
 */
export async function surveyTables(options: SurveyOptions): Promise<readonly TableLines[]> {
  const tables: TableLines[] = [];
  for (const [dataType, extent] of extentsOf(options.places(), (place) => place.dataType)) {
    const { rows, largest, lastOffset } = extent;
    const { path, run } = extent.first;
    const output = options.outputs[run] as OutputPlan;
    const known = addsRows(output, dataType) ? await options.known(dataType) : [];
    const isWhole = await isWholeFile(extent);
    const file = isWhole ? path : join(options.folder, `${tables.length}.ndjson`);
    if (!isWhole) await writeLines(options.pages, dataType, file);
    tables.push({ dataType, output, known, rows, largest, lastOffset, file });
  }
  return tables;
}

/**
 * Writes the pages of a table into a file.
 *
 * @param linesOf returns what is written of a page; absent: its lines
 * @returns the bytes of the largest page
 */
export async function writeLines(
  pages: SurveyOptions['pages'],
  dataType: string,
  file: string,
  linesOf = (page: PageOfItems): Uint8Array => page.lines,
): Promise<number> {
  let largest = 0;
  const handle = await open(file, 'w');
  try {
    for await (const page of pages((place) => place.dataType === dataType && place.count > 0)) {
      const lines = linesOf(page);
      largest = Math.max(largest, lines.byteLength);
      await handle.writeFile(lines);
    }
  } finally {
    await handle.close();
  }
  return largest;
}

/** The place of the pages of a table in the files of a journal. */
export interface TableExtent {
  readonly first: PlaceOfItems;
  rows: number;
  /** The number of bytes of the largest page. */
  largest: number;
  /** The offset of the last page: see {@link PlaceOfItems}. */
  lastOffset: number;
  /** The end of the lines, which are adjacent from the start of one file; absent: there are others between them. */
  end: number | undefined;
}

/**
 * Finds the places of the pages of tables.
 *
 * @param tableOf returns the table of a page; `undefined`: the page is left out
 * @returns the extents by table, in the order of their first pages
 * @example extentsOf(journal.places(), ({ dataType }) => dataType).get('items')?.rows
 */
export function extentsOf<T>(
  places: Iterable<PlaceOfItems>,
  tableOf: (place: PlaceOfItems) => T | undefined,
): ReadonlyMap<T, TableExtent> {
  const found = new Map<T, TableExtent>();
  for (const place of places) {
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

/** Returns whether a file has these lines and nothing else. */
export const isWholeFile = async ({ first, end }: TableExtent): Promise<boolean> =>
  end !== undefined && end === (await stat(first.path)).size;
