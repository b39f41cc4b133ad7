import { Observable, Subscription, defer, from } from 'rxjs';
import type { ObservableInput, OperatorFunction, Subscriber } from 'rxjs';
import { changingLimit, limitFrom } from './limit';
import { CallableGate, InnerSubscription, OPEN, currentContext, remove, whenOpen } from './subscription';
import type { InContext, Whole } from './subscription';

/**
 * A gate that a producer asks before each step; the step waits for its first emission or its completion.
 *
 * @param ahead the number of values that may wait
 */
export type WindowGate = (ahead?: number) => Observable<unknown>;

/** The options that all inner streams of one `mergeInOrder` share. */
export interface LaneOptions<R> {
  /** The number of values that an inner stream behind the front may hold, unless it asks with another number. */
  readonly ahead: number;
  /** The outer gate. */
  readonly gate: WindowGate;
  /** Returns whether gates count a value. */
  readonly counts: (value: R) => boolean;
  readonly ordered: boolean;
  /** Is called when values that waited for the outer gate have passed. */
  readonly released: () => void;
}

/** A step that asks whether it may start. */
interface Asking {
  readonly places: number | undefined;
  readonly whole: Whole;
  readonly opened: () => void;
}

/** A step that waits until its stream may hold another value. */
interface Waiting extends Asking {
  readonly inContext: InContext;
  /** Is unsubscribed when it waits no more. */
  readonly place: Subscription;
}

/** One inner stream of `mergeInOrder`, from its start until all of its values have been emitted. */
class Lane<R> {
  ended = false;
  failure?: { readonly error: unknown };
  readonly #held: R[] = [];
  /** The number of held values that count. */
  #counted = 0;
  /** The number of passes through the outer gate whose value has not arrived yet. */
  #passes = 0;
  /** The number with which it last asked its gate. */
  #places: number | undefined;
  /** True while the outer gate is asked for the first held value. */
  #isAsking = false;
  readonly #waiting: Waiting[] = [];

  constructor(
    private readonly subscriber: Subscriber<R>,
    private readonly options: LaneOptions<R>,
    /** True if all streams before it have ended: its values may pass. */
    private isFront: boolean,
  ) {}

  get holds(): boolean {
    return this.#held.length > 0;
  }

