import { rename, writeFile } from 'node:fs/promises';
import type { RunManifest, Stored } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { JsonObject, Page } from '../../core/model';
import { checkedObject, checkedText } from '../files/checksum';
import { PRIVATE_FILE, fileFailure, textOf } from '../files/durable-files';
import type { Journal, Receipt } from '../journal/journal';
import { knownCounts } from '../row-counts';
import type { NatsAddress } from './address';
import { messagesOf } from './messages';
import type { PageKey, StreamMessage } from './messages';
import type { OpenStream } from './stream';

/** The journal of a run, and the destination of its pages. */
export interface RunPlaces {
  readonly address: NatsAddress;
  readonly stream: OpenStream;
  readonly journal: Pick<Journal, 'append' | 'checkpoints' | 'pages'>;
  readonly progress: ProgressStore;
}

const NONE: ReadonlySet<string> = new Set();

/** A run whose pages are published. */
export type PublishedRun = Awaited<ReturnType<typeof publishedRun>>;

/**
 * Publishes the pages of one run. Each goes to the journal first and then to the stream, so that the bytes of a partly published page are
 * kept, whatever the API would send now. Of a run that is in the journal already, nothing is published before it is resumed, which may not
 * happen.
 *
 * @param isNew whether the journal has just begun
 * @throws FatalError SINK_FAILED from its methods
 */
export async function publishedRun(manifest: RunManifest, places: RunPlaces, isNew: boolean) {
  const { address, journal, stream } = places;
  /** The number of times that each call was begun. */
  const beginnings = new Map<string, number>();
  /** Ids in the stream of pages that the journal lost: they will come from the API again. */
  let lostIds = NONE;
  let isSettled = false;
  let progress = isNew
    ? noProgress(manifest.id, await stream.lastSequence())
    : ((await places.progress.read(manifest.id)) ?? noProgress(manifest.id));
  if (isNew) await places.progress.save(progress);

  const begun = ({ call }: PageKey): number => beginnings.get(call.join('.')) ?? 0;
  const note = (checkpoint: PageKey): void => {
    if (checkpoint.pages === 1) beginnings.set(checkpoint.call.join('.'), begun(checkpoint) + 1);
  };
  /** Returns the key of a page, unique until its call restarts. */
  const keyOf = (checkpoint: PageKey): string =>
    `${checkpoint.call.join('.')}~${begun(checkpoint)}:${checkpoint.pages}`;
  const readKeys = async (): Promise<readonly string[]> => {
    const keys: string[] = [];
    beginnings.clear();
    for await (const checkpoint of journal.checkpoints()) {
      note(checkpoint);
      keys.push(keyOf(checkpoint));
    }
    return keys;
  };
  const publish = async (
    all: readonly StreamMessage[],
    before: PublishProgress,
    there: ReadonlySet<string>,
  ): Promise<PublishProgress> => {
    const missing = all.filter(({ id }) => !there.has(id));
    const sequence = await stream.publish(missing, before.sequence);
    const subject = all[0]?.subject;
    const count = subject === undefined ? {} : { [subject]: (before.messages[subject] ?? 0) + all.length };
    // The searched messages may be earlier than those that were just published.
    return { ...before, ...(before.lost ? {} : { sequence }), messages: { ...before.messages, ...count } };
  };
  const reach = async (reached: PublishProgress): Promise<void> => {
    await places.progress.save(reached);
    progress = reached;
    isSettled = true;
  };
  /** Publishes the pages that are in the journal but not in the stream. */
  const settle = async (): Promise<void> => {
    if (isSettled) return;
    const keys = await readKeys();
    const { run, beginning } = progress;
    let reached = keys.length < progress.pages ? { ...noProgress(run, beginning), lost: true } : progress;
    const open = new Set(keys.slice(reached.pages));
    const there = open.size > 0 || reached.lost ? await stream.idsAfter(reached.sequence) : NONE;
    if (open.size > 0)
      for await (const page of journal.pages())
        if (open.has(keyOf(page.checkpoint))) {
          const generation = begun(page.checkpoint) - 1;
          reached = await publish(messagesOf({ ...page, generation }, manifest, address), reached, there);
        }
    lostIds = reached.lost ? there : NONE;
    await reach({ ...reached, pages: keys.length });
  };
  return {
    write: async (page: Page): Promise<void> => {
      await settle();
      const { checkpoint, job } = page;
      const generation = begun(checkpoint) - (checkpoint.pages === 1 ? 0 : 1);
      const published = { checkpoint, dataType: job.dataType, lines: page.lines(), generation };
      const messages = messagesOf(published, manifest, address);
      stream.check(messages, page);
      isSettled = false;
      await journal.append(byDataType(page));
      note(checkpoint);
      const reached = await publish(messages, progress, lostIds);
      await reach({ ...reached, pages: reached.pages + 1 });
    },
    /** Publishes what is missing, and returns the number of messages by subject. */
    end: async (): Promise<readonly Stored[]> => {
      await settle();
      const counts = await stream.counts();
      return Object.entries(progress.messages).map(([name, rows]) => ({
        ...{ name, rows },
        ...knownCounts({ total: counts?.get(name) }),
      }));
    },
  };
}

