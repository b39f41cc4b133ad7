/** The types for querying loaded data. */
import type { Json } from '../../core/model';

export interface DataColumn {
  readonly name: string;
  /** The name in the database, for example `DECIMAL(18,3)`. */
  readonly type: string;
}

/** The result of a statement. Decimals are texts of their digits; times and blobs are texts as well. */
export interface QueryResult {
  readonly columns: readonly DataColumn[];
  /** The rows, some at a time; they can be read once. */
  readonly rows: AsyncIterable<readonly (readonly Json[])[]>;
}

/** The summary of a column of a table. */
export interface ColumnSummary extends DataColumn {
  /** The number of values that are not null. */
  readonly count: number;
  readonly nulls: number;
  readonly distinct: number;
  /** True if `distinct` is an estimate, since the table is large. */
  readonly isEstimate: boolean;
  /** The least value as text; absent: there is none. */
  readonly least?: string;
  readonly most?: string;
}

export interface TableSummary {
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly ColumnSummary[];
  /** Why it cannot be read, such as a view of a missing file; then it has neither rows nor columns. Absent: it can. */
  readonly unreadable?: string;
}

/** Loaded data, open for reading. */
export interface LoadedData {
  /** The names of the tables in statements. */
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
