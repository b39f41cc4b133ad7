/**
 * Errors, each with a stable `code` to branch on and a `recovery` that says what can happen next.
 * Everything that is the fault of the configuration, the credentials or the API is a {@link HeadwaterError};
 * any other exception is a defect of the program.
 */
import type { JobRef } from './model';

export type Recovery = 'retry' | 'relogin' | 'skip' | 'fatal';

export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'CONFIG_UNREADABLE'
  | 'EXPRESSION_FAILED'
  | 'API_STATUS'
  | 'API_NOT_JSON'
  | 'API_FORMAT'
  | 'API_SHAPE'
  | 'LOGIN_RESPONSE'
  | 'NEXT_PAGE'
  | 'ORIGIN_REFUSED'
  | 'HOST_REFUSED'
  | 'TOO_MANY_REDIRECTS'
  | 'PAGE_LIMIT'
  /** The run went through, but items are missing, or may be. */
  | 'INCOMPLETE'
  /** There were warnings, and warnings were to be errors. */
  | 'WARNINGS'
  | 'TABLE_NAME'
  /** A table would get more columns than `config.maxColumns`, or than its destination takes. */
  | 'TABLE_COLUMNS'
  | 'NETWORK_RESOLVE'
  | 'NETWORK_CONNECT'
  | 'NETWORK_TIMEOUT'
  | 'NETWORK_TLS'
  | 'NETWORK_EMPTY'
  | 'NETWORK_RESET'
  | 'NETWORK_CERTIFICATE'
  | 'NETWORK_PROTOCOL'
  | 'SSH_TUNNEL'
  /** A package that only one sink needs is not installed. */
  | 'PACKAGE_MISSING'
  /** Somebody else writes to the destination: wait, or name another one. */
  | 'DESTINATION_LOCKED'
  /** The destination cannot be reached or made: correct its address or its permissions. */
  | 'DESTINATION_ADDRESS'
  /** What is in the destination is not as it was written. */
  | 'DESTINATION_DAMAGED'
  /** The destination holds something else: another table, column type, key or state. */
  | 'DESTINATION_INCOMPATIBLE'
  /** A destination took no more: full, gone, or against its rules. */
  | 'SINK_FAILED'
  /** A run cannot go on as it is configured now. */
  | 'RESUME'
  /** A run cannot go on: its pages are not as they were written. */
  | 'JOURNAL_DAMAGED';

/** What an error tells of the request that failed, as far as it is known. */
export interface RequestFacts {
  /** HTTP status of the response. */
  readonly status?: number;
  readonly method?: string;
  /** With secrets masked. After redirects, that of the last one. */
  readonly url?: string;
  /** The job whose request it was; of a login, the job that waited for it. */
  readonly job?: JobRef;
  /** Which attempt failed: 1 for the first, 11 after ten retries. */
  readonly attempt?: number;
  /** Seconds that the API asks to wait before the next attempt. */
  readonly retryAfterSeconds?: number;
}

/** What an error tells of the destination that failed, as far as it is known. */
export interface DestinationFacts {
  /** The name of the sink, without credentials, for example `duckdb:headwater.duckdb`. */
  readonly destination?: string;
  readonly table?: string;
}

type Facts = RequestFacts & DestinationFacts;

/** What an error may be made with beside its message. */
export type ErrorDetails = { readonly [F in keyof Facts]?: Facts[F] | undefined } & {
  readonly cause?: unknown;
};

/** The base of every error that a person can act on. What is known of the request that failed is in its fields. */
export class HeadwaterError extends Error implements RequestFacts, DestinationFacts {
  override readonly name: string = 'HeadwaterError';
  declare readonly status?: number;
  declare readonly method?: string;
  declare readonly url?: string;
  declare readonly job?: JobRef;
  declare readonly attempt?: number;
  declare readonly retryAfterSeconds?: number;
  declare readonly destination?: string;
  declare readonly table?: string;

  constructor(
    readonly code: ErrorCode,
    readonly recovery: Recovery,
    message: string,
    { cause, ...facts }: ErrorDetails = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    addFacts(this, facts);
  }
}

/** Tells an error what it does not know yet of the request or the destination that failed; returns the same error. */
export function addFacts<E>(error: E, facts: Omit<ErrorDetails, 'cause'>): E {
  if (!(error instanceof HeadwaterError)) return error;
  for (const [name, fact] of Object.entries(facts))
    if (fact !== undefined && Reflect.get(error, name) === undefined) Reflect.set(error, name, fact);
  return error;
}

/** The run stops: a person has to change the configuration, the credentials or the API first. */
export class FatalError extends HeadwaterError {
  override readonly name = 'FatalError';
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
  /** Milliseconds since the epoch: after that there is no other attempt, for the host was never reached. */
  declare retryUntil?: number;

  constructor(
    code: ErrorCode,
    readonly curlCode: number | undefined,
    message: string,
    details?: ErrorDetails,
  ) {
    super(code, 'retry', message, details);
  }
}

/** What a program may want to tell apart among faults. */
export type FaultCode = 'MISTAKEN_KEY';

/** One thing that is wrong in a configuration, or a setting that has no effect there. */
export interface Fault {
  /** Path in the configuration, for example `api.pagination.method` or `config.jobs[0].endpoint`. */
  readonly path: string;
  readonly message: string;
  /** The key means nothing where it stands, and looks like one that does; a lenient reading goes on with a warning. */
  readonly code?: FaultCode;
}

/** The configuration was refused; `faults` holds everything that is wrong with it, in reading order. */
export class ConfigurationError extends HeadwaterError {
  override readonly name = 'ConfigurationError';
  constructor(readonly faults: readonly Fault[]) {
    const lines = ['The configuration cannot be used.', ...faults.map(faultLine)];
    const advice = faults.some(({ code }) => code === 'MISTAKEN_KEY') ? `\n${LENIENT}` : '';
    super('CONFIG_INVALID', 'fatal', lines.join('\n  ') + advice);
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
  constructor(readonly doubts: readonly JobDoubt[]) {
    super('INCOMPLETE', 'fatal', ['The run is incomplete.', ...doubts.map(faultLine)].join('\n  '));
  }
}
const LENIENT = 'Keys without effect are only warnings with --lenient (in the library: lenient: true).';

/** A fault or a warning as one line: `path: message`. */
export const faultLine = ({ path, message }: Pick<Fault, 'path' | 'message'>): string =>
  path === '' ? message : `${path}: ${message}`;

const KEYS_SHOWN = 3;
const LONGEST_KEY = 40;

/**
 * The error for a table with too many columns, as objects make whose keys are data.
 *
 * @param most columns that are allowed
 * @param keys of items; a few are shown
 * @param remedy how to have more, if there is a way
 */
export function tooManyColumns(table: string, most: number, keys: readonly string[], remedy = RAISE): FatalError {
  const short = (key: string): string =>
    JSON.stringify(key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key);
  const shown = [...new Set([...keys.slice(0, 1), ...keys.slice(1 - KEYS_SHOWN)])].map(short).join(', ');
  const what = `The table ${JSON.stringify(table)} would get more than ${most.toLocaleString('en')} columns`;
  const message = `${what}: its items have keys such as ${shown}. Nothing was stored, and the pages are kept. ${remedy} ${FOLD}`;
  return new FatalError('TABLE_COLUMNS', message, { table });
}

const RAISE = 'If these are columns, raise config.maxColumns, and go on with --resume.';
const FOLD =
  'If they are data, such as ids or dates, name the object that has them in responseFilter of the job: it is then one column of JSON. ' +
  'Items as they are can be stored with --to ndjson:FOLDER.';
