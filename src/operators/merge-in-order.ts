import { Observable } from 'rxjs';
import type { OperatorFunction } from 'rxjs';
import { currentContext } from './context';
import type { InContext } from './context';
import { checkedOptions, runInOrder } from './in-order';
import type { Input, MergeInOrderOptions, Project } from './in-order';
import { Leg } from './inner-subscription';

export type { MergeInOrderOptions, Project } from './in-order';

/**
 * Runs several inner streams at once and emits their values in the order of the outer values: the output of `concatMap`,
 * sooner.
 *
 * ```text
 * source          (123|)                   concurrency: 2
 * project(1)      --a-----b|
 * project(2)      ---c--d|
 * project(3)             -------e|
 * mergeInOrder    --a-----b(cd)-e|
 * ```
 *
 * The first stream that is not over is the front, and its values pass at once. Those of the streams behind it are held,
 * each stream's apart; when a stream becomes the front, what it holds is emitted in one go.
 *
 * - Bounds: at most `concurrency` streams run, and at most twice as many have been started and not been emitted
 *   completely. What the source emits before its stream can start waits in a queue, as in `concatMap`: a source that can be asked to
 *   wait stands behind a window (`boundedWindow`, whose `drain` takes a `concurrency`), and an iterable goes to {@link mergeInOrderFrom},
 *   which takes from it what it can start.
 * - Back-pressure: a stream that asks its gate before each step holds at most as many values as it asks for, or `ahead`.
 *   At the front the gate is the outer one, asked with the same number. Every value that counts passes the outer gate
 *   once: before its step, or, if that began before the stream was at the front, before the value is emitted.
 * - Errors: the error of a stream reaches the output in its turn, after all values of the streams before it; then all are
 *   unsubscribed. Once a stream has failed, no other starts. The error of the source reaches it at once.
 * - Who waits for a gate, or for the start of its stream, goes on in its own async context.
 *
 * With `concurrency` 1 it is `concatMap`; with `ordered: false` it is `mergeMap`, errors included.
 *
 * Relatives: `concatMapEager` of RxJava, which is a `mergeMap` with ordered buffers; RxJS has none. Its buffers are
 * bounded by a request for so many values; here by the gates, since an Observable cannot be asked for values.
 *
 * @param project Makes the inner stream of a value. Its gate holds back the stream's steps.
 * @param options The limits (`concurrency` an integer from 1, `ahead` from 0), the outer gate, and whether order
 * matters.
 * @returns An operator. Its stream errors with the error of the source, of an inner stream or of `project` (in its turn, too), or
 * of `concurrency`; a RangeError when `concurrency` takes a value that is not an integer from 1.
 * @throws RangeError when a number among the options is out of its range.
 * @example
 * ```ts
 * import { map, of, timer } from 'rxjs';
 * import { mergeInOrder } from 'headwater/operators';
 *
 * const answer = (ms: number) => {
 *   console.log(`start ${ms}`);
 *   return timer(ms).pipe(map(() => `after ${ms}`));
 * };
 * of(60, 10, 20)
 *   .pipe(mergeInOrder(answer, { concurrency: 2 }))
 *   .subscribe((line) => console.log(line));
 * // → start 60
 * // → start 10
 * // → start 20
 * // → after 60
 * // → after 10
 * // → after 20
 * ```
 */
export function mergeInOrder<T, R>(project: Project<T, R>, options: MergeInOrderOptions<R>): OperatorFunction<T, R> {
  const checked = checkedOptions(options);
  return (source) =>
    new Observable((subscriber) => {
      const queue: { readonly value: T; readonly inContext?: InContext }[] = [];
      let isComplete = false;
      const next = (): Input<T> => {
        const first = queue.shift();
        if (first !== undefined) return { kind: 'value', ...first };
        return isComplete ? OVER : NOT_YET;
      };
      const run = runInOrder({ next, close: () => undefined }, project, checked, subscriber);
      const hear = (value: T): void => {
        // Whose stream starts at once has not waited.
        queue.push(run.canStart() && queue.length === 0 ? { value } : { value, inContext: currentContext() });
        run.goOn();
      };
      const ended = (): void => {
        isComplete = true;
        run.goOn();
      };
      new Leg<T>(subscriber, { next: hear, ended }).follow(() => source);
    });
}

const OVER = { kind: 'over' } as const;
const NOT_YET = { kind: 'not yet' } as const;

/**
 * {@link mergeInOrder} over an iterable, from which it takes what it can start: it may be endless, and its iterator is closed when
 * the output ends early. `from(inputs).pipe(mergeInOrder(…))` would read all of it first.
 *
 * @param inputs The outer values.
 * @param project Makes the inner stream of a value.
 * @param options As for {@link mergeInOrder}.
 * @returns A cold Observable. It errors as that of `mergeInOrder` does; an error of `inputs` comes in its turn.
 * @throws RangeError when a number among the options is out of its range.
 * @example
 * ```ts
 * import { map, take, timer } from 'rxjs';
 * import { mergeInOrderFrom } from 'headwater/operators';
 *
 * function* pages() {
 *   for (let page = 1; ; page += 1) yield page;
 * }
 * const fetch = (page: number) => timer(5).pipe(map(() => `page ${page}`));
 * mergeInOrderFrom(pages(), fetch, { concurrency: 2 })
 *   .pipe(take(3))
 *   .subscribe((text) => console.log(text));
 * // → page 1
 * // → page 2
 * // → page 3
 * ```
 */
export function mergeInOrderFrom<T, R>(
  inputs: Iterable<T>,
  project: Project<T, R>,
  options: MergeInOrderOptions<R>,
): Observable<R> {
  const checked = checkedOptions(options);
  return new Observable((subscriber) => {
    const iterator: Iterator<T, unknown> = inputs[Symbol.iterator]();
    const inContext = currentContext();
    const next = (): Input<T> => {
      const input = iterator.next();
      return input.done === true ? OVER : { kind: 'value', value: input.value, inContext };
    };
    runInOrder({ next, close: () => iterator.return?.() }, project, checked, subscriber);
  });
}
