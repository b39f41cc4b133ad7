/** The nouns of looking at what was loaded. */
import type { Json } from '../../core/model';

export interface DataColumn {
  readonly name: string;
  /** As the database names it, for example `DECIMAL(18,3)`. */
  readonly type: string;
}

/** What a statement gives. Decimals are texts of their digits; times and blobs are texts as well. */
export interface QueryResult {
  readonly columns: readonly DataColumn[];
  /** The rows, some at a time; they can be read once. */
  readonly rows: AsyncIterable<readonly (readonly Json[])[]>;
}

/** What is known of a column of a table. */
export interface ColumnSummary extends DataColumn {
  /** The values that are not null. */
  readonly count: number;
  readonly nulls: number;
  readonly distinct: number;
  /** Whether `distinct` is an estimate, since the table is large. */
  readonly isEstimate: boolean;
  /** As texts; absent: there is none. */
  readonly least?: string;
  readonly most?: string;
}

export interface TableSummary {
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly ColumnSummary[];
  /** Why it cannot be read, as a view of a file that is not there; then it has neither rows nor columns here. Absent: it can. */
  readonly unreadable?: string;
}

/** Loaded data that are open for reading. */
export interface LoadedData {
  /** The names of the tables, as statements name them. */
  readonly tables: readonly string[];
  /**
   * Runs one statement that reads.
   *
   * @throws FatalError QUERY_REFUSED for any other statement, or one with an error
   */
  readonly query: (sql: string) => Promise<QueryResult>;
  readonly summary: () => Promise<readonly TableSummary[]>;
  readonly close: () => Promise<void>;
}
