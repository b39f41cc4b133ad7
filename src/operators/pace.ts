import { Subject } from 'rxjs';
import type { LimiterRule } from './limiter';

/** A rate: the number of starts in a period. */
export interface Rate {
  /** An integer from 1. */
  readonly requests: number;
  readonly seconds: number;
  /** The number that may start at once after a quiet time, an integer from 1. If absent, see {@link createPace}. */
  readonly burst?: number;
}

/** A rate whose share can be changed: created by {@link createPace}. */
export interface Pace extends LimiterRule {
  /** Changes the share of the rate that is allowed from a moment (ms) on: more than 0, at most 1. */
  readonly changeTo: (share: number, now: number) => void;
  /**
   * Changes the rate from a moment (ms) on; the share stays. Starts under the old rate count. Throws a RangeError if a
   * number of the rate is out of its range.
   */
  readonly set: (rate: Rate, now: number) => void;
}

/** The tolerance for floating point errors: a share such as 0.7 times 10 may be a little below 7. */
const ROUNDING = 1e-9;

/**
 * Creates a rule for a limiter: a rate. It counts starts only; ends make no difference.
 *
 * ```text
 * five ask                         (abcde)
 * {requests: 2, seconds: 0.012}    (ab)--------(cd)--------e           any 12 ms see 2 starts at most
 * the same, burst 1                a-----b-----c-----d-----e           one each 6 ms
 * the same, burst 4                (abcd)e                             4 after a quiet time, then one each 6 ms
 * a share of 0.5 of the first      a-----------b-----------c--…
 * ```
 *
 * - **Without `burst`** the rate holds for any window of time: between one moment and `seconds` later, the later moment
 *   itself not counted, at most `requests` start. The rule stores as many moments of starts as `requests`.
 * - **With `burst`** the rule is a bucket of that many tokens that refills at `requests` in `seconds`; each start takes
 *   one token. So at most `burst` start at once, and in any time at most `burst` more than the rate gives. With a burst
 *   of `requests` a window can see nearly twice as many: the tokens in the bucket, and the refilled ones.
 * - **A share** below 1 lets fewer start in a window, at least one, and fills a bucket more slowly.
 * - **A larger size** waits until that many may start at once, and counts as that many. If the share is too small for
 *   it, it starts when no earlier start counts any more.
 *
 * Related: without `burst` a sliding-window log, with `burst` a token bucket (as GCRA it stores one moment instead of
 * tokens). `throttleTime` and `auditTime` drop values, and `concatMap` with a `delay` enforces a fixed distance, so
 * that a quiet time is lost.
 *
 * @param rate The number of starts, the period, and the burst; see {@link Rate}.
 * @returns A rule for `hold`.
 * @throws RangeError if a number of the rate is out of its range.
 * @example
 * ```ts
 * import { from, mergeMap, of } from 'rxjs';
 * import { createLimiter, createPace } from 'headwater/operators';
 *
 * const limiter = createLimiter();
 * const pace = [createPace({ requests: 2, seconds: 0.1 })];
 * const begun = Date.now();
 * const request = (n: number) => of(n).pipe(limiter.hold(pace));
 *
 * from([1, 2, 3])
 *   .pipe(mergeMap(request))
 *   .subscribe((n) => console.log(`${n}: ${Date.now() - begun < 90 ? 'at once' : 'later'}`));
 * // → 1: at once
 * // → 2: at once
 * // → 3: later
 * ```
 */
export function createPace(rate: Rate): Pace {
  const loosened$ = new Subject<void>();
  let { requests, burst } = checkedRate(rate);
  let counter = counterOf(rate);
  let share = 1;
  return {
    admitsAt: (now, size = 1) => counter.admitsAt(now, size),
    start: (now, size = 1) => {
      counter.started(now, size);
      return nothing;
    },
    changeTo: (changed, now) => {
      share = changed;
      counter.changed(share, now);
      loosened$.next();
    },
    set: (changed, now) => {
      ({ requests, burst } = checkedRate(changed));
      counter = counterOf(changed, counter.past(now));
      counter.changed(share, now);
      loosened$.next();
    },
    largest: () => burst ?? requests,
    loosened$,
  };
}

