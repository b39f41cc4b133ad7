/** What clients, workers and workflows of a cluster say to each other. It is kept in histories, so that changes have to be compatible. */
import type { ErrorJson } from '../core/errors/errors';
import type { RunManifest, Stored } from '../core/durable-sink';
import type { Outcome } from '../core/events';
import type { JsonObject } from '../core/model';
import type { ParentPage, RestPart, RunPart } from '../core/run-parts';

/** The name of the queue on which workers take tasks, if none is named. */
export const TASK_QUEUE = 'headwater';

/** The names of workflows, queries and signals. */
export const NAMES = {
  ...{ run: 'headwaterRun', session: 'headwaterSession' },
  ...{ progress: 'progress', found: 'found', tune: 'tune' },
} as const;

/** The input of a run. People can read it in Temporal's pages, so that what may contain secrets is sealed. */
export interface RunInput {
  /** The id of the run; absent: that of the workflow execution, so that each action of a schedule is a run of its own. */
  readonly runId?: string;
  readonly configuration: string;
  /** The destination, without credentials. */
  readonly destination: string;
  /** What a worker needs to run it: {@link Sealed}, encrypted with the key of the cluster. */
  readonly sealed: string;
  /** How many parts are made at once; workers may have fewer slots. */
  readonly parts: number;
  /** Seconds after which a worker that does not report counts as dead. */
  readonly heartbeatSeconds: number;
  /** Where a run that was continued as a new execution goes on. */
  readonly from?: RunState;
}

/** The content of {@link RunInput.sealed}. */
export interface Sealed {
  readonly config: JsonObject;
  readonly to: string;
  readonly options: ClusterOptions;
  /** The values of the variables that the configuration names. */
  readonly env: Readonly<Record<string, string>>;
}

/** The options of a run, as of `deliver`. */
export interface ClusterOptions {
  readonly lenient?: boolean;
  readonly strict?: boolean;
  readonly acceptIncomplete?: boolean;
  readonly allowEmpty?: boolean;
  readonly takeOver?: boolean;
  readonly runColumns?: boolean;
  readonly configurationName?: string;
}

/** What may change while a run goes on: see `Cluster.tune`. */
export interface ClusterTuning {
  /** How many parts are made at once at most. */
  readonly parts?: number;
  /** Calls of the children, windows and partitions of a job that run at once in a part. */
  readonly calls?: PartTuning;
}

/** A setting of a job, by its id. */
export interface PartTuning {
  readonly job: string;
  readonly concurrency: number | 'auto';
}

/** A run that has begun, or was committed before. */
export type Begun =
  | { readonly isOver: true; readonly result: RunResult }
  | {
      readonly isOver: false;
      readonly manifest: RunManifest;
      /** The state of the run, sealed. */
      readonly state: string;
      readonly parts: readonly RunPart[];
    };

/** Numbers of a run, or of a part of it. */
export interface PartAmounts {
  readonly pages: number;
  readonly items: number;
  readonly requests: number;
  readonly retries: number;
  readonly logins: number;
}

/** The progress of a run. */
export interface PartsProgress extends PartAmounts {
  readonly state: 'beginning' | 'extracting' | 'storing' | 'stored';
  /** Parts that are over, that are being made, and that wait. More may follow. */
  readonly done: number;
  readonly running: number;
  readonly waiting: number;
}

/** Pages of a call that follow each other and have as many items: a payload has a maximum size. */
export interface ParentPages extends ParentPage {
  /** How many; absent: one. */
  readonly pages?: number;
}

/** What a run that is continued as a new execution knows. */
export interface RunState {
  readonly begun: Extract<Begun, { readonly isOver: false }>;
  readonly parts: readonly RunPart[];
  readonly parents: readonly ParentPages[];
  /** The next page of each call whose pages are known, by its key; absent in runs of earlier versions. */
  readonly next?: Readonly<Record<string, number>>;
  /** The calls whose pages several parts read; absent: there are none. */
  readonly lists?: readonly {
    readonly rest: RestPart;
    readonly left: number;
    readonly parents: readonly ParentPages[];
  }[];
  /** Absent: nothing was tuned. */
  readonly tuned?: readonly PartTuning[];
  readonly progress: PartsProgress;
  readonly warnings: readonly string[];
}

/** The result of a run. */
export interface RunResult {
  readonly runId: string;
  readonly alreadyCommitted: boolean;
  readonly outcome: Outcome;
  readonly stored: readonly { readonly sink: string; readonly tables: readonly Stored[] }[];
  /** Numbers of all parts; absent if the run was committed before. */
  readonly amounts?: PartAmounts;
  readonly parts?: number;
  readonly warnings: readonly string[];
}

/** The details of a failure: the error of Headwater as data. */
export type FailureDetails = readonly [ErrorJson?];
