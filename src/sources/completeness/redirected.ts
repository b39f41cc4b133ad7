import type { Doubt } from '../../core/evidence';
import { isList, isObject, keysOf } from '../../core/json/objects';
import { isSentence } from '../../core/json/scalars';
import type { Reply } from '../../core/model';
import { isTopLevel } from '../call';
import type { JobRun } from '../job-run';
import { toldBy } from './error-signs';
import type { PageOutcome } from './known';

const ACCEPTED = 202;

/**
 * Returns the doubts about a response with a status of success that is not the requested one: the result is not ready yet, a redirect led
 * to a place without items, or a redirect changed the request.
 */
export function ledElsewhere(running: JobRun, taken: PageOutcome): readonly Doubt[] {
  return [
    notReady(running, taken),
    elsewhere(running, taken),
    otherPage(running, taken),
    otherMethod(running, taken),
    otherLine(running, taken),
  ].filter((doubt) => doubt !== undefined);
}

/** Returns the doubt about a response that is not ready. Jobs that submit something poll until the result is there. */
function notReady({ plan, call }: JobRun, { reply, found }: PageOutcome): Doubt | undefined {
  const { status, request } = reply.response;
  if (status !== ACCEPTED || found.count > 0 || plan.asynchronous !== undefined) return undefined;
  const message =
    `A response of ${plan.endpoint} has no items, and its status 202 says that they are not there yet. Ask until they are, with ` +
    `"asynchronous" in the job; where the API says with Retry-After when to ask again, api.retryConfig says how often.`;
  // Another method than GET may have started something without a result.
  const isSure = isTopLevel(call) && request.method === 'GET';
  return { code: 'NOT_READY', level: isSure ? 'error' : 'warning', message };
}

/**
 * Returns the doubt about a redirect to a place without items. An API may have moved its list, even an empty one; a page behind others
 * comes from where they do.
 */
function elsewhere({ plan, call }: JobRun, { reply, found, pages, before }: PageOutcome): Doubt | undefined {
  if (found.count > 0) return undefined;
  const isFirst = pages === 0;
  const isLost = isFirst && losesCall(reply.response.request, call);
  if (!isLost && !isElsewhere(reply)) return undefined;
  if (isFirst ? !isLost && found.place.kind !== 'missing' : before === undefined || isElsewhere(before.reply))
    return undefined;
  const which = isFirst ? 'A response' : `Page ${pages + 1}`;
  const where = isLost ? 'what was not asked for' : 'another path';
  const message =
    `${which} of ${plan.endpoint} has no items, and does not come from where it was asked: a redirect led to ${where}. A session that ` +
    `is over often looks so: see loginPage and refusedStatusCodes of api.authentication, and "renew" in api.http.rules.`;
  return { code: 'REDIRECTED', level: 'warning', message };
}

/** Returns the doubt about a later page that a redirect took from another position of the same path. */
function otherPage({ plan }: JobRun, { reply, found, pages, before }: PageOutcome): Doubt | undefined {
  const { request } = reply.response;
  if (before === undefined || !losesPosition(request, before.reply.response.request)) return undefined;
  const message =
    `Page ${pages + 1} of ${plan.endpoint} is not the one that was asked for: a redirect led to the same path without the position, and what ` +
    `the page should have is missing. If pages end so, let the pagination end before, by a page size or a total.`;
  const isSure = found.count > 0 && !addsParams(request);
  return { code: 'REDIRECTED', level: isSure ? 'error' : 'warning', message };
}

function isElsewhere({ response: { request } }: Reply): boolean {
  const { redirectedFrom, url } = request;
  return redirectedFrom !== undefined && pathOf(redirectedFrom.url) !== pathOf(url);
}

function otherMethod({ plan }: JobRun, { reply }: PageOutcome): Doubt | undefined {
  const { method, redirectedFrom } = reply.response.request;
  if (redirectedFrom === undefined || redirectedFrom.method === method) return undefined;
  const message =
    `A ${redirectedFrom.method} of ${plan.endpoint} was redirected, and became a ${method} without its body, as browsers have it: what the body ` +
    `asked for may not be what came. If the address has moved, write the new one.`;
  return { code: 'METHOD_CHANGED', level: 'warning', message };
}

/** Returns the doubt about a line of text in place of rows: it is not the header of the pages before, or it is a sentence. */
function otherLine({ plan, call }: JobRun, { reply, before }: PageOutcome): Doubt | undefined {
  const { heading } = reply.response;
  if (heading === undefined) return undefined;
  const told = toldBy(heading);
  const columns = columnsOf(before?.reply);
  const isOther = columns === undefined ? isSentence(heading) : !columns.every((name) => heading.includes(name));
  if (!isOther || (told === 'nothing' && columns === undefined)) return undefined;
  const message =
    `A response of ${plan.endpoint} is a line of text without rows, and ` +
    `${columns === undefined ? 'reads like a message' : 'not the names of the columns that rows before have'}, although its status is ` +
    `${reply.response.status}: items may be missing.`;
  const isSure = columns !== undefined && told === 'error' && isTopLevel(call);
  return { code: 'ERROR_IN_BODY', level: isSure ? 'error' : 'warning', message };
}

/** Returns the names of the columns of a response with rows. */
function columnsOf(reply: Reply | undefined): readonly string[] | undefined {
  const [row] = isList(reply?.data) ? reply.data : [];
  return isObject(row) ? keysOf(row).filter((name) => !/^\d+$/.test(name)) : undefined;
}

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

/** Returns whether a redirect leads to parameters that the request did not have: these may say the same in another way. */
function addsParams({ url, redirectedFrom }: Redirected): boolean {
  const asked = redirectedFrom === undefined ? undefined : new URL(redirectedFrom.url).searchParams;
  return asked !== undefined && [...new URL(url).searchParams.keys()].some((name) => !asked.has(name));
}

/** Returns whether a redirect dropped what distinguishes a call from the calls for other parent items, windows or partitions. */
function losesCall(request: Redirected, { bindings, slice }: JobRun['call']): boolean {
  if (request.redirectedFrom === undefined) return false;
  const asked = wordsIn(request.redirectedFrom.url);
  const texts = [...bindings.values()]
    .map(({ text }) => text)
    .filter((text) => wordsOf(text).every((word) => asked.has(word)));
  if (texts.some((text) => areLost([text], request))) return true;
  return slice !== undefined && areLost([...new URL(request.redirectedFrom.url).searchParams.values()], request);
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
