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
