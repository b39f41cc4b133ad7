/** Runs into PostgreSQL whose connection or process ends at each of their operations, and two runs at once (docs/sinks.md). */
import { FatalError } from '../../../src';
import type { DurableSink } from '../../../src/core/durable-sink';
import { ADDING, rivers } from '../../../src/explore/testing/contract/fixture';
import type { OutputPlan } from '../../../src/plan/plan';
import { postgresSink } from '../../../src/sinks/postgres';
import type { PostgresOptions } from '../../../src/sinks/postgres';
import { expectAllOrNone, expectEachRowOnce, operationsOf } from '../../support/broken-off';
import type { Wired, WiredLoad } from '../../support/broken-off';
import { LOADS, everyOf, newRun, prepared } from '../../support/instants';
import { NEEDS, describeWithPostgres, testDatabase } from '../../support/postgres';
import type { TestDatabase } from '../../support/postgres';
import { postgresPlace } from '../../support/tables';
import { POSTGRES, wireTo } from '../../support/wire';
import type { Wire } from '../../support/wire';

jest.setTimeout(3_000_000);

/** An instant takes a second and more. */
const EVERY = everyOf(35);

describeWithPostgres(`a run into PostgreSQL that is broken off at any operation ${NEEDS}`, () => {
  let database: TestDatabase;
  let wire: Wire | undefined;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterEach(() => wire?.close());
  afterAll(() => database.drop());

  async function wired(outputs: readonly OutputPlan[], options: PostgresOptions = {}): Promise<Wired> {
    let at = '';
    const place = async () => {
      const tables = await postgresPlace({}, database);
      at = tables.at;
      return {
        sink: () => postgresSink(at, outputs, options),
        read: async (table: string) => (await tables.rows(table)) ?? [],
      };
    };
    const fixture = await prepared({ name: 'postgres://', makes: 'tables', place }, outputs);
    await wire?.close();
    const own = (wire = await wireTo(database.url, POSTGRES));
    const over = (): DurableSink => postgresSink(`${own.url}${new URL(at).search}`, outputs, options);
    return { fixture, wire: own, over, direct: () => fixture.place.sink(outputs) };
  }

  const loadOf = (
    name: string,
    outputs: readonly OutputPlan[],
    expected: readonly number[],
    options: PostgresOptions = {},
  ): WiredLoad => ({ name, wired: () => wired(outputs, options), expected });
  const loads: readonly WiredLoad[] = [
    ...LOADS.map((load) => loadOf(...load)),
    loadOf('added and shown at once', ADDING, [1, 2, 2, 3, 4, 5], { visibility: 'page', showEvery: 0 }),
  ];

  it.each(loads)('has each row once, where rows are $name', async (load) => {
    expect(await operationsOf(load)).toBeGreaterThan(20);
    await expectEachRowOnce(load, EVERY);
  });

  it.each(loads)('leaves all of its rows or none to a new run, where rows are $name', (load) =>
    expectAllOrNone(load, EVERY, load.name === 'replaced'),
  );

  it.each(loads)('and another one at once are both whole, or one is refused, where rows are $name', async (load) => {
    const operations = await operationsOf(load);
    for (let operation = 1; operation <= operations; operation += EVERY) {
      const own = await load.wired();
      const [one, other] = [
        [10, 11],
        [20, 21],
      ];
      const runs: number[] = [];
      const run = (sink: DurableSink, ids: readonly number[]): Promise<void> =>
        newRun(sink, `run-${ids.join()}`, [rivers(ids.slice(0, 1)), rivers(ids.slice(1), { pages: 2 })]).then(
          () => void runs.push(...ids),
          (error: unknown) => expect(error).toMatchObject({ constructor: FatalError, code: 'DESTINATION_LOCKED' }),
        );
      own.wire.at(operation, () => run(own.direct(), other));
      await run(own.over(), one);
      const all = load.name === 'replaced' ? runs.slice(-2) : [1, 2, ...runs];
      await own.fixture.expectIds(
        all.sort((a, b) => a - b),
        `a run that waits at operation ${operation} of ${operations}`,
      );
      expect(runs).not.toEqual([]);
      await own.fixture.end();
    }
  });
});
