import { identity, Observable, takeUntil } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';

interface Watch {
  readonly onAbort: () => void;
  readonly failing: Set<() => void>;
}

/** One listener a signal, however many streams end with it: Node.js warns of a signal that more than ten listen to. */
const watches = new WeakMap<AbortSignal, Watch>();

function watchOf(signal: AbortSignal): Watch {
  const known = watches.get(signal);
  if (known !== undefined) return known;
  const failing = new Set<() => void>();
  const onAbort = (): void => {
    for (const fail of failing) fail();
  };
  const watch = { onAbort, failing };
  watches.set(signal, watch);
  signal.addEventListener('abort', onAbort);
  return watch;
}

/** Emits nothing; errors with the signal's reason when it aborts. */
const abortion = (signal: AbortSignal): Observable<never> =>
  new Observable((subscriber) => {
    const fail = (): void => subscriber.error(signal.reason);
    if (signal.aborted) {
      fail();
      return undefined;
    }
    const { failing, onAbort } = watchOf(signal);
    failing.add(fail);
    return () => {
      failing.delete(fail);
      if (failing.size > 0 || watches.get(signal)?.failing !== failing) return;
      watches.delete(signal);
      signal.removeEventListener('abort', onAbort);
    };
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
 * when the subscriber leaves. However many streams have the same signal, it has one listener.
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