  /**
   * The gate that the stream asks before each step: the outer gate at the front; otherwise it opens if the stream may
   * hold another value.
   */
  readonly gate: WindowGate = (places) =>
    this.options.ordered
      ? new CallableGate((whole, opened) => this.#ask({ places, whole, opened }))
      : defer(() => this.options.gate(places));

  #ask(asking: Asking): void {
    const { places, whole, opened } = asking;
    if (whole.closed) return;
    this.#places = places;
    if (this.#passesAtOnce()) {
      const pass = (): void => {
        this.#passes += 1;
        opened();
      };
      whenOpen(() => this.options.gate(places), whole, pass);
    } else if (this.#counted < (places ?? this.options.ahead)) opened();
    else {
      const place = new Subscription(() => remove(this.#waiting, waiting));
      const waiting: Waiting = { inContext: currentContext(), place, ...asking };
      this.#waiting.push(waiting);
      whole.add(place);
    }
  }

  /** Lets steps that wait ask again: the stream holds fewer values, or has become the front. */
  #askAgain(): void {
    for (const waiting of this.#waiting.splice(0)) {
      waiting.place.unsubscribe();
      waiting.inContext(() => this.#ask(waiting));
    }
  }

  receive(value: R): void {
    const { counts, ordered } = this.options;
    const counted = counts(value);
    if (!ordered || (this.#passesAtOnce() && (!counted || this.#passes > 0))) {
      if (counted) this.#passes -= 1;
      this.subscriber.next(value);
      return;
    }
    this.#held.push(value);
    if (counted) this.#counted += 1;
    if (this.isFront) this.#release();
  }

  comeToFront(): void {
    this.isFront = true;
    this.#release();
    this.#askAgain();
  }

  #passesAtOnce(): boolean {
    return this.isFront && !this.holds;
  }

  /** Emits the held values; each value that counts waits for the outer gate. */
  #release(): void {
    while (this.holds && !this.#isAsking && !this.subscriber.closed)
      if (!this.options.counts(this.#held[0] as R) || this.#isOpen()) this.#emitFirst();
  }

  #emitFirst(): void {
    const value = this.#held.shift() as R;
    if (this.options.counts(value)) this.#counted -= 1;
    this.subscriber.next(value);
    this.#askAgain();
  }

  /** Asks the outer gate for the first held value. If the gate opens only later, that value is emitted then. */
  #isOpen(): boolean {
    let waits = false;
    this.#isAsking = true;
    const complete = (): void => {
      this.#isAsking = false;
      if (!waits) return;
      this.#emitFirst();
      this.#release();
      this.options.released();
    };
    whenOpen(() => this.options.gate(this.#places), this.subscriber, complete);
    waits = true;
    return !this.#isAsking;
  }
}

/** The next outer value, or the reason why there is none. */
export type Input<T> = InputValue<T> | { readonly kind: 'not yet' } | { readonly kind: 'over' };

interface InputValue<T> {
  readonly kind: 'value';
  readonly value: T;
  /** The async context of a value that had to wait. */
  readonly inContext?: InContext;
}

/** The source of outer values. */
export interface Inputs<T> {
  readonly next: () => Input<T>;
  /** Is called if the output ends before the inputs have ended. */
  readonly close: () => void;
}

/** Options of `mergeInOrder`. */
export interface MergeInOrderOptions<R = unknown> {
  /**
   * The number of inner streams that run at once: an integer from 1, or `Infinity`. An Observable changes it while they
   * run: a raised limit starts more at once, a lowered limit lets running streams finish; nothing starts before its
   * first number, nor while it is 0.
   */
  readonly concurrency: Observable<number> | number;
  /** The number of values that each inner stream behind the front may hold, an integer from 0 or `Infinity`; default 1. */
  readonly ahead?: number;
  /** Returns whether `ahead` and the gate count a value; by default they count every value. */
  readonly counts?: (value: R) => boolean;
  /** The gate that the front stream asks through the gate given to `project`; open by default. */
  readonly gate?: (ahead?: number) => ObservableInput<unknown>;
  /**
   * True if values come in order (default). If false, they come as they arrive, and every inner stream gets the outer
   * gate.
   */
  readonly ordered?: boolean;
}

/** Creates the inner stream of a value. Its gate holds back the stream's steps. */
export type Project<T, R> = (value: T, index: number, gate: WindowGate) => ObservableInput<R>;

/** Options with all defaults. */
export interface CheckedOptions<R> extends Required<Omit<MergeInOrderOptions<R>, 'concurrency' | 'gate'>> {
  readonly limit$: Observable<number>;
  readonly gate: WindowGate;
}

const isOpen: WindowGate = () => OPEN;

function checkedOptions<R>(options: MergeInOrderOptions<R>): CheckedOptions<R> {
  const { concurrency, ahead = 1, gate = isOpen, ordered = true, counts = () => true } = options;
  const limit$ = changingLimit('mergeInOrder', 'concurrency', concurrency);
  limitFrom(0, 'mergeInOrder', 'ahead', ahead);
  return { limit$, ahead, gate: (places) => from(gate(places)), ordered, counts };
}

/** One subscription to the output of `mergeInOrder`. */
export interface OrderedRun {
  /** Starts inputs that can start. */
  readonly goOn: () => void;
  /** Returns whether the stream of the next input starts when `goOn` is called, and not when another one has been started. */
  readonly startsAtOnce: () => boolean;
}

/** Runs the streams of the inputs, and emits their values in order. */
function runInOrder<T, R>(
  inputs: Inputs<T>,
  project: Project<T, R>,
  { limit$, ahead, gate, ordered, counts }: CheckedOptions<R>,
  subscriber: Subscriber<R>,
): OrderedRun {
  const lanes: Lane<R>[] = [];
  let limit = 0;
  let running = 0;
  let started = 0;
  let isExhausted = false;
  let hasFailed = false;
  let looping = false;

  const options = { ahead, gate, counts, ordered, released: () => goOn() };
  const enlist = (): Lane<R> => {
    const lane = new Lane<R>(subscriber, options, lanes.length === 0);
    lanes.push(lane);
    return lane;
  };

  const fail = (lane: Lane<R>, error: unknown): void => {
    lane.failure = { error };
    hasFailed = true;
  };

  const run = (lane: Lane<R>, { value, inContext }: InputValue<T>, index: number): void => {
    // As in `concatMap`, the next stream starts when this one has cleaned up.
    const ended = (): void => {
      lane.ended = true;
      running -= 1;
      goOn();
    };
    const failed = (error: unknown): void => {
      fail(lane, error);
      ended();
    };
    const inner = new InnerSubscription<R>(subscriber, { next: (result) => lane.receive(result), ended, failed });
    const begin = (): void => inner.follow(() => from(project(value, index, lane.gate)));
    if (inContext === undefined) begin();
    else inContext(begin);
  };

  const canStart = (): boolean => {
    if (subscriber.closed || hasFailed || isExhausted || running >= limit) return false;
    return !ordered || lanes.length < 2 * limit;
  };

  /** Takes the next input and starts its stream; returns false if there is none or none may start. */
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

  /** Drops the streams that have ended, and makes the next one the front. */
  const settle = (): void => {
    for (let at = 0; at < lanes.length;) {
      const lane = lanes[at] as Lane<R>;
      lane.comeToFront();
      if (lane.holds) return;
      if (lane.ended) lanes.splice(at, 1);
      else if (ordered) return;
      else at += 1;
      if (lane.failure === undefined) continue;
      subscriber.error(lane.failure.error);
      return;
    }
  };

  /**
   * Starts and settles streams. It is a loop and not a recursion, so that streams that end synchronously do not nest.
   */
  const goOn = (): void => {
    if (looping) return;
    looping = true;
    do settle();
    while (startNext());
    looping = false;
    if (isExhausted && lanes.length === 0) subscriber.complete();
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
  return { goOn, startsAtOnce: () => !looping && canStart() };
}

/**
 * Runs several inner streams at once and emits their values in the order of the outer values: the output of
 * `concatMap`, but sooner.
 *
 * ```text
 * source          (123|)                   concurrency: 2
 * project(1)      --a-----b|
 * project(2)      ---c--d|
 * project(3)             -------e|
 * mergeInOrder    --a-----b(cd)-e|
 * ```
 *
 * The first stream that has not ended is the front, and its values pass at once. The values of the streams behind it
 * are held, separately for each stream; when a stream becomes the front, its held values are emitted together.
 *
 * - Bounds: at most `concurrency` streams run, and at most twice as many have started without being emitted completely.
 *   Outer values whose stream cannot start yet wait in a queue, as in `concatMap`. For a source that can wait, use a
 *   window (`boundedWindow`, whose `drain` takes a `concurrency`); for an iterable, use {@link mergeInOrderFrom}, which
 *   takes only values that it can start.
 * - Back-pressure: a stream that asks its gate before each step holds at most the number of values that it asks with,
 *   or `ahead`. At the front the gate is the outer one, asked with the same number. Every value that counts passes the
 *   outer gate once: before its step, or, if the step began before the stream was at the front, before the value is
 *   emitted.
 * - Errors: the error of a stream reaches the output in order, after all values of the streams before it; then all are
 *   unsubscribed. Once a stream has failed, no other starts. The error of the source reaches the output at once.
 * - A subscriber that waits for a gate, or for the start of its stream, continues in its own async context.
 *
 * With `concurrency` 1 it is `concatMap`; with `ordered: false` it is `mergeMap`, errors included.
 *
 * Related: `concatMapEager` of RxJava, which is a `mergeMap` with ordered buffers; RxJS has no such operator. RxJava
 * bounds the buffers by requesting a number of values; here the gates bound them, because an Observable cannot be asked
 * for values.
 *
 * @param project Creates the inner stream of a value. Its gate holds back the stream's steps.
 * @param options The limits, the outer gate, and whether order matters; see {@link MergeInOrderOptions}.
 * @returns An operator. Its stream errors with the error of the source, of an inner stream or of `project` (also in
 *   order), or of `concurrency`; it errors with a RangeError if `concurrency` takes a value that is no limit, or ends
 *   with 0 or without a number.
 * @throws RangeError if a number among the options is out of its range.
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
      const onNext = (value: T): void => {
        // A value whose stream starts at once has not waited.
        queue.push(run.startsAtOnce() ? { value } : { value, inContext: currentContext() });
        run.goOn();
      };
      const ended = (): void => {
        isComplete = true;
        run.goOn();
      };
      new InnerSubscription<T>(subscriber, { next: onNext, ended }).follow(() => source);
    });
}

const OVER = { kind: 'over' } as const;
const NOT_YET = { kind: 'not yet' } as const;

/**
 * Does the same as {@link mergeInOrder} for an iterable, from which it takes only values that it can start. The
 * iterable may be endless, unless the `concurrency` is `Infinity`, and its iterator is closed if the output ends early.
 * `from(inputs).pipe(mergeInOrder(…))` would read all of it first.
 *
 * @param inputs The outer values.
 * @param project Creates the inner stream of a value.
 * @param options The options of {@link mergeInOrder}.
 * @returns A cold Observable. It errors as the stream of `mergeInOrder` does; an error of `inputs` comes in order.
 * @throws RangeError if a number among the options is out of its range.
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
