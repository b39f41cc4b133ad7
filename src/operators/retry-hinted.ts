import { Observable, Subscription } from 'rxjs';
import type { MonoTypeOperatorFunction, Observer, SchedulerLike, Subscriber } from 'rxjs';
import { longTimer } from './long-timer';

/** The outcome of one attempt: a value, which may still be a refusal, or an error. */
export type AttemptOutcome<T> =
  { readonly kind: 'value'; readonly value: T } | { readonly kind: 'error'; readonly error: unknown };

/** Options of {@link retryHinted}. */
export interface RetryHints<T> extends BackoffOptions {
  /** The number of attempts after the first; 0 never retries. */
  readonly maxRetries: number;
  /**
   * Returns the pause in milliseconds before the next attempt: the pause that the outcome asks for, which neither the
   * longest pause nor jitter changes, or `backoff`, which the options below compute for this retry. `undefined` accepts
   * the outcome. `retry` counts from 1. By default, errors are retried with `backoff`, and values are accepted.
   */
  readonly pause?: (outcome: AttemptOutcome<T>, retry: number, backoff: number) => number | undefined;
  /** Is called for each retry when its pause begins. */
  readonly onRetry?: (outcome: AttemptOutcome<T>, retry: number, pauseMs: number) => void;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
}

/** The growth of pauses if an outcome gives no hint. */
export interface BackoffOptions {
  /** Milliseconds before the first retry, doubled for each further one; 1000 by default. */
  readonly firstPause?: number;
  /** The longest of these pauses in milliseconds; 30,000 by default. */
  readonly longestPause?: number;
  /** The largest share that jitter subtracts, from 0 (nothing) to 1 (all of it); 0.25 by default. */
  readonly jitter?: number;
  /** Returns a number from 0 to less than 1; `Math.random` by default. */
  readonly random?: () => number;
}

/** Hints with all defaults. */
interface Hints<T> extends Pick<RetryHints<T>, 'maxRetries' | 'onRetry' | 'scheduler'> {
  readonly pause: (outcome: AttemptOutcome<T>, retry: number) => number | undefined;
}

/**
 * One subscription to the source, whose first value or error is judged; everything after an accepted value passes. RxJS
 * uses a Subscription that is an observer directly, without a wrapper, so an attempt costs no other subscriber. It
 * exists before the source is subscribed to, so even a synchronous source can be unsubscribed at its first value.
 */
class Attempt<T> extends Subscription implements Observer<T> {
  #state: 'waiting' | 'judging' | 'accepted' | 'over' = 'waiting';
  /** The notifications of the source while its first value is judged. */
  readonly #early: (() => void)[] = [];
  #isSubscribed = false;
  #sequel: (() => void) | undefined;

