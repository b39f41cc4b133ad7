import { FatalError, RetryableError } from '../core/errors/errors';
import type { HeadwaterError } from '../core/errors/errors';
import { responseFacts } from '../core/errors/response-facts';
import { decodeUtf8 } from '../core/json/utf8';
import type { Response } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { cut, excerpt } from './body/excerpt';
import { learnFromHeaders } from './body/learn-secrets';
import { requestLine } from './request-line';
import { unusableStatus } from './unusable-status';
import { shownLoginBody, WHOLLY_MASKED } from './body/login-body';
import { isWebPage, nameOfWebPage } from './body/web-page';

const FAILURE = 400;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const TAKE_ANYWAY = 'If it is right as it is, name the status in api.http.ignoreErrors.';
const HINTS: Readonly<Record<number, string>> = {
  401: ' Check the credentials.',
  403: ' Check the credentials, and what they allow.',
  404: ' Check api.baseUrl and the endpoint.',
  429: ' The API limits the rate of requests; allow more in api.retryConfig.maxRetries.',
};

/**
 * The error of a status that is none of success, or one that asks for another attempt
 * (docs/language/responses.md#reading). Except after other statuses of 400 and above than 429 and 5xx, the same request
 * may succeed later: then it is a {@link RetryableError}.
 *
 * @example statusError(response, secrets).message
 * // 'The API request failed: [503] GET https://api.example/items, after 11 attempts: {"error":"busy"}'
 */
export function statusError(response: Response, secrets: Secrets): HeadwaterError {
  const { request, status, attempts = 1, retryAfterSeconds, isWaitTooLong = false } = response;
  const unusable = unusableStatus(response);
  const body = bodyText(response, secrets);
  const detail = unusable === undefined ? body : `${unusable}. ${TAKE_ANYWAY}`;
  const hint = isWaitTooLong ? waitTooLong(retryAfterSeconds) : (HINTS[status] ?? '');
  const tried = attempts === 1 ? '' : `, after ${attempts} attempts`;
  const message = `The API request failed: [${status}] ${requestLine(request, secrets)}${tried}: ${detail}${hint}`;
  const facts = responseFacts(response, secrets);
  const isRetried = status < FAILURE && unusable === undefined;
  return isRetried || status === TOO_MANY_REQUESTS || status >= SERVER_ERROR
    ? new RetryableError('API_STATUS', undefined, message, facts)
    : new FatalError('API_STATUS', message, facts);
}

/** How the body of a response begins, on one line and masked. */
function bodyText(response: Response, secrets: Secrets): string {
  // The headers of a cached response have not passed the transport.
  learnFromHeaders(response.headers, secrets);
  const text = shownText(decodeUtf8(response.body), response, secrets);
  return isWebPage(response) ? `${nameOfWebPage(text, secrets)}.` : excerpt(text, secrets);
}

/**
 * What a response that failed says, in at most 200 characters; empty: nothing.
 *
 * @example shortBodyText(response, secrets) // '{"error":"busy"}'
 */
export const shortBodyText = (response: Response, secrets: Secrets): string =>
  response.body.length === 0 || response.status < FAILURE ? '' : cut(bodyText(response, secrets), SHORT);

const SHORT = 200;

/** A login may give a credential beside a status of failure; what is no list of fields says what is wrong. */
function shownText(text: string, { request }: Response, secrets: Secrets): string {
  if (request.purpose.kind !== 'login') return text;
  const shown = shownLoginBody(text, (part) => secrets.mask(part));
  return shown === WHOLLY_MASKED ? text : shown;
}

const waitTooLong = (seconds = 0): string =>
  ` The API asks to wait ${seconds} seconds, longer than api.retryConfig.maxDelay: raise that, or run again later.`;
