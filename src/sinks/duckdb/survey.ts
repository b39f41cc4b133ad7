import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputPlan } from '../../plan/plan';
import type { PagesInFiles, PlaceOfItems } from '../journal/journal';
import type { Column } from '../schema/schema';

/** The lines of one table of a run. */
export interface TableLines {
  readonly dataType: string;
  readonly output: OutputPlan;
  /** The columns that the table has already, if the run adds to it. */
  readonly known: readonly Column[];
  readonly rows: number;
  /** The number of bytes of the largest page: no line is longer. */
  readonly largest: number;
  /** Where the last page begins: see {@link PlaceOfItems}. */
  readonly lastOffset: number;
  /** A file that has these lines and no others. */
  readonly file: string;
}

export interface SurveyOptions extends PagesInFiles {
  /** An existing folder for temporary files, which the caller removes. */
  readonly folder: string;
  readonly outputs: readonly OutputPlan[];
  /** The columns that a table of the destination has; none: there is no such table. */
  readonly known: (dataType: string) => Promise<readonly Column[]>;
  /** Columns of a table that are to be there although its lines do not have them; absent: there are none. */
  readonly empty?: (dataType: string) => readonly string[];
}

/**
 * Finds a file with the lines of each table: that of the journal, unless it has lines that count no more.
 *
 * @example await surveyTables({ ...journal, folder, outputs, known: async () => [] }) // [{ dataType: 'items', … }]
 */
export async function surveyTables(options: SurveyOptions): Promise<readonly TableLines[]> {
  const tables: TableLines[] = [];
  for (const { first, rows, largest, lastOffset, end } of (await extents(options)).values()) {
    const { dataType, path, run } = first;
    const output = options.outputs[run] as OutputPlan;
    const known = output.incremental ? await options.known(dataType) : [];
    const isWhole = end === (await stat(path)).size;
    const file = isWhole ? path : await copied(options, dataType, join(options.folder, `${tables.length}.ndjson`));
    tables.push({ dataType, output, known, rows, largest, lastOffset, file });
  }
  return tables;
}

interface LinesExtent {
  readonly first: PlaceOfItems;
  rows: number;
  largest: number;
  lastOffset: number;
  /** The end of the lines, which follow each other from the start of the file; absent: there are others between them. */
  end: number | undefined;
}

async function extents({ places }: SurveyOptions): Promise<ReadonlyMap<string, LinesExtent>> {
  const found = new Map<string, LinesExtent>();
  for await (const place of places()) {
    const { dataType, offset, length, count } = place;
    const extent = found.get(dataType) ?? { first: place, rows: 0, largest: 0, lastOffset: 0, end: 0 };
    found.set(dataType, extent);
    extent.rows += count;
    extent.largest = Math.max(extent.largest, length);
    extent.lastOffset = offset;
    extent.end = extent.end === offset ? offset + length : undefined;
  }
  return found;
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
