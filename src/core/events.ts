/** The events of a run, as data. The log is written from these alone. */
import type { ErrorJson, EventError } from './errors/errors';
import type { DoubtCode, Shaped } from './evidence';
import type { JobRef, Page, Purpose, Request } from './model';
import type { Secrets } from './secrets/secrets';

/** The request that an event is about. */
export interface RequestFields {
  readonly purpose: Purpose;
  readonly method: string;
  /** The URL, with secrets masked. */
  readonly url: string;
  /** The number of the request in its run, from 1, the same in all events of the request. */
  readonly request?: number;
  /** The number of the attempt, from 1: a retry, a redirect, and a new attempt after refused credentials each count. */
  readonly attempt?: number;
}

export type WarningCode =
  | 'CONFIGURATION'
  | 'NO_DATA'
  | 'EMPTY_BODY'
  | 'PAGINATION_NOT_ADVANCING'
  | 'CREDENTIALS_EXPIRED'
  /** A login returned an expiry that looks like milliseconds and was read as seconds. */
  | 'EXPIRY_UNIT'
  | 'STATUS_IGNORED'
  | 'BODY_IGNORED'
  | 'FORMAT_GUESSED'
  | 'INVALID_UTF8'
  /** A rule reads a field of a body that is not JSON. */
  | 'RULE_NOT_JSON'
  /** A placeholder's value changes the address of an endpoint to another one. */
  | 'PLACEHOLDER_CHANGES_URL'
  /** The API redirects each request of a job in the same way. */
  | 'REDIRECTED_EACH'
  /** A value of a batch contains the separator of the batch. */
  | 'SEPARATOR_IN_VALUE'
  | 'NOTHING_TO_KEEP'
  | 'CACHE_UNUSABLE'
  | 'CACHE_UNREADABLE'
  | 'TABLE_STRUCTURE'
  /** Rows were replaced by others whose keys differ in the items and are the same in their file. */
  | 'KEYS_ALIKE'
  /** A doubt about the completeness of a job, or a contradiction where the run goes on all the same. */
  | DoubtCode
  /** A response says that a part of its data is missing. */
  | 'INCOMPLETE'
  /** A job failed, and the run was committed all the same, as asked (`acceptIncomplete`). */
  | 'JOBS_FAILED'
  /** A job restarts: the API no longer knows the place where the job was interrupted. */
  | 'JOB_RESTARTED'
  /** An interrupted run is dropped instead of resumed. */
  | 'RUN_DROPPED'
  /** Keys of a table differ in capitals or in their Unicode form alone, and have a column each. */
  | 'COLUMNS_ALIKE'
  /** A run added a column to a table of earlier runs, or widened one. */
  | 'TABLE_CHANGED'
  /** No item of the run has the path that a mapping names. */
  | 'MAPPED_PATH_MISSING'
  /**
   * An incremental job, or one of its children, did not get all items, or not in order: the next run asks from the same
   * place.
   */
  | 'INCREMENTAL_HELD'
  /** An incremental job got items of the future, which do not count. */
  | 'INCREMENTAL_AHEAD'
  /** An incremental job has a cursor of dates that cannot be put in order. */
  | 'INCREMENTAL_UNORDERED'
  /** An incremental job got items from before the value that it asked from. */
  | 'INCREMENTAL_PARAM_IGNORED'
  /**
   * An incremental job got items that earlier runs may have delivered, and its rows, or those of a child job, are added
   * to the table.
   */
  | 'INCREMENTAL_REPEATED'
  /** A table that runs add rows to has lost the rows of earlier runs, and this run asks for new items only. */
  | 'TABLE_EMPTY'
  /** The state of earlier runs is dropped: this run asks for everything. */
  | 'STATE_RESET';

/**
 * One event of a run; `type` discriminates. A run ends with one of `run.finished`, `run.failed`, `run.cancelled` and
 * `run.skipped`.
 */
