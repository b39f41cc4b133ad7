import {
  asyncScheduler,
  AsyncSubject,
  defer,
  filter,
  first,
  map,
  merge,
  mergeMap,
  NEVER,
  of,
  share,
  Subject,
  take,
  tap,
} from 'rxjs';
import type { Observable, ObservableInput, SchedulerLike } from 'rxjs';
import { longTimer } from './long-timer';
import { more, unfoldPages } from './unfold-pages';

/** A value that is renewed on demand: created by {@link renewing} or {@link renewingEachTime}. */
export interface Renewing<T> {
  /**
   * Emits the current value to each subscriber, and renews it first if there is none, it has expired, or it was
   * invalidated. While a subscriber stays, it emits again after every expiry and invalidation. It never completes.
   */
  readonly value$: Observable<T>;
  /**
   * Refuses a value; naming any value other than the current one renews nothing. Objects are compared by identity.
   * Equal strings and other primitives are one value: see {@link renewing} for late refusals.
   */
  readonly invalidate: (value: T) => void;
}

/** Options of {@link renewing}. */
export interface RenewingOptions<T> {
  /** Creates a new value: a promise, or a cold Observable that emits one, which unsubscribing aborts. */
  readonly renew: () => ObservableInput<T>;
  /**
   * Returns when a value expires: a `Date`, or milliseconds since the epoch by the scheduler's clock. A value never
   * expires if the function is absent or returns `undefined` or `Infinity`. An invalid moment (NaN, an invalid `Date`)
   * is an error.
   */
  readonly expiresAt?: (value: T) => number | Date | undefined;
  /** The number of milliseconds before the expiry at which a value is renewed; 0 by default. */
  readonly leeway?: number;
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
  /**
   * Is called with each shared renewal when it begins: while the callee is subscribed, the renewal continues even
   * without other subscribers.
   *
   * @internal
   */
  readonly begins?: (renewal$: Observable<unknown>) => void;
}

interface Ready<T> {
  readonly value: T;
  readonly expiry: number;
  /** True if the value had expired from the beginning: it serves its first subscriber only. */
  readonly singleUse: boolean;
  /**
   * Emits once when the value expires or is refused; all subscribers share one timer, and without subscribers there is
   * none.
   */
  readonly over$: Observable<unknown>;
}

/**
 * Shares one value among many subscribers, and renews it on demand: access tokens, sessions, leases.
 *
 * ```text
 * renew         --a|                --b|           a expires at t, b is invalidated at i
 *                           t                 i
 * stays         --a-----------b----------------c
 * comes late         (a|)                             take(1): at once, nothing is renewed
 * comes at t                --(b|)                    take(1): waits, never sees the expired a
 * renew                     --b|              -c|
 * ```
 *
 * - Single flight: however many subscribe, one renewal runs, and later subscribers join it.
 * - Without subscribers nothing happens and no timer runs. The value outlives its subscribers: the next one gets it,
 *   unless it has expired (`now >= expiresAt`).
 * - When the last waiting subscriber unsubscribes, the renewal is aborted.
 * - An error goes to all waiting subscribers, and is forgotten: the next subscriber tries again.
 * - With a `leeway` a value expires that much earlier. A value that lives no longer than the leeway has expired from
 *   the start.
 * - A late refusal, of a value that has been renewed since, renews nothing if the values differ. If a renewal returns
 *   an equal string again, a late refusal cannot be distinguished from a refusal of the new value: it costs one
 *   renewal, which all share. A running renewal is never restarted.
 * - A value that has expired from the start serves one subscriber once. Every other waiting subscriber runs a renewal
 *   of its own, and one that stays is not served again: an expiry in the past must not cause a storm of renewals.
 *
 * Related: `shareReplay({ bufferSize: 1, refCount: true })` with the single flight of Go's `singleflight`.
 * `shareReplay` with `refCount` forgets the value with its last subscriber, without `refCount` it never ends a renewal
 * without subscribers; it has no invalidation, and its `windowTime` does not come from the value.
 *
 * @param options How to renew, and when a value expires; see {@link RenewingOptions}.
 * @returns The shared value; `value$` errors with the error of `renew` or of a callback that throws, with a RangeError
 *   if the expiry of a value is invalid, and with `EmptyError` if `renew` completes without a value.
 * @throws RangeError if `leeway` is not a number from 0.
 * @example
 * ```ts
 * import { defer, of, take } from 'rxjs';
 * import { renewing } from 'headwater/operators';
 *
 * let logins = 0;
 * const login = () => defer(() => of({ token: `token ${(logins += 1)}`, expires: new Date(Date.now() + 60_000) }));
 * const { value$, invalidate } = renewing({ renew: login, expiresAt: ({ expires }) => expires, leeway: 5000 });
 *
 * value$.pipe(take(1)).subscribe(({ token }) => console.log(token));
 * value$.pipe(take(1)).subscribe((session) => invalidate(session));
 * value$.pipe(take(1)).subscribe(({ token }) => console.log(token));
 * // → token 1
 * // → token 2
 * ```
 */
