import type { JobRun } from '../job-run';

/** A request, and what was asked before redirects led to it. */
interface Redirected {
  readonly url: string;
  readonly redirectedFrom?: { readonly url: string };
}

/**
 * This tells whether a redirect has left out what makes the request of a later page another one than that of the page before, although
 * it leads to the same path: a page that was not asked for.
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

/** This tells whether a redirect leads to parameters that the request did not have: these may say the same in another way. */
export function addsParams({ url, redirectedFrom }: Redirected): boolean {
  const asked = redirectedFrom === undefined ? undefined : new URL(redirectedFrom.url).searchParams;
  return asked !== undefined && [...new URL(url).searchParams.keys()].some((name) => !asked.has(name));
}

/** This tells whether a redirect has left out what makes a call another one than those for other parent items, windows or partitions. */
export function losesCall(request: Redirected, { bindings, slice }: JobRun['call']): boolean {
  if (request.redirectedFrom === undefined) return false;
  const asked = wordsIn(request.redirectedFrom.url);
  const texts = [...bindings.values()]
    .map(({ text }) => text)
    .filter((text) => wordsOf(text).every((word) => asked.has(word)));
  if (texts.some((text) => areLost([text], request))) return true;
  return slice !== undefined && areLost([...new URL(request.redirectedFrom.url).searchParams.values()], request);
}

/** The path that an address leads to, with or without a slash at its end. */
export const pathOf = (url: string): string => new URL(url).pathname.replace(/\/+$/, '');

const askedOf = ({ url, redirectedFrom }: Redirected): string => redirectedFrom?.url ?? url;

/** This tells whether there are values, and none of them stands in an address, be it in the path or split as `2024/01/03` is. */
function areLost(values: readonly string[], { url }: Redirected): boolean {
  const there = wordsIn(url);
  const said = values.map(wordsOf).filter((words) => words.length > 0);
  return said.length > 0 && said.every((words) => !words.every((word) => there.has(word)));
}

/** A path as a query reads it: what is no percent-encoding stays. */
const decoded = (path: string): string =>
  new URLSearchParams(`path=${path.replaceAll('&', '%26').replaceAll('+', '%2B')}`).get('path') ?? '';

/** The words of the path and of the values of an address. */
function wordsIn(url: string): ReadonlySet<string> {
  const { pathname, searchParams } = new URL(url);
  return new Set([decoded(pathname), ...searchParams.values()].flatMap(wordsOf));
}

const wordsOf = (text: string): readonly string[] => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
