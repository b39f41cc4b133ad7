import { catchError, endWith, merge, of, share, Subject, tap } from 'rxjs';
import type { Observable } from 'rxjs';
import { limitFrom, shut } from './limit';
import type { LimiterRule } from './limiter';

/**
 * Creates a rule for a limiter: at most a fixed number at once.
 *
 * ```text
 * a            --a|
 * b            ----b|
 * c            ---(c|)        by inFlight(2): waits for the end of a
 * ```
 *
 * With an Observable the number changes while the rule is used: a raised number lets more start at once; a lowered one
 * lets running work finish and starts no other until there is space; 0 holds everything back. A `size` above the number
 * takes all places. The Observable is subscribed to while work runs or waits. A `BehaviorSubject` has a number at once;
 * with any other Observable, nothing starts before its first number. When it completes, its last number stays.
 *
 * Related: a counting semaphore, and the `concurrent` of `mergeMap`. The latter belongs to one stream, while this rule
 * counts for all that share it, together with other rules.
 *
 * @param most How many may run at the same time: an integer from 1, `Infinity`, or an Observable of these and 0.
 * @returns A rule for `hold`. Several limiters may share it; it then counts the work of all of them. Waiting
 *   subscribers get the error of the Observable, or a RangeError if it emits anything else, or completes with 0
 *   or without a number.
 * @throws RangeError if `most` is any other number.
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
  checkMost(1, most);
  return { ...counting(() => most), largest: () => most };
}

const checkMost = (least: number, most: number): number => limitFrom(least, 'inFlight', 'most', most);

/** Counts running work. */
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

/** The state of a number that may change: the last one received. */
type Known = { readonly kind: 'nothing' } | { readonly kind: 'limit'; readonly limit: number } | Failed;
interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
}

function changing(most$: Observable<number>): LimiterRule {
  let known: Known = { kind: 'nothing' };
  const complete = (): void => {
    const isShut = known.kind === 'nothing' || (known.kind === 'limit' && known.limit === 0);
    if (isShut) known = { kind: 'failed', error: shut('inFlight', 'most') };
  };
  const changes$ = most$.pipe(
    tap((most) => checkMost(0, most)),
    tap({
      next: (limit) => (known = { kind: 'limit', limit }),
      error: (error: unknown) => (known = { kind: 'failed', error }),
      complete,
    }),
    // The rule itself passes the error to waiting subscribers.
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
