import { asyncScheduler, concat, defer, filter, ignoreElements, map, merge, repeat, take, tap } from 'rxjs';
import type { Observable, ObservableInput, SchedulerLike } from 'rxjs';
import { longTimer } from './long-timer';

/** The meaning of an answer: the end of the polling, or the number of milliseconds before the next poll. */
export type PollVerdict<R> = { readonly done: R } | { readonly wait: number };

/** Options of {@link polling}. */
export interface PollingOptions<T, R> {
  /** Judges an answer; an error that it throws ends the polling. */
  readonly judge: (answer: T) => PollVerdict<R>;
  /** Milliseconds before the first poll; none by default. */
  readonly delay?: number;
  /** The limit in milliseconds for the whole polling, requests included. */
  readonly timeout: number;
  /** Creates the error for an exceeded limit. */
  readonly timedOut: () => unknown;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Polls until an answer is final, or the time limit is exceeded.
 *
 * ```text
 * ask()                  -r|            -r|            -d|
 * judge: wait 5 for r    -r-----        -r-----        -(d|)
 * polling                --------------------------------(d|)
 * ```
 *
 * A wait that would end after the limit fails at once; a request in progress at the limit is cancelled. The operator
 * holds one timer for the limit and one for the wait, and no earlier answers.
 *
 * Related: `repeat` of RxJS with a delay, which has no verdicts.
 *
 * @param ask Sends one request: a promise, or an Observable that emits one answer.
 * @param options `judge` reads an answer; `timeout` and `timedOut` end the polling.
 * @returns A cold Observable of the one result; unsubscribing cancels the request and clears the timers.
 * @example
 * ```ts
 * import { of } from 'rxjs';
 * import { polling } from 'headwater/operators';
 *
 * const answers = ['queued', 'running', 'done'];
 * polling(() => of(answers.shift()), {
 *   judge: (answer) => (answer === 'done' ? { done: 'There it is.' } : { wait: 10 }),
 *   timeout: 1000,
 *   timedOut: () => new Error('too late'),
 * }).subscribe((result) => console.log(result));
 * // → There it is.
 * ```
 */
export function polling<T, R>(
  ask: () => ObservableInput<T>,
  { judge, delay = 0, timeout, timedOut, scheduler = asyncScheduler }: PollingOptions<T, R>,
): Observable<R> {
  return defer(() => {
    const end = scheduler.now() + timeout;
    let wait = 0;
    const fail = (): never => {
      throw timedOut();
    };
    const answers = defer(ask).pipe(
      take(1),
      map(judge),
      tap((verdict) => {
        if (isDone(verdict)) return;
        ({ wait } = verdict);
        if (scheduler.now() + wait > end) fail();
      }),
      repeat({ delay: () => longTimer(wait, scheduler) }),
      filter(isDone),
      map(({ done }) => done),
    );
    const later = delay > 0 ? concat(longTimer(delay, scheduler).pipe(ignoreElements()), answers) : answers;
    if (delay > timeout) fail();
    return merge(later, longTimer(timeout, scheduler).pipe(map(fail))).pipe(take(1));
  });
}

const isDone = <R>(verdict: PollVerdict<R>): verdict is { readonly done: R } => 'done' in verdict;
