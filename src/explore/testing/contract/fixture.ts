/** The interfaces between the contract of sinks and the sink to check. */
import assert from 'node:assert/strict';
import type { DurableSink, Made, RunManifest, Standing } from '../../../core/durable-sink';
import { stringifyAt } from '../../../core/json/stringify';
import type { Checkpoint, Item, JsonObject, Page } from '../../../core/model';
import type { OutputPlan } from '../../../plan/plan';

/** A row, an item or a message for a reader of the destination: values by the names of its fields. */
export type ReadRow = Readonly<Record<string, unknown>>;

/** A place for one check. */
export interface ContractPlace {
  /** Makes a sink for this place, as a new process would. */
  readonly sink: (outputs: readonly OutputPlan[]) => DurableSink;
  /**
   * Reads a table, or the messages of that name, as a reader of the destination sees them, in any order. Values may be strings: they are
   * compared as such.
   *
   * @returns nothing if there is no such table
   */
  readonly read: (table: string) => Promise<readonly ReadRow[]>;
  /** Changes the stored pages of an unfinished run; absent: they cannot be accessed. */
  readonly damage?: () => Promise<void>;
  /** Removes the place, after its sinks are closed. */
  readonly remove?: () => Promise<void>;
}

/** A sink to check by the contract. */
export interface ContractSubject {
  /** The name of the sink, for users. */
  readonly name: string;
  /** What the sink makes of items. */
  readonly makes: Made | undefined;
  /** True for a sink without a record of runs: it is not asked to resume one. */
  readonly keepsNothing?: boolean;
  /** When readers see a page; default `at-commit`. Streams, which cannot take anything back, have `at-once`. */
  readonly visible?: 'at-commit' | 'at-once';
  /** Makes an empty place. */
  readonly place: () => Promise<ContractPlace>;
}

/** One check of the contract. */
export interface ContractCheck {
  /** The promise that is checked. */
  readonly name: string;
  /** Resolves if the promise is kept; otherwise it rejects with an AssertionError, or with the error of the sink. */
  readonly run: () => Promise<void>;
}

/** The attributes of a page beside its table and its items. */
export interface PageFacts {
  /** The numbers of its call; default `[0, 0]`, the first job of the first run. */
  readonly call?: readonly number[];
  /** The number of the page in its call, from 1; default 1. */
  readonly pages?: number;
  /** The number of the run of the configuration; default: the first number of the call. */
  readonly run?: number;
  /** Columns that the job adds to each row. */
  readonly extra?: ReadonlyMap<string, string>;
}

/**
 * Returns a page as a run gives it to a sink, for tests.
 *
 * @param table the name of the table, and the dataType of the job
 * @example await sink.write(pageOf('rivers', [{ id: 1 }]));
 */
export function pageOf(table: string, items: readonly Item[], facts: PageFacts = {}): Page {
  const { call = [0, 0], pages = 1, run = call[0] ?? 0, extra = new Map<string, string>() } = facts;
  const checkpoint: Checkpoint = { call, job: 'j', pages, items: items.length, volume: 0 };
  const url = 'http://127.0.0.1/items';
  const purpose = { kind: 'page', job: 'j' } as const;
  const request = { method: 'GET', url, headers: {}, purpose, home: url, provenance: 'configured' } as const;
  return {
    iteration: run,
    job: { id: 'j', path: 'config.jobs[0]', endpoint: 'items', dataType: table },
    table,
    index: pages - 1,
    count: items.length,
    items,
    lines: (before = '', after = '') =>
      Buffer.from(items.map((_, at) => `${before}${stringifyAt(items, at)}${after}\n`).join('')),
    extra,
    reply: {
      response: {
        request: { ...request, receivedNames: [] },
        status: 200,
        headers: {},
        body: new Uint8Array(0),
      },
      data: items,
    },
    checkpoint,
  };
}

/** Outputs whose rows replace the old ones. */
const REPLACING: readonly OutputPlan[] = [{ incremental: false, compatLevel: 3 }];
/** Outputs whose rows are added. */
export const ADDING: readonly OutputPlan[] = [{ incremental: true, compatLevel: 3 }];
/** Outputs whose rows replace those with the same key. */
export const KEYED: readonly OutputPlan[] = [
  { incremental: true, compatLevel: 3, primaryKeys: new Map([['rivers', ['id']]]) },
];

