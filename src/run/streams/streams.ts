/** The streams of runs: each subscription, and each iteration, is a separate run. */
import { catchError, defer, filter, from, tap, throwError } from 'rxjs';
import type { InteropObservable, MonoTypeOperatorFunction, Observable, ObservableInput, Subscriber } from 'rxjs';
import { HeadwaterError, setResumePoint } from '../../core/errors/errors';
import type { RunEvent } from '../../core/events';
import type { Item, Page, Progress } from '../../core/model';
import { boundedWindow } from '../../operators';
import type { DrainOptions, WindowGate } from '../../operators';
import { flattenIterable, toAsyncIterable } from '../../operators/interop/iterable';
import { withObservable } from '../../operators/interop/observable';
import { OPEN, emitEach } from '../../operators/subscription';
import type { EvidenceTracker } from '../../sources/completeness/judgement';
import { createProgressTracker } from '../state/progress';

/** An event of a run whose items are decoded. */
export type ItemEvent<T = Item> =
  | Exclude<RunEvent, { readonly type: 'page.extracted' }>
  | (Omit<Extract<RunEvent, { readonly type: 'page.extracted' }>, 'page'> & { readonly page: Page<T> });

/**
 * Items as streams. RxJS accepts it as an Observable of its items: `from`, `merge` and `switchMap(() => streams)` subscribe to `items$`,
 * and unsubscribing ends the run at once.
 */
export interface ItemStreams<T = Item> extends AsyncIterable<T>, InteropObservable<T> {
  /** The items. */
  readonly items$: Observable<T>;
  /** The pages, with their job, response and checkpoint. */
  readonly pages$: Observable<Page<T>>;
  /** All events of a run, pages included. */
  readonly events$: Observable<ItemEvent<T>>;
  /** The pages, pulled: only as many are requested as the consumer has taken, and those that may wait. */
  readonly pages: () => AsyncIterable<Page<T>>;
  /**
   * The pages, held back by a gate: it is called before each page, with the number of pages that may wait. For consumers with their own
   * window (`boundedWindow`); {@link ItemStreams.drain} is the short way.
   */
  readonly pagesBehind: (gate: (ahead?: number) => ObservableInput<unknown>) => Observable<Page<T>>;
  /**
   * Processes one page after another, and requests only as many as may wait meanwhile.
   *
   * @param work returns an Observable, a promise or an async iterable; the next page waits for its end
   * @param options `concurrency`: how many pages are processed at once, 1 by default; the results keep the order of the pages, unless
   *   `ordered` is false
   * @returns the values of the work; cold
   * @example extraction.drain((page) => database.insert(page.items)).subscribe({ complete: () => console.log('done') });
   */
  readonly drain: <R>(
    work: (page: Page<T>, index: number) => ObservableInput<R>,
    options?: DrainOptions,
  ) => Observable<R>;
}

/** The source of streams, for code that starts runs in another way. */
export interface StreamSource {
  /**
   * Starts a run behind a gate and returns its events; `resume` resumes an interrupted run.
   *
   * @param isDetailed true for every event; by default those of single requests are not made unless others listen to them
   */
  readonly started: (gate: WindowGate, resume?: ResumedRun, isDetailed?: boolean) => Observable<RunEvent>;
  /** Returns whether a page belongs to these streams; the others belong to parent jobs. */
  readonly isOwn: (page: Page) => boolean;
  /** Identifies the data that a run asks for. */
  readonly fingerprint: () => string;
  /** True if these are the streams of a resumed run. */
  readonly isResumed: boolean;
  /** The start of the runs, whose errors say where they can be resumed; absent: these cannot be resumed. */
  readonly beginsAt?: Progress;
}

/** A run that is resumed. */
export interface ResumedRun {
  readonly startedAt: number;
  readonly progress: Progress;
  readonly evidence?: EvidenceTracker;
}

const sources = new WeakMap<object, StreamSource>();

/** Returns the source of streams; `undefined`: another copy of this package made them, or they are none. */
export const sourceOf = (streams: object): StreamSource | undefined => sources.get(streams);

const open: WindowGate = () => OPEN;

/** Returns the streams of runs whose items are decoded to `T`. */
export function streamsOf<T>(source: StreamSource): ItemStreams<T> {
  const { started, isOwn, beginsAt } = source;
  /** Calls a function with the pages of an event, if it has one. The types of decoders alone say what they return. */
  const ofPage =
    <R>(work: (page: Page<T>, to: Subscriber<R>) => void) =>
    (event: RunEvent, to: Subscriber<R>): void => {
      if (event.type === 'page.extracted' && isOwn(event.page)) work(event.page as Page<T>, to);
    };
  const pagesOf = (events: Observable<RunEvent>): Observable<Page<T>> =>
    events.pipe(emitEach(ofPage<Page<T>>((page, to) => to.next(page))));
  const pagesBehind: ItemStreams<T>['pagesBehind'] = (gate) => pagesOf(started((ahead) => from(gate(ahead))));
  // Only for streams in which a page is processed when the next one comes.
  const eventsBehind = (gate: WindowGate, isDetailed = false): Observable<RunEvent> => {
    const events$ = started(gate, undefined, isDetailed);
    return beginsAt === undefined ? events$ : events$.pipe(tellingWhereToGoOn(beginsAt));
  };
  const pages = (): AsyncIterable<Page<T>> => toAsyncIterable((gate) => pagesOf(eventsBehind(gate)));
  const pages$ = pagesOf(eventsBehind(open));
  const items$: Observable<T> = eventsBehind(open).pipe(
    emitEach(
      ofPage<T>(({ items }, to) => {
        for (const item of items) {
          if (to.closed) return;
          to.next(item);
        }
      }),
    ),
  );
  const streams: Omit<ItemStreams<T>, typeof Symbol.observable> = {
    items$,
    pages$,
    events$: eventsBehind(open, true).pipe(
      filter((event) => event.type !== 'page.extracted' || isOwn(event.page)),
    ) as Observable<ItemEvent<T>>,
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

/**
 * Adds to the error of a run the place after the last page of each call that the stream has emitted, for the option `resume`. A consumer
 * that has processed a page when it returns from it has everything before that place.
 *
 * @param before the start of the run, if it was itself resumed
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
