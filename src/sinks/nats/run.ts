import { rename, writeFile } from 'node:fs/promises';
import type { RunManifest, Stored } from '../../core/durable-sink';
import type { Page } from '../../core/model';
import { checkedObject, checkedText } from '../files/checksum';
import { PRIVATE_FILE, fileFailure, textOf } from '../files/durable-files';
import type { Journal, JournaledPage } from '../journal/journal';
import type { NatsAddress } from './address';
import { messagesOf } from './messages';
import type { PageKey, StreamMessage } from './messages';
import type { OpenStream } from './stream';

/** The journal of a run, and the destination of its pages. */
export interface RunPlaces {
  readonly address: NatsAddress;
  readonly stream: OpenStream;
  readonly journal: Journal;
  /** The file with the {@link PublishProgress}. */
  readonly progressFile: string;
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
    await saveProgress(places.progressFile, progress);
    return new PublishedRun(manifest, places, progress);
  }

  /** Returns the run that is in the journal. Nothing is published before it is resumed, which may not happen. */
  static async goOn(manifest: RunManifest, places: RunPlaces): Promise<PublishedRun> {
    return new PublishedRun(manifest, places, await readProgress(places.progressFile, manifest.id));
  }

  /** Returns the number of messages by subject. */
  get stored(): readonly Stored[] {
    return Object.entries(this.progress.messages).map(([name, rows]) => ({ name, rows }));
  }

  /** @throws FatalError SINK_FAILED */
  async write(page: Page): Promise<void> {
    await this.settle();
    const { checkpoint, job } = page;
    const begun = this.#begun(checkpoint) + (checkpoint.pages === 1 ? 1 : 0);
    const messages = this.#messagesOf({ checkpoint, dataType: job.dataType, lines: page.lines() }, begun);
    const { dataType: table } = job;
    this.places.stream.check(messages, table, `page ${checkpoint.pages - 1} of the table ${JSON.stringify(table)}`);
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
    await saveProgress(this.places.progressFile, progress);
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
const byDataType = (page: Page): Page =>
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
const noProgress = (run: string, beginning = 0): PublishProgress => ({
  run,
  beginning,
  pages: 0,
  sequence: beginning,
  lost: false,
  messages: {},
});

/**
 * Replaces the file in one step, without waiting until it is safe against a loss of power, since an older one is sufficient.
 *
 * @throws FatalError DESTINATION or SINK_FAILED
 * @example await saveProgress('work/published.json', noProgress('r'))
 */
async function saveProgress(path: string, progress: PublishProgress): Promise<void> {
  try {
    await writeFile(`${path}.draft`, checkedText({ ...progress }), { mode: PRIVATE_FILE });
    await rename(`${path}.draft`, path);
  } catch (cause) {
    throw fileFailure(path, cause);
  }
}

/** Returns the progress of this run; a file that is missing, damaged, or of another run counts as none. */
async function readProgress(path: string, run: string): Promise<PublishProgress> {
  const progress = checkedObject((await textOf(path)) ?? '') as PublishProgress | undefined;
  return progress?.run === run ? progress : noProgress(run);
}
