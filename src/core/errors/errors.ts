/**
 * Errors and faults. Each error has a stable `code` to branch on and a `recovery` that says what can happen next. Every
 * mistake of the configuration, the credentials or the API is a {@link HeadwaterError}; any other exception is a defect
 * of the program.
 */
import { grouped } from '../text';
import type { DoubtCode } from '../evidence';
import type { Headers, JobRef, Progress } from '../model';

/** The stable codes of errors: programs branch on these. */
export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'CONFIG_UNREADABLE'
  | 'EXPRESSION_FAILED'
  | 'API_STATUS'
  | 'API_NOT_JSON'
  | 'API_FORMAT'
  | 'API_SHAPE'
  | 'API_ERROR'
  | 'LOGIN_RESPONSE'
  /** A person has to log in first (`headwater login`). */
  | 'LOGIN_REQUIRED'
  /** A login by a person did not complete. */
  | 'LOGIN_FAILED'
  | 'NEXT_PAGE'
  | 'ORIGIN_REFUSED'
  | 'HOST_REFUSED'
  | 'TOO_MANY_REDIRECTS'
  | 'PAGE_LIMIT'
  /** The result of an asynchronous job was not there in time. */
  | 'JOB_TIMEOUT'
  /** The API says that there will be no result of an asynchronous job. */
  | 'JOB_FAILED'
  /** The run reached its end, but items are missing, or may be. */
  | 'INCOMPLETE'
  /** An item does not decode by the decoder of the application. */
  | 'ITEM_INVALID'
  /** The run reached its end, but jobs failed. */
  | 'JOBS_FAILED'
  /** There were warnings, and the options make warnings errors. */
  | 'WARNINGS'
  | 'TABLE_NAME'
  /** A table would have more columns than `config.maxColumns` or its destination allows. */
  | 'TABLE_COLUMNS'
  /** A run would replace the rows of a table by no rows, because no response had a value in the place of its items. */
  | 'TABLE_EMPTIED'
  /** No row of a table has a column of its primary key. */
  | 'KEY_NOT_FOUND'
  /** A run would replace the rows of a table that another configuration fills. */
  | 'TABLE_TAKEN'
  /** A doubtful run would replace a table by one with fewer rows. */
  | 'TABLE_SHRUNK'
  /**
   * A value does not fit the type that the configuration gives its column, or no column type of the destination holds
   * it.
   */
  | 'COLUMN_TYPE'
  | 'NETWORK_RESOLVE'
  | 'NETWORK_CONNECT'
  | 'NETWORK_TIMEOUT'
  | 'NETWORK_TLS'
  | 'NETWORK_EMPTY'
  | 'NETWORK_RESET'
  | 'NETWORK_CERTIFICATE'
  | 'NETWORK_PROTOCOL'
  | 'SSH_TUNNEL'
  /** A proxy of the environment refuses the credentials or the host, or does not speak HTTP. */
  | 'PROXY'
  /** A package that only one sink needs is not installed. */
  | 'PACKAGE_MISSING'
  /** Another process writes to the destination: wait, or name another destination. */
  | 'DESTINATION_LOCKED'
  /** The destination cannot be reached or created: correct its address or its permissions. */
  | 'DESTINATION_ADDRESS'
  /** The content of the destination is not what was written. */
  | 'DESTINATION_DAMAGED'
  /** The destination holds something else: another table, column type, key or state. */
  | 'DESTINATION_INCOMPATIBLE'
  /** A destination refused a write: it is full, gone, or has rules against it. */
  | 'SINK_FAILED'
  /** No Temporal server answers, or it has no such namespace. */
  | 'CLUSTER_UNREACHABLE'
  /** The cluster knows no run of this id. */
  | 'RUN_UNKNOWN'
  /** A run of this id, or another one into the same destination, is under way. */
  | 'RUN_ACTIVE'
  | 'RUN_CANCELLED'
  /** A part belongs to a run that was stored or cancelled, or whose place another run has taken. */
  | 'RUN_OVER'
  /** A later attempt makes this part of a run: this process has to stop. */
  | 'PART_TAKEN'
  /** A run cannot resume with the current configuration. */
  | 'RESUME'
  /** The client of the run was closed. */
  | 'CLIENT_CLOSED'
  /** A run cannot resume: its pages are not as they were written. */
  | 'JOURNAL_DAMAGED'
  /** A statement about loaded data has an error, or does more than read. */
  | 'QUERY_REFUSED'
  /** A replay has no response for a request: it was not recorded. */
  | 'NOT_RECORDED';

