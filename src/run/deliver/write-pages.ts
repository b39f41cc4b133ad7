/** The pages of a run on their way into its sinks: small ones are written together, while others are requested. */
import type { DurableSink } from '../../core/durable-sink';
import { ConfigurationError } from '../../core/errors/errors';
import type { PageStamp } from '../../core/evidence';
import type { Page } from '../../core/model';
import { wanting, writeAtOnce } from './sink-progress';
import type { SinkState } from './sink-progress';

/** The most bytes of a response whose page waits for others. */
const SMALL = 32 * 1024;
/** The most items of such a page: what a job makes of an item may be larger than the item. */
const FEW = 1000;
/** The most bytes of responses, and the most pages, that wait. As many again may be on their way to the disk. */
const MOST_BYTES = 256 * 1024;
const MOST_PAGES = 100;
/** Milliseconds that a page waits at most. */
const LONGEST_WAIT = 10;

/** A page and the sinks that do not have it. */
interface Waiting {
  readonly page: Page;
  readonly sinks: readonly DurableSink[];
}

/** How the pages came to their end: all that have come are safe. */
export interface PagesEnd {
  /** What ended them too early; absent: nothing did. */
  readonly failure?: { readonly error: unknown };
}

/**
 * Writes each page to the sinks that do not have it, in the order in which pages come. A page is safe when those are that it is
 * written with; what has come is safe when this resolves.
 *
 * @param arrived hears of each page that was taken
 * @throws what a sink throws; nothing is written after that
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

  /** Resolves when there is room for another page; a page that is large, or that a sink takes alone, is safe by then. */
  async add(page: Page): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    await writeAtOnce(this.sinkStates, page);
    const sinks = wanting(this.sinkStates, page);
    if (sinks.length === 0) return;
    this.#waiting.push({ page, sinks });
    const { byteLength } = page.reply.response.body;
    this.#bytes += byteLength;
    // A body that was not held tells no size.
    const isSmall = byteLength <= SMALL && page.count <= FEW && (byteLength > 0 || page.count === 0);
    const hasRoom = this.#bytes < MOST_BYTES && this.#waiting.length < MOST_PAGES;
    if (isSmall && hasRoom && sinks.every(({ write }) => write.together !== undefined))
      this.#timer ??= setTimeout(() => void this.write().catch(() => undefined), LONGEST_WAIT);
    else await this.write();
  }

  /** Resolves when all pages are safe that were added. */
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

  /** To one sink after another: what the one with the fewest pages has, all have. */
  async #writeAll(waiting: readonly Waiting[]): Promise<void> {
    for (const { sink } of this.sinkStates) {
      const pages = waiting.filter(({ sinks }) => sinks.includes(sink)).map(({ page }) => page);
      if (pages.length > 1 && sink.write.together !== undefined) await sink.write.together(pages);
      else for (const page of pages) await sink.write(page);
    }
  }
}

/** What tells of rows which run and which page brought them. */

/** Gives each page a stamp. */
export async function* stampedPages(pages: AsyncIterable<Page>, run: string): AsyncGenerator<Page, void, void> {
  for await (const page of pages) yield stamped(page, run);
}

/**
 * A page with a stamp.
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
