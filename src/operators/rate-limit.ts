import { asyncScheduler, merge, Subject } from 'rxjs';
import { createBudget } from './budget';
import type { Budget } from './budget';
import type { LimiterOptions, LimiterRule } from './limiter';
import { createPace } from './pace';
import type { Pace, Rate } from './pace';

/** A rate that adapts to the feedback of the server: created by {@link rateLimit}. */
export interface RateLimit extends LimiterRule {
  /**
   * Changes the rate from now on, or removes it. A pause, a budget and the share after a slow-down stay. Throws a
   * RangeError if a number of the rate is out of its range.
   */
  readonly set: (rate: Rate | undefined) => void;
  /**
   * Allows no start before a moment, in ms since the epoch. A pause is never shortened; an infinite one is a
   * RangeError.
   */
  readonly pauseUntil: (moment: number) => void;
  /** Returns how many requests have started so far; see {@link Budget}. */
  readonly started: Budget['started'];
  /** Limits the number of further starts until a moment; see {@link Budget}. */
  readonly budget: Budget['answer'];
  /** Reports a refusal because of the rate: the rule halves the pace, and recovers step by step. */
  readonly slowDown: () => void;
}

/** The rate, and the clock. */
export type RateLimitOptions = LimiterOptions &
  (Rate | { readonly requests?: undefined; readonly seconds?: undefined });

/** The part of the configured rate that is restored after each window without a refusal. */
const RECOVERY = 0.1;
const ROUNDING = 1e-9;

/**
 * Creates a rule for a limiter: a rate as of {@link createPace} that can also pause, follow a budget and slow down.
 *
 * ```text
 * seven ask                        (abcdefg)
 * {requests: 2, seconds: 0.004}    (ab)(cd)(ef)g
 * the same, pauseUntil(3)          ---(ab)(cd)(ef)g
 * the same, slowDown()             a---b---c---d---e---(fg)        half of it, until it has recovered
 * ```
 *
 * `slowDown` halves the allowed rate, at most once in a window of `seconds`; a tenth of the configured rate is restored
 * at the end of each full window without another call. Without `requests` and `seconds` the rule admits everything
 * except during a pause or when the budget is used up, and `slowDown` does nothing.
 *
 * Related: AIMD, the congestion control of TCP: multiplicative decrease by half at a refusal, additive increase by a
 * tenth in each window. Unlike in TCP the increase ends at the configured rate, because a faster one is never wanted.
 *
 * @param options The rate, and the clock of the limiter.
 * @returns A rule for `hold`.
 * @throws RangeError if a number of the rate is out of its range, or a pause has no end.
 * @example
 * ```ts
 * import { defer, of, repeat, take, tap } from 'rxjs';
 * import { createLimiter, rateLimit } from 'headwater/operators';
 *
 * const limiter = createLimiter();
 * const rate = rateLimit({ requests: 100, seconds: 1 });
 * const statuses = [200, 429, 200];
 * const begun = Date.now();
 *
 * defer(() => of(statuses.shift()))
 *   .pipe(
 *     tap((status) => {
 *       if (status !== 429) return;
 *       rate.slowDown();
 *       rate.pauseUntil(begun + 500);
 *     }),
 *     limiter.hold([rate]),
 *     repeat(),
 *     take(3),
 *   )
 *   .subscribe((status) => console.log(`${status} ${Date.now() < begun + 495 ? 'at once' : 'after the pause'}`));
 * // → 200 at once
 * // → 429 at once
 * // → 200 after the pause
 * ```
 */
export function rateLimit({ scheduler = asyncScheduler, ...rate }: RateLimitOptions = {}): RateLimit {
  const budget = createBudget({ scheduler });
  const changed$ = new Subject<void>();
  let braked = rate.requests === undefined ? undefined : brakedPace(rate);
  let pausedUntil = -Infinity;
  return {
    admitsAt: (now, size) => Math.max(pausedUntil, budget.admitsAt(now, size), braked?.admitsAt(now, size) ?? now),
    start: (now, size) => {
      braked?.pace.start(now, size);
      return budget.start(now, size);
    },
    loosened$: merge(budget.loosened$, changed$),
    largest: () => braked?.pace.largest?.() ?? Infinity,
    started: budget.started,
    budget: budget.answer,
    set: (changed) => {
      if (changed === undefined) braked = undefined;
      else if (braked === undefined) braked = brakedPace(changed);
      else braked.set(changed, scheduler.now());
      changed$.next();
    },
    pauseUntil: (moment) => {
      if (!(moment < Infinity)) throw new RangeError(`pauseUntil needs a moment in milliseconds, not ${moment}.`);
      pausedUntil = Math.max(pausedUntil, moment);
    },
    slowDown: () => braked?.slowDown(scheduler.now()),
  };
}

interface BrakedPace {
  readonly pace: Pace;
  readonly admitsAt: (now: number, size?: number) => number;
  readonly slowDown: (now: number) => void;
  readonly set: (rate: Rate, now: number) => void;
}

function brakedPace(rate: Rate): BrakedPace {
  const pace = createPace(rate);
  let windowMs = rate.seconds * 1000;
  let share = 1;
  let halvedAt = -Infinity;
  let recoversAt = Infinity;

  const recover = (now: number): void => {
    while (recoversAt <= now) {
      share = share + RECOVERY > 1 - ROUNDING ? 1 : share + RECOVERY;
      pace.changeTo(share, recoversAt);
      recoversAt = share < 1 ? recoversAt + windowMs : Infinity;
    }
  };

  return {
    pace,
    admitsAt: (now, size) => {
      recover(now);
      const at = pace.admitsAt(now, size);
      return at <= now ? at : Math.min(at, recoversAt);
    },
    slowDown: (now) => {
      recover(now);
      if (now >= halvedAt + windowMs) {
        share /= 2;
        halvedAt = now;
        pace.changeTo(share, now);
      }
      if (share < 1) recoversAt = now + windowMs;
    },
    set: (changed, now) => {
      recover(now);
      pace.set(changed, now);
      windowMs = changed.seconds * 1000;
      if (share < 1) recoversAt = now + windowMs;
    },
  };
}
