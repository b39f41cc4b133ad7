import { Observable } from 'rxjs';
import type { MonoTypeOperatorFunction, SchedulerLike, Subscriber } from 'rxjs';
import { limitFrom } from './limit';
import { longTimer } from './long-timer';
import { InnerSubscription } from './subscription';

/** The outcome of one attempt: a value, which may still be a refusal, or an error. */
export type AttemptOutcome<T> =
  { readonly kind: 'value'; readonly value: T } | { readonly kind: 'error'; readonly error: unknown };

/** Options of {@link retryHinted}. */
export interface RetryHints<T> extends BackoffOptions {
  /** The number of attempts after the first: an integer from 0, which never retries, or `Infinity`. */
  readonly maxRetries: number;
  /**
   * Returns the pause before the next attempt, in milliseconds from 0: the pause that the outcome asks for, which neither the
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
 * Subscribes to the source once. Its first value, or its error before a value, is judged; everything after an accepted
 * value passes.
 *
 * @param retry the number of the retry that would follow, from 1
 */
function attempt<T>(subscriber: Subscriber<T>, source: Observable<T>, hints: Hints<T>, retry = 1): void {
  const { maxRetries, pause, onRetry, scheduler } = hints;
  let state: 'waiting' | 'judging' | 'accepted' = 'waiting';
  /** The notifications of the source while its first value is judged. */
  const early: (() => void)[] = [];

  const notify = (notification: () => void): void => {
    if (state === 'judging') early.push(notification);
    else notification();
  };

  const judge = (outcome: AttemptOutcome<T>): number | undefined => {
    const pauseMs = retry <= maxRetries ? pause(outcome, retry) : undefined;
    if (pauseMs !== undefined) onRetry?.(outcome, retry, pauseMs);
    return pauseMs;
  };

  const tryAgainIn = (pauseMs: number): void => {
    // A callback, or the clean-up of the attempt, may have unsubscribed.
    if (subscriber.closed) return;
    const again = (): void => attempt(subscriber, source, hints, retry + 1);
    subscriber.add(longTimer(pauseMs, scheduler).subscribe(again));
  };

  const onNext = (value: T, inner: InnerSubscription<T>): void => {
    if (state !== 'waiting') {
      notify(() => subscriber.next(value));
      return;
    }
    state = 'judging';
    const pauseMs = judge({ kind: 'value', value });
    if (pauseMs !== undefined) {
      inner.leave(() => tryAgainIn(pauseMs));
      return;
    }
    state = 'accepted';
    subscriber.next(value);
    for (const notification of early) notification();
  };

  const failed = (error: unknown): void => {
    const pauseMs = state === 'waiting' ? judge({ kind: 'error', error }) : undefined;
    if (pauseMs === undefined) notify(() => subscriber.error(error));
    else tryAgainIn(pauseMs);
  };

  const ended = (): void => notify(() => subscriber.complete());
  new InnerSubscription<T>(subscriber, { next: onNext, ended, failed }).follow(() => source);
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
 *   error that `pause` or `onRetry` throws, or with a RangeError if `pause` returns a number below 0, NaN or `Infinity`.
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
    maxRetries: limitFrom(0, 'retryHinted', 'maxRetries', maxRetries),
    pause: (outcome, retry) => checkedPause(pause(outcome, retry, backoff(retry))),
    ...(onRetry === undefined ? {} : { onRetry }),
    ...(scheduler === undefined ? {} : { scheduler }),
  };
  return (source) => new Observable((subscriber) => attempt(subscriber, source, checked));
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
  if (pauseMs === undefined || (pauseMs >= 0 && pauseMs < Infinity)) return pauseMs;
  throw new RangeError(
    `retryHinted needs a number of milliseconds from 0 for a pause, not ${pauseMs}. \`undefined\` accepts the outcome.`,
  );
}
