import { asyncScheduler, Observable } from 'rxjs';
import type { SchedulerLike } from 'rxjs';
import { longTimer } from './long-timer';

/** How long {@link abortable} waits. */
export interface AbortableOptions {
  /** Milliseconds until the work is overdue; absent: it may take for ever. */
  readonly within?: number;
  /** Makes the error of work that is overdue. */
  readonly overdue?: () => unknown;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

/** Tells the work that nobody waits for it any more. */
export interface Abortion {
  /** A signal for functions that take one; it is made when it is first read. */
  readonly signal: AbortSignal;
  /** Sets the one callback of an abortion: cheaper than a signal, for work that is done ten thousand times. */
  readonly onAbort: (callback: () => void) => void;
}

/**
 * A promise as an Observable that can be cancelled, which `from(promise)` cannot: each subscription begins the work, and
 * leaving before it is done aborts it.
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
 * Relatives: `defer(() => from(promise))` runs once a subscription as well, but cannot tell the work that nobody waits;
 * `fromFetch` of RxJS aborts, but only `fetch`. `timeout` would need one more operator, and its timer holds at most
 * 24.8 days.
 *
 * @param work Begins the work. What it throws, and what its promise rejects with, is the error of the stream.
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
    const abortion = new OnDemand();
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

class OnDemand implements Abortion {
  #aborter: AbortController | undefined;
  #callback: (() => void) | undefined;
  #isAborted = false;

  get signal(): AbortSignal {
    this.#aborter ??= new AbortController();
    if (this.#isAborted) this.#aborter.abort();
    return this.#aborter.signal;
  }

  onAbort(callback: () => void): void {
    this.#callback = callback;
  }

  abort(): void {
    this.#isAborted = true;
    this.#callback?.();
    this.#aborter?.abort();
  }
}
