/** The one state machine of durable sinks: each destination fills in its parts. */
import type { DurableSink, Made, RunManifest, Standing, Stored } from '../durable-sink';
import { addFacts } from '../errors';
import type { Checkpoint, JsonObject } from '../model';
import { createSerialQueue } from './journal/serial-queue';
import type { Receipt, RunJournal } from './journal/journal';

/** The receipt of the last run in a destination. */
export type LastReceipt = Receipt & Pick<Standing, 'forgotten'>;

/** A run whose pages are all in the journal. */
export interface Publication {
  readonly manifest: RunManifest;
  /** The state that the receipt of the run has to hold; a destination may add what it needs itself. */
  readonly state: JsonObject;
}

/**
 * What a destination fills in. {@link durableSink} calls these members one after another, never two at once. After `close` it
 * begins with `prepare` again.
 */
export interface DestinationParts {
  /** This names the destination for people, without credentials, for example `duckdb:headwater.duckdb`. */
  readonly name: string;
  /** This says what the destination makes of items; absent: it takes them as they came. */
  readonly makes?: Made;
  /** The journal keeps the pages of a run until they are published: a `fileJournal`, or one inside the destination. */
  readonly journal: RunJournal;
  /** Makes what has to be there before the journal is opened, such as a folder; it refuses what cannot be used at all. */
  readonly prepare?: () => Promise<void>;
  /**
   * Reads the receipt of the last run that was published. The journal is open by then, so nobody else changes the
   * destination; a publication that was interrupted half-way is finished here, or undone.
   *
   * @returns `undefined` when no run was published yet
   */
  readonly receipt: () => Promise<LastReceipt | undefined>;
  /**
   * Makes the pages of the journal visible together with the receipt of the run: both or neither, whatever ends the process
   * meanwhile. It may be called again for the same run after a failure, and must then not add anything twice.
   */
  readonly publish: (run: Publication) => Promise<readonly Stored[]>;
  /** After a publication: what the destination itself has to know in the next run of the configuration. */
  readonly kept?: () => JsonObject;
  /** Ends waiting, such as that for a server to come back, since `close` was called while other work goes on. */
  readonly interrupt?: () => void;
  /** Lets go of connections and files, after the journal was closed. */
  readonly close?: () => Promise<void>;
}

/** Where a sink stands between two calls. */
type Phase =
  | { readonly at: 'closed' }
  | { readonly at: 'idle' }
  | { readonly at: 'running'; readonly manifest: RunManifest }
  /** The run is visible, and its pages are still in the journal. */
  | { readonly at: 'published'; readonly stored: readonly Stored[] }
  | { readonly at: 'committed'; readonly stored: readonly Stored[] };

/**
 * Makes a durable sink of a destination's parts. Calls are served one after another; `commit` may be repeated after a
 * failure, and after a success it gives the same answer again. Errors bear the name of the sink in `destination`.
 *
 * @param parts what the destination fills in
 * @returns a sink whose methods throw what the parts throw, and an Error for calls out of order
 * @example const sink = durableSink({ name: 'files:out', journal: fileJournal('out/.journal'), receipt, publish });
 */
export function durableSink(parts: DestinationParts): DurableSink {
  const { name, makes, journal, kept } = parts;
  const serve = createSerialQueue();
  let phase: Phase = { at: 'closed' };
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
    // The process ended after the publication, and before the journal was cleared.
    const isPublished = found !== undefined && found.id === left?.run;
    if (isPublished) await journal.clear();
    const manifest = isPublished ? undefined : found;
    const damage = journal.damage();
    phase = manifest === undefined || damage !== undefined ? { at: 'idle' } : { at: 'running', manifest };
    return {
      state: left?.state ?? {},
      ...(left === undefined ? {} : { finished: left.run }),
      ...(left?.forgotten === undefined ? {} : { forgotten: left.forgotten }),
      ...(manifest === undefined ? {} : { unfinished: { manifest, checkpoints } }),
      ...(damage === undefined ? {} : { damage: named(damage) }),
    };
  };
  const begin = async (manifest: RunManifest): Promise<void> => {
    if (phase.at === 'closed') throw new Error(CLOSED);
    phase = { at: 'idle' };
    await journal.begin(manifest);
    phase = { at: 'running', manifest };
  };
  const commit = async (state: JsonObject): Promise<readonly Stored[]> => {
    if (phase.at === 'committed') return phase.stored;
    if (phase.at !== 'published') {
      if (phase.at !== 'running') throw journal.damage() ?? new Error('There is no run to commit.');
      phase = { at: 'published', stored: await parts.publish({ manifest: phase.manifest, state }) };
    }
    await journal.clear();
    const { stored } = phase;
    phase = { at: 'committed', stored };
    return stored;
  };
  const close = async (): Promise<void> => {
    phase = { at: 'closed' };
    try {
      await journal.close();
    } finally {
      await parts.close?.();
    }
  };
  return {
    name,
    ...(makes === undefined ? {} : { makes }),
    open: () => inOrder(open),
    begin: (manifest) => inOrder(() => begin(manifest)),
    write: (page) =>
      inOrder(async () => {
        if (phase.at !== 'running') throw journal.damage() ?? new Error('A page came before a run was begun.');
        await journal.append(page);
      }),
    commit: (state) => inOrder(() => commit(state)),
    ...(kept === undefined ? {} : { kept }),
    close: () => {
      parts.interrupt?.();
      return inOrder(close);
    },
  };
}

const CLOSED = 'The sink is not open.';
