import type { DurableSink, Made } from '../../core/durable-sink';
import type { WarningCode } from '../../core/events';
import type { ChosenType } from '../../core/json/column-type';
import type { JsonObject } from '../../core/model';
import type { Fields } from '../codec/record';
import type { Load, Nesting } from '../configuration/jobs/table';

/** Where the tables of a run belong (docs/language/tables.md#files-and-buckets). */
export interface OutputPlan {
  readonly bucket?: string;
  /** This is true where rows are added to those of earlier runs. */
  readonly incremental: boolean;
  /** What jobs say of the rows that their tables have, by dataType; of others `incremental` says it. */
  readonly loads?: ReadonlyMap<string, Load>;
  /** The names of tables by dataType; absent, or of one that is not in it: the dataType itself. */
  readonly tables?: ReadonlyMap<string, string>;
  readonly mappings?: JsonObject;
  /** This is true where rows tell which run and which page brought them (docs/sinks.md#columns-of-the-run). */
  readonly runColumns?: boolean;
  /** Columns of the keys of tables without mapping, by dataType. */
  readonly primaryKeys?: ReadonlyMap<string, readonly string[]>;
  /** What becomes of objects and lists in items, by dataType; absent: as the destination does. */
  readonly nested?: ReadonlyMap<string, Nesting>;
  /** The places of jobs, children included, that say `"nested": "struct"`; absent: none does. */
  readonly structs?: readonly string[];
  /** Types of columns that jobs choose; absent: none. */
  readonly columnTypes?: ChosenColumns;
  readonly compatLevel: 1 | 2 | 3;
  /** Columns that a table of a destination may have; absent: any number. */
  readonly maxColumns?: number;
  /** Jobs, children included, with `incremental`; absent: there are none. */
  readonly incrementalJobs?: readonly IncrementalJob[];
  /** Where the jobs are that fill tables, children included; absent: nobody knows. */
  readonly jobPlaces?: readonly JobPlace[];
  /** Where parameters and bodies name `time.previousStart`; absent: nowhere. */
  readonly sincePrevious?: readonly SincePrevious[];
}

/** A job, and the table that it fills. */
export interface JobPlace {
  readonly id: string;
  readonly dataType: string;
  /** The place of the job, for example `config.jobs[0]`. */
  readonly path: string;
}

/** A place that names `time.previousStart`, as if to ask only for what is new. */
export interface SincePrevious {
  readonly path: string;
  /** The dataType of the job that asks; absent: all jobs do. */
  readonly dataType?: string;
  /** The jobs below the one that asks, at any depth: they are called for what is new. */
  readonly below?: readonly JobPlace[];
}

/** A job that asks only for what is new (docs/extensions/incremental.md). */
export interface IncrementalJob extends JobPlace {
  readonly field: string;
  readonly param: string;
  /** By how much later runs go back: seconds for dates and times, else in the unit of the field. */
  readonly lag: number;
  /** The jobs below it, at any depth: they are called for what is new. */
  readonly below?: readonly JobPlace[];
  /** The name of the iteration; absent: it is the only one. */
  readonly iteration?: string;
}

/** The type that a job chooses for the values at a path in its items. */
export interface ChosenColumn {
  readonly type: ChosenType;
  /** Where it stands in the configuration. */
  readonly place: string;
}

/** The chosen types of columns by dataType, and by the path in items. */
export type ChosenColumns = ReadonlyMap<string, ReadonlyMap<string, ChosenColumn>>;

/** The definition of a sink: everything else that the project says of sinks is derived from it. */

/** Takes a warning about what a sink gets. */
export type Warn = (code: WarningCode, message: string) => void;

/** Makes a sink, once it is known how the runs of the configuration write; it may warn about what it gets. */
export type Destination = (outputs: readonly OutputPlan[], warn?: Warn) => DurableSink;

/** The place that a person named, without the settings of the sink. */
export interface SinkAddress {
  /** The whole address, for example `duckdb:items.duckdb` or `postgres://localhost/sales`. */
  readonly url: string;
  /** What follows the scheme and its colon, for example `items.duckdb`. */
  readonly rest: string;
}

/** What a sink is told about the run that it is made for. */
export interface SinkContext {
  /** How each run of the configuration writes, by its number. */
  readonly outputs: readonly OutputPlan[];
  readonly warn: Warn;
}

/**
 * What a sink says of itself, without its code. From these members come its URL schemes, the lists in messages,
 * `config.sinks` with its JSON Schema, and its page of the manual.
 */
export interface SinkOutline {
  readonly kind: 'sink';
  readonly name: string;
  /** One sentence that says what it stores, and where. */
  readonly summary: string;
  /** One sentence that says when to choose it. */
  readonly use: string;
  /** The schemes of its addresses, lower-case; the first one is the usual one. */
  readonly schemes: readonly [string, ...string[]];
  /** The forms of its addresses, for people, for example `duckdb:FILE`; those of servers begin with `SCHEME://`. */
  readonly address: readonly [string, ...string[]];
  /** An address that can be used as it stands. */
  readonly example: string;
  /** Sentences that say what it does, for its page of the manual. */
  readonly rules: readonly string[];
  /** What it makes of items; `undefined`: it takes them as they came. */
  readonly makes: Made | undefined;
  /**
   * Its settings, all of them `optional`: keys beside `to` in `config.sinks`, and parameters of an address. Absent: it has
   * none, and its address is passed on as it stands.
   */
  readonly options?: Fields;
}

/** A sink, defined: its outline and its code. */
export interface SinkDefinition<Options extends object = object> extends SinkOutline {
  /**
   * Makes a sink. Nothing is opened before `open` of that sink, and the address is checked here.
   *
   * @param options its settings, and what only the library gives, all of it optional
   */
  create(address: SinkAddress, context: SinkContext, options: Options): DurableSink;
}

/**
 * Defines a sink, built in or your own.
 *
 * @returns the definition, as it was given
 * @example
 * const memory = defineSink({ kind: 'sink', name: 'memory', schemes: ['memory'], address: ['memory:NAME'], …, create });
 * await deliver(config, [destinationOf('memory:x', { components: [memory] })]);
 */
export const defineSink = <Options extends object = object>(
  definition: SinkDefinition<Options>,
): SinkDefinition<Options> => definition;