/** Kinds of faults that a program may want to distinguish. */
export type FaultCode = 'MISTAKEN_KEY';

/** One mistake in a configuration, or a setting that has no effect there. */
export interface Fault {
  /** Path in the configuration, for example `api.pagination.method` or `config.jobs[0].endpoint`. */
  readonly path: string;
  readonly message: string;
  /** The key has no meaning here, and looks like one that does. A lenient reading continues with a warning. */
  readonly code?: FaultCode;
}

/** Returns a fault or a warning as one line: `path: message`. */
export const faultLine = ({ path, message }: Pick<Fault, 'path' | 'message'>): string =>
  path === '' ? message : `${path}: ${message}`;

/** The known facts of a failed request. */
export interface RequestFacts {
  /** The HTTP status of the response. */
  readonly status?: number;
  readonly method?: string;
  /** The URL with secrets masked; after redirects, the last URL. */
  readonly url?: string;
  /** The headers of the response, if there is one, by lower-case name, with secrets masked. */
  readonly headers?: Headers;
  /** The job that sent the request; for a login, the job that waited for it. */
  readonly job?: JobRef;
  /** The number of the failed attempt: 1 for the first, 11 after ten retries. */
  readonly attempt?: number;
  /** Seconds that the API asks to wait before the next attempt. */
  readonly retryAfterSeconds?: number;
  /** The name of the table that could not be created or stored. */
  readonly table?: string;
  /** The destination that failed, as messages name it, with secrets masked. */
  readonly destination?: string;
  /** The mistake at one place of the configuration. The message says the same in one line. */
  readonly fault?: Fault;
}

/** The names of all facts, in the order in which JSON has them. */
const FACTS: Readonly<Record<keyof RequestFacts, true>> = {
  status: true,
  method: true,
  url: true,
  headers: true,
  job: true,
  attempt: true,
  retryAfterSeconds: true,
  table: true,
  destination: true,
  fault: true,
};

/** Arguments of an error in addition to its message. */
export type ErrorDetails = { readonly [F in keyof RequestFacts]?: RequestFacts[F] | undefined } & {
  readonly cause?: unknown;
};

/** Returns the facts that an error carries. */
export function factsOf(error: RequestFacts): RequestFacts {
  const names = Object.keys(FACTS).filter((name) => Reflect.get(error, name) !== undefined);
  return Object.fromEntries(names.map((name) => [name, Reflect.get(error, name) as unknown]));
}

/**
 * Errors are recognised by a mark instead of their class: an application may load two copies of this package (two
 * versions in one tree, or the bundled command next to the library), and each copy has its own classes.
 */
const BRAND = Symbol.for('headwater.error');

/** Marks the errors of a class and of its subclasses with the name under which other copies recognise them. */
function brand(constructor: { readonly prototype: object }, name: string): void {
  Object.defineProperty(constructor.prototype, BRAND, { value: name });
}

/**
 * Returns the result of `instanceof` for a branded class. A subclass that an application defines has no mark of its own
 * and is recognised by its prototype, as any class is.
 */
function isInstance(constructor: { readonly prototype: object }, error: unknown): boolean {
  const name = ownBrand(constructor.prototype);
  if (name === undefined) return Function.prototype[Symbol.hasInstance].call(constructor, error);
  return hasBrand(error, name);
}

/**
 * Returns whether a value is an error of Headwater, made by any copy of this package, of the named class or a subclass.
 */
