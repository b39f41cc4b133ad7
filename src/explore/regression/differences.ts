/** Finds the differences between a run and the accepted one. */
import diffSequences from '@jest/diff-sequences';
import { lostDigitsAt } from '../../core/json/literals';
import type { Holder } from '../../core/json/literals';
import { defined, isList, isObject, keysOf } from '../../core/json/objects';
import { stringifyJson } from '../../core/json/stringify';
import type { Json } from '../../core/model';
import { pathText } from '../detect/data-place';
import type { ReplayedJob, ReplayedRun, ReplayedTable } from './replay-run';

/** One difference to the accepted run. Values are JSON texts, which keeps their digits. */
export interface RunDifference {
  readonly about: 'error' | 'job' | 'pages' | 'item' | 'table' | 'column' | 'rows' | 'warning';
  /** The job, or the table. */
  readonly of?: string;
  /** The number of the item, from 1, among the current items; for a missing one, among the expected ones. */
  readonly item?: number;
  /** The place in the item, such as `address.city` or `tags[0]`; or the column of the table. Absent: all of it. */
  readonly field?: string;
  /** Absent: there was none. */
  readonly expected?: string;
  /** Absent: there is none. */
  readonly got?: string;
}

/**
 * Compares a run with the accepted one: how it ended, the pages and items of each job, the tables, and the codes of warnings. Inserted or
 * removed items are distinguished from changed ones.
 *
 * @param expected the accepted run
 * @param got the current run
 * @returns the differences; empty: there are none
 * @example differencesOf(accepted, (await replayRun(config, recording)).run)
 */
export const differencesOf = (expected: ReplayedRun, got: ReplayedRun): readonly RunDifference[] => [
  ...valueDifference('error', undefined, expected.error, got.error),
  ...matched(expected.jobs, got.jobs, keyOfJob).flatMap(({ before, now }) => jobDifferences(before, now)),
  ...matched(expected.tables, got.tables, ({ name }) => name).flatMap(({ before, now }) =>
    tableDifferences(before, now),
  ),
  ...matched(expected.warnings, got.warnings, (warning) => JSON.stringify(warning)).flatMap(({ before, now }) =>
    valueDifference('warning', before?.job ?? now?.job, before?.code, now?.code),
  ),
];

/** Returns the key of a job: its name, and a number if several jobs or iterations share it. */
const keyOfJob = ({ job, iteration }: ReplayedJob): string =>
  iteration === 0 ? job : `${job} (iteration ${iteration})`;

interface Match<T> {
  readonly key: string;
  readonly before?: T;
  readonly now?: T;
}

/** Returns pairs of the same key; the second of a key belongs to the second. */
function matched<T>(expected: readonly T[], got: readonly T[], keyOf: (each: T) => string): readonly Match<T>[] {
  const before = numbered(expected, keyOf);
  const now = numbered(got, keyOf);
  return [...new Set([...before.keys(), ...now.keys()])].map((key) => ({
    key,
    ...defined({ before: before.get(key), now: now.get(key) }),
  }));
}

function numbered<T>(all: readonly T[], keyOf: (each: T) => string): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const each of all) {
    const key = keyOf(each);
    let name = key;
    for (let number = 2; found.has(name); number += 1) name = `${key} #${number}`;
    found.set(name, each);
  }
  return found;
}

function jobDifferences(before: ReplayedJob | undefined, now: ReplayedJob | undefined): readonly RunDifference[] {
  const of = keyOfJob((before ?? now) as ReplayedJob);
  if (before === undefined || now === undefined)
    return valueDifference('job', of, before && amountOf(before), now && amountOf(now));
  const [expected = [], got = []] = [before, now].map(({ items }) => items.map((item) => stringifyJson(item)));
  return [
    ...valueDifference('pages', of, String(before.pages), String(now.pages)),
    ...alignedDifferences(expected, got).flatMap((pair): RunDifference[] => {
      const [lost, come] = [before.items[pair.expected ?? -1], now.items[pair.got ?? -1]];
      const item = (pair.got ?? pair.expected ?? 0) + 1;
      if (lost !== undefined && come !== undefined)
        return fieldDifferences(lost, come).map((field) => ({ about: 'item', of, item, ...field }));
      const texts = defined({ expected: expected[pair.expected ?? -1], got: got[pair.got ?? -1] });
      return [{ about: 'item', of, item, ...texts }];
    }),
  ];
}

const amountOf = ({ pages, items }: ReplayedJob): string => JSON.stringify({ pages, items: items.length });

