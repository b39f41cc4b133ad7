import { Subject } from 'rxjs';
import type { LimiterRule } from './limiter';

/**
 * A rule for a limiter: at most so many at once.
 *
 * ```text
 * a            --a|
 * b            ----b|
 * c            ---(c|)        by inFlight(2): waits for the end of a
 * ```
 *
 * Relatives: a counting semaphore, and the `concurrent` of `mergeMap`. That belongs to one stream, while this one
 * counts for all who share the rule, beside other rules.
 *
 * @param most How many may run at the same time, an integer from 1.
 * @returns A rule to give to `hold`. Several limiters may share it; it then counts what any of them runs.
 * @throws RangeError when `most` is no such number.
 * @example
 * ```ts
 * import { from, mergeMap, timer } from 'rxjs';
 * import { createLimiter, inFlight } from 'headwater/operators';
 *
 * const limiter = createLimiter();
 * const one = [inFlight(1)];
 * const after = (ms: number) => timer(ms).pipe(mergeMap(() => [`${ms} ms`]), limiter.hold(one));
 *
 * from([20, 1]).pipe(mergeMap(after)).subscribe(console.log);
 * // → 20 ms
 * // → 1 ms
 * ```
 */
export function inFlight(most: number): LimiterRule {
  if (!Number.isInteger(most) || most < 1) throw new RangeError(`inFlight needs an integer from 1, not ${most}.`);
  const loosened$ = new Subject<void>();
  let running = 0;
  return {
    admitsAt: (now) => (running < most ? now : Infinity),
    start: () => {
      running += 1;
      return () => {
        running -= 1;
        loosened$.next();
      };
    },
    loosened$,
  };
}
