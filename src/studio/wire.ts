/** What the server and the page tell each other, as JSON: types only, so that the page takes no code of the server along. */
import type { JsonObject } from '../core/model';

/** Rows as JSON; large numbers are strings. */
export interface Rows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** There are more rows. */
  readonly isCut: boolean;
}

export interface TableFacts {
  readonly schema: string;
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
}

/** A request: job, lane, when it was sent and when it was over (milliseconds since the beginning), what became of it, how long it waited. */
export type Bar = readonly [job: number, lane: number, from: number, to: number, fate: Fate, waited: number];

export type Fate = 'ok' | 'refused' | 'failed';

/** Something that happened at a moment. */
export interface Mark {
  readonly at: number;
  readonly kind: 'login' | 'renewed' | 'retry' | 'paused' | 'warning';
  readonly text: string;
  /** Until when it lasts: a retry and a pause wait until then, credentials expire. */
  readonly until?: number;
  /** The number of the job, for what is of one. */
  readonly job?: number;
}

/** What a job did in a span of time. */
export interface Span {
  readonly job: number;
  /** Which span it is: it begins at `step` times the length of all spans. */
  readonly step: number;
  readonly ok: number;
  readonly refused: number;
  readonly failed: number;
  /** Milliseconds that its requests waited for limits, all together. */
  readonly waited: number;
  /** The most pages that waited for the destination. */
  readonly held: number;
}

/** A whole run, in so few spans that they can be told and drawn. */
export interface Spans {
  /** The length of each; spans of another length count no more. */
  readonly milliseconds: number;
  /** What to ask with the next time. */
  readonly soFar: number;
  readonly changed: readonly Span[];
}

/** A job of the run, all of its calls together. */
export interface JobLine {
  readonly id: string;
  /** As the configuration of the run has it, whatever the text says since: ids may be digests. */
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
  /** At the end of the run, its outcome. */
  readonly state: 'running' | 'finished' | 'failed' | 'complete' | 'stopped' | 'incomplete';
}

/** How far it is. */
export type RunState = 'none' | 'running' | 'paused' | 'finished' | 'failed' | 'cancelled';

/** The run that is shown. */
export interface CurrentRun {
  readonly number: number;
  readonly state: RunState;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Why it failed, or what it warns of at its end. */
  readonly message?: string;
  readonly tables?: readonly { readonly name: string; readonly rows?: number | undefined }[];
}

/** What a page gets at once: a line of JSON. */
export interface Told {
  readonly run: CurrentRun;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
  readonly spans: Spans;
  /** Requests that were too many to be told one by one. */
  readonly leftOut: number;
  /** The clock of the server, in milliseconds since the run began. */
  readonly at: number;
  readonly jobs: readonly JobLine[];
}

/**
 * What the parts of a configuration say together, as far as the page shows it: what jobs are called, what they ask for, and whether they
 * have keys, cursors and calls. No more of another file reaches the page, and no secret.
 */
export interface Beneath {
  /** In the form of a configuration, to be laid under the text as any part is. */
  readonly config: JsonObject;
  /** Where each job of it stands, and how pages are found, by their paths in it: `config.jobs[0]`, `api.pagination`. */
  readonly places: Readonly<Record<string, PartPlace>>;
}

/** A place in a part. */
export interface PartPlace {
  /** From the folder of the file that the page shows. */
  readonly file: string;
  readonly line?: number;
  /** As previews and runs call it. */
  readonly place: string;
}

/** What a person gives for an address that wants credentials. */
export interface GivenCredential {
  readonly kind: 'bearer' | 'basic' | 'header';
  /** Of the user, or of the header. */
  readonly name?: string;
  readonly secret: string;
}

/** One thing that was found out of an API. */
export interface Finding {
  readonly about: string;
  readonly value: string;
  readonly confidence: string;
  readonly reason: string;
}

/** A list of an API, and what it turned out to be. */
export interface FoundList {
  /** The name of its table; absent: the configuration was written without looking. */
  readonly name?: string;
  readonly findings: readonly Finding[];
  /** Why it was not seen: a description alone says what it is. */
  readonly unseen?: string;
}

/** A configuration that was written for an API. */
export interface Begun {
  readonly text: string;
  readonly lists: readonly FoundList[];
  /** What was not taken over, in sentences. */
  readonly warnings: readonly string[];
  /** How many requests were sent. */
  readonly requests: number;
  /** The variables that hold what was secret in the source. This studio knows their values until it ends. */
  readonly variables: readonly string[];
  /** Other variables that the text names, and that have no value. */
  readonly unset: readonly string[];
}

/** What a document has to begin from. */
export interface Offer {
  /** Choices are made of the offer of this number. */
  readonly number: number;
  readonly kind: 'curl' | 'openapi' | 'har';
  readonly title: string;
  /** The document does not say where the API is. */
  readonly wantsBaseUrl: boolean;
  readonly choices: readonly Choice[];
  readonly warnings: readonly string[];
}

/** A list of an API. */
export interface Choice {
  readonly id: string;
  /** The place, among the choices, of the list whose items this one is called for. It comes along. */
  readonly parent?: number;
  readonly summary?: string;
  /** Placeholders and parameters that need a value, because no item of the parent gives it. */
  readonly values: readonly string[];
  /** Variables of the credentials that it needs, and that the document cannot say. */
  readonly variables: readonly string[];
}
