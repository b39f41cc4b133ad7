import { defineSink } from '../define-sink';
import { csvAtOnce } from './at-once';
import { PLAIN } from './files';
import type { CsvLayout } from './files';
import { csvTables } from './tables';

export interface CsvOptions {
  /** How files are named, and what lies beside them; default: `<table>.csv`, with the bucket where tables of several meet. */
  readonly layout?: CsvLayout;
  /**
   * Makes the files of a run in one go, and keeps nothing of an interrupted one; default false. It takes less time and
   * space, and the folder has the files alone. State has to be given to `deliver`.
   */
  readonly keepsNothing?: boolean;
  /** With `keepsNothing`, an existing folder where rows wait until all are there; default: that of the system. */
  readonly spoolFolder?: string;
}

export const csv = defineSink({
  kind: 'sink',
  name: 'csv',
  summary: 'Linked tables as CSV files in a folder, one file a table.',
  use: 'Choose it for tables by mappings or by the automatic conversion, for spreadsheets and for loaders of CSV.',
  schemes: ['csv'],
  address: ['csv:FOLDER'],
  example: 'csv:out',
  rules: [
    'Files are UTF-8, every field is quoted, and the first line has the names of the columns.',
    'A commit replaces files that are complete; a reader never meets half a table in one file.',
    'With incrementalOutput, rows are added to those of the old file; with a primary key, a row takes the place of older ones with the same key.',
    'Pages wait in the folder `.headwater` inside the folder until the commit.',
  ],
  makes: 'linked-tables',
  create: ({ rest: folder }, { outputs, warn }, options: CsvOptions) => {
    const { layout = PLAIN, keepsNothing = false, spoolFolder } = options;
    const tables = { folder, layout, outputs, warn, ...(spoolFolder === undefined ? {} : { spoolFolder }) };
    return keepsNothing ? csvAtOnce(tables) : csvTables(tables);
  },
});
