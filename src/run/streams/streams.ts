/** The streams of runs: each subscription, and each iteration, is a run of its own. */
import { catchError, concatMap, defer, filter, from, map, tap, throwError } from 'rxjs';
import type { InteropObservable, MonoTypeOperatorFunction, Observable, ObservableInput } from 'rxjs';
import { HeadwaterError, setResumePoint } from '../../core/errors/errors';
import type { RunEvent } from '../../core/events';
import type { Item, Page, Progress } from '../../core/model';
import { boundedWindow } from '../../operators';
import type { DrainOptions, WindowGate } from '../../operators';
import { flattenIterable, toAsyncIterable } from '../../operators/interop/iterable';
import { withObservable } from '../../operators/interop/observable';
import type { EvidenceTracker } from '../../sources/completeness/evidence-tracker';
import { createProgressTracker } from '../state/progress';

/** An event of a run whose items are decoded. */
export type ItemEvent<T = Item> =
  | Exclude<RunEvent, { readonly type: 'page.extracted' }>
  | (Omit<Extract<RunEvent, { readonly type: 'page.extracted' }>, 'page'> & { readonly page: Page<T> });

/**
 * Items as streams. RxJS takes it for an Observable of its items: `from`, `merge` and `switchMap(() => streams)` subscribe to
 * `items$`, and unsubscribing ends the run at once.
 */
export interface ItemStreams<T = Item> extends AsyncIterable<T>, InteropObservable<T> {
  /** The items. */
  readonly items$: Observable<T>;
  /** The pages, with their job, response and checkpoint. */
  readonly pages$: Observable<Page<T>>;
  /** All that happens in a run, pages included. */
  readonly events$: Observable<ItemEvent<T>>;
  /** The pages, pulled: no more of them are requested than the consumer has taken, but for those that may wait. */
  readonly pages: () => AsyncIterable<Page<T>>;
  /**
   * The pages, held back by a gate: it is asked before each page, with the number of pages that may wait. For consumers
   * with a window of their own (`boundedWindow`); {@link ItemStreams.drain} is the short way.
   */
  readonly pagesBehind: (gate: WindowGate) => Observable<Page<T>>;
  /**
   * Works on one page after another, and requests no more than may wait meanwhile.
   *
   * @param work gives an Observable, a promise or an async iterable; the next page waits for its end
   * @param options `concurrency`: how many pages are worked on at once, 1 unless given; what comes of them keeps the order of the
   * pages, unless `ordered` is false
   * @returns what the work gives; cold
   * @example extraction.drain((page) => database.insert(page.items)).subscribe({ complete: () => console.log('done') });
   */
  readonly drain: <R>(
    work: (page: Page<T>, index: number) => ObservableInput<R>,
    options?: DrainOptions,
  ) => Observable<R>;
}

/** What streams are made of, for who begins runs in another way. */
export interface StreamSource {
  /** Makes the events of a run behind a gate; `resume` goes on with a run that was broken off. */
  readonly started: (gate: WindowGate, resume?: ResumedRun) => Observable<RunEvent>;
  /** Whether a page is one of these streams; the others are those of jobs that run for their sake. */
  readonly isOwn: (page: Page) => boolean;
  /** Tells runs apart that ask for different data. */
  readonly fingerprint: () => string;
  /** Whether these are the streams of a run that goes on already. */
  readonly isResumed: boolean;
  /** Where the runs begin, whose errors tell where they can go on; absent: these cannot go on so. */
  readonly beginsAt?: Progress;
}

/** A run that goes on. */
export interface ResumedRun {
  readonly startedAt: number;
  readonly progress: Progress;
  readonly evidence?: EvidenceTracker;
}

const sources = new WeakMap<object, StreamSource>();

/** What streams were made of; `undefined`: another copy of this package has made them, or they are none. */
export const sourceOf = (streams: object): StreamSource | undefined => sources.get(streams);

const open: WindowGate = () => from([0]);

/** Streams of runs whose items are decoded to `T`. */
export function streamsOf<T>(source: StreamSource): ItemStreams<T> {
  const { started, isOwn, beginsAt } = source;
  const ownOf = (events: Observable<RunEvent>): Observable<ItemEvent<T>> =>
    // What the decoders give is known to the compiler by their types alone.
    events.pipe(filter((event) => event.type !== 'page.extracted' || isOwn(event.page))) as Observable<ItemEvent<T>>;
  const pagesOf = (events: Observable<RunEvent>): Observable<Page<T>> =>
    ownOf(events).pipe(
      filter((event) => event.type === 'page.extracted'),
      map(({ page }) => page),
    );
  const pagesBehind = (gate: WindowGate): Observable<Page<T>> => pagesOf(started(gate));
  // Only where a page is done with when the next one comes.
  const told = (gate: WindowGate): Observable<RunEvent> =>
    beginsAt === undefined ? started(gate) : started(gate).pipe(tellingWhereToGoOn(beginsAt));
  const pages = (): AsyncIterable<Page<T>> => toAsyncIterable((gate) => pagesOf(told(gate)));
  const pages$ = pagesOf(told(open));
  const items$ = pages$.pipe(concatMap(({ items }) => from(items)));
  const streams: Omit<ItemStreams<T>, typeof Symbol.observable> = {
    items$,
    pages$,
    events$: ownOf(told(open)),
    pages,
    pagesBehind,
    drain: (work, tuning) =>
      defer(() => {
        const { gate, drain } = boundedWindow();
        return pagesBehind(gate).pipe(drain(work, tuning));
      }),
    [Symbol.asyncIterator]: () => flattenIterable(pages(), ({ items }) => items)[Symbol.asyncIterator](),
  };
  sources.set(streams, source);
  return withObservable(streams, items$);
}

/** Where a run that has failed can go on. */

/**
 * Gives the error of a run the place behind the last page of each call that the stream has given, as the option `resume` takes it. A
 * consumer that is done with a page when it returns from it has all that lies before.
 *
 * @param before where the run began, if it went on itself
 */
const tellingWhereToGoOn =
  (before: Progress): MonoTypeOperatorFunction<RunEvent> =>
  (events$) =>
    defer(() => {
      const tracker = createProgressTracker();
      for (const checkpoint of before.values()) tracker.add(checkpoint);
      let startedAt = 0;
      return events$.pipe(
        tap((event) => {
          if (event.type === 'run.started') ({ startedAt } = event);
          if (event.type === 'page.extracted') tracker.add(event.page.checkpoint);
        }),
        catchError((error: unknown) => {
          if (error instanceof HeadwaterError && startedAt > 0)
            setResumePoint(error, { startedAt, progress: tracker.progress() });
          return throwError(() => error);
        }),
      );
    });
