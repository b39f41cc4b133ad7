/** Pages that come again unless the consumer has acknowledged them: at least once, and none is lost. */
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
import type { RunProgress, SavedProgress, ProgressStore } from './progress';

/** A page that the consumer acknowledges when it has processed it. */
export interface AcknowledgedPage<T> {
  readonly page: Page<T>;
  /**
   * Acknowledges the page, and saves the progress of the run up to the first page that is not acknowledged. Resolves when that is saved.
   * Another call does nothing.
   */
  readonly ack: () => Promise<void>;
}

/** A resumable run. Each subscription loads the progress, and continues after the last acknowledged page. */
export interface Resumable<T> {
  /**
   * Processes one page after another, with back-pressure: a page is acknowledged when its work has ended, and the next one waits for that.
   *
   * @returns the values of the work; cold, for `retry`
   */
  readonly drain: <R>(work: (page: Page<T>, index: number) => ObservableInput<R>) => Observable<R>;
  /**
   * The pages, pulled: a page is acknowledged when the next one is requested. For `for await`; RxJS would request the next one too soon.
   */
  readonly pages: () => AsyncIterable<Page<T>>;
  /** The pages, pushed: the consumer acknowledges each. */
  readonly pages$: Observable<AcknowledgedPage<T>>;
}

/** The options of a resumable run. */
export interface ResumableOptions {
  /** The store of the progress; it is cleared when the run has ended and all of its pages are acknowledged. */
  readonly store: ProgressStore;
}

/**
 * Makes runs of an extraction, or of one of its jobs, continue where an earlier one failed or was unsubscribed: in this process, with
 * `retry`, or in another one. Each page comes at least once; pages after the last acknowledged one may come again.
 *
 * One run at a time: a subscription fails while another one is in progress. The progress of another configuration is not used.
 *
 * One run at a time: a subscription fails while another one is in progress. A run of another configuration does not continue.
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
  /** The latest subscription; acknowledgements for earlier ones have no effect. */
  let latest: object | undefined;
  /** The last operation of the store: a new run waits for it. */
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
          // The decoders of the streams have the types of their items.
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
  'The run cannot go on: the configuration, or the job, is not the one that it began with. Clear the store to start over.';

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

/** Makes the queue of the pages of a run in the order of their arrival: the progress ends at the first gap. */
function createQueue(progress: RunProgress, { store, inTurn, isLatest }: Surroundings) {
  const waiting: { readonly page: Page; isSafe: boolean }[] = [];
  let isOver = false;
  /** The numbers of pages that are acknowledged without a gap, and that the store has: it may fail while more pages are acknowledged. */
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

/** Acknowledges each page when the next one is requested. */
async function* pulled<T>(behind: (gate: WindowGate) => Observable<AcknowledgedPage<T>>): AsyncGenerator<Page<T>> {
  for await (const { page, ack } of toAsyncIterable(behind)) {
    yield page;
    await ack();
  }
}