function hasBrand(error: unknown, name: string): boolean {
  if (typeof error !== 'object' || error === null || typeof Reflect.get(error, 'code') !== 'string') return false;
  for (let at = Reflect.getPrototypeOf(error); at !== null; at = Reflect.getPrototypeOf(at))
    if (ownBrand(at) === name) return true;
  return false;
}

function ownBrand(prototype: unknown): string | undefined {
  const name: unknown =
    typeof prototype === 'object' && prototype !== null && Object.hasOwn(prototype, BRAND)
      ? Reflect.get(prototype, BRAND)
      : undefined;
  return typeof name === 'string' ? name : undefined;
}

export type Recovery = 'retry' | 'fatal';

/** An error as plain data. */
export interface ErrorJson extends RequestFacts {
  readonly name: string;
  readonly code: ErrorCode;
  readonly recovery: Recovery;
  readonly message: string;
  /** The member of a {@link ConfigurationError}. */
  readonly faults?: readonly Fault[];
  /** The member of an {@link IncompleteError}, and of a JobsFailedError if other jobs are incomplete. */
  readonly doubts?: readonly JobDoubt[];
  /** The member of a JobsFailedError. */
  readonly failures?: readonly { readonly job: JobRef; readonly error: ErrorJson }[];
  /** A member of an InvalidItemError, as the next two: the number of the page, from 0. */
  readonly page?: number;
  /** The index of the item in its page, from 0. */
  readonly position?: number;
  readonly reasons?: readonly string[];
  /** The member of a {@link RetryableError} of the network. */
  readonly curlCode?: number;
}

/** The point where a run can resume: its start (Unix seconds), and the state of its calls. */
export interface ResumePoint {
  readonly startedAt: number;
  readonly progress: Progress;
}

const resumePoints = new WeakMap<object, ResumePoint>();

/** Attaches to an error the point where its run can resume; see {@link HeadwaterError.resume}. */
export const setResumePoint = (error: HeadwaterError, point: ResumePoint): unknown => resumePoints.set(error, point);

/**
 * The base of every error that a person can act on. Its fields hold the known facts. `instanceof` also knows the errors
 * of another copy of this package.
 *
 * @example if (error instanceof HeadwaterError) console.error(JSON.stringify(error));
 */
export class HeadwaterError extends Error implements RequestFacts {
  override readonly name: string = 'HeadwaterError';
  declare readonly status?: number;
  declare readonly method?: string;
  declare readonly url?: string;
  declare readonly headers?: Headers;
  declare readonly job?: JobRef;
  declare readonly attempt?: number;
  declare readonly retryAfterSeconds?: number;
  declare readonly table?: string;
  declare readonly destination?: string;
  declare readonly fault?: Fault;
  /**
   * Returns the point where a failed run can resume, for the option `resume` of `extract`: behind all pages that its
   * stream has emitted. It is not a property of the error itself, because checkpoints may hold items and addresses with
   * secrets: code that prints the error leaves it out.
   */
  get resume(): ResumePoint | undefined {
    return resumePoints.get(this);
  }

  static {
    brand(this, 'HeadwaterError');
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    return isInstance(this, error);
  }

  constructor(
    readonly code: ErrorCode,
    readonly recovery: Recovery,
    message: string,
    { cause, ...facts }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    addFacts(this, facts);
  }

  /**
   * Returns the error as data, for logs and other processes. Stack and cause are left out, because they may quote
   * foreign text.
   */
  toJSON(): ErrorJson {
    const { name, code, recovery, message } = this;
    return { name, code, recovery, message, ...factsOf(this) };
  }
}

/**
 * Returns the error for a reference or function without a value.
 *
 * @param fault its path, and what is wrong with it
 */
export const expressionFailed = (fault: Fault, cause?: unknown): FatalError =>
  new FatalError('EXPRESSION_FAILED', faultLine(fault), { fault, cause });

/** Adds to an error the facts that it lacks; returns the same error. */
export function addFacts<E>(error: E, facts: Omit<ErrorDetails, 'cause'>): E {
  if (!(error instanceof HeadwaterError)) return error;
  for (const [name, fact] of Object.entries(facts))
    if (fact !== undefined && Reflect.get(error, name) === undefined) Reflect.set(error, name, fact);
  return error;
}

