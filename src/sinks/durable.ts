/** The state machine of all durable sinks: each destination supplies its parts. */
import { counted } from '../core/text';
import type { CommittedRun, DurableSink, RunFacts, RunManifest } from '../core/durable-sink';
import type { Standing, Stored, TableStand } from '../core/durable-sink';
import { FatalError, addFacts } from '../core/errors/errors';
import { defined } from '../core/json/objects';
import type { Checkpoint, JsonObject, Sink } from '../core/model';
import { createSerialQueue } from './journal/journal';
import type { Receipt, RunJournal } from './journal/journal';
import { committedRun, runRecord } from './run-record';

/** The receipt of the last run in a destination. */
export type LastReceipt = Receipt & Pick<Standing, 'forgotten'>;

/** A run whose pages are all in the journal. */
export interface Publication {
  readonly manifest: RunManifest;
  /** The state for the receipt of the run; a destination may add what it needs itself. */
  readonly state: JsonObject;
  /** Makes the record of the run, for a destination that keeps records of all runs: it is stored together with the receipt. */
  readonly record: (stored: readonly Stored[]) => JsonObject;
  /** Tables without a page in the journal whose rows the run replaces all the same. */
  readonly unfed: readonly string[];
  /**
   * Is called before the decision with each table whose rows the run replaces, the number that it has, and the number that it would have;
   * it throws TABLE_SHRUNK if these are fewer. Absent: nothing need be counted.
   */
  readonly checkRows?: ((table: string, before: number, after: number) => void) | undefined;
}

/**
 * The parts of a destination. {@link durableSink} calls these members one after another, never two at once. After `close` it starts with
 * `prepare` again.
 */
export interface DestinationParts extends Pick<
  DurableSink,
  'name' | 'place' | 'makes' | 'maps' | 'structs' | 'addsRunColumns' | 'showsPages' | 'kept' | 'shared'
> {
  /** The journal keeps the pages of a run until they are published: a `fileJournal`, or one inside the destination. */
  readonly journal: RunJournal;
  /** Makes what the journal needs, such as a folder; refuses an unusable destination. */
  readonly prepare?: () => Promise<void>;
  /**
   * Reads the receipt of the last published run; where other machines publish as well, of the last one of this machine, while the journal
   * has it. The journal is open by then, so nobody else changes the destination; an interrupted publication is completed here, or undone.
   *
   * @returns `undefined` if no run was published yet
   */
  readonly receipt: () => Promise<LastReceipt | undefined>;
  /**
   * Publishes the pages of the journal together with the receipt of the run: both or neither, whatever ends the process meanwhile. It may
   * be called again for the same run after a failure, and must not add anything twice.
   */
  readonly publish: (run: Publication) => Promise<readonly Stored[]>;
  /**
   * Returns the {@link Publication.record} of the run of this id, if it was ever published; absent: only the last run is known, and runs
   * accept no id (`runId`).
   */
  readonly recordOf?: ((run: string) => Promise<JsonObject | undefined>) | undefined;
  /** Returns whether a table has rows of earlier runs; absent: a run may replace them by nothing. */
  readonly hasRows?: ((table: string) => Promise<boolean>) | undefined;
  /** Returns the status of a table that earlier runs filled; absent: lost rows are not detected. */
  readonly standOf?: ((table: string) => Promise<TableStand>) | undefined;
  /** Ends any waiting, such as for a server, since `close` was called during other work. */
  readonly interrupt?: () => void;
  /** Closes connections and files, after the journal was closed. */
  readonly close?: () => Promise<void>;
}

/** The state of a sink between two calls. */
type Phase =
  | { readonly at: 'closed' }
  | { readonly at: 'idle' }
  | { readonly at: 'running'; readonly manifest: RunManifest }
  | { readonly at: 'committed'; readonly stored: readonly Stored[] };

/**
 * Makes a durable sink of the parts of a destination. Calls are served one after another; `commit` may be repeated after a failure, and
 * after a success it returns the same result again. Errors have the name of the sink in `destination`.
 *
 * @param parts the parts of the destination
 * @returns a sink whose methods throw the errors of the parts, and an Error for calls in the wrong order
 * @example const sink = durableSink({ name: 'files:out', journal: fileJournal('out/.journal'), receipt, publish });
 */
