/**
 * The nouns of durable sinks. A destination is what a person names, by a URL or by `sinks`: a file, a folder, a
 * database or a stream. A sink is what writes the pages of a run to it. So messages and errors speak of destinations, and
 * the code of sinks.
 */
import type { Checkpoint, JsonObject, Page } from './model';

/** What a run is known by in its destinations. */
export interface RunManifest {
  readonly id: string;
  /** The fingerprint of the configuration. A run goes on only with the configuration that it began with. */
  readonly fingerprint: string;
  /** The start of the run in Unix seconds: `time.currentStart`, also when it is resumed. */
  readonly startedAt: number;
  /** The start of the last successful run in Unix seconds: `time.previousStart`. */
  readonly previousStart: number;
}

/** What a durable sink finds when it is opened. */
export interface Standing {
  /** The last run that was committed. */
  readonly finished?: string;
  /** What that run left for the next one; empty if there was none. */
  readonly state: JsonObject;
  /** Why the state is empty although there was a last run, for people. */
  readonly forgotten?: string;
  /** A run that was not committed. */
  readonly unfinished?: {
    readonly manifest: RunManifest;
    /** The checkpoints of the pages that are safe, in the order in which they were written. */
    readonly checkpoints: () => AsyncIterable<Checkpoint>;
  };
  /** Why there is no going on with a run that was not committed; another one may begin. */
  readonly damage?: Error;
}

/**
 * What a destination makes of items: messages, which are added to those before; tables with a row an item, or linked
 * tables by the mappings (docs/language/mappings.md), which take the place of the old ones unless the configuration
 * says otherwise.
 */
export type Made = 'messages' | 'tables' | 'linked-tables';

/** What became of one table, file or stream. */
export interface Stored {
  readonly name: string;
  /** Rows or messages of this run, where they are counted. */
  readonly rows?: number;
}

/**
 * Somewhere that pages go and stay, whatever becomes of the process: it knows which pages it has, and readers see them
 * only when all are there. The order of calls: `open`; `begin` for a new run, nothing to go on with the unfinished one;
 * `write` for each page; `commit`; `close`, which may come at any time.
 */
export interface DurableSink {
  /** The name for people, without credentials, for example `duckdb:headwater.duckdb`. */
  readonly name: string;
  /** True for a sink that keeps no record of runs, such as standard output. */
  readonly keepsNothing?: boolean;
  /** What it makes of items; absent: what it likes, it gets them as they came. */
  readonly makes?: Made;
  /**
   * True where somebody else brings the tables to their place, as they say: here nothing of earlier runs is replaced.
   */
  readonly isLoadedByOthers?: boolean;
  /** Puts the destination in order after whatever end the last run had. */
  readonly open: () => Promise<Standing>;
  /**
   * Begins a run, and forgets the pages of an unfinished one.
   *
   * @param state what the last run of the configuration left, for sinks that look at it before the commit
   */
  readonly begin: (manifest: RunManifest, state?: JsonObject) => Promise<void>;
  /** Resolves when the page and its checkpoint are safe, both or neither. */
  readonly write: (page: Page) => Promise<void>;
  /**
   * Makes all pages visible in one step, together with the state for the next run: all or nothing, and once only.
   *
   * @param state what the next run needs; a sink may add what it needs itself
   */
  readonly commit: (state: JsonObject) => Promise<readonly Stored[]>;
  /**
   * After a commit: what the sink itself needs to know in the next run of the configuration, beside what it was given.
   */
  readonly kept?: () => JsonObject;
  /** Lets go of files and connections. What has been written stays. */
  readonly close: () => Promise<void>;
}