/** An error that stops the run: a person has to change the configuration, the credentials or the API first. */
export class FatalError extends HeadwaterError {
  override readonly name = 'FatalError';

  static {
    brand(this, 'FatalError');
  }

  constructor(code: ErrorCode, message: string, details?: ErrorDetails) {
    super(code, 'fatal', message, details);
  }
}

/**
 * An error after which the same request may succeed later: the network failed, or the API answered with status 429 or
 * 5xx. `curlCode` is the number that `retryConfig.curl.codes` names; an error with a status has none.
 */
export class RetryableError extends HeadwaterError {
  override readonly name = 'RetryableError';
  /** The last moment for another attempt, in milliseconds since the epoch, if the host was never reached. */
  declare retryUntil?: number;

  static {
    brand(this, 'RetryableError');
  }

  constructor(
    code: ErrorCode,
    readonly curlCode: number | undefined,
    message: string,
    details?: ErrorDetails,
  ) {
    super(code, 'retry', message, details);
  }

  override toJSON(): ErrorJson {
    return { ...super.toJSON(), ...(this.curlCode === undefined ? {} : { curlCode: this.curlCode }) };
  }
}

/** The error for a refused configuration; `faults` holds all mistakes, in reading order. */
export class ConfigurationError extends HeadwaterError {
  override readonly name = 'ConfigurationError';

  static {
    brand(this, 'ConfigurationError');
  }

  constructor(readonly faults: readonly Fault[]) {
    const lines = ['The configuration cannot be used.', ...faults.map(faultLine)];
    const advice = faults.some(({ code }) => code === 'MISTAKEN_KEY') ? `\n  ${LENIENT}` : '';
    super('CONFIG_INVALID', 'fatal', lines.join('\n  ') + advice);
  }

  override toJSON(): ErrorJson {
    return { ...super.toJSON(), faults: this.faults };
  }
}

/** The reasons why a run is incomplete, for one job. */
export interface JobDoubt {
  readonly code: DoubtCode;
  readonly message: string;
  /** Path in the configuration, for example `config.jobs[0]`. */
  readonly path: string;
  /** The id of the job. */
  readonly job: string;
}

/**
 * The error for a run that reached its end although items are missing, or may be (docs/completeness.md): `doubts` names
 * the jobs and the reasons. The stream has emitted all items that arrived; nothing has been committed.
 */
export class IncompleteError extends HeadwaterError {
  override readonly name = 'IncompleteError';

  static {
    brand(this, 'IncompleteError');
  }

  constructor(readonly doubts: readonly JobDoubt[]) {
    super('INCOMPLETE', 'fatal', ['The run is incomplete.', ...doubts.map(faultLine)].join('\n  '));
  }

  override toJSON(): ErrorJson {
    return { ...super.toJSON(), doubts: this.doubts };
  }
}
const LENIENT = 'Keys without effect are only warnings with --lenient (in the library: lenient: true).';

/** A job that failed while other jobs continued. */
export interface JobFailure {
  /** The job of `config.jobs`. If one of its children failed, `error.job` names that one. */
  readonly job: JobRef;
  /** The error of the job, or of the first of its calls that failed. */
  readonly error: ErrorJson;
  /** How many calls of a child failed, where several did and the others were made all the same. */
  readonly calls?: number;
}

/**
 * The error for a run that reached its end although jobs failed (`onJobError: 'continue'`). The stream has emitted all
 * items that arrived. The same run may succeed later (`recovery` is `retry`) if that is true of each failure.
 */
export class JobsFailedError extends HeadwaterError {
  override readonly name = 'JobsFailedError';

  static {
    brand(this, 'JobsFailedError');
  }

