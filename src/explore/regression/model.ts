/** The types of regression tests: the result of a configuration for a recording, and its differences. */
import type { Json } from '../../core/model';
import type { WarningCode } from '../../core/events';

/** The result of a configuration for a recording. Secrets are `***` in it. */
export interface ReplayedRun {
  readonly jobs: readonly ReplayedJob[];
  /** The tables of all items in a database; empty if the run failed. */
  readonly tables: readonly ReplayedTable[];
  /** The warnings of the run, each once. */
  readonly warnings: readonly ReplayedWarning[];
  /** The code of the error that ended the run; absent: it succeeded. */
  readonly error?: string;
}

/** The result of one job, all of its calls together. */
export interface ReplayedJob {
  /** Its name for users: its `id`, else its `dataType`, else its endpoint. */
  readonly job: string;
  /** The number of its iteration, from 0. */
  readonly iteration: number;
  readonly pages: number;
  readonly items: readonly Json[];
}

/** A table without its rows, which are made of the items. */
export interface ReplayedTable {
  readonly name: string;
  /** The parent table. */
  readonly parent?: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: number;
}

/** A warning without its message, which is for users. */
export interface ReplayedWarning {
  readonly code: WarningCode;
  /** Absent: it is about the whole run. */
  readonly job?: string;
}

/** The course of a replay, beside its result. */
export interface Replaying {
  readonly run: ReplayedRun;
  /** The number of requests in the recording. */
  readonly requests: number;
  /** Recorded requests that the run did not send, as `GET https://…`. */
  readonly unasked: readonly string[];
  /** The message of the error of the run; absent: it succeeded. */
  readonly message?: string;
}

/** One difference to the accepted run. Values are JSON texts, which keeps their digits. */
export interface RunDifference {
  readonly about: 'error' | 'job' | 'pages' | 'item' | 'table' | 'column' | 'rows' | 'warning';
  /** The job, or the table. */
  readonly of?: string;
  /** The number of the item, from 1, among the current items; for a missing one, among the expected ones. */
  readonly item?: number;
  /** The place in the item, such as `address.city` or `tags[0]`; or the column of the table. Absent: all of it. */
  readonly field?: string;
  /** Absent: there was none. */
  readonly expected?: string;
  /** Absent: there is none. */
  readonly got?: string;
}
