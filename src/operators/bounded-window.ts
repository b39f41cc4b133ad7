import { BehaviorSubject, Observable, Subject, defer, finalize, ignoreElements, merge, mergeMap, tap } from 'rxjs';
import type { ObservableInput, OperatorFunction, Subscriber } from 'rxjs';
import { changingLimit, limitFrom } from './limit';
import { mergeInOrder } from './merge-in-order';
import type { WindowGate } from './merge-in-order';
import { currentContext, openFor, remove } from './subscription';
import type { InContext } from './subscription';

/** Options of the drain of a bounded window. */
export interface DrainOptions {
  /**
   * The number of values processed at once, an integer from 1, or `Infinity`; default 1. An Observable changes the
   * number while the drain runs; nothing starts before its first number, nor while it is 0.
   */
  readonly concurrency?: number | Observable<number>;
  /** True if results come in the order of the values (default). If false, they come as soon as they are ready. */
  readonly ordered?: boolean;
}

/** The counts of a window. */
export interface WindowCount {
  readonly arrived: () => void;
  readonly begun: () => void;
  readonly done: () => void;
  readonly givenBack: (left: number, broken: number) => void;
  /** Admits producers that wait for space. */
  readonly serve: () => void;
}

/** Returns the drain of a window. */
function drainOf<T, R>(
  count: WindowCount,
  work: (value: T, index: number) => ObservableInput<R>,
  { concurrency = 1, ordered = true }: DrainOptions = {},
): OperatorFunction<T, R> {
  const concurrency$ = changingLimit('drain', 'concurrency', concurrency);
  const isOneByOne = concurrency === 1;
  return (source) =>
    defer(() => {
      const queue: { readonly value: T; readonly inContext?: InContext }[] = [];
      const begin$ = new Subject<T>();
      const limit$ = new BehaviorSubject(1);
      let limit = 0;
      let busy = 0;
      let looping = false;
      let sourceDone = false;
      let failed = false;

      const begin = (value: T): void => {
        count.begun();
        busy += 1;
        begin$.next(value);
      };

      /**
       * Starts waiting work. It is a loop and not a recursion, so that work that ends synchronously does not nest, as
       * it would in `concatMap`.
       */
      const goOn = (): void => {
        if (looping || failed) return;
        looping = true;
        while (busy < limit) {
          const first = queue.shift();
          if (first === undefined) break;
          if (first.inContext === undefined) begin(first.value);
          else first.inContext(() => begin(first.value));
          count.serve();
        }
        looping = false;
        if (sourceDone && busy === 0 && queue.length === 0) begin$.complete();
      };

      const workOff = (value: T, index: number): Observable<R> => {
        let done = false;
        return defer(() => work(value, index)).pipe(
          tap({ complete: () => (done = true), error: () => (failed = true) }),
          // The work has cleaned up only at this point. Interrupted work is returned below, as is work whose clean-up
          // has ended the subscription.
          finalize(() => {
            if (!done || busy === 0) return;
            count.done();
            busy -= 1;
            goOn();
            count.serve();
          }),
        );
      };

      const arrivals$ = source.pipe(
        tap({
          next: (value) => {
            count.arrived();
            // Work that starts at once has not waited.
            const waits = looping || busy >= limit;
            queue.push(waits ? { value, inContext: currentContext() } : { value });
            goOn();
          },
          complete: () => {
            sourceDone = true;
            goOn();
          },
        }),
        ignoreElements(),
      );

      const limiting = concurrency$.subscribe({
        next: (given) => {
          limit = given;
          limit$.next(given);
          goOn();
        },
        error: (error: unknown) => begin$.error(error),
      });
      const results = ordered && !isOneByOne ? mergeInOrder(workOff, { concurrency: limit$ }) : mergeMap(workOff);
      return merge(begin$.pipe(results), arrivals$).pipe(
        // The source has been unsubscribed by now, so none of its own gates opens for the returned places.
        finalize(() => {
          limiting.unsubscribe();
          count.givenBack(queue.length, busy);
          queue.length = 0;
          busy = 0;
          count.serve();
        }),
      );
    });
}

/** The two ends of a bounded window: created by {@link boundedWindow}. */
export interface BoundedWindow {
  /** Opens (emits once, completes) as soon as fewer than `ahead` values wait; default: the window's own `ahead`. */
  readonly gate: WindowGate;
  /**
   * Works like `concatMap` and counts: it processes one value at a time, or `concurrency` values, and emits results in
   * the order of the values. A value waits until its work starts.
   */
  readonly drain: <T, R>(
    work: (value: T, index: number) => ObservableInput<R>,
    options?: DrainOptions,
  ) => OperatorFunction<T, R>;
}

interface Asking {
  readonly places: number;
  readonly subscriber: Subscriber<void>;
  /** Set if the value has to wait. */
  inContext?: InContext;
}

const checkAhead = (ahead: number): number => limitFrom(0, 'boundedWindow', 'ahead', ahead);

