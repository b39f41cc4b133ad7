/** Pages that are given again unless the consumer was done with them: at least once, and none is lost. */
import { concat, concatMap, defer, filter, finalize, from, ignoreElements, map, of } from 'rxjs';
import type { Observable, ObservableInput } from 'rxjs';
import { FatalError } from '../../core/errors/errors';
import { toAsyncIterable } from '../../operators/interop/iterable';
import type { Page } from '../../core/model';
import { boundedWindow } from '../../operators';
import type { WindowGate } from '../../operators';
import { sourceOf } from '../streams/streams';
import type { ItemStreams, StreamSource } from '../streams/streams';
import { createProgress, noProgress } from './progress';
import type { RunProgress, SavedProgress } from './progress';
import type { ProgressStore } from './progress';

/** A page that the consumer says when it is done with. */
export interface AcknowledgedPage<T> {
  readonly page: Page<T>;
  /**
   * Says that the page is safe, and saves how far the run is: up to the first page that is not. Resolves when that is saved. To
   * say it again does nothing.
   */
  readonly ack: () => Promise<void>;
}

/** Runs that go on. Each subscription loads the progress, and goes on with the page after the last one that is safe. */
export interface Resumable<T> {
  /**
   * Works on one page after another, with back-pressure: a page is safe when its work is over, and the next one waits for that.
   *
   * @returns what the work gives; cold, for `retry`
   */
  readonly drain: <R>(work: (page: Page<T>, index: number) => ObservableInput<R>) => Observable<R>;
  /** The pages, pulled: a page is safe when the next one is asked for. For `for await`; RxJS would ask for the next one too soon. */
  readonly pages: () => AsyncIterable<Page<T>>;
  /** The pages, pushed: a page is safe when the consumer says so. */
  readonly pages$: Observable<AcknowledgedPage<T>>;
}

/** How a run goes on. */
export interface ResumableOptions {
  /** Where its progress is kept; it is cleared when the run is over, and all of its pages are safe. */
  readonly store: ProgressStore;
}

/**
 * Makes runs of an extraction, or of one of its jobs, go on where an earlier one has failed, or was left: in this process, with
 * `retry`, or in another one. Each page comes at least once; pages after the last safe one may come again.
 *
 * One run at a time: a subscription fails while another one is under way. A run of another configuration does not go on.
 *
 * @throws RangeError for what is no extraction, or has the option `resume`
 * @example
 * const stations = resumable(extraction, { store: progressStores.file('stations.progress') });
 * stations.drain((page) => database.insert(page.items)).pipe(retry({ count: 5, delay: 10_000 })).subscribe();
 */
export function resumable<T>(streams: ItemStreams<T>, { store }: ResumableOptions): Resumable<T> {
  const source = sourceOf(streams);
  if (source === undefined)
    throw new RangeError('resumable: expected an extraction of this copy of the package, or its job(…)');
  if (source.isResumed) throw new RangeError('resumable: the extraction has a `resume` of its own');
  let running = false;
  /** The latest subscription. What was begun for an earlier one may still be acknowledged, and counts no more. */
  let latest: object | undefined;
  /** What was asked of the store last: a new run waits for it. */
  let stored: Promise<unknown> = Promise.resolve();
  const inTurn = <R>(work: () => Promise<R>): Promise<R> => {
    const turn = stored.then(work, work);
    stored = turn.catch(() => undefined);
    return turn;
  };
  const behind = (gate: WindowGate): Observable<AcknowledgedPage<T>> =>
    defer(() => {
      if (running) throw new FatalError('RESUME', BUSY);
      running = true;
      const own = {};
      latest = own;
      const isLatest = (): boolean => latest === own;
      return from(inTurn(() => store.load())).pipe(
        concatMap((saved) => {
          const queue = createQueue(createProgress(checked(saved, source)), { store, inTurn, isLatest });
          const pages$ = source.started(gate, queue.resume).pipe(
            filter((event) => event.type === 'page.extracted'),
            map(({ page }) => queue.enter(page, source.isOwn(page))),
            filter(({ page }) => source.isOwn(page)),
          );
          // The items are decoded by the decoders whose types the streams have.
          return concat(pages$, defer(() => from(queue.end())).pipe(ignoreElements())) as Observable<
            AcknowledgedPage<T>
          >;
        }),
        finalize(() => {
          running = false;
        }),
      );
    });
  return {
    drain: (work) =>
      defer(() => {
        const { gate, drain } = boundedWindow();
        return behind(gate).pipe(
          drain(({ page, ack }, index) =>
            concat(
              defer(() => from(work(page, index))),
              defer(() => from(ack())).pipe(ignoreElements()),
            ),
          ),
        );
      }),
    pages: () => pulled(behind),
    pages$: behind(() => of(0)),
  };
}

const BUSY =
  'A run of this resumable extraction is under way, and only one can be. Wait for its end, or make another one.';
const CHANGED =
  'The run cannot go on: the configuration, or the job, is not the one that it began with. Clear the store to begin anew.';

function checked(saved: SavedProgress | undefined, { fingerprint }: StreamSource): SavedProgress {
  const print = fingerprint();
  if (saved === undefined) return noProgress(print, Math.floor(Date.now() / 1000));
  if (saved.fingerprint !== print) throw new FatalError('RESUME', CHANGED);
  return saved;
}

interface Surroundings {
  readonly store: ProgressStore;
  readonly inTurn: <R>(work: () => Promise<R>) => Promise<R>;
  readonly isLatest: () => boolean;
}

/** The pages of a run in the order in which they came: progress is what has no gap before it. */
function createQueue(progress: RunProgress, { store, inTurn, isLatest }: Surroundings) {
  const waiting: { readonly page: Page; isSafe: boolean }[] = [];
  let isOver = false;
  /** How many pages are safe without a gap, and of how many the store knows: it may fail, while others are safe. */
  let [safe, kept] = [0, 0];
  const advance = (): void => {
    const gap = waiting.findIndex(({ isSafe }) => !isSafe);
    const next = waiting.splice(0, gap < 0 ? waiting.length : gap);
    next.forEach(({ page }) => progress.add(page));
    safe += next.length;
  };
  const keep = (): Promise<void> =>
    inTurn(async () => {
      const known = safe;
      await (isOver && waiting.length === 0 ? store.clear() : store.save(progress.saved()));
      kept = known;
    });
  return {
    resume: progress.resume(),
    enter: (page: Page, isOwn: boolean): AcknowledgedPage<unknown> & { readonly page: Page } => {
      const entry = { page, isSafe: !isOwn };
      waiting.push(entry);
      const ack = async (): Promise<void> => {
        if (!isLatest()) return;
        entry.isSafe = true;
        advance();
        if (kept < safe) await keep();
      };
      return { page, ack };
    },
    end: async (): Promise<void> => {
      isOver = true;
      advance();
      if (waiting.length === 0) await keep();
    },
  };
}

/** A page is safe when the next one is asked for. */
async function* pulled<T>(behind: (gate: WindowGate) => Observable<AcknowledgedPage<T>>): AsyncGenerator<Page<T>> {
  for await (const { page, ack } of toAsyncIterable(behind)) {
    yield page;
    await ack();
  }
}
