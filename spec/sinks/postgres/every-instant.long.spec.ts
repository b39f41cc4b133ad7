/** Runs into PostgreSQL whose connection or process ends at each of their operations, and two runs at once (docs/sinks.md). */
import { FatalError } from '../../../src';
import type { DurableSink } from '../../../src/core/durable-sink';
import { ADDING, rivers } from '../../../src/explore/testing/contract/fixture';
import type { SinkFixture } from '../../../src/explore/testing/contract/fixture';
import type { OutputPlan } from '../../../src/plan/plan';
import { postgresSink } from '../../../src/sinks/postgres';
import type { PostgresOptions } from '../../../src/sinks/postgres';
import { LOADS, everyOf, newRun, prepared, resumedRun } from '../../support/instants';
import { NEEDS, describeWithPostgres, testDatabase, wireTo } from '../../support/postgres';
import type { TestDatabase, Wire } from '../../support/postgres';
import { postgresPlace } from '../../support/tables';

jest.setTimeout(3_000_000);

/** An instant takes a second and more; ends take turns at those that are visited. */
const EVERY = everyOf(35);

/** How an operation is the last one of a connection, or of a process. */
const ENDS = [
  { fate: 'unsent', isLast: true, says: 'a process that is killed before' },
  { fate: 'unanswered', isLast: true, says: 'a process that is killed behind' },
  { fate: 'unsent', isLast: false, says: 'a connection that is lost before' },
  { fate: 'unanswered', isLast: false, says: 'a connection that is lost behind' },
] as const;

describeWithPostgres(`a run into PostgreSQL that is broken off at any operation ${NEEDS}`, () => {
  let database: TestDatabase;
  let wire: Wire | undefined;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterEach(() => wire?.close());
  afterAll(() => database.drop());

  /** A place with the rows of a first run, and sinks for it that reach the server over a wire, or directly. */
  interface Wired {
    readonly fixture: SinkFixture;
    readonly wire: Wire;
    readonly over: () => DurableSink;
    readonly direct: () => DurableSink;
  }

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
    const own = (wire = await wireTo(database.url));
    const over = (): DurableSink => postgresSink(`${own.url}${new URL(at).search}`, outputs, options);
    return { fixture, wire: own, over, direct: () => fixture.place.sink(outputs) };
  }

  /** Does work of a sink that may be killed, and waits until all of it is gone. */
  async function worked(
    { wire: own }: Wired,
    sink: DurableSink,
    work: (sink: DurableSink) => Promise<unknown>,
  ): Promise<void> {
    const working = work(sink);
    const ended = working.catch(() => undefined);
    await Promise.race([working, own.killed]);
    const closed = sink.close();
    await own.close();
    await Promise.all([closed, ended]);
  }

  async function operationsOf(outputs: readonly OutputPlan[], options?: PostgresOptions): Promise<number> {
    const whole = await wired(outputs, options);
    whole.wire.at(Infinity, 'unsent');
    await worked(whole, whole.over(), resumedRun);
    return whole.wire.operations();
  }

  const loads: readonly (readonly [string, readonly OutputPlan[], readonly number[], PostgresOptions])[] = [
    ...LOADS.map(([name, outputs, expected]) => [name, outputs, expected, {}] as const),
    ['added and shown at once', ADDING, [1, 2, 2, 3, 4, 5], { visibility: 'page', showEvery: 0 }],
  ];

  it.each(loads)('has each row once, where rows are %s', async (_, outputs, expected, options) => {
    const operations = await operationsOf(outputs, options);
    expect(operations).toBeGreaterThan(20);
    for (let instant = 0; instant < operations * ENDS.length; instant += EVERY) {
      const [operation, end] = [1 + Math.floor(instant / ENDS.length), ENDS[instant % ENDS.length] ?? ENDS[0]];
      const own = await wired(outputs, options);
      own.wire.at(operation, end.fate, end.isLast);
      await worked(own, own.over(), resumedRun);
      await resumedRun(own.direct());
      const says = `${end.says} operation ${operation} of ${operations}`;
      await own.fixture.expectIds(expected, says);
      await own.fixture.expectIds([9], says, 'lakes');
      await own.fixture.end();
    }
  });

  it.each(loads)(
    'leaves all of its rows or none to a new run, where rows are %s',
    async (load, outputs, after, options) => {
      const operations = await operationsOf(outputs, options);
      for (let instant = 0; instant < operations * 2; instant += EVERY) {
        const [operation, end] = [1 + Math.floor(instant / 2), ENDS[instant % 2] ?? ENDS[0]];
        const own = await wired(outputs, options);
        own.wire.at(operation, end.fate, end.isLast);
        await worked(own, own.over(), resumedRun);
        const before = await newRun(own.direct(), 'run-3', [rivers([20, 21]), rivers([22], { pages: 2 })]);
        const there = before === 'run-2' ? after : [1, 2];
        const says = `${end.says} operation ${operation} of ${operations}`;
        await own.fixture.expectIds([...(load === 'replaced' ? [] : there), 20, 21, 22], says);
        await own.fixture.expectIds(before === 'run-2' ? [9] : [], says, 'lakes');
        await own.fixture.end();
      }
    },
  );

  it.each(loads)(
    'and another one at once are both whole, or one is refused, where rows are %s',
    async (load, outputs, _, options) => {
      const operations = await operationsOf(outputs, options);
      for (let operation = 1; operation <= operations; operation += EVERY) {
        const own = await wired(outputs, options);
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
        const all = load === 'replaced' ? runs.slice(-2) : [1, 2, ...runs];
        await own.fixture.expectIds(
          all.sort((a, b) => a - b),
          `a run that waits at operation ${operation} of ${operations}`,
        );
        expect(runs).not.toEqual([]);
        await own.fixture.end();
      }
    },
  );
});
