/** Pages that are something else than what was asked for: by a redirect, or by their columns. */
import { isList, isObject, keysOf } from '../../core/json/objects';
import type { Reply } from '../../core/model';
import type { JobPlan } from '../../plan/plan';

/** A request, and the request that redirects led away from. */
interface Redirected {
  readonly url: string;
  readonly redirectedFrom?: { readonly url: string };
}

/**
 * Returns whether a redirect dropped what distinguishes the request of a later page from that of the page before, although it leads to the
 * same path: the page is not the requested one.
 *
 * @param before the request of the page before
 * @example losesPosition({ url: '…/items', redirectedFrom: { url: '…/items?page=3' } }, { url: '…/items?page=2' }) // true
 */
export function losesPosition(request: Redirected, before: Redirected): boolean {
  if (request.redirectedFrom === undefined || pathOf(askedOf(request)) !== pathOf(request.url)) return false;
  const own = new URL(askedOf(before)).searchParams;
  const changed = [...new URL(askedOf(request)).searchParams].filter(([name, value]) => own.get(name) !== value);
  return areLost(
    changed.map(([, value]) => value),
    request,
  );
}

/** Returns the path that an address leads to, with or without a slash at its end. */
const pathOf = (url: string): string => new URL(url).pathname.replace(/\/+$/, '');

const askedOf = ({ url, redirectedFrom }: Redirected): string => redirectedFrom?.url ?? url;

/** Returns whether there are values of which none is in an address, neither in the path nor split as in `2024/01/03`. */
function areLost(values: readonly string[], { url }: Redirected): boolean {
  const there = wordsIn(url);
  const said = values.map(wordsOf).filter((words) => words.length > 0);
  return said.length > 0 && said.every((words) => !words.every((word) => there.has(word)));
}

/** Returns a decoded path; invalid percent-encoding stays unchanged. */
const decoded = (path: string): string =>
  new URLSearchParams(`path=${path.replaceAll('&', '%26').replaceAll('+', '%2B')}`).get('path') ?? '';

/** Returns the words in the path and the values of an address. */
function wordsIn(url: string): ReadonlySet<string> {
  const { pathname, searchParams } = new URL(url);
  return new Set([decoded(pathname), ...searchParams.values()].flatMap(wordsOf));
}

const wordsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');

/** Returns the names of the columns of a response, if its format has columns and it has rows. */
export function columnsIn({ stream }: Pick<JobPlan, 'stream'>, reply: Reply): readonly string[] | undefined {
  if (reply.hasColumns !== true && stream?.format?.hasColumns !== true) return undefined;
  const [row] = isList(reply.data) ? reply.data : [];
  return isObject(row) ? keysOf(row) : undefined;
}

/** Returns whether rows share no column with the rows before: one is enough, since an API may add columns and leave others out. */
export const areOthers = (columns: readonly string[], before: readonly string[]): boolean =>
  !columns.some((name) => before.includes(name));