  /** @param doubts the reasons why other jobs are incomplete */
  constructor(
    readonly failures: readonly JobFailure[],
    readonly doubts: readonly JobDoubt[] = [],
  ) {
    const isTransient = doubts.length === 0 && failures.every(({ error }) => error.recovery === 'retry');
    const lines = [
      failures.length === 1 ? 'A job failed.' : `${failures.length} jobs failed.`,
      ...failures.map(
        ({ job, error, calls }) =>
          `${job.path} (${job.endpoint}): ${calls === undefined ? '' : `${calls} calls failed, the first one so: `}${error.message}`,
      ),
      ...(doubts.length === 0 ? [] : ['Others are incomplete.', ...doubts.map(faultLine)]),
    ];
    super('JOBS_FAILED', isTransient ? 'retry' : 'fatal', lines.join('\n  '));
  }

  override toJSON(): ErrorJson {
    const { failures, doubts } = this;
    return { ...super.toJSON(), failures, ...(doubts.length === 0 ? {} : { doubts }) };
  }
}

/** The error for an item that the application's decoder refuses. */
export class InvalidItemError extends HeadwaterError {
  override readonly name = 'InvalidItemError';

  static {
    brand(this, 'InvalidItemError');
  }

  /**
   * @param page the number of the page in its call of the job, from 0
   * @param position the index in the page, from 0
   * @param reasons the reasons of the decoder, with secrets masked
   */
  constructor(
    job: JobRef,
    readonly page: number,
    readonly position: number,
    readonly reasons: readonly string[],
  ) {
    const place = `${job.path}: item ${position} of page ${page} of ${job.endpoint}`;
    super('ITEM_INVALID', 'fatal', [`${place} does not decode (both count from 0).`, ...reasons].join('\n  '), { job });
  }

  override toJSON(): ErrorJson {
    const { page, position, reasons } = this;
    return { ...super.toJSON(), page, position, reasons };
  }
}

const KEYS_SHOWN = 3;
const LONGEST_KEY = 40;

/**
 * Returns the error for a table with too many columns. Objects whose keys are data cause such tables.
 *
 * @param most the number of columns allowed
 * @param keys the keys of items; the message shows a few
 * @param remedy how to allow more, if there is a way
 */
export function tooManyColumns(table: string, most: number, keys: readonly string[], remedy = RAISE): FatalError {
  const short = (key: string): string =>
    JSON.stringify(key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key);
  const shown = [...new Set([...keys.slice(0, 1), ...keys.slice(1 - KEYS_SHOWN)])].map(short).join(', ');
  const what = `The table ${JSON.stringify(table)} would get more than ${grouped(most)} columns`;
  const message = `${what}: its items have keys such as ${shown}. Nothing was stored, and the pages are kept. ${remedy} ${FOLD}`;
  return new FatalError('TABLE_COLUMNS', message, { table });
}

const RAISE = 'If these are columns, raise config.maxColumns, and go on with --resume.';
const FOLD =
  'If they are data, such as ids or dates, name the object that has them in responseFilter of the job: it is then one column of JSON. ' +
  'Items as they are can be stored with --to ndjson:FOLDER.';

/**
 * Returns a copy of an error. Several jobs may fail for one reason, and facts that are added later, such as the job and
 * the point where the run can resume, belong to one of them alone. Errors that are not Headwater's are returned as they
 * are.
 *
 * @example catchError((error: unknown) => throwError(() => copiedError(error)))
 */
export function copiedError(error: unknown): unknown {
  if (!(error instanceof HeadwaterError)) return error;
  // The copy comes from `new Error` and not from the prototype alone: Node.js prints the stack of no other object.
  const copy = Object.setPrototypeOf(new Error(), Reflect.getPrototypeOf(error)) as HeadwaterError;
  for (const key of Object.getOwnPropertyNames(error)) {
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, key);
    const value: unknown = Reflect.get(error, key);
    Object.defineProperty(copy, key, { value, enumerable, configurable: true, writable: true });
  }
  return copy;
}

/**
 * An error as data, with secrets masked. An error that is not Headwater's, such as one of a middleware, has no code.
 */
export type EventError = ErrorJson | { readonly name: string; readonly message: string; readonly code?: never };

/** Returns an error in the form that events carry. Its secrets are masked together with those of the event. */
export function eventError(error: unknown): EventError {
  if (error instanceof HeadwaterError) return error.toJSON();
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