/** As {@link KEYED}, with a key of two columns. */
export const KEYED_BY_TWO: readonly OutputPlan[] = [
  { incremental: true, compatLevel: 3, primaryKeys: new Map([['rivers', ['id', 'name']]]) },
];

/** The table of most checks. */
export const TABLE = 'rivers';

export const manifestOf = (id: string): RunManifest => ({
  id,
  fingerprint: 'contract',
  startedAt: 1_700_000_000,
  previousStart: 1_600_000_000,
});

/** Returns an item with this id. */
const river = (id: number): Item => ({ id, name: `river ${id}` });

/** Returns the page of one call with these ids. */
export const rivers = (ids: readonly number[], facts: PageFacts = {}): Page => pageOf(TABLE, ids.map(river), facts);

/** Pages 1, 2 and 3 of one call, with two items each. */
export const THREE: readonly Page[] = [1, 2, 3].map((pages) => rivers([2 * pages - 1, 2 * pages], { pages }));
export const SIX: readonly number[] = [1, 2, 3, 4, 5, 6];

/** A place of a contract check, and the sinks that were opened for it. */
export class SinkFixture {
  readonly #sinks: DurableSink[] = [];

  constructor(
    readonly subject: ContractSubject,
    readonly place: ContractPlace,
  ) {}

  /** Makes a sink as a new process would; all are closed at the end. */
  sink(outputs: readonly OutputPlan[] = REPLACING): DurableSink {
    const sink = this.place.sink(outputs);
    this.#sinks.push(sink);
    return sink;
  }

  async opened(outputs?: readonly OutputPlan[]): Promise<{ readonly sink: DurableSink; readonly standing: Standing }> {
    const sink = this.sink(outputs);
    return { sink, standing: await sink.open() };
  }

  /** Begins a run in a new sink, and writes pages. */
  async begun(id: string, pages: readonly Page[], outputs?: readonly OutputPlan[]): Promise<DurableSink> {
    const { sink } = await this.opened(outputs);
    await sink.begin(manifestOf(id), {});
    for (const page of pages) await sink.write(page);
    return sink;
  }

  /** Writes a whole run in a new sink. */
  async run(
    id: string,
    pages: readonly Page[],
    outputs?: readonly OutputPlan[],
    state: JsonObject = {},
  ): Promise<void> {
    const sink = await this.begun(id, pages, outputs);
    await sink.commit(state);
    await sink.close();
  }

  /** Returns the ids that a reader sees, in order. */
  async ids(table = TABLE): Promise<readonly number[]> {
    const rows = await this.place.read(table);
    return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
  }

  async expectIds(expected: readonly number[], message: string, table = TABLE): Promise<void> {
    assert.deepEqual(await this.ids(table), expected, message);
  }

  /** Expects hidden rows before the commit; if readers see pages at once, nothing is expected. */
  async expectHidden(expected: readonly number[], message: string): Promise<void> {
    if (this.subject.visible !== 'at-once') await this.expectIds(expected, message);
  }

  async end(): Promise<void> {
    for (const sink of this.#sinks) await sink.close();
    await this.place.remove?.();
  }
}

/** Returns the checkpoints of an unfinished run. */
export async function checkpointsOf({ unfinished }: Standing): Promise<readonly Checkpoint[]> {
  const all: Checkpoint[] = [];
  if (unfinished !== undefined) for await (const checkpoint of unfinished.checkpoints()) all.push(checkpoint);
  return all;
}

/** Checks that each value of the state is kept; a sink may have added some of its own. */
export function assertKept(state: JsonObject, given: JsonObject): void {
  for (const [key, value] of Object.entries(given)) assert.deepEqual(state[key], value, `the state has another ${key}`);
}

/** A rule of the contract, to be checked with a fixture. */
export interface ContractRule {
  readonly name: string;
  readonly keep: (fixture: SinkFixture) => Promise<void>;
}

export const rule = (name: string, keep: ContractRule['keep']): ContractRule => ({ name, keep });