/**
 * Creates back-pressure for slow consumers: the source asks the gate before each step, and the gate knows from the
 * drain how many values wait.
 *
 * ```text
 * gate opens     o-o-----o-----o----      ahead: 1; each step takes 2
 * source         --a-b-----c-----d--      b, c and d wait until the work before them is done
 * work(a)          -----A|
 * work(b)                -----B|
 * work(c)                      -----C|
 * drain          -------A-----B-----C--
 * ```
 *
 * A value waits from its arrival at `drain` until its work starts, so a source that asks before each step has at most
 * `ahead + 1` unfinished values: those that wait, and the one in work. With `ahead` 0 the gate opens only while nothing
 * waits and nothing is in work. With a `concurrency` of n the bound is `ahead + n`; early results are held, for `2 n`
 * values at most: those whose work has started and whose results have not been emitted.
 *
 * Operators between the gate and the drain must pass values on at once. The window does not count values that an
 * operator holds there (`delay`, `debounceTime`, `bufferTime`, `observeOn`): the gate stays open, and their number
 * grows without bound.
 *
 * An open gate reserves no place, because a step may emit no value at all. So n steps that run at once may all have
 * passed for the same free place, and the bound is `ahead + n`. Waiting gates are served in the order of their
 * requests, and the free places are counted again before each. A gate asked from within a step that another gate has
 * just admitted is served when that step returns: synchronous steps do not nest.
 *
 * All users of one window share its count. A subscription to `drain` that ends returns the places of its waiting
 * values, so a window outlives its subscriptions. When the drain is unsubscribed, and when the source or the work
 * errors, the drain unsubscribes from the running work and starts no other; if several values are in work, an error is
 * emitted in its order, after the results before it. A subscriber that has waited, for the gate or for its work,
 * continues in its own async context.
 *
 * Related: a sliding window with credits, as in TCP or `request(n)` of Reactive Streams. `concatMap` has the same
 * output, but an unbounded buffer, because an Observable cannot be made to wait; here the source asks before it
 * produces a value.
 *
 * @param options `ahead`: how many values may wait, an integer from 0 or `Infinity`; default 1.
 * @returns The gate and the drain. The drain errors with the error of the source, of the work, or of a `work` that
 *   throws.
 * @throws RangeError if `ahead` is anything else, here and when the gate is asked.
 * @example
 * ```ts
 * import { map, of, timer } from 'rxjs';
 * import { boundedWindow, last, more, unfoldPages } from 'headwater/operators';
 *
 * const { gate, drain } = boundedWindow({ ahead: 1 });
 * const fetchPage = (page: number) => {
 *   console.log(`fetch ${page}`);
 *   return of(page < 4 ? more(page, page + 1) : last(page));
 * };
 * const write = (page: number) => timer(5).pipe(map(() => `wrote ${page}`));
 * unfoldPages(1, fetchPage, { gate }).pipe(drain(write)).subscribe((line) => console.log(line));
 * // → fetch 1
 * // → fetch 2
 * // → wrote 1
 * // → fetch 3
 * // → wrote 2
 * // → fetch 4
 * // → wrote 3
 * // → wrote 4
 * ```
 */
export function boundedWindow({ ahead = 1 }: { readonly ahead?: number } = {}): BoundedWindow {
  checkAhead(ahead);
  let waiting = 0;
  let working = 0;
  const askings: Asking[] = [];
  let serving = false;

  const hasPlace = (places: number): boolean => (places === 0 ? waiting + working === 0 : waiting < places);

  const firstWithPlace = (): Asking | undefined => askings.find(({ places }) => hasPlace(places));

  /**
   * Serves waiting gates as a trampoline: the loop that opened a gate also handles the gates and free places that occur
   * while it opens.
   */
  const serve = (): void => {
    if (serving) return;
    serving = true;
    for (let asking = firstWithPlace(); asking !== undefined; asking = firstWithPlace()) {
      const { subscriber, inContext } = asking;
      remove(askings, asking);
      if (inContext === undefined) openFor(subscriber);
      else inContext(() => openFor(subscriber));
    }
    serving = false;
  };

  const gate = (places: number = ahead): Observable<void> => {
    checkAhead(places);
    return new Observable((subscriber) => {
      const asking: Asking = { places, subscriber };
      askings.push(asking);
      serve();
      if (askings.includes(asking)) asking.inContext = currentContext();
      return () => remove(askings, asking);
    });
  };

  const count = {
    arrived: (): void => void (waiting += 1),
    begun: (): void => {
      waiting -= 1;
      working += 1;
    },
    done: (): void => void (working -= 1),
    /** Returns the places of a subscription that ends: `left` values waited, `broken` ones were in work. */
    givenBack: (left: number, broken: number): void => {
      waiting -= left;
      working -= broken;
    },
    serve,
  };
  return { gate, drain: (work, options) => drainOf(count, work, options) };
}
