import { BehaviorSubject, defer, finalize, ignoreElements, merge, mergeMap, of, Subject, tap } from 'rxjs';
import type { Observable, ObservableInput, OperatorFunction } from 'rxjs';
import { currentContext } from './context';
import type { InContext } from './context';
import { mergeInOrder } from './merge-in-order';

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

const checked = (concurrency: number): number => {
  if (Number.isInteger(concurrency) && concurrency >= 1) return concurrency;
  throw new RangeError(`drain needs an integer from 1 for \`concurrency\`, not ${concurrency}.`);
};

/** The drain of a window. */
export function drainOf<T, R>(
  count: WindowCount,
  work: (value: T, index: number) => ObservableInput<R>,
  { concurrency = 1, ordered = true }: DrainOptions = {},
): OperatorFunction<T, R> {
  const concurrency$ = typeof concurrency === 'number' ? of(checked(concurrency)) : concurrency;
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
            limit$.next(checked(given));
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
