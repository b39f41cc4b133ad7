import type { Response } from '../core/model';

const FIRST_REDIRECT = 300;
const FAILURE = 400;

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
 * Why an answer below 400 holds no data, although it is no failure by its status (docs/language/responses.md#reading):
 * to take it for an empty page would end a job before its end. `undefined` for any other. An answer 206 is a page like
 * others where the API counts in units of its own, not in bytes, as PostgREST does.
 *
 * @example unusableStatus({ ...response, status: 304 }) // 'Not Modified: …'
 */
export function unusableStatus({ status, headers }: Pick<Response, 'status' | 'headers'>): string | undefined {
  if (status >= FAILURE) return undefined;
  if (status === 206 && isPageOf(String(headers['content-range'] ?? ''))) return undefined;
  return WORDS[status] ?? (status >= FIRST_REDIRECT ? LOST : undefined);
}

/** @param range value of the header `Content-Range`, for example `0-24/3573` or `items 0-24/*` */
const isPageOf = (range: string): boolean => range.trim() !== '' && !/^\s*bytes\b/i.test(range);