export type RunEvent = Happening & {
  /**
   * The id of the run, the same in all its events. An event that `deliver` reports before it knows which run resumes
   * has none.
   */
  readonly run?: string;
};

/** An event without the id of its run. */
export type Happening =
  | {
      readonly type: 'run.started';
      readonly jobs: number;
      /**
       * The names of the jobs for people, by path, children included: requests may be sent before an event about their
       * job.
       */
      readonly names?: Readonly<Record<string, string>>;
      /** The start of the run in Unix seconds: `time.currentStart`. */
      readonly startedAt: number;
      /** The counts of the earlier part of the run if it resumes. Absent if it starts. */
      readonly before?: Counted;
    }
  /**
   * Emitted instead of all other events: every destination has committed the run of this id before, so nothing is
   * requested.
   */
  | { readonly type: 'run.skipped'; readonly runId: string }
  | { readonly type: 'job.started'; readonly job: JobRef }
  /** The API accepted an asynchronous job; its result is polled from now on. */
  | {
      readonly type: 'job.submitted';
      readonly job: JobRef;
      readonly everyMilliseconds: number;
      readonly timeoutMilliseconds: number;
      /** True if the job was submitted before the interruption after which the run resumes. */
      readonly isResumed: boolean;
    }
  /** A request waited for a rate limit or a cap, and is sent now. */
  | ({ readonly type: 'request.held'; readonly waitedMilliseconds: number } & RequestFields)
  | ({ readonly type: 'request.sent' } & RequestFields)
  | ({
      readonly type: 'response.received';
      readonly status: number;
      readonly bytes: number;
      /** The time from the request to the end of the body. */
      readonly milliseconds: number;
    } & RequestFields)
  /** Emitted instead of a response: the attempt failed. A response of any status is not a failure. */
  | ({
      readonly type: 'request.failed';
      readonly error: EventError;
      /** The time from the request to the failure. */
      readonly milliseconds: number;
    } & RequestFields)
  /** Emitted instead of a request: an equal request was answered before. */
  | ({ readonly type: 'response.cached'; readonly status: number; readonly bytes: number } & RequestFields)
  | ({
      readonly type: 'retry.scheduled';
      /** The number of the retry, from 1. */
      readonly retry: number;
      readonly delayMilliseconds: number;
      readonly because: string;
    } & RequestFields)
  | {
      readonly type: 'requests.paused';
      /** The time, in ISO 8601, until which requests of the same rate limit wait. */
      readonly until: string;
      readonly because: string;
    }
  | {
      readonly type: 'credentials.renewed';
      /** The time at which the credentials expire, in ISO 8601. Absent if they live as long as the run. */
      readonly expiresAt?: string;
    }
  | { readonly type: 'page.extracted'; readonly page: Page }
  | {
      readonly type: 'pagination.stopped';
      /** The number of the iteration, from 0. */
      readonly iteration: number;
      readonly job: JobRef;
      readonly because: string;
      /** True if the configuration ended the pagination, as `forceStop` does, although the API may have more. */
      readonly isWanted: boolean;
    }
  | { readonly type: 'job.finished'; readonly job: JobRef; readonly pages: number; readonly items: number }
  /** Emitted instead of `job.finished`. After a child job, the job that called it has failed, too. */
  | { readonly type: 'job.failed'; readonly job: JobRef; readonly error: EventError }
  /** Emitted at the end of the run: what a job has made of its items in all of its calls (docs/language/items.md). */
  | ({ readonly type: 'items.shaped'; readonly job: JobRef } & Shaped)
  /** Emitted at the end of the run: the number of items of a job that did not decode and went to `onInvalid`. */
  | { readonly type: 'items.invalid'; readonly job: JobRef; readonly items: number }
  | {
      readonly type: 'warning';
      readonly code: WarningCode;
      readonly message: string;
      readonly job?: JobRef;
      /**
       * True for an ordinary occurrence, such as a last page without items: a log has it as information, and it does
       * not count as a warning.
       */
      readonly isExpected?: true;
    }
  | {
      readonly type: 'run.finished';
      readonly pages: number;
      readonly items: number;
      /** The worst of the outcomes of the jobs: `failed`, `incomplete`, `doubtful`, `stopped`, `complete`. */
      readonly outcome: Outcome;
      /** Each job that emitted a page, in the order of their first pages. Pages of an earlier part of the run count. */
      readonly jobs: readonly JobOutcome[];
    }
  /** The run failed before all of its jobs had ended. The streams fail with this error. */
  | ({ readonly type: 'run.failed'; readonly error: EventError } & Counted)
  /**
   * The consumer unsubscribed, or the signal aborted, before the run had ended. `onEvent` and the log receive this
   * event; streams of events are already closed.
   */
  | ({ readonly type: 'run.cancelled' } & Counted);

