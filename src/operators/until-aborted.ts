import { identity, Observable, takeUntil } from 'rxjs';
import type { MonoTypeOperatorFunction } from 'rxjs';

interface Watch {
  readonly onAbort: () => void;
  readonly failing: Set<() => void>;
}

/**
 * One listener for each signal, regardless of the number of streams that end with it: Node.js warns of a signal with
 * more than ten listeners.
 */
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
 * If the signal has been aborted before, the source is never subscribed to. The listener is removed when the source
 * ends and when the subscriber unsubscribes. All streams with the same signal share one listener.
 *
 * Related: `takeUntil`, on which it is based. `takeUntil` completes where this operator errors: an aborted stream must
 * not look complete.
 *
 * @param signal The signal; if it is `undefined`, the source is mirrored unchanged.
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
