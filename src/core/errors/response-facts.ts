import { addFacts } from './errors';
import type { Headers, Response } from '../model';
import type { Secrets } from '../secrets/secrets';
import { sensitivityOf } from '../secrets/names';
import type { RequestFacts } from './errors';

const MASK = '***';

/** Returns the facts that errors carry about a response that cannot be used (see {@link RequestFacts}). */
export function responseFacts(response: Response, secrets: Secrets): RequestFacts {
  const { request, attempts = 1, retryAfterSeconds } = response;
  return {
    ...headFacts(response, secrets),
    method: request.method,
    url: secrets.mask(request.url),
    attempt: attempts,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}

/** Returns the facts that errors carry about a response whose body has not arrived. */
export const headFacts = (
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  secrets: Secrets,
): Pick<RequestFacts, 'status' | 'headers'> => ({ status, headers: maskedHeaders(headers, secrets) });

/**
 * Masks headers. Cookies and values under the name of a secret are masked entirely: they may be tokens that are not
 * registered.
 */
function maskedHeaders(headers: Headers, secrets: Secrets): Headers {
  const entries = Object.entries(headers).map(([name, value]) => {
    const isSecret = name === 'set-cookie' || sensitivityOf(name) !== 'public';
    const shown = (line: string): string => (isSecret ? MASK : secrets.mask(line));
    return [name, typeof value === 'string' ? shown(value) : value.map(shown)] as const;
  });
  return Object.fromEntries(entries);
}

/** Adds the facts of the response to an error that its reading throws. */
export function withResponseFacts<T>(response: Response, secrets: Secrets, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw addFacts(error, responseFacts(response, secrets));
  }
}

/**
 * Returns a hint for errors about a cached response, which the cache returns again until it expires; an empty string
 * for any other response.
 */
export const cacheHint = (response: Response): string =>
  response.isCached === true
    ? ' The response comes from the cache, and will until it is too old: run without "cache", or remove its folder, to ask the API again.'
    : '';

/**
 * Returns whether a status says that a request failed, by the client (4xx) or by the server (5xx).
 *
 * @example isFailure(404) // true
 */
export const isFailure = (status: number): boolean => status >= 400;
