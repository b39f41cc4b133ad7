/** What of a run is other than it was accepted. */
import { stringifyJson } from '../../core/json/stringify';
import { alignedDifferences } from './aligned';
import { fieldDifferences } from './fields';
import type { ReplayedJob, ReplayedRun, ReplayedTable, RunDifference } from './model';

/**
 * Compares a run with the one that was accepted: how it ended, the pages and items of each job, the tables, and the codes of warnings.
 * Items that were inserted or removed are told apart from items that changed.
 *
 * @param expected the run that was accepted
 * @param got the run as it is now
 * @returns what is other; none: nothing is
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

/** A job by its name; several of one name, and those of several iterations, are told apart by their number. */
const keyOfJob = ({ job, iteration }: ReplayedJob): string =>
  iteration === 0 ? job : `${job} (iteration ${iteration})`;

interface Match<T> {
  readonly key: string;
  readonly before?: T;
  readonly now?: T;
}

/** What has the same key on both sides; the second of a key belongs to the second. */
function matched<T>(expected: readonly T[], got: readonly T[], keyOf: (each: T) => string): readonly Match<T>[] {
  const before = numbered(expected, keyOf);
  const now = numbered(got, keyOf);
  return [...new Set([...before.keys(), ...now.keys()])].map((key) => {
    const [one, other] = [before.get(key), now.get(key)];
    return { key, ...(one === undefined ? {} : { before: one }), ...(other === undefined ? {} : { now: other }) };
  });
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
  const [expected, got] = [before, now].map(({ items }) => items.map((item) => stringifyJson(item)));
  return [
    ...valueDifference('pages', of, String(before.pages), String(now.pages)),
    ...alignedDifferences(expected ?? [], got ?? []).flatMap((pair): RunDifference[] => {
      const [lost, come] = [before.items[pair.expected ?? -1], now.items[pair.got ?? -1]];
      const item = (pair.got ?? pair.expected ?? 0) + 1;
      if (lost !== undefined && come !== undefined)
        return fieldDifferences(lost, come).map((field) => ({ about: 'item', of, item, ...field }));
      return [
        {
          ...{ about: 'item', of, item },
          ...(lost === undefined ? {} : { expected: stringifyJson(lost) }),
          ...(come === undefined ? {} : { got: stringifyJson(come) }),
        },
      ];
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
): readonly RunDifference[] =>
  expected === got
    ? []
    : [
        {
          about,
          ...(of === undefined ? {} : { of }),
          ...(expected === undefined ? {} : { expected }),
          ...(got === undefined ? {} : { got }),
        },
      ];
