import { defer, finalize, ReplaySubject, Subscription } from 'rxjs';
import type { Observable, ObservableInput } from 'rxjs';
import { limitFrom } from './limit';

/** Options of {@link readAhead}: what it fetches, and how much of it at once. */
export interface ReadAheadOptions<Step, T> {
  /** Fetches the value of a step: a promise, or a cold Observable, which unsubscribing aborts. */
  readonly fetch: (step: Step) => ObservableInput<T>;
  /** Returns whether two steps fetch the same. */
  readonly same: (a: Step, b: Step) => boolean;
  /**
   * The number of fetches that may run or be held at once, including the one that is taken: an integer from 1, or
   * `Infinity` for all that `following` has. A function is called for each step.
   */
  readonly parallel: number | (() => number);
}

/**
 * Emits the value of a step as if it were fetched only now. `following` are the steps that will probably be taken next,
 * nearest first.
 */
export type Take<Step, T> = (step: Step, following: Iterable<Step>) => Observable<T>;

interface Begun<Step, T> {
  readonly step: Step;
  readonly result$: ReplaySubject<T>;
  readonly fetching: Subscription;
}

/**
 * Prefetches the next steps of a sequential loop while the loop is busy with one. The loop itself stays as it is: it
 * takes one step after another, and receives what it would have fetched.
 *
 * ```text
 * take 1        t         parallel: 3, each fetch takes 4; 2, 3 and 4 were predicted
 * fetch 1       ----a|
 * fetch 2       ----b|    begun with 1, held
 * fetch 3       ----c|    begun with 1, held
 * fetch 4           ----d|
 * take 2            (b|)
 * take 3              (c|)
 * ```
 *
 * - A predicted step that is not taken next is aborted, and so is every fetch that is left when the loop ends. Their
 *   errors are never seen: a fetch fails for the loop only when the loop takes it.
 * - A step that was not predicted is fetched when it is taken.
 * - With `parallel` 1 nothing is fetched ahead, and nothing is held.
 *
 * Related: speculative prefetching. `mergeMap` or `concatMapEager` over the steps would fetch ahead as well, but they
 * need to know the steps, while here a step follows from the answer before it, and a prediction may be wrong.
 *
 * @param options What to fetch, and how much at once; see {@link ReadAheadOptions}.
 * @param loop Creates the loop; it receives the `take` to fetch with.
 * @returns A cold Observable: the loop's own output.
 * @throws RangeError if `parallel` is not an integer from 1, or `Infinity`.
 * @example
 * ```ts
 * import { map, timer } from 'rxjs';
 * import { last, more, readAhead, unfoldPages } from 'headwater/operators';
 *
 * const fetch = (page: number) => {
 *   console.log(`fetch ${page}`);
 *   return timer(5).pipe(map(() => `page ${page}`));
 * };
 * readAhead({ fetch, same: (a, b) => a === b, parallel: 3 }, (take) =>
 *   unfoldPages(0, (page) =>
 *     take(page, [page + 1, page + 2].filter((next) => next < 3)).pipe(
 *       map((text) => (page < 2 ? more(text, page + 1) : last(text))),
 *     ),
 *   ),
 * ).subscribe((text) => console.log(text));
 * // → fetch 0
 * // → fetch 1
 * // → fetch 2
 * // → page 0
 * // → page 1
 * // → page 2
 * ```
 */
export function readAhead<Step, T, Out>(
  { fetch, same, parallel }: ReadAheadOptions<Step, T>,
  loop: (take: Take<Step, T>) => ObservableInput<Out>,
): Observable<Out> {
  const most = typeof parallel === 'function' ? () => checked(parallel()) : always(checked(parallel));
  return defer(() => {
    const all = new Subscription();
    let begun: Begun<Step, T>[] = [];

    const begin = (step: Step): Begun<Step, T> => {
      const result$ = new ReplaySubject<T>();
      const fetching = defer(() => fetch(step)).subscribe(result$);
      all.add(fetching);
      return { step, result$, fetching };
    };

    const dropFrom = (at: number): void => {
      const dropped = begun.slice(at);
      begun = begun.slice(0, at);
      for (const { fetching } of dropped) fetching.unsubscribe();
    };

    const topUp = (following: Iterable<Step>, atOnce: number): void => {
      let known = 0;
      for (const step of following) {
        if (known + 1 >= atOnce) break;
        const foretold = begun[known];
        if (foretold !== undefined && !same(foretold.step, step)) dropFrom(known);
        if (begun[known] === undefined) begun.push(begin(step));
        known += 1;
      }
      dropFrom(known);
    };

    const take: Take<Step, T> = (step, following) =>
      defer(() => {
        const [next] = begun;
        const atOnce = most();
        if (next === undefined && atOnce === 1) return fetch(step);
        if (next !== undefined && !same(next.step, step)) dropFrom(0);
        const taken = begun.shift() ?? begin(step);
        topUp(following, atOnce);
        return taken.result$.pipe(finalize(() => taken.fetching.unsubscribe()));
      });

    return defer(() => loop(take)).pipe(finalize(() => all.unsubscribe()));
  });
}

const always =
  (value: number): (() => number) =>
  () =>
    value;

const checked = (parallel: number): number => limitFrom(1, 'readAhead', 'parallel', parallel);
