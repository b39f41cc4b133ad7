import assert from 'node:assert/strict';
import type { DurableSink, RunManifest, Standing } from '../../core/durable-sink';
import type { Checkpoint, Item, JsonObject, Page } from '../../core/model';
import type { OutputPlan } from '../../plan/plan';
import { pageOf } from './page';
import type { PageFacts } from './page';
import type { ContractPlace, ContractSubject } from './subject';

/** Runs whose rows take the place of the old ones. */
const REPLACING: readonly OutputPlan[] = [{ incremental: false, compatLevel: 3 }];
/** Runs whose rows are added. */
export const ADDING: readonly OutputPlan[] = [{ incremental: true, compatLevel: 3 }];
/** Runs whose rows take the place of those with the same key. */
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

/** An item with this id. */
const river = (id: number): Item => ({ id, name: `river ${id}` });

/** The page of one call with these ids. */
export const rivers = (ids: readonly number[], facts: PageFacts = {}): Page => pageOf(TABLE, ids.map(river), facts);

/** Pages 1, 2 and 3 of one call, with two items each. */
export const THREE: readonly Page[] = [1, 2, 3].map((pages) => rivers([2 * pages - 1, 2 * pages], { pages }));
export const SIX: readonly number[] = [1, 2, 3, 4, 5, 6];

/** One place of a contract check, and the sinks that were opened over it. */
export class SinkFixture {
  readonly #sinks: DurableSink[] = [];

  constructor(
    readonly subject: ContractSubject,
    readonly place: ContractPlace,
  ) {}

  /** Makes a sink as a new process would; all are closed in the end. */
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

  /** A whole run in a new sink. */
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

  /** The ids that a reader sees, in their order. */
  async ids(table = TABLE): Promise<readonly number[]> {
    const rows = await this.place.read(table);
    return rows.map(({ id }) => Number(id)).sort((a, b) => a - b);
  }

  async expectIds(expected: readonly number[], message: string, table = TABLE): Promise<void> {
    assert.deepEqual(await this.ids(table), expected, message);
  }

  /** Where readers see pages at once, there is nothing to expect before the commit. */
  async expectHidden(expected: readonly number[], message: string): Promise<void> {
    if (this.subject.visible !== 'at-once') await this.expectIds(expected, message);
  }

  async end(): Promise<void> {
    for (const sink of this.#sinks) await sink.close();
    await this.place.remove?.();
  }
}

/** The checkpoints of an unfinished run. */
export async function checkpointsOf({ unfinished }: Standing): Promise<readonly Checkpoint[]> {
  const all: Checkpoint[] = [];
  if (unfinished !== undefined) for await (const checkpoint of unfinished.checkpoints()) all.push(checkpoint);
  return all;
}

/** Each value of the state is there as it was given; a sink may have added some of its own. */
export function assertKept(state: JsonObject, given: JsonObject): void {
  for (const [key, value] of Object.entries(given)) assert.deepEqual(state[key], value, `the state has another ${key}`);
}

/** One rule of the contract, to be checked with a fixture. */
export interface ContractRule {
  readonly name: string;
  readonly keep: (fixture: SinkFixture) => Promise<void>;
}
