import { Subject } from 'rxjs';
import type { LimiterRule } from './limiter';

/** A cap that can be changed while it holds: made by {@link variableCap}. */
export interface VariableCap extends LimiterRule {
  /** At most so many at once from now on: an integer from 1, or `Infinity`. What runs beyond it goes on to its end. */
  readonly changeTo: (most: number) => void;
  /** How many run now. */
  readonly running: () => number;
}

/**
 * A rule for a limiter: at most so many at once, as {@link inFlight}, by a number that may change.
 *
 * ```text
 * a            --------a|
 * b            ---b|            by variableCap(1): waits for changeTo(2) at the third tick
 * changeTo        2
 * ```
 *
 * Relatives: `inFlight`, whose number stays; the `concurrency` of `mergeInOrder`, which belongs to one stream.
 *
 * @param most How many may run at the same time, an integer from 1, or `Infinity`.
 * @returns A rule to give to `hold`. Several limiters may share it; it then counts what any of them runs.
 * @throws RangeError when `most` is no such number, here and in `changeTo`.
 * @example
 * ```ts
 * import { from, mergeMap, timer } from 'rxjs';
 * import { createLimiter, variableCap } from 'headwater/operators';
 *
 * const limiter = createLimiter();
 * const cap = variableCap(1);
 * const after = (ms: number) => timer(ms).pipe(mergeMap(() => [`${ms} ms`]), limiter.hold([cap]));
 *
 * from([60, 1]).pipe(mergeMap(after)).subscribe(console.log);
 * setTimeout(() => cap.changeTo(2), 10);
 * // → 1 ms
 * // → 60 ms
 * ```
 */
export function variableCap(most: number): VariableCap {
  const loosened$ = new Subject<void>();
  let allowed = checked(most);
  let running = 0;
  return {
    admitsAt: (now) => (running < allowed ? now : Infinity),
    start: () => {
      running += 1;
      return () => {
        running -= 1;
        loosened$.next();
      };
    },
    changeTo: (next) => {
      const before = allowed;
      allowed = checked(next);
      if (allowed > before) loosened$.next();
    },
    running: () => running,
    loosened$,
  };
}

function checked(most: number): number {
  if (most === Infinity || (Number.isInteger(most) && most >= 1)) return most;
  throw new RangeError(`variableCap needs an integer from 1, not ${most}.`);
}
