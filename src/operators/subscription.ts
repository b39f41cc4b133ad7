import { Observable, Subscription, from } from 'rxjs';
import type { ObservableInput, Observer, OperatorFunction, Subscriber } from 'rxjs';

/** Runs work in the async context in which it was created: `AsyncLocalStorage` has the same value there. */
export type InContext = (work: () => void) => void;

const inNoContext: InContext = (work) => work();

/**
 * Absent outside of Node.js, where operators run as well. The module is requested by name at run time, so that no
 * bundler resolves it.
 */
const asyncHooks =
  typeof process === 'undefined'
    ? undefined
    : (process as Partial<Pick<typeof process, 'getBuiltinModule'>>).getBuiltinModule?.('node:async_hooks');

/**
 * Captures the async context of a subscriber that begins to wait: it would otherwise continue in the context of the
 * code that opened the gate. It costs half a microsecond for each wait; a subscriber that does not wait does not call
 * it.
 */
export function currentContext(): InContext {
  if (asyncHooks === undefined) return inNoContext;
  const resource = new asyncHooks.AsyncResource('headwater.wait', { requireManualDestroy: true });
  return (work) => resource.runInAsyncScope(work);
}

/**
 * Removes an element from an array, if it is there. What waits for something stands in arrays: V8 keeps what was once in a Set or Map that
 * changes all the time, and all that it refers to, until it collects the whole heap.
 */
export function remove<T>(from: T[], element: T): void {
  const at = from.indexOf(element);
  if (at !== -1) from.splice(at, 1);
}

/** Receives the notifications of an {@link InnerSubscription}. An error that it throws is the error of the whole. */
export interface InnerObserver<T> {
  readonly next: (value: T, inner: InnerSubscription<T>) => void;
  /** Is called when the source has ended and cleaned up after itself. */
  readonly ended: () => void;
  /** Is called when the source has failed and cleaned up. If absent, the error goes to the whole stream. */
  readonly failed?: (error: unknown) => void;
}

/** The stream that inner subscriptions belong to. */
export type Whole = Pick<Subscriber<unknown>, 'add' | 'closed' | 'error'>;

/**
 * A subscription to one source of a stream that has several, one after another or at once: what follows it starts when
 * it has ended and cleaned up. It does the work of `concat` and `mergeMap` without their subscribers: RxJS uses a
 * Subscription that is an observer directly, without a wrapper. It exists before the source is subscribed to, so even a
 * synchronous source can be unsubscribed at its first value.
 */
export class InnerSubscription<T> extends Subscription implements Observer<T> {
  #isSubscribed = false;
  #sequel: (() => void) | undefined;

  constructor(
    private readonly whole: Whole,
    private readonly observer: InnerObserver<T>,
  ) {
    super();
    whole.add(this);
  }

  /** Subscribes to the source; an error that its factory throws is an error of the source. */
  follow(source: () => ObservableInput<T>): void {
    this.run(() => {
      const input = source();
      // An Observable is the ordinary case, and needs no look at what it is.
      (input instanceof Observable ? input : from(input)).subscribe(this);
    });
  }

  /** Runs a source that is no Observable: a function that notifies this observer, and may add what it has to clean up. */
  run(source: () => void): void {
    if (this.closed) return;
    try {
      source();
    } catch (error) {
      this.error(error);
    }
    this.#isSubscribed = true;
    this.#goOn();
  }

  next(value: T): void {
    if (this.closed) return;
    try {
      this.observer.next(value, this);
    } catch (error) {
      this.whole.error(error);
    }
  }

  error(error: unknown): void {
    if (this.closed) return;
    const { failed } = this.observer;
    if (failed === undefined) this.whole.error(error);
    else this.leave(() => failed(error));
  }

  complete(): void {
    if (!this.closed) this.leave(this.observer.ended);
  }