/** Returns a page that journals keep under its dataType, of which its subject is made: messages have no tables. */
export const byDataType = (page: Page): Page =>
  Object.create(page, { table: { value: page.job.dataType, enumerable: true } }) as Page;

/** The progress of publishing the pages of a journal. */
export interface PublishProgress {
  readonly run: string;
  /** The sequence number of the last message in the stream before the run. */
  readonly beginning: number;
  /** The number of pages, from the first of the journal, whose messages are all in the stream. */
  readonly pages: number;
  /** A sequence number that all messages of later pages exceed. */
  readonly sequence: number;
  /** True if the stream may have messages of pages that the journal lost with the power of the machine. */
  readonly lost: boolean;
  /** The number of messages by subject. */
  readonly messages: Readonly<Record<string, number>>;
}

/** Returns the progress of a run without any record: too little is harmless, since only more of the stream is read again. */
export const noProgress = (run: string, beginning = 0): PublishProgress => ({
  run,
  beginning,
  pages: 0,
  sequence: beginning,
  lost: false,
  messages: {},
});

/** Keeps how far a run has come. */
export type ProgressStore = ReturnType<typeof progressIn>;

/**
 * Returns a store of progress in a file, which is replaced in one step.
 *
 * @example await progressIn('work/published.json').save(noProgress('r'))
 */
export const progressIn = (path: string) => ({
  /** Returns the progress of this run; one that is missing, damaged, or of another run counts as none. */
  read: async (run: string): Promise<PublishProgress | undefined> => {
    const progress = checkedObject((await textOf(path)) ?? '') as PublishProgress | undefined;
    return progress?.run === run ? progress : undefined;
  },
  /**
   * Replaces the progress. It need not be safe against a loss of power, since an older one is sufficient.
   *
   * @throws FatalError DESTINATION or SINK_FAILED
   */
  save: async (progress: PublishProgress): Promise<void> => {
    try {
      await writeFile(`${path}.draft`, checkedText({ ...progress }), { mode: PRIVATE_FILE });
      await rename(`${path}.draft`, path);
    } catch (cause) {
      throw fileFailure(path, cause);
    }
  },
});

/** A receipt with the record of its run, which is then added to the list of all runs. */
export interface RecordedReceipt extends Receipt {
  readonly record: JsonObject;
}

/**
 * Returns the receipt that a string holds.
 *
 * @param place the file or the object, for users
 * @throws FatalError DESTINATION_DAMAGED when it is none, or was changed
 */
export function receiptIn(text: string, place: string): RecordedReceipt {
  const receipt = checkedObject(text) as RecordedReceipt | undefined;
  if (receipt !== undefined) return receipt;
  const remedy = 'It says what the last run left for the next one: restore it, or delete it to start over.';
  throw new FatalError('DESTINATION_DAMAGED', `The ${place} is no receipt of a run. ${remedy}`);
}
