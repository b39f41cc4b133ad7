/**
 * Narrows down which parameter an API pages by. Many are sent in one request: an API ignores those that it does not know, so that the items of
 * the first page say that it knows none of them.
 */
import { objectFrom } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { comparePages, itemsIn } from '../detect/paging/sign';
import type { PagingSign, Probe, Seen } from '../detect/paging/sign';
import type { Asker } from './requests';

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
export async function* candidates(
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
