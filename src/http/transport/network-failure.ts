import { inspect } from 'node:util';
import { addFacts, FatalError, HeadwaterError, RetryableError } from '../../core/errors/errors';
import type { ErrorCode } from '../../core/errors/errors';
import type { Request } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import type { ExchangePhase } from './exchange';
import { ProxyUnreachable } from './proxies';
import { hostOf, requestFacts, requestLine } from '../masking';

/** A kind of network failure (docs/language/retries.md#what-is-retried). */
interface Failure {
  readonly code: ErrorCode;
  /** The number for `retryConfig.curl.codes`. */
  readonly curl: number;
  /** Returns what failed, and why. */
  readonly what: (host: string) => string;
  readonly why: string;
  /** True if the same request cannot succeed later, whatever `retryConfig.curl.codes` has. */
  readonly isFinal?: true;
}

const connecting = (host: string): string => `Cannot connect to ${host}`;
const securing = (host: string): string => `Cannot connect securely to ${host}`;
const connected = (host: string): string => `The connection to ${host} broke`;

const RESOLVE: Failure = {
  code: 'NETWORK_RESOLVE',
  curl: 6,
  what: (host) => `Cannot find the host ${host}`,
  why: 'its name could not be resolved. Check its spelling and the name server.',
};
const CONNECT: Failure = {
  code: 'NETWORK_CONNECT',
  curl: 7,
  what: connecting,
  why: 'the host refused the connection or is unreachable.',
};
const TIMEOUT: Failure = {
  code: 'NETWORK_TIMEOUT',
  curl: 28,
  what: (host) => `No complete answer from ${host}`,
  why: 'it took too long.',
};
const ITEM_TIMEOUT: Failure = {
  ...TIMEOUT,
  what: (host) => `No further item came from ${host}`,
};
const CONNECT_TIMEOUT: Failure = {
  ...TIMEOUT,
  what: connecting,
  why: 'the host did not take the connection in time.',
};
const TLS: Failure = { code: 'NETWORK_TLS', curl: 35, what: securing, why: 'the TLS handshake failed.' };
const NO_TLS: Failure = {
  ...TLS,
  why: 'the server does not use TLS at this port. If it is the right one, write "http://" in place of "https://" in api.baseUrl.',
  isFinal: true,
};
/** What to do where an address with http leads to a server that uses TLS. */
export const WRITE_HTTPS = 'Write "https://" in place of "http://" in api.baseUrl.';
const ONLY_TLS: Failure = {
  ...TLS,
  what: connecting,
  why: `the server uses TLS at this port. ${WRITE_HTTPS}`,
  isFinal: true,
};
const CLIENT_CERTIFICATE: Failure = {
  ...TLS,
  why: 'the server asks for a client certificate. Give it, with its key, in api.#clientCertificate.',
};
const EMPTY: Failure = {
  code: 'NETWORK_EMPTY',
  curl: 52,
  what: connected,
  why: 'the server closed it without an answer.',
};
const RESET: Failure = {
  code: 'NETWORK_RESET',
  curl: 56,
  what: connected,
  why: 'it ended before the answer was complete.',
};
const CERTIFICATE: Failure = {
  code: 'NETWORK_CERTIFICATE',
  curl: 60,
  what: securing,
  why: 'the certificate of the server is not trusted. If it is right, give its issuer in api.caCertificate.',
};

const BY_CODE: Readonly<Record<string, Failure>> = {
  ENOTFOUND: RESOLVE,
  ECONNREFUSED: CONNECT,
  EHOSTUNREACH: CONNECT,
  EHOSTDOWN: CONNECT,
  ENETUNREACH: CONNECT,
  ENETDOWN: CONNECT,
  EADDRNOTAVAIL: CONNECT,
  SSH_CONNECT_FAILED: CONNECT,
  ETIMEDOUT: TIMEOUT,
  UND_ERR_CONNECT_TIMEOUT: CONNECT_TIMEOUT,
  UND_ERR_HEADERS_TIMEOUT: TIMEOUT,
  UND_ERR_BODY_TIMEOUT: TIMEOUT,
  HPE_INVALID_EOF_STATE: RESET,
  HPE_TLS_ALERT: ONLY_TLS,
  EPROTO: TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: CLIENT_CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: CERTIFICATE,
  HOSTNAME_MISMATCH: CERTIFICATE,
  INVALID_CA: CERTIFICATE,
  INVALID_PURPOSE: CERTIFICATE,
  PATH_LENGTH_EXCEEDED: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  ECONNRESET: RESET,
  ECONNABORTED: RESET,
  EPIPE: RESET,
};
const BY_PREFIX: readonly (readonly [RegExp, Failure])[] = [
  [/^EAI_/, RESOLVE],
  [/^ERR_(SSL|TLS)_/, TLS],
  [/^(CERT_|UNABLE_TO_)/, CERTIFICATE],
];

