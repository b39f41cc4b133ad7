import { asyncScheduler, Observable } from 'rxjs';
import type { SchedulerLike } from 'rxjs';

/** How long {@link abortable} waits. */
export interface AbortableOptions {
  /** Milliseconds until the work is overdue; none: it may take for ever. The longest timer of JavaScript is 2^31 - 1. */
  readonly within?: number;
  /** Makes the error of work that is overdue. */
  readonly overdue?: () => unknown;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

/** The longest delay that the timers of JavaScript can hold; a longer one fires at once. */
const LONGEST = 2 ** 31 - 1;

/**
 * A promise as an Observable that can be cancelled, which `from(promise)` cannot: each subscription begins the work, and
 * leaving before it is done aborts its signal.
 *
 * ```text
 * work          ----a            --#           ------------a
 * within                                       ------8
 * unsubscribe                          --!
 * abortable     ----(a|)         --#   --      ------#
 * signal                                 !           !
 * ```
 *
 * The signal is aborted only while the work is under way: when the subscriber leaves, or the work is overdue.
 *
 * @param work Begins the work. What it throws, and what its promise rejects with, is the error of the stream.
 * @param options A time limit; see {@link AbortableOptions}.
 * @returns A cold Observable of one value.
 * @example
 * ```ts
 * import { abortable } from 'headwater/operators';
 *
 * const nap = (ms: number) => {
 *   const work = (signal: AbortSignal) =>
 *     new Promise<string>((resolve) => {
 *       const timer = setTimeout(() => resolve(`slept ${ms}`), ms);
 *       signal.addEventListener('abort', () => clearTimeout(timer));
 *     });
 *   return abortable(work, { within: 50, overdue: () => 'overslept' });
 * };
 * nap(5).subscribe((text) => console.log(text));
 * nap(5000).subscribe({ error: (text) => console.log(text) });
 * // → slept 5
 * // → overslept
 * ```
 */
export function abortable<T>(work: (signal: AbortSignal) => Promise<T>, options: AbortableOptions = {}): Observable<T> {
  const { within, overdue = () => new Error('overdue'), scheduler = asyncScheduler } = options;
  return new Observable((subscriber) => {
    const aborter = new AbortController();
    let isDone = false;
    work(aborter.signal).then(
      (value) => {
        isDone = true;
        subscriber.next(value);
        subscriber.complete();
      },
      (error: unknown) => {
        isDone = true;
        subscriber.error(error);
      },
    );
    subscriber.add(() => {
      if (!isDone) aborter.abort();
    });
    if (within !== undefined)
      subscriber.add(scheduler.schedule(() => subscriber.error(overdue()), Math.min(within, LONGEST)));
  });
}
