import { rename, writeFile } from 'node:fs/promises';
import type { RunManifest, Stored } from '../../core/durable-sink';
import { FatalError } from '../../core/errors/errors';
import type { JsonObject, Page } from '../../core/model';
import { checkedObject, checkedText } from '../files/checksum';
import { PRIVATE_FILE, fileFailure, textOf } from '../files/durable-files';
import type { Journal, JournaledPage, Receipt } from '../journal/journal';
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

/**
 * Publishes the pages of one run. Each goes to the journal first and then to the stream, so that the bytes of a partly published page are
 * kept, whatever the API would send now.
 */
export class PublishedRun {
  /** The number of times that each call was begun. */
  readonly #beginnings = new Map<string, number>();
  /** Ids in the stream of pages that the journal lost: they will come from the API again. */
  #there = NONE;
  #settled = false;

  private constructor(
    readonly manifest: RunManifest,
    private readonly places: RunPlaces,
    private progress: PublishProgress,
  ) {}

  /** Returns a run whose journal has just begun. */
  static async begin(manifest: RunManifest, places: RunPlaces): Promise<PublishedRun> {
    const progress = noProgress(manifest.id, await places.stream.lastSequence());
    await places.progress.save(progress);
    return new PublishedRun(manifest, places, progress);
  }

  /** Returns the run that is in the journal. Nothing is published before it is resumed, which may not happen. */
  static async goOn(manifest: RunManifest, places: RunPlaces): Promise<PublishedRun> {
    return new PublishedRun(manifest, places, (await places.progress.read(manifest.id)) ?? noProgress(manifest.id));
  }

  /**
   * Publishes what is missing, and returns the number of messages by subject.
   *
   * @throws FatalError SINK_FAILED
   */
  async end(): Promise<readonly Stored[]> {
    await this.settle();
    const counts = await this.places.stream.counts();
    return Object.entries(this.progress.messages).map(([name, rows]) => ({
      ...{ name, rows },
      ...knownCounts({ total: counts?.get(name) }),
    }));
  }

  /** @throws FatalError SINK_FAILED */
  async write(page: Page): Promise<void> {
    await this.settle();
    const { checkpoint, job } = page;
    const begun = this.#begun(checkpoint) + (checkpoint.pages === 1 ? 1 : 0);
    const messages = this.#messagesOf({ checkpoint, dataType: job.dataType, lines: page.lines() }, begun);
    this.places.stream.check(messages, page);
    this.#settled = false;
    await this.places.journal.append(byDataType(page));
    this.#note(checkpoint);
    const reached = await this.#publish(messages, this.progress, this.#there);
    await this.#reached({ ...reached, pages: reached.pages + 1 });
  }

  /**
   * Publishes the pages that are in the journal but not in the stream.
   *
   * @throws FatalError SINK_FAILED
   */
  async settle(): Promise<void> {
    if (this.#settled) return;
    const { journal, stream } = this.places;
    const keys = await this.#readKeys();
    const { run, beginning } = this.progress;
    let reached = keys.length < this.progress.pages ? { ...noProgress(run, beginning), lost: true } : this.progress;
    const open = new Set(keys.slice(reached.pages));
    const there = open.size > 0 || reached.lost ? await stream.idsAfter(reached.sequence) : NONE;
    if (open.size > 0)
      for await (const page of journal.pages())
        if (open.has(this.#keyOf(page.checkpoint)))
          reached = await this.#publish(this.#messagesOf(page, this.#begun(page.checkpoint)), reached, there);
    this.#there = reached.lost ? there : NONE;
    await this.#reached({ ...reached, pages: keys.length });
  }

  async #readKeys(): Promise<readonly string[]> {
    const keys: string[] = [];
    this.#beginnings.clear();
    for await (const checkpoint of this.places.journal.checkpoints()) {
      this.#note(checkpoint);
      keys.push(this.#keyOf(checkpoint));
    }
    return keys;
  }

  async #publish(
    all: readonly StreamMessage[],
    before: PublishProgress,
    there: ReadonlySet<string>,
  ): Promise<PublishProgress> {
    const missing = all.filter(({ id }) => !there.has(id));
    const sequence = await this.places.stream.publish(missing, before.sequence);
    const subject = all[0]?.subject;
    const count = subject === undefined ? {} : { [subject]: (before.messages[subject] ?? 0) + all.length };
    // The searched messages may be earlier than those that were just published.
    return { ...before, ...(before.lost ? {} : { sequence }), messages: { ...before.messages, ...count } };
  }

  async #reached(progress: PublishProgress): Promise<void> {
    await this.places.progress.save(progress);
    this.progress = progress;
    this.#settled = true;
  }

  #messagesOf(page: Pick<JournaledPage, 'checkpoint' | 'dataType' | 'lines'>, begun: number): readonly StreamMessage[] {
    return messagesOf({ ...page, generation: begun - 1 }, this.manifest, this.places.address);
  }

  #begun({ call }: PageKey): number {
    return this.#beginnings.get(call.join('.')) ?? 0;
  }

  #note(checkpoint: PageKey): void {
    if (checkpoint.pages === 1) this.#beginnings.set(checkpoint.call.join('.'), this.#begun(checkpoint) + 1);
  }

  /** Returns the key of a page, unique until its call restarts. */
  #keyOf(checkpoint: PageKey): string {
    return `${checkpoint.call.join('.')}~${this.#begun(checkpoint)}:${checkpoint.pages}`;
  }
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
export interface ProgressStore {
  /** Returns the progress of this run; one that is missing, damaged, or of another run counts as none. */
  readonly read: (run: string) => Promise<PublishProgress | undefined>;
  /**
   * Replaces the progress. It need not be safe against a loss of power, since an older one is sufficient.
   *
   * @throws FatalError DESTINATION or SINK_FAILED
   */
  readonly save: (progress: PublishProgress) => Promise<void>;
}

/**
 * Returns a store of progress in a file, which is replaced in one step.
 *
 * @example await progressIn('work/published.json').save(noProgress('r'))
 */
export const progressIn = (path: string): ProgressStore => ({
  read: async (run) => {
    const progress = checkedObject((await textOf(path)) ?? '') as PublishProgress | undefined;
    return progress?.run === run ? progress : undefined;
  },
  save: async (progress) => {
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
