/** Runs into each destination that are stopped before each change which they make, and called again (docs/sinks.md). */
import type { Page } from '../../src/core/model';
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
import type { OutputPlan } from '../../src/plan/plan';
import { CONTRACT_ADAPTERS, describeAvailable } from '../support/adapters';
import { ALL_CASES } from '../support/cases';
import { stoppedBefore } from '../support/stopping';
import type { Loss } from '../support/stopping';

jest.setTimeout(600_000);

const FIRST = [rivers([1, 2])];
const SECOND: readonly Page[] = [
  rivers([2, 3]),
  rivers([4, 5], { pages: 2 }),
  pageOf('lakes', [{ id: 9, name: 'l' }], { call: [0, 1] }),
];
const REPLACING: readonly OutputPlan[] = [{ incremental: false, compatLevel: 3 }];
const LOADS: readonly (readonly [string, readonly OutputPlan[], readonly number[]])[] = [
  ['replaced', REPLACING, [2, 3, 4, 5]],
  ['added', ADDING, [1, 2, 2, 3, 4, 5]],
  ['merged by key', KEYED, [1, 2, 3, 4, 5]],
];

/** What a call of the command does: it tells a run that was committed, goes on with one that was not, or begins one. */
async function call(fixture: SinkFixture, outputs: readonly OutputPlan[]): Promise<void> {
  // A sink that has stopped is not closed at the end.
  const sink = fixture.place.sink(outputs);
  const standing = await sink.open();
  const isCommitted = standing.untold !== undefined || (await sink.committed?.('run-2')) !== undefined;
  if (!isCommitted) {
    const there = await checkpointsOf(standing);
    if (standing.unfinished === undefined) await sink.begin(manifestOf('run-2'), standing.state);
    const isThere = ({ checkpoint }: Page): boolean =>
      there.some(({ call: own, pages }) => own.join() === checkpoint.call.join() && pages === checkpoint.pages);
    for (const page of SECOND) if (!isThere(page)) await sink.write(page);
    await sink.commit({ run: 2 });
  }
  await sink.markTold?.();
  await sink.close();
}

/** Makes a place with the rows of a first run. */
async function prepared(subject: ContractSubject, outputs: readonly OutputPlan[]): Promise<SinkFixture> {
  const fixture = new SinkFixture(subject, await subject.place());
  const sink = await fixture.begun('run-1', FIRST, outputs);
  await sink.commit({ run: 1 });
  await sink.markTold?.();
  await sink.close();
  return fixture;
}

const local = CONTRACT_ADAPTERS.filter(
  ({ subject: { name, keepsNothing } }) => /^(csv|ndjson|parquet|duckdb):(?!s3)/.test(name) && keepsNothing !== true,
);

/** One of so many instants; HEADWATER_INSTANTS=1 takes all of them, which is half an hour. */
const EVERY = Number(process.env.HEADWATER_INSTANTS ?? (ALL_CASES ? 5 : 40));

/** Each instant has one of these. */
const LOSSES: readonly Loss[] = ['nothing', 'all', 'half'];

describe.each(local)('a run that is stopped at any instant: $subject.name', ({ subject, needs }) => {
  describeAvailable(subject.name, needs, () => {
    it.each(LOADS)('has each row once, where rows are %s', async (_, outputs, expected) => {
      const whole = await prepared(subject, outputs);
      const { changes } = await stoppedBefore(Infinity, 'nothing', () => call(whole, outputs));
      await whole.expectIds(expected, 'without a stop');
      await whole.end();
      expect(changes).toBeGreaterThan(5);
      for (let last = 1; last <= changes; last += EVERY) {
        const loss = LOSSES[last % LOSSES.length] ?? 'nothing';
        const fixture = await prepared(subject, outputs);
        await stoppedBefore(last, loss, () => call(fixture, outputs));
        // A second stop, while the place is repaired.
        if (last % 2 === 0) await stoppedBefore(1 + (last % 7), loss, () => call(fixture, outputs));
        await call(fixture, outputs);
        await fixture.expectIds(expected, `stopped before change ${last} of ${changes}, losing ${loss}`);
        await fixture.expectIds([9], `stopped before change ${last} of ${changes}, losing ${loss}`, 'lakes');
        await fixture.end();
      }
    });
  });
});
