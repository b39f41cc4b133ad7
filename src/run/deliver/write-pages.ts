/** Writes the pages of a run into its sinks: small pages are written together, while others are requested. */
import type { DurableSink } from '../../core/durable-sink';
import { ConfigurationError } from '../../core/errors/errors';
import type { PageStamp } from '../../core/evidence';
import type { Page } from '../../core/model';
import { wanting, writeAtOnce } from './sink-progress';
import type { SinkState } from './sink-progress';

/** The maximum bytes of a response whose page waits for others. */
const SMALL = 32 * 1024;
/** The maximum number of items of such a page: a job may make larger items than those of the response. */
const FEW = 1000;
/** The maximum bytes of responses, and the maximum number of pages, that wait. As many again may be in the middle of a write. */
const MOST_BYTES = 256 * 1024;
const MOST_PAGES = 100;
/** The maximum milliseconds that a page waits. */
const LONGEST_WAIT = 10;

/** A page and the sinks that lack it. */
interface Waiting {
  readonly page: Page;
  readonly sinks: readonly DurableSink[];
}

/** The end of the pages: all that have come are stored. */
export interface PagesEnd {
  /** The error that ended them too early; absent: there is none. */
  readonly failure?: { readonly error: unknown };
}

/**
 * Writes each page to the sinks that lack it, in the order of the pages. A page is stored when all pages that are written with it are;
 * everything that has come is stored when this resolves.
 *
 * @param arrived is called with each page that was taken
 * @throws the error of a sink; nothing is written after that
 * @example const { failure } = await writePages(extraction.pages(), works, (page) => cursors.addPage(page));
 */
export async function writePages(
  pages: AsyncIterable<Page>,
  sinkStates: readonly SinkState[],
  arrived: (page: Page) => void,
): Promise<PagesEnd> {
  const group = new PageGroup(sinkStates);
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => ({ error }));
      if ('error' in next) return { failure: { error: next.error } };
      if (next.done === true) return {};
      await group.add(next.value);
      arrived(next.value);
    }
  } catch (error) {
    await iterator.return?.();
    throw error;
  } finally {
    await group.write();
  }
}

/** Pages that are written together. */
class PageGroup {
  #waiting: Waiting[] = [];
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(private readonly sinkStates: readonly SinkState[]) {}

  /** Resolves when there is space for another page; a large page, or one that a sink takes alone, is stored by then. */
  async add(page: Page): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    await writeAtOnce(this.sinkStates, page);
    const sinks = wanting(this.sinkStates, page);
    if (sinks.length === 0) return;
    this.#waiting.push({ page, sinks });
    const { byteLength } = page.reply.response.body;
    this.#bytes += byteLength;
    // The size of a streamed body is unknown.
    const isSmall = byteLength <= SMALL && page.count <= FEW && (byteLength > 0 || page.count === 0);
    const hasRoom = this.#bytes < MOST_BYTES && this.#waiting.length < MOST_PAGES;
    if (isSmall && hasRoom && sinks.every(({ write }) => write.together !== undefined))
      this.#timer ??= setTimeout(() => void this.write().catch(() => undefined), LONGEST_WAIT);
    else await this.write();
  }

  /** Resolves when all added pages are stored. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    this.#last = this.#last.then(() => this.#writeAll(waiting));
    await this.#last.catch((error: unknown): never => {
      this.#failure = { error };
      throw error;
    });
  }

  /** Writes to one sink after another, so that all sinks have the pages of the sink with the fewest. */
  async #writeAll(waiting: readonly Waiting[]): Promise<void> {
    for (const { sink } of this.sinkStates) {
      const pages = waiting.filter(({ sinks }) => sinks.includes(sink)).map(({ page }) => page);
      if (pages.length > 1 && sink.write.together !== undefined) await sink.write.together(pages);
      else for (const page of pages) await sink.write(page);
    }
  }
}

/** Adds a stamp to each page: its run, its number and its time, for the columns of the run. */
export async function* stampedPages(pages: AsyncIterable<Page>, run: string): AsyncGenerator<Page, void, void> {
  for await (const page of pages) yield stamped(page, run);
}

/**
 * Returns a page with a stamp.
 *
 * @param run the id of the run
 * @example stamped(page, 'r').stamp // { run: 'r', page: 1, extractedAt: '2024-06-01T12:00:00.000Z' }
 */
export function stamped(page: Page, run: string): Page {
  const { receivedAt = Date.now() } = page.reply.response;
  const stamp: PageStamp = { run, page: page.index + 1, extractedAt: new Date(receivedAt).toISOString() };
  // A copy would parse the items.
  return Object.create(page, { stamp: { value: stamp, enumerable: true } }) as Page;
}

/** @throws ConfigurationError where a destination has no rows for the columns of the run */
export function checkRunColumns(sinks: readonly DurableSink[]): void {
  const without = sinks.filter(({ addsRunColumns = false }) => !addsRunColumns).map(({ name }) => name);
  if (without.length === 0) return;
  const message =
    `${[...new Set(without)].join(', ')} does not add the columns _run_id, _page and _extracted_at: tables in databases and ` +
    'folders have them. Name such destinations only, or leave these columns out.';
  throw new ConfigurationError([{ path: 'runColumns', message }]);
}
