import { addFacts } from './errors';
import type { Headers, Response } from '../model';
import type { Secrets } from '../secrets/secrets';
import { sensitivityOf } from '../secrets/names';
import type { RequestFacts } from './errors';

const MASK = '***';

/** What errors tell of a response that cannot be used (see {@link RequestFacts}). */
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

/** What errors tell of a response whose body has not arrived. */
export const headFacts = (
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  secrets: Secrets,
): Pick<RequestFacts, 'status' | 'headers'> => ({ status, headers: maskedHeaders(headers, secrets) });

/** Cookies, and what stands under the name of a secret, are masked whole: they may be tokens that nobody has registered. */
function maskedHeaders(headers: Headers, secrets: Secrets): Headers {
  const entries = Object.entries(headers).map(([name, value]) => {
    const isSecret = name === 'set-cookie' || sensitivityOf(name) !== 'public';
    const shown = (line: string): string => (isSecret ? MASK : secrets.mask(line));
    return [name, typeof value === 'string' ? shown(value) : value.map(shown)] as const;
  });
  return Object.fromEntries(entries);
}

/** What goes wrong while a response is read tells which response it was. */
export function tellingResponse<T>(response: Response, secrets: Secrets, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw addFacts(error, responseFacts(response, secrets));
  }
}

/** What to say of a response that is at fault, and comes again as long as the cache has it; an empty string for any other. */
export const cacheHint = (response: Response): string =>
  response.isCached === true
    ? ' The response comes from the cache, and will until it is too old: run without "cache", or remove its folder, to ask the API again.'
    : '';
