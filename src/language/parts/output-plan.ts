import type { ChosenType } from '../../core/json/column-type';
import type { JsonObject } from '../../core/model';
import type { Load } from '../configuration/jobs/load';
import type { Nesting } from '../configuration/jobs/nesting';

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
