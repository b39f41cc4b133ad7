/**
 * Finds the right paging among those that a response suggests: each is tried until one works. Which parameter an API pages by is narrowed
 * down before: many are sent in one request, since an API ignores those that it does not know, so that the items of the first page say that it
 * knows none of them.
 */
import { merge, objectFrom } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Json, JsonObject } from '../../core/model';
import type { Parts } from '../detect/configuration';
import type { Confidence, Detected } from '../detect/model';
import { comparePages, itemsIn } from '../detect/paging/sign';
import type { Comparison, PagingSign, Seen, Probe } from '../detect/paging/sign';
import { totalOf } from '../detect/paging/counts';
import type { Total } from '../detect/paging/counts';
import {
  claimOf,
  guesses,
  isGiven,
  isGraphql,
  isSized,
  laterStart,
  pagingSigns,
  textFlag,
} from '../detect/paging/signs';
import type { MoreClaim } from '../detect/paging/signs';
import { MOST_PAGES, endOf, endText } from './end';
import type { Ended } from './end';
import { RequestLimitReached } from './requests';
import type { Asker } from './requests';

/** The paging of an API: `api.pagination`, or nothing. */
export interface FoundPaging extends Detected<JsonObject | undefined> {
  /** The claim of the response about more items. */
  readonly claim: MoreClaim | undefined;
  /** The items of the pages that were seen. */
  readonly items: readonly Json[];
  /** True if the number in the response that looks like a total counts something else. */
  readonly hasNoTotal?: boolean;
}

/** The result of trying a paging: `works`; `one-page`: nothing contradicts it, and there is no second page; or it is wrong. */
type Verdict =
  | (Ended & { readonly kind: 'works'; readonly items: readonly Json[] })
  | { readonly kind: 'one-page'; readonly items: readonly Json[] }
  | { readonly kind: 'wrong' };

/** The input of the search. */
export interface PagingSearch {
  readonly seen: Seen;
  readonly asker: Asker;
  readonly parts: Omit<Parts, 'subject' | 'pagination'>;
  /** The field that identifies items. */
  readonly key: string | undefined;
  /** Which parameters may be tried that the response does not suggest: all, those that the request has or whose page size it has, or none. */
  readonly guessed: 'all' | 'given' | 'none';
}

/** Finds the paging by requests. */
export async function findPaging(search: PagingSearch): Promise<FoundPaging> {
  const { seen, key } = search;
  const { items } = seen.data;
  const total = totalOf(seen);
  const signs = pagingSigns(seen, key);
  const going = signs.filter(({ more }) => more !== false);
  const claim = claimOf(seen) ?? signs.find((sign): sign is PagingSign & MoreClaim => sign.more === true);
  const mayGuess = search.guessed !== 'none' && seen.data.kind !== 'object' && seen.data.items.length > 0;
  const rest = mayGuess ? guessed(search, claim) : [];
  const waiting = signs.find(({ more }) => more === false);
  let onePage: PagingSign | undefined;
  let isRefused = false;
  let enough = '';
  try {
    if (waiting !== undefined && going.length === 0) isRefused = await refuses(waiting, search);
    for await (const sign of worthTrying(going, rest, search)) {
      const verdict = await tried(sign, search);
      if (verdict.kind === 'works') {
        const { pagination, items: all, end, isTotal } = verdict;
        return {
          ...found(
            isTotal === true ? counted(pagination, total, all) : pagination,
            end?.isSure === false ? 'unsure' : 'sure',
            `${sign.reason} Two pages were requested: they have different items.${endText(end)}`,
            all,
          ),
          ...(isTotal !== false || total === undefined || total.value <= all.length ? {} : { hasNoTotal: true }),
        };
      }
      if (verdict.kind === 'one-page') onePage ??= sign;
    }
    if (onePage === undefined && waiting !== undefined && going.length > 0) isRefused = await refuses(waiting, search);
  } catch (error) {
    if (!(error instanceof RequestLimitReached)) throw error;
    enough =
      ' No more was tried, since the API asks for fewer requests, or the limit of requests is reached: --max-requests 60 tries more.';
  }
  const chosen = onePage ?? (isRefused ? undefined : waiting);
  if (claim?.more === true && items.length > 0)
    return found(
      undefined,
      'unsure',
      `${claim.reason} How to get the rest was not found: look it up in the manual of the API, and write it into api, such as ${toTry(search)}.${enough}`,
    );
  if (chosen !== undefined)
    return found(
      counted(chosen.pagination, total, items),
      sureOf(chosen),
      `${chosen.reason} There is one page now, so that paging was not seen at work.`,
    );
  if (claim?.more === false) return found(undefined, 'likely', `${claim.reason} No paging was found.`);
  if (seen.data.kind === 'object') return found(undefined, 'likely', 'There is one object, so there are no pages.');
  return found(
    undefined,
    'unsure',
    `Nothing in the response says whether there is more than these ${items.length} items${hintOf(items.length)}. If there is, write into api how to get it, such as ${toTry(search)}.${enough}`,
  );

  function found(value: JsonObject | undefined, confidence: Confidence, reason: string, all = items): FoundPaging {
    const doubt = laterStart(seen) ?? textFlag(seen, value);
    const found = { value, confidence, reason, claim, items: all };
    return doubt === undefined ? found : { ...found, confidence: 'unsure', reason: `${reason} ${doubt}` };
  }
}

