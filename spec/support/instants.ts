/** Runs that are broken off at each of their instants: what they store, how they are called again, and how many instants are visited. */
import {
  ADDING,
  KEYED,
  SinkFixture,
  checkpointsOf,
  manifestOf,
  pageOf,
  rivers,
} from '../../src/explore/testing/contract/fixture';
import type { ContractSubject } from '../../src/explore/testing/contract/fixture';
import type { DurableSink } from '../../src/core/durable-sink';
import type { Page } from '../../src/core/model';
import type { OutputPlan } from '../../src/plan/plan';
import { ALL_CASES } from './cases';

/** Returns how many instants there are for each one that is visited; HEADWATER_INSTANTS=1 visits all of them, which takes hours. */
export const everyOf = (usual: number): number => Number(process.env.HEADWATER_INSTANTS ?? usual);

export const EVERY = everyOf(ALL_CASES ? 5 : 60);

export const REPLACING: readonly OutputPlan[] = [{ incremental: false, compatLevel: 3 }];

/** How the second run stores its rows, and the ids of the rivers that are there afterwards. */
export const LOADS: readonly (readonly [string, readonly OutputPlan[], readonly number[]])[] = [
  ['replaced', REPLACING, [2, 3, 4, 5]],
  ['added', ADDING, [1, 2, 2, 3, 4, 5]],
  ['merged by key', KEYED, [1, 2, 3, 4, 5]],
];

const FIRST: readonly Page[] = [rivers([1, 2])];
const SECOND: readonly Page[] = [
  rivers([2, 3]),
  rivers([4, 5], { pages: 2 }),
  pageOf('lakes', [{ id: 9, name: 'l' }], { call: [0, 1] }),
];

/** Makes a place with the rows of a first run. */
export async function prepared(subject: ContractSubject, outputs: readonly OutputPlan[]): Promise<SinkFixture> {
  const fixture = new SinkFixture(subject, await subject.place());
  await newRun(fixture.sink(outputs), 'run-1', FIRST);
  return fixture;
}

/** What a call of the command with --resume does: it tells a run that was committed, goes on with one that was not, or begins one. */
export async function resumedRun(sink: DurableSink): Promise<void> {
  const standing = await sink.open();
  const isCommitted = standing.unreported !== undefined || (await sink.committed?.('run-2')) !== undefined;
  if (!isCommitted) {
    const there = await checkpointsOf(standing);
    if (standing.unfinished === undefined) await sink.begin(manifestOf('run-2'), standing.state);
    const isThere = ({ checkpoint }: Page): boolean =>
      there.some(({ call: own, pages }) => own.join() === checkpoint.call.join() && pages === checkpoint.pages);
    for (const page of SECOND) if (!isThere(page)) await sink.write(page);
    await sink.commit({ run: 2 });
  }
  await sink.markReported?.();
  await sink.close();
}

/**
 * What a call of the command without --resume does: it begins a run, whatever was left.
 *
 * @returns the id of the run that was committed before
 */
export async function newRun(sink: DurableSink, id: string, pages: readonly Page[]): Promise<string | undefined> {
  try {
    const { state, finished } = await sink.open();
    await sink.begin(manifestOf(id), state);
    for (const page of pages) await sink.write(page);
    await sink.commit({ id });
    await sink.markReported?.();
    return finished;
  } finally {
    await sink.close();
  }
}
