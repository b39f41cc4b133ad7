import { asyncScheduler, concat, defer, filter, ignoreElements, map, merge, repeat, take, tap } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import { longTimer } from './long-timer';

/** What an answer means: the end of the polling, or how many milliseconds to wait for the next poll. */
export type PollVerdict<R> = { readonly done: R } | { readonly wait: number };

/** How {@link polling} asks. */
export interface PollingOptions<T, R> {
  /** Judges an answer; what it throws ends the polling. */
  readonly judge: (answer: T) => PollVerdict<R>;
  /** Milliseconds before the first poll; none unless given. */
  readonly delay?: number;
  /** Milliseconds in all, those of requests included. */
  readonly timeout: number;
  /** Makes the error when the time is over. */
  readonly timedOut: () => unknown;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Asks again and again until an answer is final, or the time is over.
 *
 * ```text
 * ask()                  -r|            -r|            -d|
 * judge: wait 5 for r    -r-----        -r-----        -(d|)
 * polling                --------------------------------(d|)
 * ```
 *
 * A wait that would end after the time fails at once; a question under way when the time is over is cancelled. It holds one
 * timer for the time and one for the wait, and nothing of the answers before.
 *
 * Relative: `repeat` of RxJS with a delay, which knows no verdicts.
 *
 * @param ask Asks once: emits one answer.
 * @param options `judge` reads an answer; `timeout` and `timedOut` end the polling.
 * @returns A cold Observable of the one result; unsubscribing cancels the question and clears the timers.
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
  ask: () => Observable<T>,
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