const nothing = (): void => undefined;

function checkedRate(rate: Rate): Rate {
  const { requests, seconds, burst } = rate;
  checkCount('requests', requests);
  if (burst !== undefined) checkCount('burst', burst);
  if (!(seconds > 0 && seconds < Infinity)) throw new RangeError(`seconds: expected more than 0, found ${seconds}.`);
  return rate;
}

function checkCount(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1)
    throw new RangeError(`${name}: expected an integer from 1, found ${value}.`);
}

interface Counter {
  readonly admitsAt: (now: number, size: number) => number;
  readonly started: (now: number, size: number) => void;
  readonly changed: (share: number, now: number) => void;
  readonly past: (now: number) => Past;
}

/** The state that a counter passes to the next one. */
interface Past {
  /** The moments of starts that may still count. */
  readonly starts: readonly number[];
  /** The number of starts that count now, with a fraction. */
  readonly counted: number;
  readonly now: number;
}

const QUIET: Past = { starts: [], counted: 0, now: -Infinity };

function counterOf({ requests, seconds, burst }: Rate, past = QUIET): Counter {
  const windowMs = seconds * 1000;
  if (burst === undefined) return slidingWindow(requests, windowMs, past.starts.slice(-requests));
  const intervalMs = windowMs / requests;
  return bucket(intervalMs, burst, past.now + Math.min(past.counted, burst) * intervalMs);
}

function slidingWindow(requests: number, windowMs: number, past: readonly number[]): Counter {
  /** The moments of the last starts, from `first` on. */
  let starts: number[] = [...past];
  let first = 0;
  let allowed = requests;
  let lengthMs = windowMs;
  return {
    admitsAt: (now, size) => {
      const at = starts.length - allowed + Math.min(size, allowed) - 1;
      const blocking = at < first ? undefined : starts[at];
      return blocking === undefined ? now : blocking + lengthMs;
    },
    started: (now, size) => {
      for (let count = 0; count < size; count += 1) starts.push(now);
      first = Math.max(first, starts.length - requests);
      // The array is copied when half of it is unused: that costs each start the same, regardless of their number.
      if (first < starts.length / 2) return;
      starts = starts.slice(first);
      first = 0;
    },
    changed: (share) => {
      allowed = Math.max(1, Math.floor(requests * share + ROUNDING));
      // Less than one start in a window is one start in a longer window.
      lengthMs = windowMs * Math.max(1, 1 / (requests * share));
    },
    past: (now) => {
      const known = starts.slice(first);
      return { starts: known, counted: known.filter((start) => start + lengthMs > now).length, now };
    },
  };
}

/**
 * Creates a token bucket (GCRA), stored as the moment at which it would be full again: exact, without fractions of
 * tokens.
 */
function bucket(fullIntervalMs: number, burst: number, full: number): Counter {
  let intervalMs = fullIntervalMs;
  let fullAt = full;
  return {
    admitsAt: (_, size) => fullAt - (burst - Math.min(size, burst)) * intervalMs,
    started: (now, size) => {
      fullAt = Math.max(fullAt, now) + size * intervalMs;
    },
    changed: (share, now) => {
      const changedIntervalMs = fullIntervalMs / share;
      // As many tokens are missing as before.
      if (fullAt > now) fullAt = now + ((fullAt - now) / intervalMs) * changedIntervalMs;
      intervalMs = changedIntervalMs;
    },
    past: (now) => {
      const counted = Math.max(0, fullAt - now) / intervalMs;
      return { starts: Array.from({ length: Math.ceil(counted - ROUNDING) }, () => now), counted, now };
    },
  };
}
