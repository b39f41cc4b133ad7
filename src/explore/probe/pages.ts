/** Collects the events of the run of a preview, and makes its pages. */
import { HeadwaterError } from '../../core/errors/errors';
import type { EventError } from '../../core/errors/errors';
import type { RunEvent } from '../../core/events';
import { entriesOf, isList, isObject, keysOf, objectFrom, ownValue } from '../../core/json/objects';
import { jsonIn } from '../../core/json/parse';
import { isBlankData } from '../../core/json/scalars';
import type { JobRef, Json, Page, Reply, Request } from '../../core/model';
import type { Secrets } from '../../core/secrets/secrets';
import { mayAskForSize } from '../../language/parts/pagination/place';
import type { JobPlan } from '../../plan/plan';
import { declaredTotal, placeText, saidBy } from '../../sources/completeness/said';
import type { Said, Total } from '../../sources/completeness/said';
import { hasId } from '../../sources/completeness/words';
import { findItems } from '../../sources/items';
import { aroundItems, integerOf } from '../../sources/response-values';
import type { ExchangePreview, FoundPreview, PagePreview, ResponsePreview } from './model';
import { ENOUGH } from './sample';
import type { Decision, Sample } from './sample';

/** What was observed of one job. */
export interface Seen {
  readonly pages: Page[];
  readonly warnings: string[];
  placeholders?: JobRef['placeholders'];
  /** Why its pagination ended. */
  because?: string;
  error?: EventError;
}

/** What was observed of a run. */
export interface Collected {
  readonly onEvent: (event: RunEvent) => void;
  /** Returns what was observed of a job, by its place. */
  readonly of: (path: string) => Seen | undefined;
  readonly warnings: readonly string[];
  readonly startedAt: () => number;
}

/** @example events$.subscribe(collected.onEvent) */
export function createCollected(): Collected {
  const jobs = new Map<string, Seen>();
  const warnings: string[] = [];
  let startedAt = 0;
  const seen = (path: string): Seen => {
    const known = jobs.get(path) ?? { pages: [], warnings: [] };
    jobs.set(path, known);
    return known;
  };
  const onEvent = (event: RunEvent): void => {
    switch (event.type) {
      case 'run.started':
        startedAt = event.startedAt;
        break;
      case 'job.started': {
        const { path, placeholders } = event.job;
        if (placeholders !== undefined) seen(path).placeholders ??= placeholders;
        else seen(path);
        break;
      }
      case 'page.extracted':
        // A page that only records a submission never has items.
        if (event.page.evidence?.place !== 'before') seen(event.page.job.path).pages.push(event.page);
        break;
      case 'pagination.stopped':
        seen(event.job.path).because = event.because;
        break;
      case 'job.failed':
        // A parent job fails with the error of its child.
        if (jobIn(event.error)?.path === event.job.path) seen(event.job.path).error = event.error;
        break;
      case 'warning':
        (event.job === undefined ? warnings : seen(event.job.path).warnings).push(event.message);
        break;
      default:
    }
  };
  return { onEvent: onEvent, of: (path) => jobs.get(path), warnings, startedAt: () => startedAt };
}

const jobIn = (error: EventError): JobRef | undefined => ('job' in error ? error.job : undefined);

/** A request and its response: in original form, to identify it, and in the form that may be shown. */
export interface Sent {
  readonly request: Request;
  readonly shown: ExchangePreview;
}

/** The options for showing pages. */
export interface Around extends Pick<Sample, 'decided'> {
  readonly secrets: Secrets;
  /** The maximum number of items of each page, and of rows of each table. */
  readonly items: number;
}

