/** Rows of linked tables: what all sinks for tables share. */
import type { Item } from '../core/model';
import type { OutputPlan } from '../plan/plan';

/**
 * Items of one page, with the columns that their job adds to every row
 * (docs/language/tables.md#parent-and-user-columns).
 */
export interface ItemsOfPage {
  readonly dataType: string;
  readonly items: readonly Item[];
  /** The JSON texts of the items, where they are at hand; absent: the items are serialized again. */
  readonly texts?: readonly string[];
  /** Parent and user columns by raw name, in order; values are strings. */
  readonly extra: ReadonlyMap<string, string>;
}

/** A table whose columns are final. Its rows come in the order in which they were received, each time they are read. */
export interface Table {
  /** The name of the table, without its bucket. */
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key; empty where there is none. */
  readonly primaryKey: readonly string[];
  /** The names that placeholders and user data had to leave to keys of items, with those that they have instead; absent: none. */
  readonly gaveWay?: ReadonlyMap<string, GaveWay>;
  /** Where different values of the key are one empty cell; absent: nowhere, or nobody knows. */
  readonly keyBlanks?: KeyBlanks;
  /** The dataType whose items its rows, or those of the table that they belong to, come from; of several the first. */
  readonly dataType?: string;
  /** What leads from its rows to those of its parent; absent: nothing, or not always the same. */
  readonly link?: TableLink;
  /** The number of its rows. */
  readonly count: number;
  /** The rows in chunks, one string a column: for databases. */
  readonly rows: AsyncIterable<readonly (readonly string[])[]>;
  /**
   * The same rows as lines of CSV (docs/language/tables.md#files-and-buckets), in chunks, without the header: for
   * files.
   */
  readonly csv: AsyncIterable<Uint8Array>;
  /** Makes a file of the header line and the rows: quicker than `csv`, but the rows cannot be read afterwards. */
  readonly saveCsv: (path: string) => Promise<void>;
}

/** What the values of each column of a key were in items where their cells are empty, as JSON has them. */
export type KeyBlanks = ReadonlyMap<string, ReadonlySet<string>>;

/** A column of a placeholder or of user data whose name the items have taken. */
export interface GaveWay {
  /** Its name in this table. */
  readonly column: string;
  /** Whether it had the other name in earlier runs. */
  readonly isNew: boolean;
}

/** The column of a child table that leads to a row of its parent. */
export interface TableLink {
  readonly parent: string;
  readonly column: string;
  /** The columns of the parent whose values it has, with `,` between several. */
  readonly of: readonly string[];
}

/** The tables of one bucket (docs/language/tables.md#files-and-buckets). */
export interface Bucket {
  /** The name of the bucket; absent where the tables stand in none. */
  readonly name?: string;
  /** How the runs of the bucket write: as the last of them says. */
  readonly output: Pick<OutputPlan, 'incremental' | 'loads'>;
  readonly tables: readonly Table[];
}
