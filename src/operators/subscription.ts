import { Observable, Subscription } from 'rxjs';
import type { MonoTypeOperatorFunction, Observer, Subscriber } from 'rxjs';

/** Runs work in the async context in which it was made: `AsyncLocalStorage` has there what it had then. */
export type InContext = (work: () => void) => void;

const inNoContext: InContext = (work) => work();

/** Absent outside of Node.js, where operators run as well. Asked for by name, so that no bundler looks for a module. */
const asyncHooks =
  typeof process === 'undefined'
    ? undefined
    : (process as Partial<Pick<typeof process, 'getBuiltinModule'>>).getBuiltinModule?.('node:async_hooks');

/**
 * Remembers the async context of one who begins to wait: what he waited for would otherwise go on in the context of the one who
 * opened the gate. Half a microsecond a wait; who need not wait does not ask.
 */
export function currentContext(): InContext {
  if (asyncHooks === undefined) return inNoContext;
  const resource = new asyncHooks.AsyncResource('headwater.wait', { requireManualDestroy: true });
  return (work) => resource.runInAsyncScope(work);
}

/** What its source says is heard in the async context of the subscriber. For sources that make him wait. */
export const inContextOfSubscriber =
  <T>(): MonoTypeOperatorFunction<T> =>
  (source) =>
    new Observable((subscriber) => {
      const inContext = currentContext();
      return source.subscribe({
        next: (value) => inContext(() => subscriber.next(value)),
        error: (error: unknown) => inContext(() => subscriber.error(error)),
        complete: () => inContext(() => subscriber.complete()),
      });
    });

/** What becomes of the words of a {@link InnerSubscription}. */
export interface InnerObserver<T> {
  readonly next: (value: T, inner: InnerSubscription<T>) => void;
  /** Is called when the source has ended and cleaned up after itself. */
  readonly ended: () => void;
  /** The same for a source that failed; absent: its error is that of the whole. */
  readonly failed?: (error: unknown) => void;
}

/**
 * One source among those that a stream is made of: what follows it begins when it has ended and cleaned up after itself. That is
 * `concat` without its subscribers: RxJS uses a Subscription that is an observer too as it is. It exists before the source is
 * subscribed to, so that even a synchronous source can be left at its first value.
 */
export class InnerSubscription<T> extends Subscription implements Observer<T> {
  #isSubscribed = false;
  #sequel: (() => void) | undefined;

  constructor(
    private readonly whole: Subscriber<unknown>,
    private readonly observer: InnerObserver<T>,
  ) {
    super();
    whole.add(this);
  }

  follow(source: () => Observable<T>): void {
    if (this.closed) return;
    try {
      source().subscribe(this);
    } catch (error) {
      this.error(error);
    }
    this.#isSubscribed = true;
    this.#sequel?.();
  }

  next(value: T): void {
    if (!this.closed) this.observer.next(value, this);
  }

  error(error: unknown): void {
    if (this.closed) return;
    const { failed } = this.observer;
    if (failed === undefined) this.whole.error(error);
    else this.#end(() => failed(error));
  }

  complete(): void {
    if (!this.closed) this.#end(this.observer.ended);
  }

  /** A synchronous source hands its clean-up over when it returns, and what follows has to wait for that. */
  #end(sequel: () => void): void {
    this.unsubscribe();
    if (this.#isSubscribed) sequel();
    else this.#sequel = sequel;
  }
}

/**
 * Emits a value, and then what a stream emits that is made when the value has passed. `startWith`, and `concat` of `of` and
 * `defer`, need four subscribers for it: too many for what each request does.
 *
 * @param rest Makes the stream; what it throws is the error of the whole.
 */
export const beginWith = <T>(first: T, rest: () => Observable<T>): Observable<T> =>
  new Observable((subscriber) => {
    subscriber.next(first);
    return subscriber.closed ? undefined : rest().subscribe(subscriber);
  });
