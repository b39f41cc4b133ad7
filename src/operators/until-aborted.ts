import { identity, Observable, takeUntil } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';

/** Emits nothing; errors with the signal's reason when it aborts. */
const abortion = (signal: AbortSignal): Observable<never> =>
  new Observable((subscriber) => {
    const fail = () => subscriber.error(signal.reason);
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail);
    return () => signal.removeEventListener('abort', fail);
  });

/**
 * Mirrors the source until the signal aborts; then unsubscribes from it and errors with the signal's reason.
 *
 * ```text
 * source            --a--b--c--d--
 * signal            -------!
 * untilAborted      --a--b-#
 * ```
 *
 * When the signal was aborted before, the source is never subscribed. The listener is removed when the source ends and
 * when the subscriber leaves. One operator at the end of a pipeline is enough: Node warns of a signal that more than ten
 * streams listen to at once.
 *
 * Relative: `takeUntil`, which it is made of; that completes where this errors, and a stream that was aborted must not
 * look complete.
 *
 * @param signal The signal; with `undefined` the source is mirrored unchanged.
 * @returns An operator whose stream errors with `signal.reason`.
 * @example
 * ```ts
 * import { NEVER } from 'rxjs';
 * import { untilAborted } from 'headwater/operators';
 *
 * const controller = new AbortController();
 * NEVER.pipe(untilAborted(controller.signal)).subscribe({ error: (reason) => console.log(`stopped: ${reason}`) });
 * controller.abort('the user left');
 * // → stopped: the user left
 * ```
 */
export function untilAborted<T>(signal: AbortSignal | undefined): MonoTypeOperatorFunction<T> {
  return signal === undefined ? identity : takeUntil(abortion(signal));
}
