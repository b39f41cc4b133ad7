/** Runs into each destination that are stopped before each change which they make, and called again (docs/sinks.md). */
import { ADDING, rivers } from '../../src/explore/testing/contract/fixture';
import { CONTRACT_ADAPTERS, describeAvailable } from '../support/adapters';
import { EVERY, LOADS, newRun, prepared, resumedRun } from '../support/instants';
import { stoppedBefore } from '../support/stopping';
import type { Loss } from '../support/stopping';

jest.setTimeout(600_000);

const local = CONTRACT_ADAPTERS.filter(
  ({ subject: { name, keepsNothing } }) =>
    /^(csv|ndjson|parquet|duckdb|sqlite):(?!s3)/.test(name) && keepsNothing !== true,
);

/** Each instant has one of these. */
const LOSSES: readonly Loss[] = ['nothing', 'all', 'half'];

describe.each(local)('a run that is stopped at any instant: $subject.name', ({ subject, needs }) => {
  describeAvailable(subject.name, needs, () => {
    it.each(LOADS)('has each row once, where rows are %s', async (_, outputs, expected) => {
      const whole = await prepared(subject, outputs);
      // A sink that has stopped is not closed at the end.
      const { changes } = await stoppedBefore(Infinity, 'nothing', () => resumedRun(whole.place.sink(outputs)));
      await whole.expectIds(expected, 'without a stop');
      await whole.end();
      expect(changes).toBeGreaterThan(5);
      for (let last = 1; last <= changes; last += EVERY) {
        const loss = LOSSES[last % LOSSES.length] ?? 'nothing';
        const fixture = await prepared(subject, outputs);
        const call = (): Promise<void> => resumedRun(fixture.place.sink(outputs));
        await stoppedBefore(last, loss, call);
        // A second stop, while the place is repaired.
        if (last % 2 === 0) await stoppedBefore(1 + (last % 7), loss, call);
        await call();
        await fixture.expectIds(expected, `stopped before change ${last} of ${changes}, losing ${loss}`);
        await fixture.expectIds([9], `stopped before change ${last} of ${changes}, losing ${loss}`, 'lakes');
        await fixture.end();
      }
    });

    it('leaves all of its rows or none to a new run', async () => {
      const next = [rivers([20, 21]), rivers([22], { pages: 2 })];
      const whole = await prepared(subject, ADDING);
      const { changes } = await stoppedBefore(Infinity, 'nothing', () => resumedRun(whole.place.sink(ADDING)));
      await whole.end();
      for (let last = 1; last <= changes; last += EVERY) {
        const loss = LOSSES[last % LOSSES.length] ?? 'nothing';
        const fixture = await prepared(subject, ADDING);
        await stoppedBefore(last, loss, () => resumedRun(fixture.place.sink(ADDING)));
        const before = await newRun(fixture.place.sink(ADDING), 'run-3', next);
        const there = before === 'run-2' ? [1, 2, 2, 3, 4, 5] : [1, 2];
        await fixture.expectIds([...there, 20, 21, 22], `stopped before change ${last} of ${changes}, losing ${loss}`);
        await fixture.expectIds(before === 'run-2' ? [9] : [], `stopped before change ${last}`, 'lakes');
        await fixture.end();
      }
    });
  });
});