/** The counts of a run that ended early. */
export interface Counted {
  readonly pages: number;
  readonly items: number;
}

/**
 * The outcome of a job: it has all items of the API (`complete`), all that the configuration wants (`stopped`), perhaps not all
 * (`doubtful`), not all (`incomplete`), or it failed while other jobs continued (`failed`).
 */
export type Outcome = 'complete' | 'stopped' | 'doubtful' | 'incomplete' | 'failed';

/** The result of a job, with all of its calls. */
export interface JobOutcome {
  /** The number of its iteration, from 0. */
  readonly iteration: number;
  readonly id: string;
  /** The path of the job in the configuration. */
  readonly path: string;
  readonly endpoint: string;
  readonly dataType: string;
  readonly outcome: Outcome;
  /** True if something contradicts that the job is complete, and the run was committed all the same, as asked. */
  readonly isAccepted?: true;
  readonly pages: number;
  readonly items: number;
  /** True if any response had a value in the place of the items, even an empty array. */
  readonly isFound: boolean;
  /** The error of the job; absent if it did not fail. */
  readonly error?: ErrorJson;
}

/** Takes an event; never throws. */
export type Report = (event: RunEvent) => void;

/**
 * Counts a run. A run whose events are only counted makes none for each request and for each call of a child job: it
 * counts these directly, which costs a tenth.
 */
export interface Tally {
  /**
   * Counts an event.
   *
   * @param now milliseconds since the epoch
   */
  readonly add: (event: RunEvent, now: number) => void;
  /** Counts a request that was sent, or the bytes of a response, in place of an event. */
  readonly addRequest: (purpose: Purpose, field: 'requests' | 'bytes', more: number, now: number) => void;
  /** Counts the beginning of a call of a job, or, with the number of its items, its end, in place of an event. */
  readonly addCall: (job: JobRef, items: number | undefined, now: number) => void;
}

/** Says how to report what happens at each request and at each call of a child job. */
export interface Meter {
  /** True if somebody listens to every event: then events are reported. If not, they are counted. */
  readonly isDetailed: boolean;
  readonly countRequest: (purpose: Purpose, field: 'requests' | 'bytes', more: number) => void;
  readonly countCall: (job: JobRef, items?: number) => void;
}

/** Reports every event. */
export const DETAILED: Meter = { isDetailed: true, countRequest: () => undefined, countCall: () => undefined };

/** Returns the fields of an event about a request. */
export const requestFields = ({ purpose, method, url, trace }: Request, secrets: Secrets): RequestFields => ({
  purpose,
  method,
  url: secrets.mask(url),
  ...(trace === undefined ? {} : { request: trace.request, attempt: trace.attempt }),
});

const ENDS: ReadonlySet<RunEvent['type']> = new Set(['run.finished', 'run.failed', 'run.cancelled', 'run.skipped']);

/** Returns whether the event is the last one of its run. */
export const endsRun = ({ type }: RunEvent): boolean => ENDS.has(type);
