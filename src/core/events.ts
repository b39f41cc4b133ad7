/** What happens during a run, as data. The log is written from these and nothing else. */
import type { ErrorJson, ToldError } from './errors/errors';
import type { Shaped } from './evidence';
import type { JobRef, Page, Purpose, Request } from './model';
import type { Secrets } from './secrets/secrets';

/** The request that an event is about. */
export interface RequestFields {
  readonly purpose: Purpose;
  readonly method: string;
  /** The URL, with secrets masked. */
  readonly url: string;
  /** The number of the request in its run, from 1: all events of one request have the same. */
  readonly request?: number;
  /** How often the request has been sent, from 1: after a retry, a redirect, and a refusal of its credentials, again. */
  readonly attempt?: number;
}

export type WarningCode =
  | 'CONFIGURATION'
  | 'NO_DATA'
  | 'EMPTY_BODY'
  | 'PAGINATION_NOT_ADVANCING'
  | 'CREDENTIALS_EXPIRED'
  /** A login gave an expiry that looks like milliseconds, and was taken for seconds. */
  | 'EXPIRY_UNIT'
  | 'STATUS_IGNORED'
  | 'BODY_IGNORED'
  | 'FORMAT_GUESSED'
  | 'INVALID_UTF8'
  /** A rule looks at a field of a body that is no JSON. */
  | 'RULE_NOT_JSON'
  /** A value of a placeholder makes another address of an endpoint. */
  | 'PLACEHOLDER_CHANGES_URL'
  /** A value of a batch holds what stands between its values. */
  | 'SEPARATOR_IN_VALUE'
  | 'NOTHING_TO_KEEP'
  | 'CACHE_UNUSABLE'
  | 'CACHE_UNREADABLE'
  | 'TABLE_STRUCTURE'
  /** Rows gave way to others whose keys differ in items, and are one in their file. */
  | 'KEYS_ALIKE'
  /** No call of a child job had items. */
  | 'ALL_EMPTY'
  /** Rules skipped each call of a job. */
  | 'ALL_SKIPPED'
  /** The operations of a job dropped all of its items. */
  | 'ALL_DROPPED'
  /** All windows and partitions of a job have the same first page. */
  | 'ALL_EQUAL'
  /** Windows of a job have items in common. */
  | 'WINDOWS_OVERLAP'
  /** A job may lack items: the message says why. */
  | 'INCOMPLETE'
  /** A job begins again: the API does not know the place any more where it was broken off. */
  | 'JOB_RESTARTED'
  /** A run that was broken off is not gone on with. */
  | 'RUN_DROPPED'
  /** A run has added a column to a table of earlier runs, or has made one wider. */
  | 'TABLE_CHANGED'
  /** No item of the run has what a mapping names. */
  | 'MAPPED_PATH_MISSING'
  /** No item of the run has the field by which a job asks only for what is new. */
  | 'INCREMENTAL_FIELD_MISSING'
  /** A job that asks only for what is new did not get all, and not in order, or a job below it did not: the next run asks from the same place. */
  | 'INCREMENTAL_HELD'
  /** A job that asks only for what is new got items of the future, which do not count. */
  | 'INCREMENTAL_AHEAD'
  /** A job that asks only for what is new goes by dates that nobody can put in order. */
  | 'INCREMENTAL_UNORDERED'
  /** A job that asks only for what is new got items from before the value that it asked from. */
  | 'INCREMENTAL_PARAM_IGNORED'
  /** A job that asks only for what is new got items that earlier runs may have brought, and its rows, or those of a job below it, are added. */
  | 'INCREMENTAL_REPEATED'
  /** No item of the run has a field that the configuration names. */
  | 'FIELD_NOT_FOUND'
  /** A table that runs add rows to has lost those that earlier runs brought: only what is new comes. */
  | 'TABLE_EMPTY'
  /** What earlier runs left counts no more: this run asks for everything. */
  | 'STATE_RESET';

/**
 * One event of a run; `type` discriminates. A run ends with one of `run.finished`, `run.failed`, `run.cancelled` and
 * `run.skipped`.
 */
export type RunEvent = Happening & {
  /** The id of the run: all events of one run have the same. What `deliver` tells before it knows which run goes on has none. */
  readonly run?: string;
};

