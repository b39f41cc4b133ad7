/** The messages between the server and the page, as JSON: types only, so that the page contains no code of the server. */
import type { JsonObject } from '../core/model';

/** A run of a cluster; moments are milliseconds since the epoch. */
export interface ClusterRunLine {
  readonly runId: string;
  readonly configuration: string;
  readonly destination: string;
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt?: number;
}

/** What a worker makes of a run, or what waits for one. */
export interface WorkerPart {
  readonly name: string;
  readonly worker?: string;
  readonly state: 'waiting' | 'running';
  /** Milliseconds. */
  readonly for?: number;
  readonly attempt: number;
  readonly pages?: number;
  readonly items?: number;
  readonly failure?: string;
}

/** A run of a cluster, with what its workers do just now. */
export interface ClusterRunNow extends ClusterRunLine {
  /** Absent: no worker tells it. */
  readonly progress?: {
    readonly state: string;
    readonly done: number;
    readonly running: number;
    readonly waiting: number;
    readonly pages: number;
    readonly items: number;
    readonly requests: number;
    readonly retries: number;
  };
  readonly parts: readonly WorkerPart[];
}

/** Rows as JSON; large numbers are strings. */
export interface Rows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** True if there are more rows. */
  readonly isCut: boolean;
}

export interface TableFacts {
  readonly schema: string;
  readonly name: string;
  readonly rows: number;
  /** The names of its columns. */
  readonly columns: readonly string[];
}

/** A request: its job, its lane, its start and its end (milliseconds since the start of the run), its result, and how long it waited. */
export type Bar = readonly [job: number, lane: number, from: number, to: number, fate: Fate, waited: number];

export type Fate = 'ok' | 'refused' | 'failed';

/** An event at a time. */
export interface Mark {
  readonly at: number;
  readonly kind: 'login' | 'renewed' | 'retry' | 'paused' | 'warning';
  readonly text: string;
  /** The end of a retry or a pause, or the expiry of credentials. */
  readonly until?: number;
  /** The number of the job, if it belongs to one. */
  readonly job?: number;
}

/** The work of a job in a span of time. */
export interface Span {
  readonly job: number;
  /** The number of the span: it begins at `step` times the length of all spans. */
  readonly step: number;
  readonly ok: number;
  readonly refused: number;
  readonly failed: number;
  /** Milliseconds that its requests waited for limits, in total. */
  readonly waited: number;
  /** The maximum number of pages that waited for the destination. */
  readonly held: number;
}

/** A whole run in a limited number of spans. */
export interface Spans {
  /** The length of each span; earlier spans of another length no longer count. */
  readonly milliseconds: number;
  /** The number for the next request. */
  readonly soFar: number;
  readonly changed: readonly Span[];
}

/** A job of the run, all of its calls together. */
export interface JobLine {
  readonly id: string;
  /** The name in the configuration of the run, even if the text has changed since: ids may be digests. */
  readonly name: string;
  readonly path: string;
  readonly requests: number;
  readonly running: number;
  readonly retries: number;
  readonly pages: number;
  readonly items: number;
  readonly bytes: number;
  /** Pages that wait for the destination. */
  readonly held: number;
  /** The state of the job; at the end of the run, its outcome. */
  readonly state: 'running' | 'finished' | 'failed' | 'complete' | 'stopped' | 'doubtful' | 'incomplete';
}

/** The state of the run. */
export type RunState = 'none' | 'running' | 'paused' | 'storing' | 'finished' | 'failed' | 'cancelled';

/** The current run. */
export interface CurrentRun {
  readonly number: number;
  readonly state: RunState;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  /** When all was read, and the destination began to store it. */
  readonly storingAt?: number;
  readonly endedAt?: number;
  /** The reason of a failure, or a warning at the end. */
  readonly message?: string;
  readonly tables?: readonly { readonly name: string; readonly rows?: number | undefined }[];
}

/** An update of the page: a line of JSON. */
export interface StudioEvents {
  readonly run: CurrentRun;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  readonly spans: Spans;
  /** The number of requests that were left out because there were too many. */
  readonly leftOut: number;
  /** The time of the server, in milliseconds since the start of the run. */
  readonly at: number;
  readonly jobs: readonly JobLine[];
}

/**
 * The combined settings of the parts of a configuration, as far as the page shows them: the names and requests of jobs, and whether they
 * have keys, cursors and calls. The page gets nothing else of another file, and no secret.
 */
export interface Beneath {
  /** The settings in the form of a configuration, which is laid under the text like any part. */
  readonly config: JsonObject;
  /** The place of each job, and of the pagination, by their paths in it: `config.jobs[0]`, `api.pagination`. */
  readonly places: Readonly<Record<string, PartPlace>>;
}

/** A place in a part. */
export interface PartPlace {
  /** The path relative to the folder of the file in the page. */
  readonly file: string;
  readonly line?: number;
  /** The place as previews and runs name it. */
  readonly place: string;
}

/** The credential that the user gives for an address. */
export interface GivenCredential {
  readonly kind: 'bearer' | 'basic' | 'header';
  /** The name of the user, or of the header. */
  readonly name?: string;
  readonly secret: string;
}

/** A finding about an API. */
export interface Finding {
  readonly about: string;
  readonly value: string;
  readonly confidence: string;
  readonly reason: string;
}

/** A list of an API, and the findings about it. */
export interface FoundList {
  /** The name of its table; absent: the configuration was written without requests. */
  readonly name?: string;
  readonly findings: readonly Finding[];
  /** Why it was not requested, so that its findings come from a description alone. */
  readonly unseen?: string;
}

/** A configuration that was written for an API. */
export interface Begun {
  readonly text: string;
  readonly lists: readonly FoundList[];
  /** Sentences about what was left out. */
  readonly warnings: readonly string[];
  /** How many requests were sent. */
  readonly requests: number;
  /** The variables for the secrets of the source. This studio keeps their values until it ends. */
  readonly variables: readonly string[];
  /** Other variables in the text, without a value. */
  readonly unset: readonly string[];
}

/** The lists of a document. */
export interface Offer {
  /** The number of the offer, to which choices refer. */
  readonly number: number;
  readonly kind: 'curl' | 'openapi' | 'har';
  readonly title: string;
  /** True if the document lacks the address of the API. */
  readonly wantsBaseUrl: boolean;
  readonly choices: readonly Choice[];
  readonly warnings: readonly string[];
}

/** A list of an API. */
export interface Choice {
  readonly id: string;
  /** The index of the parent list among the choices. It is included. */
  readonly parent?: number;
  readonly summary?: string;
  /** Placeholders and parameters that need a value, since no item of the parent has it. */
  readonly values: readonly string[];
  /** Variables of the credentials that it needs, and that the document lacks. */
  readonly variables: readonly string[];
}
