/** The types of previews: a page of each job of a configuration, before it is run. */
import type { EventError } from '../../core/errors/errors';
import type { Json } from '../../core/model';

/** The preview of a configuration. Secrets are `***` in it, and long texts are cut. */
export interface Preview {
  /** The jobs of the first iteration, children after their parents. */
  readonly jobs: readonly JobPreview[];
  /** The requests of logins, in their order. */
  readonly logins: readonly ExchangePreview[];
  /** Warnings of the run that belong to no job. */
  readonly warnings: readonly string[];
  /** The number of iterations; the first one is previewed. */
  readonly iterations: number;
}

/** The preview of one job. */
export interface JobPreview {
  readonly id: string;
  /** The place of the job in the configuration, for example `config.jobs[0]`. */
  readonly path: string;
  readonly endpoint: string;
  readonly dataType: string;
  /** The id of the parent job; absent: there is none. */
  readonly parent?: string;
  /** The values of the first parent item with a call, by placeholder. */
  readonly placeholders?: Readonly<Record<string, string>>;
  readonly state: 'previewed' | 'notReached' | 'failed';
  /** Why it was not reached. */
  readonly reason?: string;
  /** Why it failed. */
  readonly error?: EventError;
  readonly pages: readonly PagePreview[];
  /** All requests of the job, including retries, submissions and polls. */
  readonly exchanges: readonly ExchangePreview[];
  /** The tables of its items in a database: first that of the items, then those of their lists. */
  readonly tables: readonly TablePreview[];
  /** Warnings for the user; the first one says whether the API has more items than paging would get. */
  readonly warnings: readonly string[];
}

/** One page of a job. A page that could not be read, so that its job failed, has no items. */
export interface PagePreview {
  readonly request: RequestPreview;
  readonly response: ResponsePreview;
  readonly found: FoundPreview;
  /** The first items, as the job delivers them. */
  readonly items: readonly Json[];
  /** The number of items. */
  readonly count: number;
  /** The next step of paging, and why. */
  readonly next: {
    readonly request?: { readonly method: string; readonly url: string; readonly body?: string };
    readonly because: string;
  };
  /** True if the API says that there are more items, even without pagination in the configuration. */
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
  /** The beginning of the body; empty if it is no text. */
  readonly body: string;
  /** The bytes of the whole body, as far as it was read. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** True if `body` is only the beginning, or no text. */
  readonly isCut: boolean;
}

/** A request and its response. */
export interface ExchangePreview {
  readonly request: RequestPreview;
  /** Absent: there was none. */
  readonly response?: ResponsePreview;
  /** The code of the error, if there was no response. */
  readonly error?: string;
}

/** The place of the items of a page. */
export interface FoundPreview {
  /** The value of `dataField`: `.` is the response itself, and it is empty if nothing was found. */
  readonly path: string;
  readonly how: 'configured' | 'detected';
  /** The lists of the response, each a possible `dataField`. */
  readonly candidates: readonly { readonly path: string; readonly count: number }[];
}

/** The beginning of a table. */
export interface TablePreview {
  readonly name: string;
  /** The parent table. */
  readonly parent?: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The first rows, cells in the order of the columns. */
  readonly rows: readonly (readonly Json[])[];
  /** The number of rows of the previewed pages. */
  readonly count: number;
}
