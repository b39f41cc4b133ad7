/** The API of the specs while nothing is wrong: 35 items in pages of 10, and a login. */
import type { RawRequest } from './raw-server';

export const PAGE_SIZE = 10;
export const TOTAL = 35;
/** The page that faults in the middle of pagination fall on: two are there before it. */
export const MIDDLE = 2;

export const idsUpTo = (count: number): readonly number[] => Array.from({ length: count }, (_, id) => id);

/** How a job finds its pages; the faults in the middle of pagination are tried with each. */
export const PAGINGS: Readonly<Record<string, object>> = {
  offset: { method: 'offset', limit: PAGE_SIZE },
  'response.url': { method: 'response.url', urlKey: 'next' },
  'offset, three at once': { method: 'offset', limit: PAGE_SIZE, parallel: 3 },
};

/** The page that a request asks for, from 0; `undefined` for a login. */
export function pageAsked({ target }: RawRequest): number | undefined {
  const url = new URL(target, 'http://localhost');
  if (url.pathname === '/login') return undefined;
  return Number(url.searchParams.get('offset') ?? 0) / PAGE_SIZE;
}

/** The items of a page, and the rest of its body. */
export function bodyOfPage(page: number): string {
  const items = idsUpTo(TOTAL)
    .slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)
    .map((id) => ({ id, name: `item ${id}` }));
  const next = (page + 1) * PAGE_SIZE < TOTAL ? `/items?offset=${(page + 1) * PAGE_SIZE}` : null;
  return JSON.stringify({ items, next });
}

export const LOGIN_BODY = JSON.stringify({ token: 'the-token-of-the-login' });

export const AUTHENTICATION = {
  type: 'login',
  loginRequest: { endpoint: 'login', method: 'POST', params: { user: 'reader' } },
  apiRequest: { headers: { 'x-token': { response: 'token' } } },
};

export const MAX_RETRIES = 3;

/** A configuration for this API, without a time-out, since the clock is fast; `api` is added to what stands there. */
export const configurationOf = (baseUrl: string, paging: object, api: object = {}): object => ({
  api: {
    baseUrl,
    pagination: paging,
    retryConfig: { maxRetries: MAX_RETRIES, firstConnection: 0 },
    http: { requestTimeout: 0 },
    ...api,
  },
  config: { jobs: [{ endpoint: 'items', dataField: 'items' }] },
});