/** @param sent the requests of the job */
export function pagePreviews(plan: JobPlan, seen: Seen, sent: readonly Sent[], around: Around): readonly PagePreview[] {
  let items = 0;
  const pages = seen.pages.flatMap((page, at): PagePreview[] => {
    const { count } = page.evidence?.shaped === undefined ? page : { count: page.evidence.shaped.arrived };
    items += count;
    const shown = shownOf(page.reply.response.request, sent);
    if (shown?.response === undefined) return [];
    const { reply } = page;
    const keys = foundKeys(plan, reply);
    const isLast = at === seen.pages.length - 1;
    const decision = around.decided(plan.path, reply);
    return [
      {
        ...asReceived(shown, shown.response),
        found: foundOf(plan, keys, reply.data),
        items: firstItems(page, around),
        count,
        next: nextOf(decision, isLast ? seen.because : undefined, around.secrets),
        ...moreOf(plan, { reply, keys, count, items, pages: at + 1 }),
      },
    ];
  });
  const failed = seen.error === undefined ? undefined : sent.at(-1)?.shown;
  const isShown = seen.pages.some(({ reply }) => shownOf(reply.response.request, sent) === failed);
  if (failed?.response === undefined || isShown) return pages;
  return [...pages, unread(plan, failed, failed.response, seen.error?.message ?? '')];
}

const asReceived = (
  { request }: ExchangePreview,
  response: ResponsePreview,
): Pick<PagePreview, 'request' | 'response'> => ({
  request,
  response,
});

/** Returns the page of a response that made the job fail. */
const unread = (plan: JobPlan, failed: ExchangePreview, response: ResponsePreview, because: string): PagePreview => ({
  ...asReceived(failed, response),
  found: { ...foundOf(plan, undefined, dataIn(response)), path: plan.items.path ?? '' },
  ...{ items: [], count: 0, next: { because }, more: 'unknown', moreBecause: 'The response could not be used.' },
});

/** Returns the data of a body; a cut body has none. */
const dataIn = ({ body, isCut }: ResponsePreview): Json | undefined => (isCut ? undefined : jsonIn(body));

/** Returns the shown response of a request, the last one of several attempts. */
const shownOf = ({ trace, url }: Request, sent: readonly Sent[]): ExchangePreview | undefined =>
  sent.findLast(({ request }) =>
    trace === undefined
      ? request.url === url
      : request.trace?.request === trace.request && request.trace.attempt === trace.attempt,
  )?.shown;

const firstItems = ({ items }: Page, { items: most, secrets }: Around): readonly Json[] =>
  items.slice(0, most).map((item) => shownValue(item, secrets));

/** @param stopped why the engine stopped; absent: it did not */
function nextOf(decision: Decision | undefined, stopped: string | undefined, secrets: Secrets): PagePreview['next'] {
  if (stopped !== undefined && stopped !== ENOUGH) return { because: secrets.mask(stopped) };
  if (decision === undefined) return { because: 'The job ends here.' };
  if (decision.next.kind === 'stop') return { because: secrets.mask(decision.next.because) };
  const because = 'The pagination goes on.';
  if (decision.request === undefined) return { because };
  const { method, url, body } = decision.request;
  const sent = { method, url: secrets.mask(url), ...(body === undefined ? {} : { body: secrets.maskValues(body) }) };
  return { request: sent, because };
}

/** The maximum depth at which other possible places of items are looked for. */
const DEEPEST_CANDIDATE = 5;
const MOST_CANDIDATES = 20;
const MOST_KEYS_SEARCHED = 200;

/** The keys that lead to the items; `undefined` if none were found. */
export type FoundKeys = readonly string[] | undefined;

/** Returns where the engine found the items of a page, by the rules of the page loop. */
function foundKeys({ items, endpoint }: Pick<JobPlan, 'items' | 'endpoint'>, reply: Reply): FoundKeys {
  if (reply.raw !== undefined) return reply.raw.path;
  try {
    const { place } = findItems(items, reply.data, endpoint);
    return place.kind === 'list' || place.kind === 'value' ? place.path : undefined;
  } catch (error) {
    // There are several lists to choose from.
    if (error instanceof HeadwaterError) return undefined;
    throw error;
  }
}

/** Returns the same in the words of a configuration. */
function foundOf({ items }: Pick<JobPlan, 'items'>, keys: FoundKeys, data: Json | undefined): FoundPreview {
  const detected = keys === undefined ? '' : pathOf(keys);
  return {
    path: items.path ?? detected,
    how: items.path === undefined ? 'detected' : 'configured',
    candidates: candidatesIn(data),
  };
}

