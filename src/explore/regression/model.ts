/** The nouns of regression tests: what a configuration makes of a recording, and what is other than before. */
import type { Json } from '../../core/model';
import type { WarningCode } from '../../core/events';

/** What a configuration makes of a recording. Secrets are `***` in it. */
export interface ReplayedRun {
  readonly jobs: readonly ReplayedJob[];
  /** What a database would get of all items; none where the run failed. */
  readonly tables: readonly ReplayedTable[];
  /** What the run warned of, each once. */
  readonly warnings: readonly ReplayedWarning[];
  /** The code of the error that the run ended with; absent: it succeeded. */
  readonly error?: string;
}

/** What one job gave, all of its calls together. */
export interface ReplayedJob {
  /** What people call it: its `id`, else its `dataType`, else its endpoint. */
  readonly job: string;
  /** The number of its iteration, from 0. */
  readonly iteration: number;
  readonly pages: number;
  readonly items: readonly Json[];
}

/** A table without its rows, which are made of the items. */
export interface ReplayedTable {
  readonly name: string;
  /** The table whose rows its rows belong to. */
  readonly parent?: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: number;
}

/** A warning, without its words: these are for people. */
export interface ReplayedWarning {
  readonly code: WarningCode;
  /** Absent: it is about the whole run. */
  readonly job?: string;
}

/** How a replay went, beside what it made. */
export interface Replaying {
  readonly run: ReplayedRun;
  /** The requests that the recording has. */
  readonly requests: number;
  /** Recorded requests that the run did not send, as `GET https://…`. */
  readonly unasked: readonly string[];
  /** Why the run failed, in words; absent: it did not. */
  readonly message?: string;
}

/** One thing that is other than it was accepted. Values are JSON texts: so their digits survive. */
export interface RunDifference {
  readonly about: 'error' | 'job' | 'pages' | 'item' | 'table' | 'column' | 'rows' | 'warning';
  /** The job, or the table. */
  readonly of?: string;
  /** The number of the item, from 1, among those that came; of a missing one, among those that were expected. */
  readonly item?: number;
  /** Where in the item, as `address.city` or `tags[0]`; or the column of the table. Absent: all of it. */
  readonly field?: string;
  /** Absent: there was none. */
  readonly expected?: string;
  /** Absent: there is none. */
  readonly got?: string;
}
