/**
 * The nouns of durable sinks. A destination is what a person names, by a URL or by `sinks`: a file, a folder, a
 * database or a stream. A sink is what writes the pages of a run to it. So messages and errors speak of destinations, and
 * the code of sinks.
 */
import type { Checkpoint, JsonObject, Page } from './model';

/** What a run is known by in its destinations. */
export interface RunManifest {
  readonly id: string;
  /** Random, where the id was given: it tells a run from a dropped one of the same id. */
  readonly attempt?: string;
  /** The fingerprint of the configuration. A run goes on only with the configuration that it began with. */
  readonly fingerprint: string;
  /** The start of the run in Unix seconds: `time.currentStart`, also when it is resumed. */
  readonly startedAt: number;
  /** The start of the last successful run in Unix seconds: `time.previousStart`. */
  readonly previousStart: number;
  /** This is true where rows tell which run and which page brought them: pages have a {@link Page.stamp}. */
  readonly runColumns?: true;
}

/** How a table stands that runs have put rows into: `gone` where it is not there any more. */
export type TableStand = 'filled' | 'empty' | 'gone';

/** What a durable sink finds when it is opened. */
export interface Standing {
  /** The last run that was committed. */
  readonly finished?: string;
  /** What that run left for the next one; empty if there was none. */
  readonly state: JsonObject;
  /** True where the process that committed that run has ended before it closed the destination: nobody may know of the commit. */
  readonly isUntold?: true;
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

/** What a commit did to the rows of a table. A number that a destination does not know is absent, and never guessed. */
export interface RowCounts {
  /** Rows that took the place of none: in a table that is replaced, all of them. */
  readonly added?: number;
  /** Rows that took the place of one with the same primary key and other values. Columns of the run and ids of rows do not count. */
  readonly changed?: number;
  /** Rows that came, and that the table had already with the same values. */
  readonly unchanged?: number;
  /** Rows that are gone, and no row with their key came: those of a table that is replaced, those of lists whose item was replaced. */
  readonly removed?: number;
  /** All rows of the table after the commit. */
  readonly total?: number;
}

/** What became of one table, file or stream. */
export interface Stored extends RowCounts {
  readonly name: string;
  /** Rows or messages of this run, where they are counted: of rows with equal primary keys, the last one. */
  readonly rows?: number;
  /**
   * Rows of this run that are not stored, since a later row of it has the same primary key, and those of the lists of such rows; absent:
   * there are none, or nobody counts them.
   */
  readonly repeated?: number;
  /** What became of the columns of a table that was there before; absent: nothing, or nobody looks. */
  readonly changes?: readonly SchemaChange[];
}

/** What a run has changed in a column; types are spelled as the destination does. */
export type SchemaChange =
  | { readonly change: 'column_added'; readonly column: string; readonly type: string }
  | { readonly change: 'column_removed'; readonly column: string }
  | { readonly change: 'type_changed'; readonly column: string; readonly from: string; readonly type: string };

/** What a run tells of itself at its end. */
export interface RunFacts {
  /** The name of the configuration: its file, or else `config.id` or `api.name`; absent: it has none. */
  readonly configuration?: string;
  /** The outcome says whether the run has all items (docs/completeness.md). */
  readonly outcome: 'complete' | 'stopped' | 'incomplete' | 'failed';
  /** The version of Headwater. */
  readonly version: string;
  /** Requests that were sent, logins included, since the run last went on. */
  readonly requests: number;
  /** Requests that were sent again, since the run last went on. */
  readonly retries: number;
  /** Warnings since the run last went on. */
  readonly warnings: number;
  /** Pages of the whole run. */
  readonly pages: number;
  /** Pages that were safe when the run last went on. */
  readonly resumedPages: number;
  /** Items of the whole run. */
  readonly items: number;
  /** The tables that the run replaces, and has no rows for. */
  readonly empty?: EmptyTables;
}

/** Tables that a run replaces, and has no rows for, by the reason. */
export interface EmptyTables {
  /** No page is theirs: no parent item called for one. */
  readonly unfed: readonly string[];
  /** No response had a value where their items should be, and nobody has said that this is right. */
  readonly unmet: readonly string[];
}

/** Takes a page of a run into a destination. */
export interface WritePage {
  (page: Page): Promise<void>;
  /**
   * Takes small pages together, in their order: resolves when all of them are safe. Where it fails, the first of them may be
   * safe, each with its checkpoint. Absent: pages are taken one by one. A function in place of this one gets each page alone.
   */
  readonly together?: (pages: readonly Page[]) => Promise<void>;
}

/**
 * Somewhere that pages go and stay, whatever becomes of the process: it knows which pages it has, and readers see them
 * only when all are there. The order of calls: `open`; `begin` for a new run, nothing to go on with the unfinished one;
 * `write` for each page; `commit`; `close`, which may come at any time.
 */
export interface DurableSink {
  /** The name for people, without credentials, for example `duckdb:headwater.duckdb`. */
  readonly name: string;
  /**
   * What one run of a process has for itself, as a name of the same form: a second run at once is refused (DESTINATION_LOCKED).
   * Absent: the whole of what `name` says.
   */
  readonly place?: string;
  /** True for a sink that keeps no record of runs, such as standard output. */
  readonly keepsNothing?: boolean;
  /** What it makes of items; absent: what it likes, it gets them as they came. */
  readonly makes?: Made;
  /** True where `config.mappings` say what its `tables` are like; `linked-tables` are mapped in any case. */
  readonly maps?: true;
  /** True where objects and lists may be columns of STRUCT and LIST (docs/sinks.md#objects-and-lists). */
  readonly structs?: true;
  /** True for a sink whose rows have the columns of the run, where pages have a {@link Page.stamp}. */
  readonly addsRunColumns?: boolean;
  /** True for a sink whose rows are visible before the commit: its tables can only be added to. */
  readonly showsPages?: true;
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
  readonly write: WritePage;
  /**
   * Makes all pages visible in one step, together with the state for the next run: all or nothing, and once only.
   *
   * @param state what the next run needs; a sink may add what it needs itself
   * @param facts what the run tells of itself, for sinks that keep a record of each
   */
  readonly commit: (state: JsonObject, facts?: RunFacts) => Promise<readonly Stored[]>;
  /** Once it is open: whether a run of this id was ever committed. Absent: it knows at most the last one. */
  readonly hasCommitted?: (run: string) => Promise<boolean>;
  /** Once it is open: how a table stands. Absent: nobody sees when it has lost its rows. */
  readonly standOf?: (table: string) => Promise<TableStand>;
  /**
   * After a commit: what the sink itself needs to know in the next run of the configuration, beside what it was given.
   */
  readonly kept?: () => JsonObject;
  /** Lets go of files and connections. What has been written stays. */
  readonly close: () => Promise<void>;
}
