import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { addsRows } from '../../tables/loads';
import type { OutputPlan } from '../../plan/plan';
import { extentsOf, isWholeFile } from '../journal/extents';
import type { PagesInFiles } from '../journal/journal';
import type { ChosenTypes } from '../../tables/schema/chosen-type';
import type { ColumnNames } from '../../tables/schema/column-names';
import type { KnownColumn } from '../../tables/schema/schema';

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