interface CodedError {
  readonly code: string;
  readonly message: string;
}

const hasCode = (error: object): error is CodedError =>
  'code' in error && typeof error.code === 'string' && 'message' in error && typeof error.message === 'string';

/** Returns the error with a code: `fetch` hides it in the cause of an uninformative one. */
function codedError(error: unknown): CodedError | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  return hasCode(error) ? error : 'cause' in error ? codedError(error.cause) : undefined;
}

function failureOf(error: CodedError, stage: ExchangePhase): Failure | undefined {
  if (error instanceof ProxyUnreachable) return { ...CONNECT, why: error.message };
  if (error.code === 'UND_ERR_SOCKET') return stage === 'waiting' ? EMPTY : RESET;
  // Without a response, its headers contradict each other.
  if (error.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return stage === 'waiting' ? undefined : RESET;
  if (error.code === 'ETIMEDOUT' && 'syscall' in error && error.syscall === 'connect') return CONNECT_TIMEOUT;
  // Node.js sets no system call for a reset during the handshake, because it only sees the end of the stream.
  if (error.code === 'ECONNRESET' && 'host' in error && !('syscall' in error)) return TLS;
  return BY_CODE[error.code] ?? BY_PREFIX.find(([pattern]) => pattern.test(error.code))?.[1];
}

/**
 * Returns the error for a network failure (docs/language/retries.md#what-is-retried): a {@link RetryableError} if the
 * failure may be retried, else a {@link FatalError}: with the code `NETWORK_TLS` if only one side uses TLS, with
 * `NETWORK_PROTOCOL` if the failure is none of the table. The original error is the cause,
 * unless it contains a secret. An error that is already explained is returned as it is.
 *
 * @example networkFailure(error, 'waiting', request, secrets).message
 * // 'Cannot connect to api.example:443 (GET https://api.example/items): the host refused the connection or is unreachable. (ECONNREFUSED)'
 */
export function networkFailure(
  error: unknown,
  stage: ExchangePhase,
  request: Request,
  secrets: Secrets,
): HeadwaterError {
  if (error instanceof HeadwaterError) return addFacts(error, requestFacts(request, secrets));
  const coded = codedError(error);
  const failure = coded && failureOf(coded, stage);
  const text = inspect(error);
  const cause = secrets.mask(text) === text ? { cause: error } : {};
  const details = { ...cause, ...requestFacts(request, secrets) };
  if (coded && failure) {
    const message = `${failure.what(hostOf(request, secrets))}${place(request, secrets)}: ${failure.why} (${coded.code})`;
    if (failure.isFinal === true) return new FatalError(failure.code, message, details);
    return new RetryableError(failure.code, failure.curl, message, details);
  }
  const detail = secrets.mask(coded ? `${coded.message} (${coded.code})` : String(error));
  const message = `Network error: ${requestLine(request, secrets)}: the exchange failed: ${detail}`;
  return new FatalError('NETWORK_PROTOCOL', message, details);
}

/** Returns the error for a request that took longer than `api.http.requestTimeout`. */
export const requestTimeout = (milliseconds: number, request: Request, secrets: Secrets): RetryableError =>
  timeout(TIMEOUT, milliseconds, request, secrets);

/** Limits the wait for the next item of a streamed response to the time that a request may take; 0 for no limit. */
export const itemPatience = (milliseconds: number, secrets: Secrets) =>
  milliseconds === 0
    ? {}
    : {
        patience: {
          milliseconds,
          overdue: (request: Request): RetryableError => timeout(ITEM_TIMEOUT, milliseconds, request, secrets),
        },
      };

function timeout(
  { code, curl, what }: Failure,
  milliseconds: number,
  request: Request,
  secrets: Secrets,
): RetryableError {
  const limit = `${milliseconds / 1000} seconds, the limit that api.http.requestTimeout sets`;
  const message = `${what(hostOf(request, secrets))}${place(request, secrets)} within ${limit}.`;
  return new RetryableError(code, curl, message, requestFacts(request, secrets));
}

/** Returns the request for a message about a connection. */
const place = (request: Pick<Request, 'method' | 'url'>, secrets: Secrets): string =>
  ` (${requestLine(request, secrets)})`;

/** Returns the message without the request, for callers that add it themselves. */
export const withoutPlace = (message: string, request: Pick<Request, 'method' | 'url'>, secrets: Secrets): string =>
  message.replace(place(request, secrets), () => '');