const toTry = ({ seen }: PagingSearch): string =>
  isGraphql(seen)
    ? '`"pagination": {"method": "connection"}`, with a variable for the cursor in the query: `query ($after: String)`, and `after: $after` where it lists'
    : '`"pagination": {"method": "pagenum", "pageParam": "NAME"}`';

/** The number of guesses after which a total equal to the first page is taken as the number of its items. */
const FEW = 4;

function guessed({ seen, key, guessed: which }: PagingSearch, claim: MoreClaim | undefined): readonly PagingSign[] {
  const all = guesses(seen, key);
  const some = which === 'given' ? all.filter((sign) => isGiven(sign, seen) || isSized(sign, seen)) : all;
  if (claim?.more !== false) return some;
  return claim.isWeak === true ? some.slice(0, FEW) : [];
}

/** Emits the signs that are worth a trial: those of the response with their likely names, then guesses. */
async function* worthTrying(
  suggested: readonly PagingSign[],
  guesses: readonly PagingSign[],
  search: PagingSearch,
): AsyncGenerator<PagingSign, void> {
  const families: PagingSign[][] = [];
  for (const sign of suggested) {
    const last = families.at(-1);
    if (last?.[0] !== undefined && kindOf(last[0]) === kindOf(sign)) last.push(sign);
    else families.push([sign]);
  }
  for (const family of families) yield* candidates(family, true, search);
  yield* candidates(guesses, guesses[0] !== undefined && isGiven(guesses[0], search.seen), search);
}

const kindOf = ({ pagination, probe }: PagingSign): string =>
  stringifyJson([
    pagination['method'] ?? null,
    pagination['responseParam'] ?? pagination['responseHeader'] ?? null,
    probe === undefined,
  ]);

/** Returns a hint if a number looks like a page size. */
const hintOf = (count: number): string =>
  count >= 5 && (count % 10 === 0 || count % 25 === 0) ? ', and that number looks like the size of a page' : '';

/** Returns the confidence: without any token in a response, the name of its parameter is a guess. */
const sureOf = ({ pagination, more }: PagingSign): 'likely' | 'unsure' =>
  more === false && pagination['method'] === 'response.param' && !Object.hasOwn(pagination, 'responseHeader')
    ? 'unsure'
    : 'likely';

/**
 * Returns the paging with the total, so that the run continues until all items have come; a total below the items so far counts those of a
 * page.
 */
const counted = (pagination: JsonObject, total: Total | undefined, items: readonly Json[]): JsonObject =>
  total === undefined || total.value < items.length ? pagination : merge(pagination, { total: total.place });

/** Returns whether the API refuses the parameters of a paging whose second page does not exist yet. */
const refuses = async ({ pagination }: PagingSign, { asker, parts }: PagingSearch): Promise<boolean> =>
  'error' in (await asker.run({ ...parts, pagination }, 1));

async function tried(sign: PagingSign, search: PagingSearch): Promise<Verdict> {
  const { seen, asker } = search;
  if (sign.probe !== undefined) {
    const answered = itemsIn(await asker.ask(sign.probe), seen);
    const seems = answered === undefined ? 'same' : comparePages(seen.data.items, answered);
    if (!fits(seems, sign.probe.expects)) return { kind: 'wrong' };
  }
  const verdict = await triedAs(sign, sign.pagination, search);
  if (verdict.kind !== 'wrong' || sign.pagination['shortPage'] === undefined) return verdict;
  // After its items, a page with hidden items begins with one of them again.
  return triedAs(sign, merge(sign.pagination, { shortPage: 'filtered' }), search);
}

async function triedAs(sign: PagingSign, pagination: JsonObject, search: PagingSearch): Promise<Verdict> {
  const { seen, asker, parts } = search;
  const run = (pages: number) => asker.run({ ...parts, pagination }, pages);
  let trial = await run(2);
  // An empty page may name a next one.
  if (sign.more === true && 'pages' in trial && trial.pages[1]?.items.length === 0) trial = await run(MOST_PAGES);
  if ('error' in trial) return { kind: 'wrong' };
  const [first, ...others] = trial.pages;
  const second = others.find(({ items }) => items.length > 0) ?? others[0];
  if (first === undefined) return { kind: 'wrong' };
  const beginning = comparePages(seen.data.items, first.items);
  // Items may have changed since, but a page without any of them is another page.
  const isAnother = beginning === 'other' || beginning === 'shifted' || beginning === 'empty';
  if (isAnother && seen.data.items.length > 0) return { kind: 'wrong' };
  const next = second === undefined ? 'empty' : comparePages(first.items, second.items);
  if (next !== 'other' || second === undefined)
    return next === 'empty' && sign.more !== true ? { kind: 'one-page', items: first.items } : { kind: 'wrong' };
  const end = await endOf(pagination, [first.items, second.items], search);
  return { kind: 'works', items: [...first.items, ...second.items], ...end };
}

