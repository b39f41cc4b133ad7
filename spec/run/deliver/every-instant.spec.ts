/** Deliveries to two destinations that are stopped before and behind each call of these, and called again (docs/sinks.md). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliver } from '../../../src';
import type { Delivery, DeliverOptions, Destination, DurableSink, Json } from '../../../src';
import { json } from '../../support/answers';
import { startServer } from '../../support/api-server';
import type { ApiServer } from '../../support/api-server';
import { ALL_CASES } from '../../support/cases';
import { everyOf } from '../../support/instants';
import { stopHere, stoppedBefore } from '../../support/stopping';
import { csvPlace, duckdbPlace, ndjsonPlace, parquetPlace } from '../../support/tables';
import type { TablesPlace } from '../../support/tables';

jest.setTimeout(600_000);

const EVERY = everyOf(ALL_CASES ? 4 : 60);

/** The ids that the API has in each run; two on a page. */
const RUNS = [
  [1, 2, 3],
  [2, 3, 4, 5, 6],
  [20, 21, 22],
] as const;

let server: ApiServer;
let ids: readonly number[];
let folder: string;
beforeAll(async () => {
  server = await startServer(({ url }) => {
    const offset = Number(new URL(url, 'http://api').searchParams.get('offset') ?? 0);
    return json(ids.slice(offset, offset + 2).map((id) => ({ id, name: `n${id}` })));
  });
  folder = await mkdtemp(join(tmpdir(), 'headwater-instants-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const configurationWith = (job: object): Json => ({
  api: { baseUrl: server.origin, pagination: { method: 'offset', limit: 2 } },
  config: { jobs: [{ endpoint: 'items', ...job }] },
});

/** How rows are stored, and the ids that are there when the second run was committed, and when another one with the same rows followed. */
const LOADS = [
  ['replaced', { load: 'replace' }, [2, 3, 4, 5, 6], [2, 3, 4, 5, 6]],
  ['added', { load: 'append' }, [1, 2, 2, 3, 3, 4, 5, 6], [1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6]],
  ['merged by key', { load: 'merge', primaryKey: 'id' }, [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]],
] as const;

const PAIRS: readonly (readonly [string, readonly (() => Promise<TablesPlace>)[]])[] = [
  ['ndjson: and csv:', [ndjsonPlace, csvPlace]],
  ['duckdb: and parquet:', [duckdbPlace, parquetPlace]],
];

/** The calls that a delivery makes, of all of its destinations and of whoever waits for its success. */
class Calls {
  count = 0;
  /** True if somebody knows of the success. */
  isReported = false;
  readonly #ended: Promise<never>;
  #end: (error: Error) => void = () => undefined;

  /** @param last the number of the call that is the last one: odd ones are not made, even ones are made and nobody hears of it */
  constructor(readonly last = Infinity) {
    this.#ended = new Promise((_, reject) => (this.#end = reject));
    this.#ended.catch(() => undefined);
  }

  async make<T>(call: () => Promise<T>): Promise<T> {
    if (this.count >= this.last) return this.#ended;
    this.#pass();
    // Calls that are under way when the process stops come to no end.
    const made = await Promise.race([call(), this.#ended]);
    this.#pass();
    return made;
  }

  #pass(): void {
    this.count += 1;
    if (this.count !== this.last) return;
    this.#end(new Error('This process has stopped.'));
    stopHere();
  }

  readonly counted =
    (destination: Destination): Destination =>
    (outputs, warn) => {
      const sink = destination(outputs, warn);
      const { open, begin, write, commit, markReported, committed, standOf, close } = sink;
      const own: DurableSink = {
        ...sink,
        open: () => this.make(open),
        begin: (...args) => this.make(() => begin(...args)),
        write: (page) => this.make(() => write(page)),
        commit: (...args) => this.make(() => commit(...args)),
        close: () => this.make(close),
      };
      return {
        ...own,
        ...(markReported === undefined ? {} : { markReported: () => this.make(markReported) }),
        ...(committed === undefined ? {} : { committed: (run) => this.make(() => committed(run)) }),
        ...(standOf === undefined ? {} : { standOf: (table) => this.make(() => standOf(table)) }),
      };
    };
}

interface Asked {
  readonly options?: DeliverOptions;
  readonly calls?: Calls;
}

const idsIn = async (place: TablesPlace): Promise<readonly number[]> =>
  ((await place.rows('items')) ?? []).map(({ id }) => Number(id)).sort((a, b) => a - b);

describe.each(PAIRS)('a delivery to %s that is stopped at any call', (_, makers) => {
  let places: readonly TablesPlace[];

  /** Runs the configuration as a new process would. */
  const run = (job: object, { options = {}, calls = new Calls() }: Asked = {}): Promise<Delivery> =>
    deliver(
      configurationWith(job),
      places.map(({ to }) => calls.counted(to())),
      { ...options, onCommitted: () => calls.make(() => Promise.resolve()).then(() => void (calls.isReported = true)) },
    );
  /** Makes places with the rows of a first run; the second one follows. */
  const prepare = async (job: object): Promise<void> => {
    places = await Promise.all(makers.map((make) => make()));
    ids = RUNS[0];
    await run(job);
    ids = RUNS[1];
  };
  const drop = (): Promise<unknown> => Promise.all(places.map((place) => place.drop()));
  /** Runs it, and stops it at a call. Returns whether its success was told. */
  const stopped = async (last: number, job: object, options: DeliverOptions): Promise<boolean> => {
    const calls = new Calls(last);
    let delivering: Promise<unknown> | undefined;
    const { hasEnded } = await stoppedBefore(Infinity, 'nothing', async () => {
      delivering = run(job, { options, calls });
      await delivering;
    });
    expect(hasEnded).toBe(false);
    // Its places are free again when it is over.
    await delivering?.catch(() => undefined);
    return calls.isReported;
  };
  const callsOf = async (job: object, options: DeliverOptions): Promise<number> => {
    const calls = new Calls();
    await prepare(job);
    await run(job, { options, calls });
    await drop();
    return calls.count;
  };

  describe.each([
    ['--resume', { resume: true }],
    ['a run id', { runId: 'second' }],
  ] as const)('with %s', (__, options) => {
    it.each(LOADS)(
      'has each row once, where rows are %s, and requests no page that is safe',
      async (___, job, expected, next) => {
        const all = await callsOf(job, options);
        for (let last = 1; last <= all; last += EVERY) {
          await prepare(job);
          let isReported = await stopped(last, job, options);
          // A second stop, while the destinations are brought to one state.
          if (last % 2 === 0) isReported = (await stopped(1 + (last % 9), job, options)) || isReported;
          const before = server.requests.length;
          const { alreadyCommitted, resumedPages } = await run(job, { options });
          const says = { last, all, alreadyCommitted };
          // Who has heard of a success need not call again: that call is the next run.
          const stored = isReported && !alreadyCommitted ? next : expected;
          for (const place of places) expect({ ...says, ids: await idsIn(place) }).toEqual({ ...says, ids: stored });
          const requested = server.requests.length - before;
          expect({ ...says, requested }).toEqual({ ...says, requested: alreadyCommitted ? 0 : 3 - resumedPages });
          await drop();
        }
      },
    );
  });

  it('leaves all of its rows in a destination or none, where a new run begins', async () => {
    const [, load, added] = LOADS[1];
    const all = await callsOf(load, {});
    for (let last = 1; last <= all; last += EVERY) {
      await prepare(load);
      await stopped(last, load, {});
      const before = await Promise.all(places.map(idsIn));
      ids = RUNS[2];
      await run(load);
      for (const [at, place] of places.entries()) {
        expect([RUNS[0], added]).toContainEqual(before[at]);
        expect({ last, all, ids: await idsIn(place) }).toEqual({ last, all, ids: [...(before[at] ?? []), ...RUNS[2]] });
      }
      await drop();
    }
  });
});