/** Returns the lists of a response, those near its root first. */
function candidatesIn(data: Json | undefined): FoundPreview['candidates'] {
  const found: FoundPreview['candidates'][number][] = [];
  let level: (readonly [readonly string[], Json])[] = data === undefined ? [] : [[[], data]];
  for (let depth = 0; depth <= DEEPEST_CANDIDATE && level.length > 0; depth += 1) {
    const next: (readonly [readonly string[], Json])[] = [];
    for (const [path, value] of level) {
      if (isList(value)) found.push({ path: pathOf(path), count: value.length });
      else if (isObject(value))
        for (const [key, inner] of entriesOf(value).slice(0, MOST_KEYS_SEARCHED)) next.push([[...path, key], inner]);
    }
    level = next;
  }
  return found.slice(0, MOST_CANDIDATES);
}

const pathOf = (keys: readonly string[]): string => (keys.length === 0 ? '.' : keys.join('.'));

/** The page, and its call before it. */
interface Arrived {
  readonly reply: Reply;
  readonly keys: FoundKeys;
  /** The items of this page. */
  readonly count: number;
  /** The items and pages of the call, this page included. */
  readonly items: number;
  readonly pages: number;
}

/** Returns what the response says about more items: flags and totals, then addresses, by the rules by which runs judge completeness. */
function moreOf(
  plan: Pick<JobPlan, 'total' | 'hasNoTotal'>,
  { reply, keys = [], count, items, pages }: Arrived,
): Pick<PagePreview, 'more' | 'moreBecause'> {
  const said = saidBy(reply, keys, count, pages - 1);
  const total = totalOf(plan, reply, said);
  const counts =
    total === undefined
      ? ''
      : `the API counts ${atLeast(total)}${total.value} items (${total.where}), and ${items} have come`;
  if (total !== undefined && items < total.value) return { more: 'yes', moreBecause: `${upper(counts)}.` };
  if (said.flag !== undefined)
    return { more: 'yes', moreBecause: `The API says with ${said.flag.where} that there is another page.` };
  if (total !== undefined && total.value > 0 && total.isAtLeast !== true)
    return { more: 'no', moreBecause: `${upper(counts)}.` };
  if (said.address !== undefined)
    return { more: 'yes', moreBecause: `The API leads to another page with ${said.address.where}.` };
  const last = said.last ?? said.noNext;
  if (last !== undefined)
    return { more: 'no', moreBecause: `The API says with ${last.where} that this is the last page.` };
  if (count === 0)
    return { more: 'unknown', moreBecause: 'The page has no items, and nothing in the response speaks of more.' };
  return { more: 'unknown', moreBecause: 'Nothing in the response says whether there is more.' };
}

const totalOf = (plan: Pick<JobPlan, 'total' | 'hasNoTotal'>, reply: Reply, said: Said): Total | undefined =>
  plan.total !== undefined ? declaredTotal(reply, plan.total) : plan.hasNoTotal === true ? undefined : said.total;

const atLeast = ({ isAtLeast }: Total): string => (isAtLeast === true ? 'at least ' : '');

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const CUT = '…';
const MOST_CHARACTERS = 1_000;
const MOST_ELEMENTS = 20;
const MOST_KEYS = 500;
const DEEPEST = 16;
/** The maximum number of values of a shown item. */
const MOST_VALUES = 2_000;

/**
 * Returns a value of an API in the form that may be shown: without the secrets of the run, with long strings and lists cut, and `…` in
 * place of what is left out.
 *
 * @example shownValue({ note: 'x'.repeat(5000) }, secrets) // { note: 'xxx…' }
 */
