/** What a delivery is asked for, and what becomes of it. */
import type { Stored } from '../../core/durable-sink';
import type { JobOutcome, Outcome } from '../../core/events';
import type { ExtractOptions } from '../extract';
import type { JsonObject } from '../../core/model';
import type { ValidateOptions } from '../prepare';

/** How a run is delivered. */
export interface DeliverOptions
  extends Omit<ExtractOptions, 'resume' | 'items' | 'onInvalid' | 'bigints'>, Pick<ValidateOptions, 'tableNaming'> {
  /** Goes on with a run that was broken off, if there is one; default: such a run is dropped, and a new one begins. */
  readonly resume?: boolean;
  /**
   * Commits a run that turned out to be incomplete (docs/completeness.md), or of which jobs failed while others went on
   * (`onJobError`), with a warning; default: it fails, nothing is committed, and its pages stay safe for `resume`. Of a job that
   * failed, the pages that it gave are committed; a table for which it gave none is refused (`TABLE_EMPTIED`) without `allowEmpty`.
   */
  readonly acceptIncomplete?: boolean;
  /**
   * Replaces the rows of a table by none also where no response had a value at the place of its items; default: that is
   * the error TABLE_EMPTIED.
   */
  readonly allowEmpty?: boolean;
  /**
   * The id of the run, 1 to 200 printable characters; default: a random one. A run of this id that was broken off is gone on
   * with; one that every destination has committed, however long ago, is a success at once, and nothing is requested.
   */
  readonly runId?: string;
  /**
   * Adds the columns `_run_id`, `_page` and `_extracted_at` to tables (docs/sinks.md#columns-of-the-run); default: as
   * `config.runColumns` says. A run that is gone on with keeps what it began with.
   */
  readonly runColumns?: boolean;
  /** What the configuration is called in the record of the run, for example its file; default: `config.id`, or `api.name`. */
  readonly configurationName?: string;
}

/** What became of a run. */
export interface Delivery {
  /** The id of the run. */
  readonly runId: string;
  /** True where every destination had committed the run of this id before: nothing was requested, and nothing changed. */
  readonly alreadyCommitted: boolean;
  /** The tables, files and streams that each sink stored. */
  readonly stored: readonly { readonly sink: string; readonly tables: readonly Stored[] }[];
  /** Pages that were safe before, of a run that went on. */
  readonly resumedPages: number;
  /** What the next run needs (docs/language/state.md#where-it-is-kept). The sinks keep it, too. */
  readonly state: JsonObject;
  /**
   * The outcome says if the run is complete, `jobs` says it of each job. A run that all destinations had before is
   * complete.
   */
  readonly outcome: Outcome;
  readonly jobs: readonly JobOutcome[];
}
