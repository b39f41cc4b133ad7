import { catchError, endWith, merge, of, share, Subject, tap } from 'rxjs';
import type { Observable } from 'rxjs';
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
 * With an Observable the number changes while the rule is used: raised, it lets more start at once; lowered, what runs goes on
 * to its end, and no other starts until there is room; 0 holds all back. A `size` above the number takes all places there are. The Observable
 * is subscribed to while something runs or waits; a `BehaviorSubject` has a number at once, before the first of another nobody
 * starts. When it completes, its last number stays.
 *
 * Relatives: a counting semaphore, and the `concurrent` of `mergeMap`. That belongs to one stream, while this one
 * counts for all who share the rule, beside other rules.
 *
 * @param most How many may run at the same time: an integer from 1, or an Observable of integers from 0.
 * @returns A rule to give to `hold`. Several limiters may share it; it then counts what any of them runs. Who waits for it gets
 * the error of the Observable, a RangeError when that gives no such integer, and one when it completes with 0 or without a number.
 * @throws RangeError when `most` is another number.
 * @example
 * ```ts
 * import { BehaviorSubject, from, mergeMap, timer } from 'rxjs';
 * import { createLimiter, inFlight } from 'headwater/operators';
 *
 * const limiter = createLimiter();
 * const most$ = new BehaviorSubject(1);
 * const few = [inFlight(most$)];
 * const after = (ms: number) => timer(ms).pipe(mergeMap(() => [`${ms} ms`]), limiter.hold(few));
 *
 * from([20, 1, 100, 2]).pipe(mergeMap(after)).subscribe((text) => {
 *   console.log(text);
 *   most$.next(2);
 * });
 * // → 20 ms
 * // → 1 ms
 * // → 2 ms
 * // → 100 ms
 * ```
 */
export function inFlight(most: number | Observable<number>): LimiterRule {
  if (typeof most !== 'number') return changing(most);
  checkMost(most, 1);
  return { ...counting(() => most), largest: () => most };
}

function checkMost(most: number, least: number): void {
  if (!Number.isInteger(most) || most < least)
    throw new RangeError(`inFlight needs an integer from ${least}, not ${most}.`);
}

/** Counts what runs. */
function counting(most: () => number) {
  const ended$ = new Subject<void>();
  let running = 0;
  return {
    admitsAt: (now: number, size = 1): number => {
      const limit = most();
      return limit > 0 && running + Math.min(size, limit) <= limit ? now : Infinity;
    },
    start: (_: number, size = 1) => {
      running += size;
      return () => {
        running -= size;
        ended$.next();
      };
    },
    loosened$: ended$,
    holdsPlaces: true,
  };
}

/** What is known of a number that may change: the last that was heard. */
type Known = { readonly kind: 'nothing' } | { readonly kind: 'limit'; readonly limit: number } | Failed;
interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
}

function changing(most$: Observable<number>): LimiterRule {
  let known: Known = { kind: 'nothing' };
  const complete = (): void => {
    const isShut = known.kind === 'nothing' || (known.kind === 'limit' && known.limit === 0);
    if (isShut)
      known = { kind: 'failed', error: new RangeError('inFlight: its number is 0 for ever, so nothing can start.') };
  };
  const changes$ = most$.pipe(
    tap((most) => checkMost(most, 0)),
    tap({
      next: (limit) => (known = { kind: 'limit', limit }),
      error: (error: unknown) => (known = { kind: 'failed', error }),
      complete,
    }),
    // Those who wait are told by the rule itself.
    catchError(() => of(0)),
    endWith(0),
    share({ resetOnComplete: false }),
  );
  const limit = (): number => {
    const looking = changes$.subscribe();
    const found = known;
    looking.unsubscribe();
    if (found.kind === 'failed') throw found.error;
    return found.kind === 'limit' ? found.limit : 0;
  };
  const counted = counting(limit);
  return {
    ...counted,
    start: (now, size) => {
      const following = changes$.subscribe();
      const end = counted.start(now, size);
      return () => {
        end();
        following.unsubscribe();
      };
    },
    loosened$: merge(counted.loosened$, changes$),
  };
}
