import { catchError, concatMap, defer, EMPTY, map, of, repeat, take, throwError } from 'rxjs';
import type { MonoTypeOperatorFunction, Observable, SchedulerLike } from 'rxjs';
import { longTimer } from './long-timer';

/** How one attempt ended: with a value, which may still be a refusal, or with an error. */
export type Outcome<T> =
  { readonly kind: 'value'; readonly value: T } | { readonly kind: 'error'; readonly error: unknown };

/** When {@link retryHinted} tries again. */
export interface RetryHints<T> {
  /** How many attempts may follow the first; 0 never retries. */
  readonly maxRetries: number;
  /** The pause in milliseconds before the next attempt, or `undefined` to accept the outcome. `retry` counts from 1. */
  readonly pause: (outcome: Outcome<T>, retry: number) => number | undefined;
  /** Told of each retry when its pause begins. */
  readonly onRetry?: (outcome: Outcome<T>, retry: number, pauseMs: number) => void;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

const asValue = <T>(value: T): Outcome<T> => ({ kind: 'value', value });
const asError = (error: unknown): Observable<Outcome<never>> => of({ kind: 'error', error });
const passOn = <T>(outcome: Outcome<T>): Observable<T> =>
  outcome.kind === 'value' ? of(outcome.value) : throwError(() => outcome.error);

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
export function retryHinted<T>({ maxRetries, pause, onRetry, scheduler }: RetryHints<T>): MonoTypeOperatorFunction<T> {
  return (source) =>
    defer(() => {
      let retries = 0;
      let pauseMs: number | undefined;

      const judge = (outcome: Outcome<T>): Observable<T> => {
        pauseMs = retries < maxRetries ? pause(outcome, retries + 1) : undefined;
        if (pauseMs === undefined) return passOn(outcome);
        retries += 1;
        onRetry?.(outcome, retries, pauseMs);
        return EMPTY;
      };

      const attempt$ = defer(() => {
        pauseMs = undefined;
        return source.pipe(take(1), map(asValue), catchError(asError), concatMap(judge));
      });

      return attempt$.pipe(repeat({ delay: () => (pauseMs === undefined ? EMPTY : longTimer(pauseMs, scheduler)) }));
    });
}
