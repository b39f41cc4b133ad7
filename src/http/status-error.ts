import { FatalError, RetryableError } from '../core/errors/errors';
import type { HeadwaterError } from '../core/errors/errors';
import { responseFacts, isFailure } from '../core/errors/response-facts';
import type { Response } from '../core/model';
import type { Secrets } from '../core/secrets/secrets';
import { shownText } from './body/characters';
import { WRITE_HTTPS } from './transport/network-failure';
import { isWebPage, nameOfWebPage } from './body/web-page';
import { WHOLLY_MASKED, cut, excerpt, learnFromHeaders, requestLine, shownLoginBody } from './masking';

const BAD_REQUEST = 400;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const TAKE_ANYWAY = 'If it is right as it is, name the status in api.http.ignoreErrors.';
type Hints = Readonly<Record<number, string>>;
const HINTS: Hints = {
  401: ' Check the credentials.',
  403: ' Check the credentials, and what they allow.',
  404: ' Check api.baseUrl and the endpoint.',
  429: ' The API limits the rate of requests; allow more in api.retryConfig.maxRetries.',
};

/** The hints behind a page: its address and its credentials were right. */
const LATER_HINTS: Hints = {
  401: ' Earlier pages came with these credentials: they may have expired. Run again, or let api.authentication renew them.',
  403: ' Earlier pages came with these credentials: the API may not allow so many requests or pages. Check api.http.rateLimit, and its headers.',
  404: ' Earlier pages came: check api.pagination, which led to this one, and whether the API has it.',
};

/**
 * Returns the error for a status other than success, or for one that calls for another attempt
 * (docs/language/responses.md#reading). It is a {@link RetryableError} if the same request may succeed later: always
 * except after statuses of 400 and above other than 429 and 5xx.
 *
 * @example statusError(response, secrets).message
 * // 'The API request failed: [503] GET https://api.example/items, after 11 attempts: {"error":"busy"}'
 */
export function statusError(response: Response, secrets: Secrets): HeadwaterError {
  const { request, status, attempts = 1, retryAfterSeconds, isWaitTooLong = false } = response;
  const unusable = unusableStatus(response);
  const body = bodyText(response, secrets);
  const detail = unusable === undefined ? body : `${unusable}. ${TAKE_ANYWAY}`;
  const usual = (request.isLater === true ? LATER_HINTS[status] : undefined) ?? HINTS[status] ?? '';
  const hint = isWaitTooLong ? waitTooLong(retryAfterSeconds) : wantsTls(response, body) ? ` ${WRITE_HTTPS}` : usual;
  const tried = attempts === 1 ? '' : `, after ${attempts} attempts`;
  const message = `The API request failed: [${status}] ${requestLine(request, secrets)}${tried}: ${detail}${hint}`;
  const facts = responseFacts(response, secrets);
  const isRetried = !isFailure(status) && unusable === undefined;
  return isRetried || status === TOO_MANY_REQUESTS || status >= SERVER_ERROR
    ? new RetryableError('API_STATUS', undefined, message, facts)
    : new FatalError('API_STATUS', message, facts);
}

/** What nginx, Go, Apache and Tomcat answer to plain HTTP where they use TLS: the status 400 alone says nothing of that. */
const PLAIN_REFUSED = /plain HTTP|HTTP request to an HTTPS|requires TLS/i;

const wantsTls = ({ status, request }: Response, body: string): boolean =>
  status === BAD_REQUEST && request.url.startsWith('http:') && PLAIN_REFUSED.test(body);

/** Returns the beginning of the body of a response, on one line and masked. */
function bodyText(response: Response, secrets: Secrets): string {
  // The headers of a cached response have not passed the transport.
  learnFromHeaders(response.headers, secrets);
  const text = visibleText(shownText(response.body, response), response, secrets);
  return isWebPage(response) ? `${nameOfWebPage(text, secrets)}.` : excerpt(text, secrets);
}

/**
 * Returns the text of a failed response, in at most 200 characters; an empty string if there is none.
 *
 * @example shortBodyText(response, secrets) // '{"error":"busy"}'
 */
export const shortBodyText = (response: Response, secrets: Secrets): string =>
  response.body.length === 0 || !isFailure(response.status) ? '' : cut(bodyText(response, secrets), SHORT);

const SHORT = 200;

/**
 * Returns the text that may be shown. A login may return a credential even with a status of failure; a body that is not
 * a list of fields is an error message.
 */
function visibleText(text: string, { request }: Response, secrets: Secrets): string {
  if (request.purpose.kind !== 'login') return text;
  const shown = shownLoginBody(text, (part) => secrets.mask(part));
  return shown === WHOLLY_MASKED ? text : shown;
}

/** Seconds beyond which nobody means what a retry header says. */
export const YEAR = 366 * 86_400;

/** Seconds beyond which a number is more likely meant in milliseconds: limits of APIs begin again within a day. */
const DAY = 86_400;

const waitTooLong = (seconds = 0): string =>
  ` The API asks to wait ${seconds} seconds, longer than ${seconds > YEAR ? 'anybody means' : 'api.retryConfig.maxDelay: raise that, or run again later'}.` +
  (seconds < DAY
    ? ''
    : ' If its header has milliseconds in place of seconds, report it to the provider of the API; with another name in ' +
      'api.retryConfig.http.retryHeader, the header does not count, and the delays are 1, 2, 4, … seconds.');

const FIRST_REDIRECT = 300;

const WORDS: Readonly<Record<number, string>> = {
  205: 'Reset Content: such an answer never has data',
  206: 'Partial Content: this is a part of the answer, and the rest of it is missing',
  300: 'Multiple Choices: the API leaves the choice of an address to the client. Write the right one in the configuration',
  304:
    'Not Modified: the API sends nothing to a client that says it has the data. ' +
    'Take headers such as If-None-Match and If-Modified-Since out of the configuration',
  305: 'Use Proxy: the API is meant to be called in another way',
  306: 'a status that means nothing any more',
};
const LOST = 'a redirect without an address to go to (the header Location)';

/**
 * Returns why a response with a status below 400 holds no data, although its status is not a failure
 * (docs/language/responses.md#reading): to read it as an empty page would end a job too early. Returns `undefined` for
 * any other response. A response with status 206 is an ordinary page if the API counts in its own units instead of
 * bytes, as PostgREST does.
 *
 * @example unusableStatus({ ...response, status: 304 }) // 'Not Modified: …'
 */
export function unusableStatus({ status, headers }: Pick<Response, 'status' | 'headers'>): string | undefined {
  if (isFailure(status)) return undefined;
  if (status === 206 && isPageOf(String(headers['content-range'] ?? ''))) return undefined;
  return WORDS[status] ?? (status >= FIRST_REDIRECT ? LOST : undefined);
}

/** @param range the value of the header `Content-Range`, for example `0-24/3573` or `items 0-24/*` */
const isPageOf = (range: string): boolean => range.trim() !== '' && !/^\s*bytes\b/i.test(range);
