/** Runs over a wire to a server that is cut at each of their operations, and called again. */
import { FatalError } from '../../src';
import type { DurableSink } from '../../src/core/durable-sink';
import { rivers } from '../../src/explore/testing/contract/fixture';
import type { SinkFixture } from '../../src/explore/testing/contract/fixture';
import { newRun, resumedRun } from './instants';
import type { Wire } from './wire';

/** A place with the rows of a first run, and sinks for it that reach the server over a wire, or directly. */
export interface Wired {
  readonly fixture: SinkFixture;
  readonly wire: Wire;
  readonly over: () => DurableSink;
  readonly direct: () => DurableSink;
  /** True if a lost connection may end the run with an error, so that it has to be called again. */
  readonly mayFail?: true;
}

/** How the second run stores its rows. */
export interface WiredLoad {
  readonly name: string;
  readonly wired: () => Promise<Wired>;
  /** The ids of the rivers that are there afterwards. */
  readonly expected: readonly number[];
}

/** How an operation is the last one of a connection, or of a process. */
const ENDS = [
  { fate: 'unsent', isLast: true, says: 'a process that is killed before' },
  { fate: 'unanswered', isLast: true, says: 'a process that is killed behind' },
  { fate: 'unsent', isLast: false, says: 'a connection that is lost before' },
  { fate: 'unanswered', isLast: false, says: 'a connection that is lost behind' },
] as const;

/** Does work of a sink that may be killed, and waits until all of it is gone. */
async function worked(
  { wire, mayFail }: Wired,
  sink: DurableSink,
  work: (sink: DurableSink) => Promise<unknown>,
): Promise<void> {
  const working = work(sink).catch((error: unknown) => {
    if (mayFail !== true || !(error instanceof FatalError)) throw error;
  });
  const ended = working.catch(() => undefined);
  await Promise.race([working, wire.killed]);
  const closed = sink.close();
  await wire.close();
  await Promise.all([closed, ended]);
}

/** Returns the number of operations of a run that is not broken off. */
export async function operationsOf({ wired }: WiredLoad): Promise<number> {
  const whole = await wired();
  whole.wire.at(Infinity, 'unsent');
  await worked(whole, whole.over(), resumedRun);
  await whole.fixture.end();
  return whole.wire.operations();
}

/** Breaks a run off at an operation, where the instants are operations with their ends. */
async function brokenOff({ wired }: WiredLoad, instant: number, ends: number) {
  const [operation, end] = [1 + Math.floor(instant / ends), ENDS[instant % ends] ?? ENDS[0]];
  const own = await wired();
  own.wire.at(operation, end.fate, end.isLast);
  await worked(own, own.over(), resumedRun);
  return { own, says: `${end.says} operation ${operation}` };
}

/** Expects each row once, whatever the last operation of the run was; of the instants, each `every`th is visited. */
export async function expectEachRowOnce(load: WiredLoad, every: number): Promise<void> {
  const operations = await operationsOf(load);
  for (let instant = 0; instant < operations * ENDS.length; instant += every) {
    const { own, says } = await brokenOff(load, instant, ENDS.length);
    await resumedRun(own.direct());
    await own.fixture.expectIds(load.expected, `${says} of ${operations}`);
    await own.fixture.expectIds([9], `${says} of ${operations}`, 'lakes');
    await own.fixture.end();
  }
}

/** Expects that a new run behind such a run finds all of its rows, or none, and adds its own, or replaces them. */
export async function expectAllOrNone(load: WiredLoad, every: number, isReplaced: boolean): Promise<void> {
  const operations = await operationsOf(load);
  for (let instant = 0; instant < operations * 2; instant += every) {
    const { own, says } = await brokenOff(load, instant, 2);
    const before = await newRun(own.direct(), 'run-3', [rivers([20, 21]), rivers([22], { pages: 2 })]);
    const there = before === 'run-2' ? load.expected : [1, 2];
    await own.fixture.expectIds([...(isReplaced ? [] : there), 20, 21, 22], `${says} of ${operations}`);
    await own.fixture.expectIds(before === 'run-2' ? [9] : [], `${says} of ${operations}`, 'lakes');
    await own.fixture.end();
  }
}
