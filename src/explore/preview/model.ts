/** The nouns of previews: what a configuration gets, a page of each job, before it is run. */
import type { ToldError } from '../../core/errors/errors';
import type { Json } from '../../core/model';

/** What the jobs of a configuration get. Secrets are `***` in it, and long texts are cut. */
export interface Preview {
  /** The jobs of the first iteration, children behind their parents. */
  readonly jobs: readonly JobPreview[];
  /** The requests of logins, in their order. */
  readonly logins: readonly ExchangePreview[];
  /** What a run would warn of that belongs to no job. */
  readonly warnings: readonly string[];
  /** How many iterations the configuration has: the first one is previewed. */
  readonly iterations: number;
}

/** What one job gets. */
export interface JobPreview {
  readonly id: string;
  /** Where the job stands in the configuration, for example `config.jobs[0]`. */
  readonly path: string;
  readonly endpoint: string;
  readonly dataType: string;
  /** The id of the job that it is called for; absent: it stands by itself. */
  readonly parent?: string;
  /** The values of the first item of its parent that leads to it, by placeholder. */
  readonly placeholders?: Readonly<Record<string, string>>;
  readonly state: 'previewed' | 'notReached' | 'failed';
  /** Why it was not reached. */
  readonly reason?: string;
  /** Why it failed. */
  readonly error?: ToldError;
  readonly pages: readonly PagePreview[];
  /** All that was sent for it, retries and what is submitted and polled among them. */
  readonly exchanges: readonly ExchangePreview[];
  /** What a database would get of its items: that of the items first, then those of their lists. */
  readonly tables: readonly TablePreview[];
  /** What a person should know: first of all, where the API has more than paging would get. */
  readonly warnings: readonly string[];
}

/** One page of a job. One that could not be read, so that its job failed, has no items. */
export interface PagePreview {
  readonly request: RequestPreview;
  readonly response: ResponsePreview;
  readonly found: FoundPreview;
  /** The first items, as the job delivers them. */
  readonly items: readonly Json[];
  /** How many items there were. */
  readonly count: number;
  /** What paging would do next, and why. */
  readonly next: {
    readonly request?: { readonly method: string; readonly url: string; readonly body?: string };
    readonly because: string;
  };
  /** Whether the API says that there is more, also where no pagination is configured. */
  readonly more: 'yes' | 'no' | 'unknown';
  readonly moreBecause: string;
}

/** A request as it was sent. */
export interface RequestPreview {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A response as it came. */
export interface ResponsePreview {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body; empty where it is no text. */
  readonly body: string;
  /** The bytes of the whole body, as far as it was read. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** Whether `body` is only the beginning, or no text. */
  readonly isCut: boolean;
}

/** A request, and what came. */
export interface ExchangePreview {
  readonly request: RequestPreview;
  /** Absent: none came. */
  readonly response?: ResponsePreview;
  /** The code of the error, where no response came. */
  readonly error?: string;
}

/** Where the items of a page were. */
export interface FoundPreview {
  /** As `dataField` names it: `.` is the response itself, and it is empty where nothing was found. */
  readonly path: string;
  readonly how: 'configured' | 'detected';
  /** The lists of the response, each a possible `dataField`. */
  readonly candidates: readonly { readonly path: string; readonly count: number }[];
}

/** The beginning of a table. */
export interface TablePreview {
  readonly name: string;
  /** The table whose rows its rows belong to. */
  readonly parent?: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The first rows, cells in the order of the columns. */
  readonly rows: readonly (readonly Json[])[];
  /** How many rows the previewed pages make. */
  readonly count: number;
}