export function durableSink(parts: DestinationParts): DurableSink {
  const { name, place, makes, maps, structs, addsRunColumns, showsPages, kept, shared } = parts;
  const { journal, recordOf, standOf } = parts;
  const { together } = journal.append;
  const serve = createSerialQueue();
  let phase: Phase = { at: 'closed' };
  /** The id of the last run. */
  let last: string | undefined;
  /** True while the journal has a published run: this is the mark that its success was not reported. */
  let isUnreported = false;
  const named = <E>(error: E): E => addFacts(error, { destination: name });
  const inOrder = <T>(task: () => Promise<T>): Promise<T> =>
    serve(task).catch((error: unknown): never => {
      throw named(error);
    });
  async function* checkpoints(): AsyncGenerator<Checkpoint> {
    try {
      yield* journal.checkpoints();
    } catch (error) {
      throw named(error);
    }
  }

  const open = async (): Promise<Standing> => {
    phase = { at: 'closed' };
    await parts.prepare?.();
    const found = await journal.open();
    const left = await parts.receipt();
    last = left?.run;
    isUnreported = found !== undefined && found.id === last;
    const [unreported, manifest] = isUnreported ? [found] : [undefined, found];
    // Nobody needs the pages of a published run.
    const damage = isUnreported ? undefined : journal.damage();
    phase = manifest === undefined || damage !== undefined ? { at: 'idle' } : { at: 'running', manifest };
    const unfinished = manifest && { manifest, checkpoints };
    const { run: finished, state = {}, forgotten } = left ?? {};
    return defined({ state, finished, unreported, forgotten, unfinished, damage: damage && named(damage) });
  };
  const begin = async (manifest: RunManifest): Promise<void> => {
    if (phase.at === 'closed') throw new Error(CLOSED);
    phase = { at: 'idle' };
    isUnreported = false;
    await journal.begin(manifest);
    phase = { at: 'running', manifest };
  };
  const committed = async (run: string, recorded: NonNullable<typeof recordOf>): Promise<CommittedRun | undefined> => {
    if (phase.at === 'closed') throw new Error(CLOSED);
    const record = await recorded(run);
    if (record !== undefined) return committedRun(record);
    // Users may delete records.
    return run === last ? { stored: [] } : undefined;
  };
  const markReported = async (): Promise<void> => {
    if (isUnreported) await journal.clear();
    isUnreported = false;
  };
  const writerOf =
    <T>(append: (pages: T) => Promise<void>) =>
    (pages: T): Promise<void> =>
      inOrder(async () => {
        if (phase.at !== 'running') throw journal.damage() ?? new Error('A page came before a run was begun.');
        await append(pages);
      });
  const write = writerOf(journal.append);
  const commit = async (state: JsonObject, facts: RunFacts | undefined): Promise<readonly Stored[]> => {
    if (phase.at === 'committed') return phase.stored;
    if (phase.at !== 'running') throw journal.damage() ?? new Error('There is no run to commit.');
    const { manifest } = phase;
    const { unfed = [], unmet = [] } = facts?.empty ?? {};
    for (const table of unmet) if ((await parts.hasRows?.(table)) === true) throw emptied(name, table);
    const checkRows: Publication['checkRows'] = (table, before, after) => {
      if (after < before) throw shrunk(name, table, before, after);
    };
    const stored = await parts.publish({
      ...{ manifest, state, unfed },
      record: (tables) => runRecord(manifest, facts, tables),
      checkRows: facts?.keepsRows === true ? checkRows : undefined,
    });
    phase = { at: 'committed', stored };
    last = manifest.id;
    isUnreported = true;
    return stored;
  };
  const close = async (): Promise<void> => {
    phase = { at: 'closed' };
    isUnreported = false;
    try {
      await journal.close();
    } finally {
      await parts.close?.();
    }
  };
  return {
    ...{ name, place, makes, maps, structs, addsRunColumns, showsPages, kept, shared },
    open: () => inOrder(open),
    begin: (manifest) => inOrder(() => begin(manifest)),
    write: together === undefined ? write : Object.assign(write, { together: writerOf(together) }),
    commit: (state, facts) => inOrder(() => commit(state, facts)),
    markReported: () => inOrder(markReported),
    committed: recordOf && ((run) => inOrder(() => committed(run, recordOf))),
    standOf: standOf && ((table) => inOrder(() => standOf(table))),
    close: () => {
      parts.interrupt?.();
      return inOrder(close);
    },
  };
}

const CLOSED = 'The sink is not open.';

const emptied = (name: string, table: string): FatalError =>
  new FatalError(
    'TABLE_EMPTIED',
    `The table ${JSON.stringify(table)} of ${name} has rows, and this run would leave none: no response had a value where its ` +
      'items should be. Nothing was stored, and the pages are kept. If the API has none any more, let the run go on with ' +
      '--resume --allow-empty; else correct "dataField" in the job.',
    { table },
  );

const shrunk = (name: string, table: string, before: number, after: number): FatalError =>
  new FatalError(
    'TABLE_SHRUNK',
    `The table ${JSON.stringify(table)} of ${name} has ${counted(before, 'row')}, and this run would leave ${counted(after, 'row')}, but something ` +
      'may be missing, as its warnings say. Nothing was stored there, and the pages are kept. If the API has no more, let the run go on with ' +
      '--resume --accept-incomplete (acceptIncomplete in the library); else mend what the warnings name, and run again.',
    { table },
  );

/**
 * Returns a sink that keeps nothing, for use among durable ones: it gets all pages of a run only if the run is completed in one go. A
 * delivery with it does not resume runs.
 *
 * @example transient('ndjson:-', ndjson(process.stdout, { tag: false }))
 */
export const transient = (name: string, sink: Sink): DurableSink => ({
  name,
  keepsNothing: true,
  open: () => Promise.resolve({ state: {} }),
  begin: () => Promise.resolve(),
  write: sink.write,
  commit: async () => {
    await sink.close();
    return [];
  },
  close: () => Promise.resolve(),
});