function tableDifferences(before?: ReplayedTable, now?: ReplayedTable): readonly RunDifference[] {
  const of = before?.name ?? now?.name;
  if (before === undefined || now === undefined)
    return valueDifference('table', of, before && JSON.stringify(before), now && JSON.stringify(now));
  return [
    ...valueDifference('table', of, JSON.stringify(before.parent), JSON.stringify(now.parent)),
    ...matched(before.columns, now.columns, ({ name }) => name).flatMap((match) =>
      valueDifference('column', of, match.before?.type, match.now?.type).map((found) => ({
        ...found,
        field: match.key,
      })),
    ),
    ...valueDifference('rows', of, String(before.rows), String(now.rows)),
  ];
}

const valueDifference = (
  about: RunDifference['about'],
  of: string | undefined,
  expected: string | undefined,
  got: string | undefined,
): readonly RunDifference[] => (expected === got ? [] : [{ about, ...defined({ of, expected, got }) }]);

/** A pair of elements by their indexes in two lists; one of them is absent if it has no partner. */
export interface Pair {
  readonly expected?: number;
  readonly got?: number;
}

/**
 * The maximum length of lists that are aligned; longer ones are compared index by index, since aligning takes the square of the
 * differences.
 */
const MOST = 5_000;

/**
 * Pairs the different elements of two lists: an inserted or removed element has no partner, a changed one is in a pair. Equal elements are
 * left out.
 *
 * @example alignedDifferences(['a', 'b', 'c'], ['b', 'x']) // [{ expected: 0 }, { expected: 2, got: 1 }]
 */
function alignedDifferences(expected: readonly string[], got: readonly string[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let [from, at] = [0, 0];
  const gap = (toExpected: number, toGot: number): void => {
    for (; from < toExpected || at < toGot; from += 1, at += 1)
      pairs.push(defined({ expected: from < toExpected ? from : undefined, got: at < toGot ? at : undefined }));
  };
  const common = (count: number, inExpected: number, inGot: number): void => {
    gap(inExpected, inGot);
    [from, at] = [inExpected + count, inGot + count];
  };
  if (Math.max(expected.length, got.length) > MOST) byPlace(expected, got, common);
  else diffSequences(expected.length, got.length, (a, b) => expected[a] === got[b], common);
  gap(expected.length, got.length);
  return pairs;
}

function byPlace(
  expected: readonly string[],
  got: readonly string[],
  common: (n: number, a: number, b: number) => void,
) {
  const shared = Math.min(expected.length, got.length);
  for (let at = 0; at < shared; at += 1) if (expected[at] === got[at]) common(1, at, at);
}

/** A field that differs. Values are JSON texts. */
export interface FieldDifference {
  /** The field; absent: the whole item. */
  readonly field?: string;
  readonly expected?: string;
  readonly got?: string;
}

/**
 * Returns the fields in which two items differ, as deep as possible.
 *
 * @example fieldDifferences({ a: { b: 1 } }, { a: { b: 2 } }) // [{ field: 'a.b', expected: '1', got: '2' }]
 */
function fieldDifferences(expected: Json, got: Json): readonly FieldDifference[] {
  const found = [...below(expected, got, [])];
  if (found.length > 0) return found;
  const [before, now] = [stringifyJson(expected), stringifyJson(got)];
  // The same fields in another order are a difference as well.
  return before === now ? [] : [{ expected: before, got: now }];
}

function* below(expected: Json, got: Json, keys: readonly string[]): Generator<FieldDifference> {
  if ((isObject(expected) && isObject(got)) || (isList(expected) && isList(got)))
    for (const key of new Set([...keysIn(expected), ...keysIn(got)])) {
      const [before, now] = [memberOf(expected, key), memberOf(got, key)];
      if (before !== undefined && now !== undefined && isHolder(before.value) && isHolder(now.value))
        yield* below(before.value, now.value, [...keys, key]);
      else if (before?.text() !== now?.text()) yield difference([...keys, key], before?.text(), now?.text());
    }
  else if (stringifyJson(expected) !== stringifyJson(got))
    yield difference(keys, stringifyJson(expected), stringifyJson(got));
}

const difference = (keys: readonly string[], expected?: string, got?: string): FieldDifference =>
  defined({ field: keys.length === 0 ? undefined : pathText(keys), expected, got });

const isHolder = (value: Json): value is Holder => isObject(value) || isList(value);

const keysIn = (holder: Holder): readonly string[] =>
  isList(holder) ? holder.map((_, at) => String(at)) : keysOf(holder);

/** Returns a member, and its text with all digits. */
function memberOf(holder: Holder, key: string) {
  if (!Object.hasOwn(holder, key)) return undefined;
  const value = (isList(holder) ? holder[Number(key)] : holder[key]) ?? null;
  return { value, text: () => lostDigitsAt(holder, isList(holder) ? Number(key) : key) ?? stringifyJson(value) };
}
