/**
 * Errors, each with a stable `code` to branch on and a `recovery` that says what can happen next.
 * Everything that is the fault of the configuration, the credentials or the API is a {@link HeadwaterError};
 * any other exception is a defect of the program.
 */

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
  /** A destination cannot be used, or what is in it. */
  | 'DESTINATION'
  /** A destination took no more: full, gone, or against its rules. */
  | 'SINK_FAILED'
  /** A run cannot go on as it is configured now. */
  | 'RESUME'
  /** A run cannot go on: its pages are not as they were written. */
  | 'JOURNAL_DAMAGED';

/** The base of every error that a person can act on. */
export class HeadwaterError extends Error {
  override readonly name: string = 'HeadwaterError';
  constructor(
    readonly code: ErrorCode,
    readonly recovery: Recovery,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The run stops: a person has to change the configuration, the credentials or the API first. */
export class FatalError extends HeadwaterError {
  override readonly name = 'FatalError';
  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(code, 'fatal', message, options);
  }
}

/** The network failed; the same request may succeed later. `curlCode` is the number that `retryConfig.curl.codes` names. */
export class RetryableError extends HeadwaterError {
  override readonly name = 'RetryableError';
  constructor(
    code: ErrorCode,
    readonly curlCode: number | undefined,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(code, 'retry', message, options);
  }
}

/** One thing that is wrong in a configuration, or a setting that has no effect there. */
export interface Fault {
  /** Path in the configuration, for example `api.pagination.method` or `config.jobs[0].endpoint`. */
  readonly path: string;
  readonly message: string;
}

/** The configuration was refused; `faults` holds everything that is wrong with it, in reading order. */
export class ConfigurationError extends HeadwaterError {
  override readonly name = 'ConfigurationError';
  constructor(readonly faults: readonly Fault[]) {
    super('CONFIG_INVALID', 'fatal', ['The configuration cannot be used.', ...faults.map(faultLine)].join('\n  '));
  }
}

/** A fault or a warning as one line: `path: message`. */
export const faultLine = ({ path, message }: Fault): string => (path === '' ? message : `${path}: ${message}`);

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
  return new FatalError('TABLE_COLUMNS', message);
}

const RAISE = 'If these are columns, raise config.maxColumns, and go on with --resume.';
const FOLD =
  'If they are data, such as ids or dates, name the object that has them in responseFilter of the job: it is then one column of JSON. ' +
  'Items as they are can be stored with --to ndjson:FOLDER.';
