/**
 * The types of durable sinks. A destination is what the user names by a URL or by `sinks`: a file, a folder, a database
 * or a stream. A sink is the code that writes the pages of a run to it. Messages and errors therefore speak of
 * destinations, and the code of sinks.
 */
import type { Outcome } from './events';
import type { Checkpoint, JsonObject, Page } from './model';

/** Identifies a run in its destinations. */
export interface RunManifest {
  readonly id: string;
  /** A random value, if the user gave the id: it distinguishes the run from a dropped run of the same id. */
  readonly attempt?: string;
  /** The fingerprint of the configuration. A run resumes only with the configuration that it started with. */
  readonly fingerprint: string;
  /** The start of the run in Unix seconds: `time.currentStart`, also when it is resumed. */
  readonly startedAt: number;
  /** The start of the last successful run in Unix seconds: `time.previousStart`. */
  readonly previousStart: number;
  /** True if each row names its run and its page: pages have a {@link Page.stamp}. */
  readonly runColumns?: true;
}

/** The state of a table that earlier runs have filled: `gone` if it does not exist any more. */
export type TableStand = 'filled' | 'empty' | 'gone';

/** The state that a durable sink finds when it is opened. */
export interface Standing {
  /** The last run that was committed; the one that is {@link unreported}, if there is one. */
  readonly finished?: string;
  /** The state that the last committed run left for the next run; empty if there was none. */
  readonly state: JsonObject;
  /** A committed run whose success was not reported: {@link DurableSink.markReported} was not called. */
  readonly unreported?: RunManifest;
  /** The reason why the state is empty although there was a last run, for people. */
  readonly forgotten?: string;
  /** A run that was not committed. */
  readonly unfinished?: {
    readonly manifest: RunManifest;
    /** Returns the checkpoints of the pages that are safe, in the order in which they were written. */
    readonly checkpoints: () => AsyncIterable<Checkpoint>;
  };
  /** The reason why the uncommitted run cannot resume; a new run may start. */
  readonly damage?: Error;
}

/**
 * What a destination makes of items. `messages` are added to earlier messages. `tables` have one row for each item, and
 * `linked-tables` follow the mappings (docs/language/mappings.md); both replace the earlier tables unless the
 * configuration says otherwise.
 */
export type Made = 'messages' | 'tables' | 'linked-tables';

/**
 * What a commit did to the rows of a table. A number that the destination does not know is absent, and never guessed.
 */
export interface RowCounts {
  /** Rows that replaced no other row: in a table that is replaced, all rows. */
  readonly added?: number;
  /**
   * Rows that replaced a row with the same primary key and other values. Columns of the run and ids of rows do not
   * count.
   */
  readonly changed?: number;
  /** Rows of this run that the table already had with the same values. */
  readonly unchanged?: number;
  /**
   * Rows that were removed without a new row of the same key: rows of a table that is replaced, and rows of lists whose
   * item was replaced.
   */
  readonly removed?: number;
  /** All rows of the table after the commit. */
  readonly total?: number;
}

/** The result of a commit for one table, file or stream. */
export interface Stored extends RowCounts {
  readonly name: string;
  /** Rows or messages of this run, if they are counted. Rows with equal primary keys count once. */
  readonly rows?: number;
  /**
   * Rows of this run that are not stored because a later row of the run has the same primary key, with the rows of
   * their lists. Absent if there are none, or if they are not counted.
   */
  readonly repeated?: number;
  /**
   * Changes to the columns of a table that existed before. Absent if there are none, or if the sink does not compare
   * columns.
   */
  readonly changes?: readonly SchemaChange[];
}

/** A change of a column by a run. Types are spelled as the destination spells them. */
export type SchemaChange =
  | { readonly change: 'column_added'; readonly column: string; readonly type: string }
  | { readonly change: 'column_removed'; readonly column: string }
  | { readonly change: 'type_changed'; readonly column: string; readonly from: string; readonly type: string };

