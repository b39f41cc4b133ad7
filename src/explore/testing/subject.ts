/** The interfaces between the contract of sinks and the sink that is checked. */
import type { DurableSink, Made } from '../../core/durable-sink';
import type { OutputPlan } from '../../plan/plan';

/** A row, an item or a message as a reader of the destination has it: values by the names of its fields. */
export type ReadRow = Readonly<Record<string, unknown>>;

/** One place, for one check. */
export interface ContractPlace {
  /** Makes a sink over this place, as a new process would. */
  readonly sink: (outputs: readonly OutputPlan[]) => DurableSink;
  /**
   * Reads what a reader of the destination sees of a table, or of the messages of that name, in any order. Values may be
   * strings: they are compared as such.
   *
   * @returns nothing where there is no such table
   */
  readonly read: (table: string) => Promise<readonly ReadRow[]>;
  /** Changes what is kept of the pages of an unfinished run; absent: nobody can get at it. */
  readonly damage?: () => Promise<void>;
  /** Removes the place, once its sinks are closed. */
  readonly remove?: () => Promise<void>;
}

/** A sink that is to keep the contract. */
export interface ContractSubject {
  /** The name of the sink, for people. */
  readonly name: string;
  /** What the sink says that it makes of items. */
  readonly makes: Made | undefined;
  /** True for a sink that keeps no record of runs: it is not asked to go on with one. */
  readonly keepsNothing?: boolean;
  /** When readers see a page; default `at-commit`. Streams, which cannot take back, have `at-once`. */
  readonly visible?: 'at-commit' | 'at-once';
  /** Makes a place that has nothing yet. */
  readonly place: () => Promise<ContractPlace>;
}

/** One promise of the contract. */
export interface ContractCheck {
  /** This says what is promised. */
  readonly name: string;
  /** Resolves when the promise is kept; else it rejects with an AssertionError, or with what the sink threw. */
  readonly run: () => Promise<void>;
}
