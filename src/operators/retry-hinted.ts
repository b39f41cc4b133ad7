import { Observable, Subscription } from 'rxjs';
import type { MonoTypeOperatorFunction, Observer, SchedulerLike, Subscriber } from 'rxjs';
import { longTimer } from './long-timer';

/** How one attempt ended: with a value, which may still be a refusal, or with an error. */
export type AttemptOutcome<T> =
  { readonly kind: 'value'; readonly value: T } | { readonly kind: 'error'; readonly error: unknown };

/** Says when {@link retryHinted} tries again. */
export interface RetryHints<T> {
  /** How many attempts may follow the first; 0 never retries. */
  readonly maxRetries: number;
  /** The pause in milliseconds before the next attempt, or `undefined` to accept the outcome. `retry` counts from 1. */
  readonly pause: (outcome: AttemptOutcome<T>, retry: number) => number | undefined;
  /** Is called for each retry when its pause begins. */
  readonly onRetry?: (outcome: AttemptOutcome<T>, retry: number, pauseMs: number) => void;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

/**
 * One subscription to the source, whose first value or error is judged. RxJS uses a Subscription that is an observer too
 * as it is, so an attempt costs no other subscriber; and since it exists before the source is subscribed to, even a
 * synchronous source is left at its first value.
 */
class Attempt<T> extends Subscription implements Observer<T> {
  #isSettled = false;
  #isSubscribed = false;
  #sequel: (() => void) | undefined;

  constructor(
    private readonly subscriber: Subscriber<T>,
    private readonly source: Observable<T>,
    private readonly hints: RetryHints<T>,
    private readonly retries = 0,
  ) {
    super();
    subscriber.add(this);
  }

  start(): void {
    this.source.subscribe(this);
    this.#isSubscribed = true;
    if (this.#sequel !== undefined) this.#orFail(this.#sequel);
  }

  next(value: T): void {
    if (!this.#settle()) return;
    this.#orFail(() => {
      const pauseMs = this.#judge({ kind: 'value', value });
      if (pauseMs === undefined) this.subscriber.next(value);
      this.#leave(() => (pauseMs === undefined ? this.subscriber.complete() : this.#tryAgainIn(pauseMs)));
    });
  }

  error(error: unknown): void {
    if (!this.#settle()) return;
    this.#leave(() => {
      const pauseMs = this.#judge({ kind: 'error', error });
      if (pauseMs === undefined) this.subscriber.error(error);
      else this.#tryAgainIn(pauseMs);
    });
  }

  complete(): void {
    if (this.#settle()) this.#leave(() => this.subscriber.complete());
  }

  /** Gives false from the second time on: while a value is passed on, it may cause its source to say more. */
  #settle(): boolean {
    if (this.#isSettled || this.closed) return false;
    this.#isSettled = true;
    return true;
  }

  /** A synchronous source hands its clean-up over when it returns, and the sequel has to wait for that. */
  #leave(sequel: () => void): void {
    this.unsubscribe();
    if (this.#isSubscribed) this.#orFail(sequel);
    else this.#sequel = sequel;
  }

  /** RxJS would let what an observer throws escape; here it is an error of the stream. */
  #orFail(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.subscriber.error(error);
    }
  }

  #judge(outcome: AttemptOutcome<T>): number | undefined {
    const { maxRetries, pause, onRetry } = this.hints;
    const retry = this.retries + 1;
    const pauseMs = retry <= maxRetries ? pause(outcome, retry) : undefined;
    if (pauseMs !== undefined) onRetry?.(outcome, retry, pauseMs);
    return pauseMs;
  }

  #tryAgainIn(pauseMs: number): void {
    const { subscriber, source, hints, retries } = this;
    // A callback, or the clean-up of the attempt, may have unsubscribed.
    if (subscriber.closed) return;
    const again = (): void => new Attempt(subscriber, source, hints, retries + 1).start();
    subscriber.add(longTimer(pauseMs, hints.scheduler).subscribe(again));
  }
}

/**
 * Subscribes to the source again, after a pause that the outcome itself hints at. Unlike `retry` it looks at values too:
 * a response of status 429 is a value, and its `Retry-After` header is the hint.
 *
 * ```text
 * source, 1st attempt   --r|                 r: a refusal worth a pause of 4
 * source, 2nd attempt         --#            #: an error worth a pause of 3
 * source, 3rd attempt               --a|
 * retryHinted           --------------(a|)
 * ```
 *
 * One attempt is one subscription, and its first value or its error is its outcome; the attempt is over before the pause
 * begins. When the retries are used up, the last outcome is passed on as it is. An attempt that completes without a value
 * completes the result. Unsubscribing during a pause clears its timer.
 *
 * Relatives: `retry({ count, delay })` and `retryWhen` of RxJS. These see errors alone, so a response would have to be
 * thrown to be retried, and the last one would arrive as an error.
 *
 * @param hints The number of retries and the pause before each; see {@link RetryHints}.
 * @returns An operator whose stream emits at most one value, and errors with the last error or with what `pause` or
 * `onRetry` throws.
 * @example
 * ```ts
 * import { defer, of } from 'rxjs';
 * import { retryHinted } from 'headwater/operators';
 *
 * let calls = 0;
 * const request$ = defer(() => of({ status: (calls += 1) < 3 ? 429 : 200, retryAfterMs: 5 }));
 * request$
 *   .pipe(
 *     retryHinted({
 *       maxRetries: 10,
 *       pause: (outcome, retry) => {
 *         if (outcome.kind === 'error') return 2 ** retry * 1000;
 *         return outcome.value.status === 429 ? outcome.value.retryAfterMs : undefined;
 *       },
 *     }),
 *   )
 *   .subscribe(({ status }) => console.log(`${status} after ${calls} calls`));
 * // → 200 after 3 calls
 * ```
 */
export function retryHinted<T>(hints: RetryHints<T>): MonoTypeOperatorFunction<T> {
  return (source) => new Observable((subscriber) => new Attempt(subscriber, source, hints).start());
}