/** What a run that was committed has reported, or would have. */
export interface CommittedRun {
  /** Absent if it was not recorded. */
  readonly outcome?: Outcome;
  readonly stored: readonly Stored[];
}

/** The facts that a run reports at its end. */
export interface RunFacts {
  /** The name of the configuration: its file, or else `config.id` or `api.name`. Absent if it has none. */
  readonly configuration?: string;
  /** The outcome: whether the run has all items (docs/completeness.md). */
  readonly outcome: Outcome;
  /** The version of Headwater. */
  readonly version: string;
  /** Requests sent since the run last resumed, logins included. */
  readonly requests: number;
  /** Requests sent again since the run last resumed. */
  readonly retries: number;
  /** Warnings since the run last resumed. */
  readonly warnings: number;
  /** Pages of the whole run. */
  readonly pages: number;
  /** Pages that were safe when the run last resumed. */
  readonly resumedPages: number;
  /** Items of the whole run. */
  readonly items: number;
  /** The tables that the run replaces although it has no rows for them. */
  readonly empty?: EmptyTables;
  /**
   * True if something may be missing (docs/completeness.md): the commit fails with the code `TABLE_SHRUNK` instead of replacing a table by
   * one with fewer rows. A sink that does not look at it does not refuse.
   */
  readonly keepsRows?: true;
}

/** Tables that a run replaces although it has no rows for them, by the reason. */
export interface EmptyTables {
  /** Tables without a page: no parent item called for one. */
  readonly unfed: readonly string[];
  /**
   * Tables for which no response had a value in the place of the items, and whose configuration does not allow that.
   */
  readonly unmet: readonly string[];
}

/** Writes a page of a run to a destination. */
export interface WritePage {
  (page: Page): Promise<void>;
  /**
   * Writes several small pages at once, in their order, and resolves when all of them are safe. If it fails, the first
   * pages may be safe, each with its checkpoint. If absent, pages are written one by one. A function that wraps this
   * one receives each page alone.
   */
  readonly together?: (pages: readonly Page[]) => Promise<void>;
}

/**
 * A destination that keeps pages even if the process dies: it knows which pages it has, and shows them to readers only
 * when all have arrived. The order of calls is `open`; `begin` for a new run, or nothing to resume the unfinished run;
 * `write` for each page; `commit`; `close`, which may come at any time.
 */
export interface DurableSink {
  /** The name for people, without credentials, for example `duckdb:headwater.duckdb`. */
  readonly name: string;
  /**
   * Names what only one run may write to at a time, in the same form as `name`: a second run is refused
   * (DESTINATION_LOCKED). If absent, `name` itself.
   */
  readonly place?: string | undefined;
  /** True for a sink that keeps no record of runs, such as standard output. */
  readonly keepsNothing?: boolean;
  /** What the sink makes of items. If absent, it receives items as they came. */
  readonly makes?: Made | undefined;
  /** True if `config.mappings` say what its `tables` are like; `linked-tables` are mapped in any case. */
  readonly maps?: true | undefined;
  /** True if objects and lists may be columns of STRUCT and LIST (docs/sinks.md#objects-and-lists). */
  readonly structs?: true | undefined;
  /** True for a sink whose rows have the columns of the run, where pages have a {@link Page.stamp}. */
  readonly addsRunColumns?: boolean | undefined;
  /** True for a sink whose rows are visible before the commit: its tables can only be added to. */
  readonly showsPages?: true | undefined;
  /** True if another program loads the tables: the sink replaces nothing of earlier runs. */
  readonly isLoadedByOthers?: boolean;
  /** Repairs the destination after the last run, however that ended, and returns its state. */
  readonly open: () => Promise<Standing>;
  /**
   * Starts a run, and drops the pages of an unfinished one.
   *
   * @param state the state that the last run of the configuration left, for sinks that look at it before the commit
   */
  readonly begin: (manifest: RunManifest, state?: JsonObject) => Promise<void>;
  /** Resolves when the page and its checkpoint are safe, both or neither. */
  readonly write: WritePage;
  /**
   * Makes all pages visible in one step, together with the state for the next run: all or nothing, and once only.
   *
   * @param state the state for the next run; a sink may add what it needs itself
   * @param facts the facts that the run reports, for sinks that keep a record of each run
   */
  readonly commit: (state: JsonObject, facts?: RunFacts) => Promise<readonly Stored[]>;
  /**
   * Marks the committed run as reported: the caller knows of its success, whatever happens from now on. Until then, `open`
   * returns it as `unreported`, so that a run which adds rows is not made again. If absent, the commit itself counts as
   * the report.
   */
  readonly markReported?: () => Promise<void>;
  /**
   * Returns the run of this id if it was ever committed. Requires `open`. If absent, the sink knows at most the last
   * run.
   */
  readonly committed?: ((run: string) => Promise<CommittedRun | undefined>) | undefined;
  /** Returns the state of a table. Requires `open`. If absent, lost rows stay unnoticed. */
  readonly standOf?: ((table: string) => Promise<TableStand>) | undefined;
  /**
   * Returns, after a commit, the state that the sink itself needs in the next run of the configuration, in addition to
   * the state it was given.
   */
  readonly kept?: (() => JsonObject) | undefined;
  /**
   * The journal of a destination that processes of several machines may write to at once, each a part of one run. If absent, one process
   * makes a whole run. It needs no {@link DurableSink.open}.
   */
  readonly shared?: SharedJournal | undefined;
  /** Closes files and connections. Written pages stay, and so does the mark of a committed run that was not reported. */
  readonly close: () => Promise<void>;
}

