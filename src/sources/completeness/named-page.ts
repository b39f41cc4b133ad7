import type { Doubt } from '../../core/evidence';
import type { Reply } from '../../core/model';
import { nextPageSign } from './next-page-sign';

const FAILURE = 400;

/**
 * Where a page that is not full names another one behind it. Some APIs give an address on every page: the one that the page before
 * gave as well names no other one, and a flag speaks for itself.
 *
 * @param path the keys that lead to the items
 * @param pages the pages of the call before this one, at least one
 * @param previous the response before; absent where a call goes on
 * @returns the place in words; `undefined` where no page is named
 */
export function namedPage(
  reply: Reply,
  path: readonly string[],
  pages: number,
  previous: Reply | undefined,
): string | undefined {
  if (reply.response.status >= FAILURE) return undefined;
  const sign = nextPageSign(reply, path, pages);
  if (sign === undefined || sign.isFlag || sign.isWeak === true) return undefined;
  const before = previous === undefined ? undefined : nextPageSign(previous, path, pages - 1);
  return before?.where === sign.where && before.value === sign.value ? undefined : sign.where;
}

/** What became of a page that was named only, and is none: that may be how the API always ends. */
export const noNamedPage = (endpoint: string, pages: number, where: string, found: string): Doubt => ({
  code: 'NEXT_PAGE_EMPTY',
  level: 'warning',
  message:
    `Page ${pages} of ${endpoint} is not full, and names another one with ${where}, but page ${pages + 1} ${found}. Some APIs name one on each page; ` +
    `else the API failed, or the request does not ask for that page: check the names of the parameters in api.pagination.`,
});
