import { asyncScheduler, AsyncSubject, defer, expand, filter, first, map, merge, mergeMap, NEVER, of } from 'rxjs';
import { share, Subject, take, tap } from 'rxjs';
import type { Observable, SchedulerLike } from 'rxjs';
import { longTimer } from './long-timer';

/** A value that is renewed when it is needed: made by {@link renewing} or {@link renewingEachTime}. */
export interface Renewing<T> {
  /**
   * Emits the current value to each subscriber, renewing it first when there is none, it expired, or it was invalidated.
   * While a subscriber stays, it emits again after every expiry and invalidation. It never completes.
   */
  readonly value$: Observable<T>;
  /**
   * Refuses this very value; naming any other than the current one renews nothing. Objects are known by their identity. Of strings and
   * other primitives equal ones are one value: see {@link renewing} for what comes late.
   */
  readonly invalidate: (value: T) => void;
}

/** What {@link renewing} needs to know. */
export interface RenewingOptions<T> {
  /** Makes a new value: cold, emits one; unsubscribing aborts it. */
  readonly renew: () => Observable<T>;
  /**
   * When a value expires: a `Date`, or milliseconds since the epoch by the scheduler's clock; `undefined`, `Infinity` or no function: never.
   * What is no moment (NaN, an invalid `Date`) is an error.
   */
  readonly expiresAt?: (value: T) => number | Date | undefined;
  /** By how many milliseconds earlier it is renewed; 0 unless given. */
  readonly leeway?: number;
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
  /**
   * Is given each renewal that is for all who wait, when it begins: while it is subscribed, it goes on although nobody waits.
   *
   * @internal
   */
  readonly begins?: (renewal$: Observable<unknown>) => void;
}

interface Ready<T> {
  readonly kind: 'ready';
  readonly value: T;
  readonly expiry: number;
  /** True when it was expired from the beginning: it serves the one who takes it first, and nobody after. */
  readonly singleUse: boolean;
  /** Emits once when the value expires or is refused; one timer for all who wait, none while nobody does. */
  readonly over$: Observable<unknown>;
}

/** `pending`: there is no value to give, and whoever subscribes waits for the renewal that is under way. */
type State<T> = { readonly kind: 'pending' } | Ready<T>;

/**
 * One value for many, renewed when it is needed: access tokens, sessions, leases.
 *
 * ```text
 * renew         --a|                --b|           a expires at t, b is invalidated at i
 *                           t                 i
 * stays         --a-----------b----------------c
 * comes late         (a|)                             take(1): at once, nothing is renewed
 * comes at t                --(b|)                    take(1): waits, never sees the dead a
 * renew                     --b|              -c|
 * ```
 *
 * - Single flight: however many subscribe, one renewal runs, and late-comers join it.
 * - While nobody is subscribed nothing happens and no timer runs. The value outlives its subscribers: the next one gets
 *   it, unless it has expired (`now >= expiresAt`).
 * - When the last who waits unsubscribes, the renewal is aborted.
 * - An error goes to all who wait, and is forgotten: the next subscriber tries again.
 * - With a `leeway` a value expires so much earlier. One that lives no longer than the leeway has expired when it is born.
 * - A value that is refused late, by one who got it before it was renewed, renews nothing, if the values differ. Where a renewal gives an
 *   equal string again, the late one cannot be told from one about the new: it costs one renewal, which all share. A renewal that is
 *   under way is never begun anew.
 * - A value that has already expired when it is born serves one subscriber once. Every other that waited runs a renewal
 *   of its own, and one that stays is not served again: an expiry in the past must not become a storm of renewals.
 *
 * Relatives: `shareReplay({ bufferSize: 1, refCount: true })` with the single flight of Go's `singleflight`.
 * `shareReplay` with `refCount` forgets the value with its last subscriber, without it never ends a renewal that nobody
 * waits for; it has no invalidation, and its `windowTime` does not come from the value.
 *
 * @param options How to renew, and when a value expires; see {@link RenewingOptions}.
 * @returns The shared value; `value$` errors with the error of `renew` or of a callback that throws, with a RangeError when a
 * value expires at no moment, and with `EmptyError` when `renew` completes without a value.
 * @throws RangeError when `leeway` is no number from 0.
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
  let state: State<T> = { kind: 'pending' };

  const retire = (value: T): void => {
    if (state.kind === 'ready' && Object.is(state.value, value)) state = { kind: 'pending' };
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
    const ready: Ready<T> = { kind: 'ready', value, expiry, singleUse: expiry <= scheduler.now(), over$ };
    state = ready;
    return ready;
  };

  const renewal$ = defer(renew).pipe(first(), map(keep));
  // An AsyncSubject speaks when the renewal has completed and `share` has let go of it: one who refuses the value the
  // moment he gets it, and asks again, starts a new renewal and does not join the one that is just ending.
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
    if (state.kind === 'ready' && scheduler.now() < state.expiry) return of(state);
    state = { kind: 'pending' };
    return sharedRenewal$.pipe(mergeMap(handOut));
  });

  const over = (ready: Ready<T>): Observable<unknown> => {
    if (ready.singleUse) return NEVER;
    const goneOnReceipt = state !== ready;
    return goneOnReceipt ? of(ready) : ready.over$;
  };

  return {
    value$: current$.pipe(
      expand((ready) => over(ready).pipe(mergeMap(() => current$))),
      map(({ value }) => value),
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
 * A new value for every subscriber: nothing is shared, kept or timed. This is what "log in before every request" needs.
 *
 * ```text
 * renew          --a|
 * subscriber 1   --a|
 * renew                --b|
 * subscriber 2         --b|
 * ```
 *
 * Relative: `defer`; it only has the form of {@link renewing}, so that one may stand for the other.
 *
 * @param renew Makes a new value: cold, emits one.
 * @returns A `value$` that renews for each subscriber and completes, and an `invalidate` that has nothing to do.
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
export function renewingEachTime<T>(renew: () => Observable<T>): Renewing<T> {
  return { value$: defer(renew), invalidate: () => undefined };
}