/** The journal of a run whose parts are made by several processes. */
export interface SharedJournal {
  /** The sink with which processes begin and commit such a run, if it keeps other things elsewhere than a sink of whole runs does. */
  readonly sink?: DurableSink;
  /**
   * Lets others make parts of the run that this process has begun; absent: they may do so at once.
   *
   * @throws FatalError DESTINATION_LOCKED if another run has begun meanwhile
   */
  readonly begin?: (run: RunManifest) => Promise<void>;
  /**
   * Takes a part of a begun run for an attempt: from then on earlier attempts of this part cannot write.
   *
   * @param part names the part, by letters, digits, `.` and `-`. The pages of parts come in the order in which these were reserved or first
   *   taken, or in that of their names
   * @param attempt a number that is higher for later attempts
   * @throws FatalError PART_TAKEN if a later attempt has it; RUN_OVER if the run is over, or another one has taken its place
   */
  readonly take: (run: RunManifest, part: string, attempt: number) => Promise<PartJournal>;
  /**
   * Gives parts that nobody has taken their order; absent: they have that of their names.
   *
   * @throws FatalError RUN_OVER
   */
  readonly reserve?: (run: RunManifest, parts: readonly string[]) => Promise<void>;
  /** Ends the parts of a run and drops its pages; nothing of it is left. A run that was committed stays. */
  readonly drop: (run: string) => Promise<void>;
  /** Closes connections. */
  readonly close: () => Promise<void>;
}

/** What one attempt of a part writes. */
export interface PartJournal {
  /** Returns the checkpoints of the pages that attempts of this part have written, in their order. */
  readonly checkpoints: () => AsyncIterable<Checkpoint>;
  /** Returns the checkpoint of a page of any part; `undefined` if there is none. `page` counts from 0. */
  readonly checkpointOf: (call: Checkpoint['call'], page: number) => Promise<Checkpoint | undefined>;
  /** Returns the checkpoint of the last page that attempts of a part have written, by the name of the part; `undefined` if there is none. */
  readonly lastOf: (part: string) => Promise<Checkpoint | undefined>;
  /**
   * Resolves when the page is safe.
   *
   * @throws FatalError PART_TAKEN if it is no longer this attempt's part; RUN_OVER, as {@link SharedJournal.take}, where the destination looks
   *   for it at each page
   */
  readonly write: WritePage;
}
