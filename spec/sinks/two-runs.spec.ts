/** Two processes that run into one place at once, one of them held before each change that it makes (docs/sinks.md). */
import type { FatalError } from '../../src';
import type * as Api from '../../src';
import type { DurableSink } from '../../src/core/durable-sink';
import { ADDING, rivers } from '../../src/explore/testing/contract/fixture';
import type { OutputPlan } from '../../src/plan/plan';
import { describeAvailable } from '../support/adapters';
import { ALL_CASES } from '../support/cases';
import { REPLACING, everyOf, newRun } from '../support/instants';
import { heldBefore, stoppedBefore } from '../support/stopping';
import { NEEDS_SQLITE } from '../support/sqlite';
import { csvPlace, duckdbPlace, ndjsonPlace, parquetPlace, sqlitePlace } from '../support/tables';
import type { TablesPlace } from '../support/tables';

jest.setTimeout(600_000);

/** With fewer, no instant is one at which the other run is refused. */
const EVERY = everyOf(ALL_CASES ? 5 : 40);

/** Another process has modules of its own: a lock of this one would be its own lock again. */
function modulesOfAnother(): typeof Api {
  let api: typeof Api | undefined;
  jest.isolateModules(() => (api = jest.requireActual<typeof Api>('../../src')));
  return api as typeof Api;
}

interface Subject {
  readonly scheme: string;
  readonly make: () => Promise<TablesPlace>;
  readonly needs?: string | undefined;
}

const SUBJECTS: readonly Subject[] = [
  { scheme: 'csv', make: csvPlace },
  { scheme: 'ndjson', make: ndjsonPlace },
  { scheme: 'parquet', make: parquetPlace },
  { scheme: 'duckdb', make: duckdbPlace },
  { scheme: 'sqlite', make: sqlitePlace, needs: NEEDS_SQLITE },
];
const IDS = { one: [10, 11], other: [20, 21] } as const;

describe.each(SUBJECTS)('two runs at once', ({ scheme, make, needs }) => {
  describeAvailable(`into ${scheme}:`, needs, () => {
    const another = modulesOfAnother();
    let place: TablesPlace;
    let done: (readonly number[])[];

    /** Runs wholly, or is refused. */
    const run = async (sink: DurableSink, ids: readonly number[]): Promise<void> => {
      try {
        await newRun(sink, `run-${ids.join()}`, [rivers(ids.slice(0, 1)), rivers(ids.slice(1), { pages: 2 })]);
        done.push(ids);
      } catch (error) {
        expect((error as FatalError).code).toBe('DESTINATION_LOCKED');
      }
    };
    const prepare = async (outputs: readonly OutputPlan[]): Promise<void> => {
      place = await make();
      done = [];
      await newRun(place.to()(outputs), 'run-1', [rivers([1, 2])]);
    };
    const one = (outputs: readonly OutputPlan[]): Promise<void> => run(place.to()(outputs), IDS.one);
    const other = (outputs: readonly OutputPlan[]): Promise<void> =>
      run(another.destinationOf(`${scheme}:${place.at}`)(outputs), IDS.other);

    it.each([
      ['added', ADDING],
      ['replaced', REPLACING],
    ] as const)('are both whole, or one is refused, where rows are %s', async (load, outputs) => {
      await prepare(outputs);
      const { changes } = await stoppedBefore(Infinity, 'nothing', () => one(outputs));
      await place.drop();
      let refused = 0;
      for (let at = 1; at <= changes; at += EVERY) {
        await prepare(outputs);
        await heldBefore(
          at,
          () => other(outputs),
          () => one(outputs),
        );
        const rows = ((await place.rows('rivers')) ?? []).map(({ id }) => Number(id)).sort((a, b) => a - b);
        // Which of two that are whole was the last one, nobody knows who looks from outside.
        const possible = load === 'replaced' ? done : [[1, 2, ...done.flat().sort((a, b) => a - b)]];
        expect({ at, changes, possible }).toEqual({ at, changes, possible: expect.arrayContaining([rows]) as unknown });
        if (done.length === 1) refused += 1;
        await place.drop();
      }
      expect(refused).toBeGreaterThan(0);
    });
  });
});