/** Returns whether a page fits the expectation. An offset may also lead to a page without items, if all fit on one page. */
const fits = (seems: Comparison, expects: 'other' | 'shifted'): boolean =>
  seems === expects || (seems === 'empty' && expects === 'other');

/** The search for a parameter among many. */
interface Narrowing {
  readonly seen: Seen;
  readonly asker: Asker;
}

/** What a request with many parameters shows: the API knows none, it refuses them, or it knows some of these. */
type Answered =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'known'; readonly among: readonly Group[] };

/**
 * Emits the signs that are worth a trial, the likeliest first.
 *
 * @param isSuggested true if the response suggests the first sign, so that it is tried before any others are
 */
async function* candidates(
  signs: readonly PagingSign[],
  isSuggested: boolean,
  search: Narrowing,
): AsyncGenerator<PagingSign, void> {
  const groups = byParameters(signs);
  if (isSuggested) yield* groups[0] ?? [];
  yield* narrowed(isSuggested ? groups.slice(1) : groups, search);
}

type Group = readonly PagingSign[];

/** Returns the groups that a message names and the others, the fewer first; `undefined` if it names all, one or none of them. */
function byMention(
  groups: readonly Group[],
  message: string,
): readonly [readonly Group[], readonly Group[]] | undefined {
  const words = new Set(message.split(/[^\w$-]+/));
  const isNamed = (group: Group): boolean => Object.keys(group[0]?.probe?.params ?? {}).some((name) => words.has(name));
  const [named, others] = [groups.filter(isNamed), groups.filter((group) => !isNamed(group))];
  if (named.length < 2 || others.length === 0) return undefined;
  return named.length < others.length ? [named, others] : [others, named];
}

/**
 * @param isKnown true if the API is known to take one of the parameters
 * @returns false if the API ignores all of them
 */
async function* narrowed(
  groups: readonly Group[],
  search: Narrowing,
  isKnown = false,
): AsyncGenerator<PagingSign, boolean> {
  const [first] = groups;
  if (first === undefined) return false;
  const answered: Answered = isKnown ? { kind: 'known', among: groups } : await known(groups, search);
  if (answered.kind === 'none') return false;
  if (answered.kind === 'refused') {
    // An API that refuses parameters may name all that it does not know, or all that it knows. Else each is tried by itself.
    const parts = byMention(groups, answered.reason);
    if (parts === undefined) yield* groups.flat();
    else for (const part of parts) yield* narrowed(part, search);
    return true;
  }
  const { among } = answered;
  if (among.length === 1) yield* among.flat();
  else if (among.length < groups.length) yield* narrowed(among, search);
  else {
    const half = Math.ceil((groups.length + 1) / 2);
    const isFirst = yield* narrowed([first], search);
    const isHalf = yield* narrowed(groups.slice(1, half), search, !isFirst && half >= groups.length);
    yield* narrowed(groups.slice(half), search, !isFirst && !isHalf);
  }
  return true;
}

/** Asks with the parameters of all groups. Offsets differ, so that the items say which one counted; beside others, the first one has a value of its own. */
async function known(groups: readonly Group[], { seen, asker }: Narrowing): Promise<Answered> {
  const { items } = seen.data;
  const offsets = groups.filter(([sign]) => sign?.probe?.expects === 'shifted');
  const [most, isMixed] = [Math.max(items.length - 1, 1), offsets.length < groups.length];
  const valueOf = (group: Group): number => {
    const at = Math.max(offsets.indexOf(group), 0);
    return isMixed && most > 1 ? Math.min(at, 1) + 1 + (Math.max(at - 1, 0) % (most - 1)) : 1 + (at % most);
  };
  const params = groups.flatMap((group) => {
    const { params: own = {}, expects } = group[0]?.probe ?? {};
    return Object.entries(own).map(([name, each]) => [name, expects === 'shifted' ? valueOf(group) : each] as const);
  });
  const response = await asker.ask({ params: objectFrom(params), expects: 'other' });
  const answered = itemsIn(response, seen);
  if (answered === undefined || answered.length === 0)
    return { kind: 'refused', reason: Buffer.from(response.body).toString('utf8') };
  if (comparePages(items, answered) === 'same') return { kind: 'none' };
  const by = shiftOf(items, answered);
  const among = offsets.filter((group) => valueOf(group) === by);
  return { kind: 'known', among: among.length > 0 ? among : groups };
}

/** Returns by how many items a list begins later than another one. */
function shiftOf(items: readonly Json[], later: readonly Json[]): number {
  const [first] = later.map(stringifyJson);
  return items.findIndex((item) => stringifyJson(item) === first);
}

/** Returns signs with the same parameters together, in the order of their first ones. */
function byParameters(signs: readonly PagingSign[]): readonly Group[] {
  const groups = new Map<string, PagingSign[]>();
  for (const sign of signs) {
    const key = keyOf(sign.probe);
    groups.set(key, [...(groups.get(key) ?? []), sign]);
  }
  return [...groups.values()];
}

const keyOf = (probe: Probe | undefined): string => Object.keys(probe?.params ?? {}).join('&');
