/**
 * Errors, each with a stable `code` to branch on and a `recovery` that says what can happen next.
 * Everything that is the fault of the configuration, the credentials or the API is a {@link HeadwaterError};
 * any other exception is a defect of the program.
 */
import { brand, isInstance } from './brand';
import type { ErrorCode } from './codes';
import { factsOf, faultLine } from './facts';
import type { ErrorDetails, Fault, RequestFacts } from './facts';
import type { Headers, JobRef, Progress } from '../model';

export type { ErrorCode } from './codes';
export { factsOf, faultLine } from './facts';
export type { ErrorDetails, Fault, FaultCode, RequestFacts } from './facts';

export type Recovery = 'retry' | 'fatal';

/** An error as plain data. */
export interface ErrorJson extends RequestFacts {
  readonly name: string;
  readonly code: ErrorCode;
  readonly recovery: Recovery;
  readonly message: string;
  /** A {@link ConfigurationError} has this member. */
  readonly faults?: readonly Fault[];
  /** An {@link IncompleteError} has this member; a JobsFailedError where other jobs are incomplete. */
  readonly doubts?: readonly JobDoubt[];
  /** A JobsFailedError has this member. */
  readonly failures?: readonly { readonly job: JobRef; readonly error: ErrorJson }[];
  /** An InvalidItemError has this member and the next two: the number of the page, from 0. */
  readonly page?: number;
  /** The place of the item in its page, from 0. */
  readonly position?: number;
  readonly reasons?: readonly string[];
  /** A {@link RetryableError} of the network has this member. */
  readonly curlCode?: number;
}

/** Where a run can go on: since when it has run (Unix seconds), and where its calls stand. */
export interface ResumePoint {
  readonly startedAt: number;
  readonly progress: Progress;
}

const resumePoints = new WeakMap<object, ResumePoint>();

/** Tells an error where its run can go on; see {@link HeadwaterError.resume}. */
export const setResumePoint = (error: HeadwaterError, point: ResumePoint): unknown => resumePoints.set(error, point);

/**
 * The base of every error that a person can act on. What is known of what failed is in its fields. `instanceof` also knows the
 * errors of another copy of this package.
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
   * Of a run that failed: where it can go on, for the option `resume` of `extract`, behind all pages that its stream has given. It is no
   * property of the error itself, since checkpoints may hold items and addresses with secrets: whatever prints an error leaves it out.
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

  /** The error as data, for logs and other processes: neither its stack nor its cause, which may quote what others wrote. */
  toJSON(): ErrorJson {
    const { name, code, recovery, message } = this;
    return { name, code, recovery, message, ...factsOf(this) };
  }
}

/**
 * The error of a reference or function without a value.
 *
 * @param fault where it stands, and what is wrong with it
 */
export const expressionFailed = (fault: Fault, cause?: unknown): FatalError =>
  new FatalError('EXPRESSION_FAILED', faultLine(fault), { fault, cause });

/** Tells an error what it does not know yet of what failed; returns the same error. */
export function addFacts<E>(error: E, facts: Omit<ErrorDetails, 'cause'>): E {
  if (!(error instanceof HeadwaterError)) return error;
  for (const [name, fact] of Object.entries(facts))
    if (fact !== undefined && Reflect.get(error, name) === undefined) Reflect.set(error, name, fact);
  return error;
}

/** The run stops: a person has to change the configuration, the credentials or the API first. */
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
 * The same request may succeed later: the network failed, or the API answered with status 429 or 5xx. `curlCode` is the
 * number that `retryConfig.curl.codes` names; a status has none.
 */
export class RetryableError extends HeadwaterError {
  override readonly name = 'RetryableError';
  /** The last moment for another attempt, in milliseconds since the epoch, where the host was never reached. */
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

/** The configuration was refused; `faults` holds everything that is wrong with it, in reading order. */
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

/** What makes a run incomplete, by job. */
export interface JobDoubt {
  readonly code: string;
  readonly message: string;
  /** Path in the configuration, for example `config.jobs[0]`. */
  readonly path: string;
  /** The id of the job. */
  readonly job: string;
}

/**
 * The run went through, but items are missing, or may be (docs/completeness.md): `doubts` says of which jobs, and why. The
 * stream has given all items that there were; nothing has been committed.
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