  /**
   * Unsubscribes from the source, and then runs the sequel, in place of one that still waits. A synchronous source
   * returns its clean-up only when it returns, and the sequel has to wait for that.
   */
  leave(sequel: () => void): void {
    this.unsubscribe();
    this.#sequel = sequel;
    if (this.#isSubscribed) this.#goOn();
  }

  #goOn(): void {
    const sequel = this.#sequel;
    this.#sequel = undefined;
    try {
      sequel?.();
    } catch (error) {
      this.whole.error(error);
    }
  }
}

/** Opens a gate for a step that waits at it. */
export function openFor(step: Subscriber<void>): void {
  step.next();
  step.complete();
}

/** A gate that is also asked by a call, so that a step that may pass at once needs no subscription for it. */
export class CallableGate extends Observable<void> {
  /** @param pass calls back, once, when the step of a subscriber may start; never when the subscriber has left */
  constructor(readonly pass: (whole: Whole, opened: () => void) => void) {
    super((step) => pass(step, () => openFor(step)));
  }
}

/** The gate that is open. */
export const OPEN = new CallableGate((_, opened) => opened());

/** Calls back at the first emission of a gate, or at its completion; an error of the gate is the error of the whole. */
export function whenOpen(gate: () => ObservableInput<unknown>, whole: Whole, opened: () => void): void {
  if (whole.closed) return;
  const begin = (): void => {
    try {
      if (!whole.closed) opened();
    } catch (error) {
      whole.error(error);
    }
  };
  try {
    const asked = gate();
    if (asked instanceof CallableGate) asked.pass(whole, begin);
    else
      new InnerSubscription<unknown>(whole, { next: (_, asking) => asking.complete(), ended: begin }).follow(
        () => asked,
      );
  } catch (error) {
    whole.error(error);
  }
}

/** Passes a source on to a subscriber; `surrounding` runs what delivers a notification. */
export function passOn<T>(source: Observable<T>, subscriber: Subscriber<T>, surrounding: InContext): void {
  new InnerSubscription<T>(subscriber, {
    next: (value) => surrounding(() => subscriber.next(value)),
    ended: () => surrounding(() => subscriber.complete()),
    failed: (error) => surrounding(() => subscriber.error(error)),
  }).follow(() => source);
}

/** `defer` and `catchError` in one: what fails, the making of the stream included, is left to a function that ends the output. */
export const deferRescued = <T>(
  make: () => ObservableInput<T>,
  rescue: (error: unknown, subscriber: Subscriber<T>) => void,
): Observable<T> =>
  new Observable((subscriber) =>
    new InnerSubscription<T>(subscriber, {
      next: (value) => subscriber.next(value),
      ended: () => subscriber.complete(),
      failed: (error) => rescue(error, subscriber),
    }).follow(make),
  );

/**
 * Emits a value, and then the values of a stream that is created when the value has passed. `startWith`, and `concat`
 * of `of` and `defer`, need four subscribers for it: too many for work done in each request.
 *
 * @param rest creates the stream; an error that it throws is the error of the whole
 */
export const beginWith = <T>(first: T, rest: () => Observable<T>): Observable<T> =>
  new Observable((subscriber) => {
    subscriber.next(first);
    return subscriber.closed ? undefined : rest().subscribe(subscriber);
  });

/** Calls a function with each value of a source and with the subscriber, to which it emits what it makes of the value: `mergeMap` to arrays. */
export const emitEach =
  <T, R>(work: (value: T, subscriber: Subscriber<R>) => void): OperatorFunction<T, R> =>
  (source) =>
    new Observable((subscriber) =>
      new InnerSubscription<T>(subscriber, {
        next: (value) => work(value, subscriber),
        ended: () => subscriber.complete(),
      }).follow(() => source),
    );

/** Emits what a function makes of each value of a source to a subscriber, and continues when the source has ended. */
export const emitAll = <T, R>(
  source: Observable<T>,
  subscriber: Whole & Pick<Subscriber<R>, 'next'>,
  project: (value: T) => R,
  ended: () => void,
): void =>
  new InnerSubscription<T>(subscriber, { next: (value) => subscriber.next(project(value)), ended }).follow(
    () => source,
  );
