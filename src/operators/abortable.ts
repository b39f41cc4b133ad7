import { asyncScheduler, Observable } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { longTimer } from './long-timer';

/** Options of {@link abortable}. */
export interface AbortableOptions {
  /** The time limit of the work in milliseconds; if absent, the work has no limit. */
  readonly within?: number;
  /** Creates the error for work that exceeds the limit. */
  readonly overdue?: () => unknown;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
}

/** Informs the work that its result is not needed any more. */
export interface Abortion {
  /** A signal for functions that take one; it is created when it is first read. */
  readonly signal: AbortSignal;
  /** True from the abortion on. */
  readonly isAborted: boolean;
  /** Sets the one callback for the abortion, which is called at once if it has happened. It costs less than a signal, for work that runs ten thousand times. */
  readonly onAbort: (callback: () => void) => void;
}

/**
 * Turns a function that returns a promise into an Observable that can be cancelled, which `from(promise)` cannot: each
 * subscription starts the work, and unsubscribing before its end aborts it.
 *
 * ```text
 * work          ----a            --#           ------------a
 * within                                       ------8
 * unsubscribe                          --!
 * abortable     ----(a|)         --#   --      ------#
 * signal                                 !           !
 * ```
 *
 * The signal is aborted only while the work runs: when the subscriber unsubscribes, or the work exceeds its limit.
 *
 * Related: `defer(() => from(promise))` also runs once for each subscription, but cannot inform the work that its
 * subscriber has left; `fromFetch` of RxJS aborts, but only `fetch`. `timeout` would be one more operator, and its
 * timer holds at most 24.8 days.
 *
 * @param work Starts the work. If it throws or its promise rejects, the stream errors with that error.
 * @param options A time limit; see {@link AbortableOptions}.
 * @returns A cold Observable of one value.
 * @example
 * ```ts
 * import { abortable } from 'headwater/operators';
 * import type { Abortion } from 'headwater/operators';
 *
 * const nap = (ms: number) => {
 *   const work = ({ signal }: Abortion) =>
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
export function abortable<T>(work: (abortion: Abortion) => Promise<T>, options: AbortableOptions = {}): Observable<T> {
  const { within, overdue = () => new Error('overdue'), scheduler = asyncScheduler } = options;
  return new Observable((subscriber) => {
    const abortion = new OnDemandAbortion();
    let isDone = false;
    work(abortion).then(
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
      if (!isDone) abortion.abort();
    });
    if (within !== undefined) subscriber.add(longTimer(within, scheduler).subscribe(() => subscriber.error(overdue())));
  });
}

/** An abortion whose signal is created on demand. */
export class OnDemandAbortion implements Abortion {
  #aborter: AbortController | undefined;
  #callback: (() => void) | undefined;
  isAborted = false;

  get signal(): AbortSignal {
    this.#aborter ??= new AbortController();
    if (this.isAborted) this.#aborter.abort();
    return this.#aborter.signal;
  }

  onAbort(callback: () => void): void {
    if (this.isAborted) callback();
    else this.#callback = callback;
  }

  abort(): void {
    this.isAborted = true;
    this.#callback?.();
    this.#aborter?.abort();
  }
}
