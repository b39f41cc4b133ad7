/** The output plan of a run, and the definition of a sink. */
import type { DurableSink, Made } from '../../core/durable-sink';
import type { WarningCode } from '../../core/events';
import type { ChosenType } from '../../core/json/column-type';
import type { JsonObject } from '../../core/model';
import type { Fields } from '../codec/record';
import type { Load, Nesting } from '../configuration/jobs/table';

/** The target of the tables of a run (docs/language/tables.md#files-and-buckets). */
export interface OutputPlan {
  readonly bucket?: string;
  /** True if rows are added to those of earlier runs. */
  readonly incremental: boolean;
  /** The treatment of existing rows by dataType, for jobs that set it; for other jobs `incremental` decides. */
  readonly loads?: ReadonlyMap<string, Load>;
  /** The names of tables by dataType; if absent, the dataType itself. */
  readonly tables?: ReadonlyMap<string, string>;
  readonly mappings?: JsonObject;
  /** True if rows carry their run and page (docs/sinks.md#columns-of-the-run). */
  readonly runColumns?: boolean;
  /** The key columns of tables without mapping, by dataType. */
  readonly primaryKeys?: ReadonlyMap<string, readonly string[]>;
  /** The place of the primary key of a table in the configuration, by dataType; a key without one is named as such. */
  readonly keyPlaces?: ReadonlyMap<string, string>;
  /** The treatment of objects and arrays in items, by dataType; if absent, the one of the destination. */
  readonly nested?: ReadonlyMap<string, Nesting>;
  /** The paths of jobs, children included, that set `"nested": "struct"`; absent if there are none. */
  readonly structs?: readonly string[];
  /** The types of columns that jobs choose; absent if there are none. */
  readonly columnTypes?: ChosenColumns;
  readonly compatLevel: 1 | 2 | 3;
  /** The most columns of a table in a destination; if absent, there is no limit. */
  readonly maxColumns?: number;
  /** Jobs, children included, with `incremental`; absent if there are none. */
  readonly incrementalJobs?: readonly IncrementalJob[];
  /** The jobs that fill tables, children included; absent if unknown. */
  readonly jobPlaces?: readonly JobPlace[];
  /** Uses of `time.previousStart` in parameters and bodies; absent if there are none. */
  readonly sincePrevious?: readonly SincePrevious[];
}

/** A job, and the table that it fills. */
export interface JobPlace {
  readonly id: string;
  readonly dataType: string;
  /** The path of the job, for example `config.jobs[0]`. */
  readonly path: string;
}

/** A use of `time.previousStart`, which suggests that a job asks only for new items. */
export interface SincePrevious {
  readonly path: string;
  /** The dataType of that job; if absent, all jobs. */
  readonly dataType?: string;
  /** The jobs below it, at any depth: they are called for new items only. */
  readonly below?: readonly JobPlace[];
}

/** An incremental job (docs/language/incremental.md). */
export interface IncrementalJob extends JobPlace {
  readonly field: string;
  /** The parameter that asks for what is newer; absent where a window does. */
  readonly param?: string;
  /** The distance by which later runs go back: seconds for dates and times, else the unit of the field. */
  readonly lag: number;
  /** The jobs below it, at any depth: they are called for new items only. */
  readonly below?: readonly JobPlace[];
  /** The name of the iteration; absent if there is only one. */
  readonly iteration?: string;
}

/** The type that a job chooses for the values at a path in its items. */
export interface ChosenColumn {
  readonly type: ChosenType;
  /** The path of the choice in the configuration. */
  readonly place: string;
}

/** The chosen types of columns by dataType, and by the path in items. */
export type ChosenColumns = ReadonlyMap<string, ReadonlyMap<string, ChosenColumn>>;

/** The definition of a sink: everything else about sinks is derived from it. */

/** Reports a warning about the input of a sink. */
export type Warn = (code: WarningCode, message: string) => void;

/** Creates a sink, once it is known how the runs of the configuration write; it may warn about its input. */
export type Destination = (outputs: readonly OutputPlan[], warn?: Warn) => DurableSink;

/** The address of a destination, without the settings of the sink. */
export interface SinkAddress {
  /** The whole address, for example `duckdb:items.duckdb` or `postgres://localhost/sales`. */
  readonly url: string;
  /** The part after the scheme and its colon, for example `items.duckdb`. */
  readonly rest: string;
}

/** The facts of a run that its sink receives. */
export interface SinkContext {
  /** The output plan of each run of the configuration, by number. */
  readonly outputs: readonly OutputPlan[];
  readonly warn: Warn;
}

/**
 * The description of a sink without its code. URL schemes, the lists in messages, `config.sinks` with its JSON Schema,
 * and the page of the manual are derived from it.
 */
export interface SinkOutline {
  readonly kind: 'sink';
  readonly name: string;
  /** One sentence that says what it stores, and where. */
  readonly summary?: string;
  /** One sentence that says when to choose it. */
  readonly use?: string;
  /** The schemes of its addresses, lower-case; the first one is the usual one. */
  readonly schemes: readonly [string, ...string[]];
  /** The forms of its addresses, for people, for example `duckdb:FILE`; those of servers begin with `SCHEME://`. */
  readonly address: readonly [string, ...string[]];
  /** An address that works as it is. */
  readonly example?: string;
  /** Sentences about its behaviour, for its page of the manual. */
  readonly rules?: readonly string[];
  /** What it makes of items; if `undefined`, it takes them as they came. */
  readonly makes: Made | undefined;
  /**
   * Its settings, all of them `optional`: keys next to `to` in `config.sinks`, and parameters of an address. If absent,
   * it has none, and its address is passed on as it is.
   */
  readonly options?: Fields;
}

/** The definition of a sink: its outline and its code. */
export interface SinkDefinition<Options extends object = object> extends SinkOutline {
  /**
   * Creates a sink. Nothing is opened before its `open`, but the address is checked here.
   *
   * @param options its settings, and options that only the library can set, all of them optional
   */
  create(address: SinkAddress, context: SinkContext, options: Options): DurableSink;
}

/**
 * Defines a sink, built in or custom.
 *
 * @returns the definition, as it was given
 * @example
 * const memory = defineSink({ kind: 'sink', name: 'memory', schemes: ['memory'], address: ['memory:NAME'], …, create });
 * await deliver(config, [destinationOf('memory:x', { components: [memory] })]);
 */
export const defineSink = <Options extends object = object>(
  definition: SinkDefinition<Options>,
): SinkDefinition<Options> => definition;
