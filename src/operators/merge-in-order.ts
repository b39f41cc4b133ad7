import { from, map, Observable, of } from 'rxjs';
import type { BehaviorSubject, ObservableInput } from 'rxjs';
import type { WindowGate } from './bounded-window';
import { Lane } from './lane';
import { Leg } from './leg';

/** How {@link mergeInOrder} runs its inner streams. */
export interface MergeInOrderOptions<R = unknown> {
  /**
   * How many inner streams run at once; may be changed while running (a raised limit starts more at once; a lowered one
   * lets those that run finish).
   */
  readonly concurrency: BehaviorSubject<number> | number;
  /** Values that each inner stream which is not at the front may hold back; default 1. */
  readonly ahead?: number;
  /** Whether a value is one that `ahead` and the gate count; default: every value is. */
  readonly counts?: (value: R) => boolean;
  /** The gate that the front stream asks, through the gate given to `project`; default: open. */
  readonly gate?: WindowGate;
  /**
   * Whether values come in order. If false, they come as they arrive, and every inner stream gets the outer gate.
   * Default true.
   */
  readonly ordered?: boolean;
}

const atLeast = (least: number, name: string, value: number): number => {
  if (Number.isInteger(value) && value >= least) return value;
  throw new RangeError(`mergeInOrder needs an integer from ${least} for \`${name}\`, not ${value}.`);
};
const open: WindowGate = () => of(undefined);

/**
 * Runs several inner streams at once and emits their values in the order of the outer values: the output of `concatMap`,
 * sooner.
 *
 * ```text
 * inputs          1, 2, 3                  concurrency: 2
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
 *   completely. `inputs` is iterated as streams start, and its iterator is closed when the output ends early.
 * - Back-pressure: a stream that asks its gate before each step holds at most as many values as it asks for, or `ahead`.
 *   At the front the gate is the outer one, asked with the same number. Every value that counts passes the outer gate
 *   once: before its step, or, if that began before the stream was at the front, before the value is emitted.
 * - Errors: the error of a stream reaches the output in its turn, after all values of the streams before it; then all are
 *   unsubscribed. Once a stream has failed, no other starts.
 *
 * With `concurrency` 1 it is `concatMap`; with `ordered: false` it is `mergeMap`, errors included.
 *
 * Relatives: `concatMapEager` of RxJava, which is a `mergeMap` with ordered buffers; RxJS has none. Its buffers are
 * bounded by a request for so many values; here by the gates, since an Observable cannot be asked for values.
 *
 * @param inputs The outer values; may be endless.
 * @param project Makes the inner stream of a value. Its gate holds back the stream's steps.
 * @param options The limits (`concurrency` an integer from 1, `ahead` from 0), the outer gate, and whether order
 * matters.
 * @returns A cold Observable. It errors with the error of an inner stream, of `project` or `inputs` (in its turn, too), or
 * of `concurrency`; a RangeError when `concurrency` takes a value that is not an integer from 1.
 * @throws RangeError when a number among the options is out of its range.
 * @example
 * ```ts
 * import { map, timer } from 'rxjs';
 * import { mergeInOrder } from 'headwater/operators';
 *
 * const answer = (ms: number) => {
 *   console.log(`start ${ms}`);
 *   return timer(ms).pipe(map(() => `after ${ms}`));
 * };
 * mergeInOrder([60, 10, 20], answer, { concurrency: 2 }).subscribe((line) => console.log(line));
 * // → start 60
 * // → start 10
 * // → start 20
 * // → after 60
 * // → after 10
 * // → after 20
 * ```
 */
export function mergeInOrder<T, R>(
  inputs: Iterable<T>,
  project: (value: T, index: number, gate: WindowGate) => ObservableInput<R>,
  { concurrency, ahead = 1, gate = open, ordered = true, counts = () => true }: MergeInOrderOptions<R>,
): Observable<R> {
  atLeast(0, 'ahead', ahead);
  const concurrency$ = typeof concurrency === 'number' ? of(atLeast(1, 'concurrency', concurrency)) : concurrency;
  const limit$ = concurrency$.pipe(map((limit) => atLeast(1, 'concurrency', limit)));

  return new Observable((subscriber) => {
    const iterator: Iterator<T, unknown> = inputs[Symbol.iterator]();
    const lanes = new Set<Lane<R>>();
    let limit = 0;
    let running = 0;
    let started = 0;
    let exhausted = false;
    let failed = false;
    let looping = false;

    const enlist = (): Lane<R> => {
      const lane = new Lane<R>(subscriber, { ahead, gate, counts, ordered, released: () => goOn() });
      lane.isFront = lanes.size === 0;
      lanes.add(lane);
      return lane;
    };

    const fail = (lane: Lane<R>, error: unknown): void => {
      lane.failure = { error };
      failed = true;
    };

    const run = (lane: Lane<R>, value: T, index: number): void => {
      // Like `concatMap`, goes on when the stream has cleaned up after itself.
      const ended = (): void => {
        lane.ended = true;
        running -= 1;
        goOn();
      };
      const failed = (error: unknown): void => {
        fail(lane, error);
        ended();
      };
      new Leg<R>(subscriber, { next: (result) => lane.receive(result), ended, failed }).follow(() =>
        from(project(value, index, lane.gate)),
      );
    };

    /** Takes the next input and starts its stream; false when there is none or none may start. */
    const startNext = (): boolean => {
      if (subscriber.closed || failed || exhausted || running >= limit) return false;
      if (ordered && lanes.size >= 2 * limit) return false;
      try {
        const input = iterator.next();
        exhausted = input.done === true;
        if (input.done === true) return false;
        running += 1;
        run(enlist(), input.value, started++);
      } catch (error) {
        exhausted = true;
        const lane = enlist();
        lane.ended = true;
        fail(lane, error);
      }
      return true;
    };

    /** Lets go of the streams that are over, and brings the one behind them to the front. */
    const settle = (): void => {
      for (const lane of lanes) {
        lane.comeToFront();
        if (lane.holds) return;
        if (lane.ended) lanes.delete(lane);
        else if (ordered) return;
        if (lane.failure === undefined) continue;
        subscriber.error(lane.failure.error);
        return;
      }
    };

    /** A loop and not a recursion, so that streams that end synchronously do not nest. */
    const goOn = (): void => {
      if (looping) return;
      looping = true;
      do settle();
      while (startNext());
      looping = false;
      if (exhausted && lanes.size === 0) subscriber.complete();
    };

    subscriber.add(
      limit$.subscribe({
        next: (value) => {
          limit = value;
          goOn();
        },
        error: (error: unknown) => subscriber.error(error),
      }),
    );
    return () => {
      if (!exhausted) iterator.return?.();
    };
  });
}
