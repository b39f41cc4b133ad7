import { asyncScheduler, concat, ignoreElements, NEVER, repeat, timer } from 'rxjs';
import type { Observable, SchedulerLike, Subscription } from 'rxjs';

/** The longest delay that the timers of JavaScript can hold; a longer one fires at once. About 24.8 days. */
const LONGEST = 2 ** 31 - 1;

/**
 * Emits 0 after a delay and completes, as `timer` does, but for any length of time. A delay that one timer of
 * JavaScript cannot hold (2^31 ms and more) becomes a chain of timers, one at a time.
 *
 * ```text
 * longTimer(3)         ---(0|)
 * longTimer(-1)        (0|)       in the next turn, never while subscribing
 * longTimer(Infinity)  ----------
 * ```
 *
 * Related: `timer` of RxJS, which fires at once for a delay of 2^31 ms and more.
 *
 * @param milliseconds The delay. Zero and less fire in the next turn; `Infinity` never fires and holds no timer.
 * @param scheduler The clock; `asyncScheduler` by default.
 * @returns A cold Observable; unsubscribing clears the timer.
 * @throws RangeError if `milliseconds` is not a number, which `timer` would read as "at once".
 * @example
 * ```ts
 * import { longTimer } from 'headwater/operators';
 *
 * longTimer(10).subscribe(() => console.log('after 10 ms'));
 * longTimer(Date.UTC(2100, 0) - Date.now()).subscribe(() => console.log('next century')).unsubscribe();
 * // → after 10 ms
 * ```
 */
export function longTimer(milliseconds: number, scheduler: SchedulerLike = asyncScheduler): Observable<0> {
  if (Number.isNaN(milliseconds)) throw new RangeError('longTimer needs a number of milliseconds, not NaN.');
  if (milliseconds === Infinity) return NEVER;
  if (milliseconds <= LONGEST) return timer(milliseconds, scheduler);
  const fullHops = Math.floor(milliseconds / LONGEST);
  return concat(
    timer(LONGEST, scheduler).pipe(repeat(fullHops), ignoreElements()),
    timer(milliseconds % LONGEST, scheduler),
  );
}

/**
 * Runs work after a delay, as a subscription to {@link longTimer} does, without its Observable for a delay that one timer
 * can hold: there is one for each request.
 */
export const afterDelay = (milliseconds: number, scheduler: SchedulerLike, work: () => void): Subscription =>
  milliseconds <= LONGEST ? scheduler.schedule(work, milliseconds) : longTimer(milliseconds, scheduler).subscribe(work);