export function renewing<T>(options: RenewingOptions<T>): Renewing<T> {
  const { renew, expiresAt = () => undefined, leeway = 0, scheduler = asyncScheduler, begins } = options;
  if (!(leeway >= 0 && leeway < Infinity))
    throw new RangeError(`renewing needs milliseconds from 0 for \`leeway\`, not ${leeway}.`);
  const refused$ = new Subject<T>();
  /** Absent: there is no value, and subscribers wait for the running renewal. */
  let state: Ready<T> | undefined;

  const retire = (value: T): void => {
    if (state !== undefined && Object.is(state.value, value)) state = undefined;
  };

  const keep = (value: T): Ready<T> => {
    const expiry = momentOf(expiresAt(value)) - leeway;
    const expired$ = defer(() => longTimer(expiry - scheduler.now(), scheduler));
    const refusal$ = refused$.pipe(filter((refused) => Object.is(refused, value)));
    const over$ = merge(expired$, refusal$).pipe(
      take(1),
      tap(() => retire(value)),
      share(),
    );
    const ready: Ready<T> = { value, expiry, singleUse: expiry <= scheduler.now(), over$ };
    state = ready;
    return ready;
  };

  const renewal$ = defer(renew).pipe(first(), map(keep));
  // An AsyncSubject emits when the renewal has completed and `share` has released it: a subscriber that refuses the
  // value at once and subscribes again starts a new renewal, and does not join the ending one.
  const sharedRenewal$: Observable<Ready<T>> = defer(() => {
    begins?.(sharedRenewal$);
    return renewal$;
  }).pipe(share({ connector: () => new AsyncSubject() }));

  const handOut = (ready: Ready<T>): Observable<Ready<T>> => {
    const taken = state !== ready;
    if (taken) return ready.singleUse ? renewal$.pipe(mergeMap(handOut)) : current$;
    if (ready.singleUse) retire(ready.value);
    return of(ready);
  };

  const current$ = defer((): Observable<Ready<T>> => {
    if (state !== undefined && scheduler.now() < state.expiry) return of(state);
    state = undefined;
    return sharedRenewal$.pipe(mergeMap(handOut));
  });

  const after = (ready: Ready<T>): Observable<Ready<T>> => {
    if (ready.singleUse) return NEVER;
    const goneOnReceipt = state !== ready;
    return goneOnReceipt ? current$ : ready.over$.pipe(mergeMap(() => current$));
  };

  return {
    value$: unfoldPages<Ready<T>, T>(undefined, (last) =>
      (last === undefined ? current$ : after(last)).pipe(map((ready) => more(ready.value, ready))),
    ),
    invalidate: (value) => {
      retire(value);
      refused$.next(value);
    },
  };
}

function momentOf(expiry: number | Date | undefined): number {
  const moment = expiry === undefined ? Infinity : Number(expiry);
  if (!Number.isNaN(moment)) return moment;
  throw new RangeError('renewing: `expiresAt` gave no moment, but NaN or an invalid Date; `undefined` is never.');
}

/**
 * Creates a new value for every subscriber: nothing is shared, kept or timed. It serves "log in before every request".
 *
 * ```text
 * renew          --a|
 * subscriber 1   --a|
 * renew                --b|
 * subscriber 2         --b|
 * ```
 *
 * Related: `defer`; it only has the form of {@link renewing}, so that one can replace the other.
 *
 * @param renew Creates a new value: a promise, or a cold Observable that emits one.
 * @returns A `value$` that renews for each subscriber and completes, and an `invalidate` that does nothing.
 * @example
 * ```ts
 * import { of } from 'rxjs';
 * import { renewingEachTime } from 'headwater/operators';
 *
 * let logins = 0;
 * const { value$ } = renewingEachTime(() => of({ token: `token ${(logins += 1)}` }));
 * value$.subscribe(({ token }) => console.log(token));
 * value$.subscribe(({ token }) => console.log(token));
 * // → token 1
 * // → token 2
 * ```
 */
export function renewingEachTime<T>(renew: () => ObservableInput<T>): Renewing<T> {
  return { value$: defer(renew), invalidate: () => undefined };
}
