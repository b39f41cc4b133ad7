import { from, map, of } from 'rxjs';
import type { Observable, ObservableInput, Subscriber } from 'rxjs';
import type { InContext } from './context';
import { Lane } from './lane';
import { Leg } from './inner-subscription';
import type { WindowGate } from './window-gate';

/** The next outer value, or why there is none. */
export type Input<T> = InputValue<T> | { readonly kind: 'not yet' } | { readonly kind: 'over' };

interface InputValue<T> {
  readonly kind: 'value';
  readonly value: T;
  /** The async context of one who had to wait. */
  readonly inContext?: InContext;
}

/** Where outer values come from. */
export interface Inputs<T> {
  readonly next: () => Input<T>;
  /** Is called when the output ends before they are over. */
  readonly close: () => void;
}

/** How `mergeInOrder` runs its inner streams. */
export interface MergeInOrderOptions<R = unknown> {
  /**
   * How many inner streams run at once. An Observable changes it while they run: a raised limit starts more at once, a lowered one
   * lets those that run finish; nothing starts before its first number.
   */
  readonly concurrency: Observable<number> | number;
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

/** Makes the inner stream of a value. Its gate holds back the stream's steps. */
export type Project<T, R> = (value: T, index: number, gate: WindowGate) => ObservableInput<R>;

/** Options with all defaults. */
export interface CheckedOptions<R> extends Required<Omit<MergeInOrderOptions<R>, 'concurrency'>> {
  readonly limit$: Observable<number>;
}

const atLeast = (least: number, name: string, value: number): number => {
  if (Number.isInteger(value) && value >= least) return value;
  throw new RangeError(`mergeInOrder needs an integer from ${least} for \`${name}\`, not ${value}.`);
};
const open: WindowGate = () => of(undefined);

export function checkedOptions<R>(options: MergeInOrderOptions<R>): CheckedOptions<R> {
  const { concurrency, ahead = 1, gate = open, ordered = true, counts = () => true } = options;
  atLeast(0, 'ahead', ahead);
  const concurrency$ = typeof concurrency === 'number' ? of(atLeast(1, 'concurrency', concurrency)) : concurrency;
  const limit$ = concurrency$.pipe(map((limit) => atLeast(1, 'concurrency', limit)));
  return { limit$, ahead, gate, ordered, counts };
}

/** One subscription to the output of `mergeInOrder`. */
export interface OrderedRun {
  /** Looks for inputs that can start. */
  readonly goOn: () => void;
  readonly canStart: () => boolean;
}

/** Runs the streams of the inputs, and emits what they say in order. */
export function runInOrder<T, R>(
  inputs: Inputs<T>,
  project: Project<T, R>,
  { limit$, ahead, gate, ordered, counts }: CheckedOptions<R>,
  subscriber: Subscriber<R>,
): OrderedRun {
  const lanes = new Set<Lane<R>>();
  let limit = 0;
  let running = 0;
  let started = 0;
  let isExhausted = false;
  let hasFailed = false;
  let looping = false;

  const enlist = (): Lane<R> => {
    const lane = new Lane<R>(subscriber, { ahead, gate, counts, ordered, released: () => goOn() });
    lane.isFront = lanes.size === 0;
    lanes.add(lane);
    return lane;
  };

  const fail = (lane: Lane<R>, error: unknown): void => {
    lane.failure = { error };
    hasFailed = true;
  };

  const run = (lane: Lane<R>, { value, inContext }: InputValue<T>, index: number): void => {
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
    const leg = new Leg<R>(subscriber, { next: (result) => lane.receive(result), ended, failed });
    const begin = (): void => leg.follow(() => from(project(value, index, lane.gate)));
    if (inContext === undefined) begin();
    else inContext(begin);
  };

  const canStart = (): boolean => {
    if (subscriber.closed || hasFailed || isExhausted || running >= limit) return false;
    return !ordered || lanes.size < 2 * limit;
  };

  /** Takes the next input and starts its stream; false when there is none or none may start. */
  const startNext = (): boolean => {
    if (!canStart()) return false;
    try {
      const input = inputs.next();
      isExhausted = input.kind === 'over';
      if (input.kind !== 'value') return false;
      running += 1;
      run(enlist(), input, started++);
    } catch (error) {
      isExhausted = true;
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
    if (isExhausted && lanes.size === 0) subscriber.complete();
  };

  subscriber.add(() => {
    if (!isExhausted) inputs.close();
  });
  subscriber.add(
    limit$.subscribe({
      next: (value) => {
        limit = value;
        goOn();
      },
      error: (error: unknown) => subscriber.error(error),
    }),
  );
  return { goOn, canStart };
}
