/** Rows of linked tables: what all sinks for tables share. */
import type { Item } from '../model';

/** Items of one page, with the columns that their job adds to every row (language 8.8). */
export interface Batch {
  readonly dataType: string;
  readonly items: readonly Item[];
  /** Parent and user columns by raw name, in order; values are texts. */
  readonly extra: ReadonlyMap<string, string>;
}

/** A table whose columns are final. Its rows come in the order in which they were received, each time they are read. */
export interface Table {
  /** Without bucket. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Only mapped tables have one. */
  readonly primaryKey: readonly string[];
  /** Rows in chunks, one text a column: for databases. */
  readonly rows: AsyncIterable<readonly (readonly string[])[]>;
  /** The same rows as lines of CSV (language 8.11), in chunks, without the header: for files. */
  readonly csv: AsyncIterable<Uint8Array>;
  /** Makes a file of the header line and the rows: quicker than `csv`, but the rows cannot be read afterwards. */
  readonly saveCsv: (path: string) => Promise<void>;
}