export function shownValue(value: Json, secrets: Secrets): Json {
  let left = MOST_VALUES;
  const shown = (inner: Json, depth: number): Json => {
    left -= 1;
    if (left < 0 || depth > DEEPEST) return CUT;
    if (typeof inner === 'string') return cutText(secrets.maskValues(inner), MOST_CHARACTERS);
    if (typeof inner === 'number' || typeof inner === 'bigint') {
      const text = String(inner);
      const masked = secrets.maskValues(text);
      return masked === text ? inner : masked;
    }
    if (isList(inner)) {
      const first = inner.slice(0, MOST_ELEMENTS).map((element) => shown(element, depth + 1));
      return inner.length > MOST_ELEMENTS ? [...first, CUT] : first;
    }
    if (!isObject(inner)) return inner;
    const entries = entriesOf(inner).slice(0, MOST_KEYS);
    return objectFrom(entries.map(([key, each]) => [secrets.maskValues(key), shown(each, depth + 1)] as const));
  };
  return shown(value, 0);
}

/** Returns the beginning of a string, with `…` if more follows; no surrogate pair is split. */
export const cutText = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text
        .slice(0, most)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}${CUT}`;

// What a preview guesses about a page: a person looks at it, while a run is judged by words of the API and the configuration alone.

/** Page sizes of APIs are mostly multiples of these. */
const USUAL_SIZES = [10, 25] as const;

/**
 * Returns what may be wrong with the only page of a job.
 *
 * @param more what the response says of another page
 * @example guessesAbout(plan, page, 'unknown') // ['The page has 100 items, and many APIs have just as many on a page: …']
 */
export const guessesAbout = (plan: JobPlan, page: Page, more: 'yes' | 'no' | 'unknown'): readonly string[] =>
  [maybeFull(page, more), listInItem(page), misspelledPlace(plan, page)].filter((guess) => guess !== undefined);

function maybeFull({ count, reply }: Page, more: string): string | undefined {
  if (more !== 'unknown' || count < 2) return undefined;
  const { searchParams } = new URL(reply.response.request.url);
  const isAsked = [...searchParams].some(([name, value]) => mayAskForSize(name) && integerOf(value) === BigInt(count));
  if (!isAsked && !USUAL_SIZES.some((size) => count % size === 0)) return undefined;
  const why = isAsked ? 'as many as the request asks for' : 'and many APIs have just as many on a page';
  return `The page has ${count} items, ${why}: there may be others. Set api.pagination, or declare a "total", if there are.`;
}

function listInItem({ count, items }: Page): string | undefined {
  const [item] = count === 1 ? items : [];
  if (!isObject(item) || hasId(item)) return undefined;
  const [key, list] =
    entriesOf(item).find(([, value]) => isList(value) && value.length > 1 && value.every(isObject)) ?? [];
  if (key === undefined || !isList(list)) return undefined;
  return `The only item holds a list of ${list.length} objects at ${JSON.stringify(key)}: if these are the items, let dataField lead to them.`;
}

/** Options of pagination methods that name a place in the response. */
const PLACES = ['responseParam', 'urlKey'] as const;

function misspelledPlace({ pagination: { options } }: JobPlan, { reply }: Page): string | undefined {
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const option of PLACES) {
    const path = given[option];
    const near = typeof path === 'string' ? nearMember(aroundItems(reply), path.split('.')) : undefined;
    if (near !== undefined)
      return `Nothing is at ${JSON.stringify(path)}, which api.pagination.${option} names, but there is a value at ${near}. Write the name as the API does.`;
  }
  return undefined;
}

const loose = (name: string): string => name.toLowerCase().replace(/[_\-\s]/g, '');

/** Returns the place of a value behind keys of which one at least is spelled otherwise in the data. */
function nearMember(data: Json | undefined, keys: readonly string[]): string | undefined {
  const there: string[] = [];
  let value = data;
  for (const key of keys) {
    if (!isObject(value)) return undefined;
    const names = keysOf(value);
    const own = names.includes(key) ? key : names.find((name) => loose(name) === loose(key));
    if (own === undefined) return undefined;
    there.push(own);
    value = ownValue(value, own);
  }
  return isBlankData(value) || there.join() === keys.join() ? undefined : placeText(there);
}
