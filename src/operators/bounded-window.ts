import { BehaviorSubject, Observable, Subject, defer, finalize, ignoreElements, merge, mergeMap, of, tap } from 'rxjs';
import type { ObservableInput, OperatorFunction, Subscriber } from 'rxjs';
import { mergeInOrder } from './merge-in-order';
import type { WindowGate } from './merge-in-order';
import { currentContext } from './subscription';
import type { InContext } from './subscription';

/** How the drain of a bounded window works. */
export interface DrainOptions {
  /**
   * How many values are worked on at once, an integer from 1; 1 unless given. An Observable changes it while it runs; nothing begins
   * before its first number.
   */
  readonly concurrency?: number | Observable<number>;
  /** Whether results come in the order of the values; default true. If false, they come as they are there. */
  readonly ordered?: boolean;
}

/** What a window counts. */
export interface WindowCount {
  readonly arrived: () => void;
  readonly begun: () => void;
  readonly done: () => void;
  readonly givenBack: (left: number, broken: number) => void;
  /** Lets those pass who wait for room. */
  readonly serve: () => void;
}

const checkedConcurrency = (concurrency: number): number => {
  if (Number.isInteger(concurrency) && concurrency >= 1) return concurrency;
  throw new RangeError(`drain needs an integer from 1 for \`concurrency\`, not ${concurrency}.`);
};

/** The drain of a window. */
function drainOf<T, R>(
  count: WindowCount,
  work: (value: T, index: number) => ObservableInput<R>,
  { concurrency = 1, ordered = true }: DrainOptions = {},
): OperatorFunction<T, R> {
  const concurrency$ = typeof concurrency === 'number' ? of(checkedConcurrency(concurrency)) : concurrency;
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

      /** A loop and not a recursion, so that work that ends synchronously does not nest, as it would in `concatMap`. */
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
          // Only here has the work cleaned up after itself. Work that was broken off is given back below, and so is work
          // whose cleaning up has ended the subscription.
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
            // Whose work begins at once has not waited.
            const waits = looping || busy >= limit || queue.length > 0;
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
          try {
            limit$.next(checkedConcurrency(given));
          } catch (error) {
            begin$.error(error);
          }
          goOn();
        },
        error: (error: unknown) => begin$.error(error),
      });
      const results = ordered && !isOneByOne ? mergeInOrder(workOff, { concurrency: limit$ }) : mergeMap(workOff);
      return merge(begin$.pipe(results), arrivals$).pipe(
        // By now the source has been left, so none of its own gates opens for what is given back.
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

/** Both ends of a bounded window: made by {@link boundedWindow}. */
export interface BoundedWindow {
  /** Opens (emits once, completes) as soon as fewer than `ahead` values wait; default: the window's own `ahead`. */
  readonly gate: WindowGate;
  /**
   * A `concatMap` that counts: it works on one value at a time, or on as many as `concurrency` says, and gives results in the order
   * of the values; a value waits until its work begins.
   */
  readonly drain: <T, R>(
    work: (value: T, index: number) => ObservableInput<R>,
    options?: DrainOptions,
  ) => OperatorFunction<T, R>;
}

interface Asking {
  readonly places: number;
  readonly subscriber: Subscriber<void>;
  /** Set when it has to wait. */
  inContext?: InContext;
}

const checkedAhead = (ahead: number): number => {
  if (Number.isInteger(ahead) && ahead >= 0) return ahead;
  throw new RangeError(`boundedWindow needs an integer from 0 for \`ahead\`, not ${ahead}.`);
};

/**
 * Back-pressure for consumers that take their time: the source asks the gate before each step, and the gate knows from
 * the drain how many values wait.
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
 * A value waits from its arrival at `drain` until its work begins, so a source that asks before each step has at most
 * `ahead + 1` values that are not worked off: those that wait, and the one that is worked on. With `ahead` 0 the gate
 * opens only while nothing waits and nothing is worked on. With a `concurrency` of n the bound is `ahead + n`; results that come
 * before their turn are held, of `2 n` values at most: those whose work has begun and whose results have not been given.
 *
 * What a value passes between the gate and the drain has to pass it on at once. The window does not know of values that an operator
 * holds there (`delay`, `debounceTime`, `bufferTime`, `observeOn`): the gate stays open, and they grow without bound.
 *
 * An open gate reserves no place, since a step may give no value at all. So n steps that run at once may all have passed
 * for the same free place, and the bound is `ahead + n`. Gates that wait are served in the order in which they asked, and
 * the free places are counted anew before each. A gate that is asked from within a step which another gate has just let pass is
 * served when that step returns: synchronous steps do not nest.
 *
 * All who use one window share its count. A subscription to `drain` that ends gives back what it had waiting, so a window
 * outlives its subscriptions. The drain unsubscribes from the work under way, and begins no other, when it is unsubscribed
 * and when the source or the work errors; among several, the error of a work comes in its turn, when those before it are done.
 * Who has waited, for the gate or for its work, goes on in its own async context.
 *
 * Relatives: a sliding window with credits, as in TCP or `request(n)` of Reactive Streams. `concatMap` has the same
 * output, but an unbounded buffer, since an Observable cannot be told to wait; here the source asks before it makes a
 * value.
 *
 * @param options `ahead`: how many values may wait, an integer from 0; 1 unless given.
 * @returns The gate and the drain. The drain errors with the error of the source, of the work, or of a `work` that throws.
 * @throws RangeError when `ahead` is not an integer from 0, here and when the gate is asked.
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
  checkedAhead(ahead);
  let waiting = 0;
  let working = 0;
  const askings = new Set<Asking>();
  let serving = false;
  let placeFreed = false;

  const hasPlace = (places: number): boolean => (places === 0 ? waiting + working === 0 : waiting < places);

  /**
   * A trampoline: gates that are asked, and places that become free, while a gate opens are seen to by the loop that
   * opened it.
   */
  const serve = (): void => {
    placeFreed = true;
    if (serving) return;
    serving = true;
    while (placeFreed) {
      placeFreed = false;
      for (const asking of askings) {
        if (!hasPlace(asking.places)) continue;
        askings.delete(asking);
        if (asking.inContext === undefined) open(asking);
        else asking.inContext(() => open(asking));
      }
    }
    serving = false;
  };

  const open = ({ subscriber }: Asking): void => {
    subscriber.next();
    subscriber.complete();
  };

  const gate = (places: number = ahead): Observable<void> => {
    checkedAhead(places);
    return new Observable((subscriber) => {
      const asking: Asking = { places, subscriber };
      askings.add(asking);
      if (hasPlace(places)) serve();
      if (askings.has(asking)) asking.inContext = currentContext();
      return () => askings.delete(asking);
    });
  };

  const count = {
    arrived: (): void => void (waiting += 1),
    begun: (): void => {
      waiting -= 1;
      working += 1;
    },
    done: (): void => void (working -= 1),
    /** Of a subscription that ends: so many wait, so many are worked on. */
    givenBack: (left: number, broken: number): void => {
      waiting -= left;
      working -= broken;
    },
    serve,
  };
  return { gate, drain: (work, options) => drainOf(count, work, options) };
}
