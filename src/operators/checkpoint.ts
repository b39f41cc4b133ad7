import {
  catchError,
  concat,
  defer,
  EMPTY,
  finalize,
  from,
  ignoreElements,
  merge,
  mergeMap,
  of,
  Subject,
  tap,
} from 'rxjs';
import type { MonoTypeOperatorFunction, Observable, ObservableInput } from 'rxjs';

/**
 * Saves checkpoints of processed values without delaying the values.
 *
 * ```text
 * source         a-bc--|
 * save(a)        -----|
 * save(c)             -----|       b was superseded by c while a was saved
 * checkpoint     a-bc------|
 * ```
 *
 * Values pass at once and in order, and when the subscriber has returned from a value, its checkpoint is due. One save
 * runs at a time. While it runs, the newest value of each key waits; keys are saved in the order in which they began to
 * wait. When the source completes or errors, waiting values are saved first, and after the last save the stream ends as
 * the source did. The error of a save ends the stream at once and unsubscribes from the source. Each subscription saves
 * separately.
 *
 * Unsubscribing drops waiting values and unsubscribes from the running save. A value during which the subscriber
 * unsubscribes is not saved, and comes again when a run resumes from the last checkpoint. Behind the `drain` of
 * `boundedWindow`, every saved value has been processed.
 *
 * Related: a write-behind cache that coalesces writes. `concatMap(save)` would save each value and delay the values,
 * `exhaustMap(save)` would lose the last one, and `auditTime` would need a clock.
 *
 * @param save Saves the checkpoint of a value; it is saved on completion. Emitted values are ignored.
 * @param options `key`: values of different keys do not supersede one another (compared as by a `Map`); by default all
 *   values have the same key.
 * @returns An operator whose stream errors with the error of the source, of a save, or of a callback that throws.
 * @example
 * ```ts
 * import { concatMap, of, timer } from 'rxjs';
 * import { checkpoint } from 'headwater/operators';
 *
 * const save = (page: number) => {
 *   console.log(`saving ${page}`);
 *   return timer(5);
 * };
 * of(1, 2, 3)
 *   .pipe(checkpoint(save))
 *   .subscribe({ next: (page) => console.log(`page ${page}`), complete: () => console.log('all saved') });
 * // → page 1
 * // → saving 1
 * // → page 2
 * // → page 3
 * // → saving 3
 * // → all saved
 * ```
 */
export function checkpoint<T>(
  save: (value: T) => ObservableInput<unknown>,
  { key = () => undefined }: { readonly key?: (value: T) => unknown } = {},
): MonoTypeOperatorFunction<T> {
  return (source) =>
    defer(() => {
      const waiting = new Map<unknown, T>();
      const begin$ = new Subject<T>();
      let busy = false;
      let looping = false;
      let sourceDone = false;
      let sourceError: { readonly error: unknown } | undefined;

      /** Starts the next save. It is a loop and not a recursion, so that saves that end synchronously do not nest. */
      const goOn = (): void => {
        if (looping) return;
        looping = true;
        for (const [longest, value] of waiting) {
          if (busy) break;
          waiting.delete(longest);
          busy = true;
          begin$.next(value);
        }
        looping = false;
        if (busy || !sourceDone) return;
        if (sourceError === undefined) begin$.complete();
        else begin$.error(sourceError.error);
      };

      const store = (value: T): Observable<never> =>
        from(save(value)).pipe(
          ignoreElements(),
          // The save has cleaned up only at this point. After an error or when unsubscribed, `begin$` has no listener.
          finalize(() => {
            busy = false;
            goOn();
          }),
        );

      // A subscriber may make the source emit while it still handles an earlier value. The values are due only when it
      // has returned from the first of them, and in their own order; otherwise an older checkpoint would be saved after
      // a newer one.
      const passing: T[] = [];
      let depth = 0;
      const passOn = (value: T): Observable<T> => {
        passing.push(value);
        depth += 1;
        const passed$ = defer(() => {
          depth -= 1;
          if (depth > 0) return EMPTY;
          for (const next of passing.splice(0)) waiting.set(key(next), next);
          goOn();
          return EMPTY;
        });
        return concat(of(value), passed$);
      };

      const values$ = source.pipe(
        catchError((error: unknown) => {
          sourceError = { error };
          return EMPTY;
        }),
        mergeMap(passOn),
        tap({
          complete: () => {
            sourceDone = true;
            goOn();
          },
        }),
      );

      return merge(begin$.pipe(mergeMap(store)), values$);
    });
}