  constructor(
    private readonly subscriber: Subscriber<T>,
    private readonly source: Observable<T>,
    private readonly hints: Hints<T>,
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
    if (this.#state === 'accepted' && !this.closed) this.subscriber.next(value);
    else if (this.#state === 'judging') this.#early.push(() => this.next(value));
    else if (this.#isOpen()) this.#orFail(() => this.#judgeFirst(value));
  }

  error(error: unknown): void {
    if (this.#state === 'judging') this.#early.push(() => this.error(error));
    if (!this.#isOpen()) return;
    const isFirst = this.#state === 'waiting';
    this.#state = 'over';
    this.#leave(() => {
      const pauseMs = isFirst ? this.#judge({ kind: 'error', error }) : undefined;
      if (pauseMs === undefined) this.subscriber.error(error);
      else this.#tryAgainIn(pauseMs);
    });
  }

  complete(): void {
    if (this.#state === 'judging') this.#early.push(() => this.complete());
    if (!this.#isOpen()) return;
    this.#state = 'over';
    this.#leave(() => this.subscriber.complete());
  }

  #isOpen(): boolean {
    return !this.closed && (this.#state === 'waiting' || this.#state === 'accepted');
  }

  #judgeFirst(value: T): void {
    this.#state = 'judging';
    const pauseMs = this.#judge({ kind: 'value', value });
    if (pauseMs !== undefined) {
      this.#state = 'over';
      this.#leave(() => this.#tryAgainIn(pauseMs));
      return;
    }
    this.#state = 'accepted';
    this.subscriber.next(value);
    for (const say of this.#early) say();
  }

  /**
   * Unsubscribes from the source, and then runs the sequel. A synchronous source returns its clean-up only when it
   * returns, and the sequel has to wait for that.
   */
  #leave(sequel: () => void): void {
    this.unsubscribe();
    if (this.#isSubscribed) this.#orFail(sequel);
    else this.#sequel = sequel;
  }

  /** Turns an error that an observer throws into an error of the stream; RxJS would let it escape. */
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
 * Subscribes to the source again, after a pause that the outcome itself suggests. Unlike `retry` it judges values, too:
 * a response of status 429 is a value, and its `Retry-After` header is the hint.
 *
 * ```text
 * source, 1st attempt   --r|                 r: a refusal worth a pause of 4
 * source, 2nd attempt         --#            #: an error worth a pause of 3
 * source, 3rd attempt               --a-b|
 * retryHinted           --------------a-b|
 * ```
 *
 * One attempt is one subscription, and its first value, or its error before a value, is its outcome; a refused attempt
 * ends before the pause begins. When the first value is accepted, everything the source emits passes, even a later
 * error: a second attempt would emit values twice. When the retries are used up, the last outcome is passed on as it
 * is. An attempt that completes without a value completes the result. Unsubscribing during a pause clears its timer.
 *
 * `pause` computes the pause from the outcome. If the outcome gives no hint, `backoff` applies: `firstPause`, doubled
 * for each retry, at most `longestPause`, and reduced by a random share of up to `jitter`.
 *
 * Related: `retry({ count, delay })` and `retryWhen` of RxJS. These handle errors alone, so a response would have to be
 * thrown to be retried, and the last one would arrive as an error.
 *
 * @param hints The number of retries and the pause before each; see {@link RetryHints}.
 * @returns An operator whose stream has the values of the accepted attempt, and errors with the last error, with an
 *   error that `pause` or `onRetry` throws, or with a RangeError if `pause` returns NaN or `Infinity`.
 * @throws RangeError if a number among the hints is out of its range.
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
 *       pause: (outcome, _retry, backoff) => {
 *         if (outcome.kind === 'error') return backoff;
 *         return outcome.value.status === 429 ? outcome.value.retryAfterMs : undefined;
 *       },
 *     }),
 *   )
 *   .subscribe(({ status }) => console.log(`${status} after ${calls} calls`));
 * // → 200 after 3 calls
 * ```
 */
export function retryHinted<T>(hints: RetryHints<T>): MonoTypeOperatorFunction<T> {
  const {
    maxRetries,
    onRetry,
    scheduler,
    pause = (outcome, _, own) => (outcome.kind === 'error' ? own : undefined),
  } = hints;
  const backoff = backoffOf(hints);
  const checked: Hints<T> = {
    maxRetries: checkedNumber('maxRetries', maxRetries, Infinity),
    pause: (outcome, retry) => checkedPause(pause(outcome, retry, backoff(retry))),
    ...(onRetry === undefined ? {} : { onRetry }),
    ...(scheduler === undefined ? {} : { scheduler }),
  };
  return (source) => new Observable((subscriber) => new Attempt(subscriber, source, checked).start());
}

/** Returns the function that computes the pause before a retry, counted from 1, for an outcome without a hint. */
function backoffOf({ firstPause = 1000, longestPause = 30_000, jitter = 0.25, random = Math.random }: BackoffOptions) {
  checkedNumber('firstPause', firstPause, Infinity);
  checkedNumber('longestPause', longestPause, Infinity);
  checkedNumber('jitter', jitter, 1);
  return (retry: number): number => {
    const grown = Math.min(firstPause * 2 ** (retry - 1), longestPause);
    return grown * (1 - jitter * random());
  };
}

function checkedNumber(name: string, value: number, most: number): number {
  if (value >= 0 && value <= most) return value;
  throw new RangeError(
    `retryHinted needs a number from 0${most === Infinity ? '' : ` to ${most}`} for \`${name}\`, not ${value}.`,
  );
}

function checkedPause(pauseMs: number | undefined): number | undefined {
  if (pauseMs === undefined || pauseMs < Infinity) return pauseMs;
  throw new RangeError(`retryHinted: a pause of ${pauseMs} ms is none. \`undefined\` accepts the outcome.`);
}