/** What happens, without the run that it happens in. */
export type Happening =
  | {
      readonly type: 'run.started';
      readonly jobs: number;
      /** What people call the jobs, by their paths, children included: requests may be sent before their job is told of. */
      readonly names?: Readonly<Record<string, string>>;
      /** The start of the run in Unix seconds: `time.currentStart`. */
      readonly startedAt: number;
      /** What was there when the run went on; absent: it begins. */
      readonly before?: Counted;
    }
  /** Instead of all others: every destination has committed the run of this id before, so that nothing is requested. */
  | { readonly type: 'run.skipped'; readonly runId: string }
  | { readonly type: 'job.started'; readonly job: JobRef }
  /** The API makes the result of an asynchronous job, which is asked for from now on. */
  | {
      readonly type: 'job.submitted';
      readonly job: JobRef;
      readonly everyMilliseconds: number;
      readonly timeoutMilliseconds: number;
      /** The job was submitted before the interruption after which the run goes on. */
      readonly isResumed: boolean;
    }
  /** A request had to wait for a rate limit or a cap; it is sent now. */
  | ({ readonly type: 'request.held'; readonly waitedMilliseconds: number } & RequestFields)
  | ({ readonly type: 'request.sent' } & RequestFields)
  | ({
      readonly type: 'response.received';
      readonly status: number;
      readonly bytes: number;
      /** The time from the request to the end of the body. */
      readonly milliseconds: number;
    } & RequestFields)
  /** Instead of a response: the attempt failed. A response of any status is none of these. */
  | ({
      readonly type: 'request.failed';
      readonly error: ToldError;
      /** The time from the request to the failure. */
      readonly milliseconds: number;
    } & RequestFields)
  /** Instead of a request: an equal one was answered before. */
  | ({ readonly type: 'response.cached'; readonly status: number; readonly bytes: number } & RequestFields)
  | ({
      readonly type: 'retry.scheduled';
      /** 1 for the first retry. */
      readonly retry: number;
      readonly delayMilliseconds: number;
      readonly because: string;
    } & RequestFields)
  | {
      readonly type: 'requests.paused';
      /** The moment, in ISO 8601, until which requests of the same rate limit wait. */
      readonly until: string;
      readonly because: string;
    }
  | {
      readonly type: 'credentials.renewed';
      /** The moment at which they expire, in ISO 8601; absent when they live as long as the run. */
      readonly expiresAt?: string;
    }
  | { readonly type: 'page.extracted'; readonly page: Page }
  | {
      readonly type: 'pagination.stopped';
      /** The number of the iteration, from 0. */
      readonly iteration: number;
      readonly job: JobRef;
      readonly because: string;
      /** True where the configuration ended the pagination, as `forceStop` does, though the API may have more. */
      readonly isWanted: boolean;
    }
  | { readonly type: 'job.finished'; readonly job: JobRef; readonly pages: number; readonly items: number }
  /** Instead of `job.finished`. After the job of a child, the job that called it has failed, too. */
  | { readonly type: 'job.failed'; readonly job: JobRef; readonly error: ToldError }
  /** At the end of the run: what a job has made of its items, all of its calls together (docs/language/items.md). */
  | ({ readonly type: 'items.shaped'; readonly job: JobRef } & Shaped)
  /** At the end of the run: how many items of a job did not decode and went to `onInvalid`. */
  | { readonly type: 'items.invalid'; readonly job: JobRef; readonly items: number }
  | {
      readonly type: 'warning';
      readonly code: WarningCode;
      readonly message: string;
      readonly job?: JobRef;
      /** `true` where it tells of what is ordinary, such as a last page without items: a log has it as information, and nobody counts it. */
      readonly isExpected?: true;
    }
  | {
      readonly type: 'run.finished';
      readonly pages: number;
      readonly items: number;
      /** `failed` if any job is, else `incomplete` if any is, else `stopped` if any is, else `complete`. */
      readonly outcome: Outcome;
      /** Each job that gave a page, in the order of their first pages; pages of an earlier part of the run count. */
      readonly jobs: readonly JobOutcome[];
    }
  /** The run failed before all of its jobs were over; the streams fail with this error. */
  | ({ readonly type: 'run.failed'; readonly error: ToldError } & Counted)
  /**
   * The consumer unsubscribed, or the signal aborted, before the run was over. `onEvent` and the log are told; streams of
   * events are closed by then.
   */
  | ({ readonly type: 'run.cancelled' } & Counted);

/** What a run had given when it ended early. */
export interface Counted {
  readonly pages: number;
  readonly items: number;
}

/**
 * Whether a job has all of its items: as the API has them, as far as the configuration wants them, or not; or whether it failed
 * while others went on.
 */
export type Outcome = 'complete' | 'stopped' | 'incomplete' | 'failed';

/** What became of a job, all of its calls together. */
export interface JobOutcome {
  /** The number of its iteration, from 0. */
  readonly iteration: number;
  readonly id: string;
  /** Where the job stands in the configuration. */
  readonly path: string;
  readonly endpoint: string;
  readonly dataType: string;
  readonly outcome: Outcome;
  readonly pages: number;
  readonly items: number;
  /** This is true where any response had a value at the place of the items, be it an empty array. */
  readonly isFound: boolean;
  /** Why the job failed; absent: it did not. */
  readonly error?: ErrorJson;
}

/** Takes an event; never throws. */
export type Report = (event: RunEvent) => void;

/** What events tell of a request. */
export const requestFields = ({ purpose, method, url, trace }: Request, secrets: Secrets): RequestFields => ({
  purpose,
  method,
  url: secrets.mask(url),
  ...(trace === undefined ? {} : { request: trace.request, attempt: trace.attempt }),
});

const ENDS: ReadonlySet<RunEvent['type']> = new Set(['run.finished', 'run.failed', 'run.cancelled', 'run.skipped']);

/** Whether the event is the last one of its run. */
export const endsRun = ({ type }: RunEvent): boolean => ENDS.has(type);
