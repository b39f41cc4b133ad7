import { Subject } from 'rxjs';
import type { LimiterRule } from './limiter';

/** A rate: how many may start in how long. */
export interface Rate {
  /** An integer from 1. */
  readonly requests: number;
  readonly seconds: number;
  /** How many may start at once after a quiet time, an integer from 1. Absent: see {@link createPace}. */
  readonly burst?: number;
}

/** A rate whose share can be changed: made by {@link createPace}. */
export interface Pace extends LimiterRule {
  /** From this moment (ms) on, this share of the rate is allowed: more than 0, at most 1. */
  readonly changeTo: (share: number, now: number) => void;
}

/** The error of floating point that is allowed for: a share such as 0.7 times 10 may come out a little below 7. */
const ROUNDING = 1e-9;

/**
 * A rule for a limiter: a rate. What ended makes no difference, only what started.
 *
 * ```text
 * five ask                         (abcde)
 * {requests: 2, seconds: 0.012}    (ab)--------(cd)--------e           any 12 ms see 2 starts at most
 * the same, burst 1                a-----b-----c-----d-----e           one each 6 ms
 * the same, burst 4                (abcd)e                             4 after a quiet time, then one each 6 ms
 * a share of 0.5 of the first      a-----------b-----------c--…
 * ```
 *
 * - **Without `burst`** it is a promise about any window of time: between one moment and `seconds` later, the later
 *   moment itself not counted, at most `requests` start. The starts remember themselves: as many moments as `requests`.
 * - **With `burst`** it is a bucket of so many tokens that refills at `requests` in `seconds`; each start takes one. So at
 *   most `burst` start at once, and in any time at most `burst` more than the rate gives. With a burst of `requests` a
 *   window can see nearly twice as many: what the bucket held, and what it regained.
 * - **A share** below 1 lets fewer start in a window, at least one, and fills a bucket more slowly.
 *
 * Relatives: without `burst` a sliding-window log, with `burst` a token bucket (as GCRA it keeps one moment in place of
 * tokens). `throttleTime` and `auditTime` drop values, and `concatMap` with a `delay` makes a fixed distance, so that a
 * quiet time is lost.
 *
 * @param rate How many in how many seconds, and how they may bunch; see {@link Rate}.
 * @returns A rule to give to `hold`.
 * @throws RangeError when a number of the rate is out of its range.
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
export function createPace({ requests, seconds, burst }: Rate): Pace {
  checkCount('requests', requests);
  if (burst !== undefined) checkCount('burst', burst);
  if (!(seconds > 0 && seconds < Infinity)) throw new RangeError(`seconds: expected more than 0, found ${seconds}.`);
  const windowMs = seconds * 1000;
  const loosened$ = new Subject<void>();
  const { admitsAt, started, changed } =
    burst === undefined ? slidingWindow(requests, windowMs) : bucket(windowMs / requests, burst);
  return {
    admitsAt,
    start: (now) => {
      started(now);
      return nothing;
    },
    changeTo: (share, now) => {
      changed(share, now);
      loosened$.next();
    },
    loosened$,
  };
}

const nothing = (): void => undefined;

function checkCount(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1)
    throw new RangeError(`${name}: expected an integer from 1, found ${value}.`);
}

interface Counter {
  readonly admitsAt: (now: number) => number;
  readonly started: (now: number) => void;
  readonly changed: (share: number, now: number) => void;
}

function slidingWindow(requests: number, windowMs: number): Counter {
  /** The moments of the last starts, from `first` on. */
  let starts: number[] = [];
  let first = 0;
  let allowed = requests;
  let lengthMs = windowMs;
  return {
    admitsAt: (now) => {
      const at = starts.length - allowed;
      const blocking = at < first ? undefined : starts[at];
      return blocking === undefined ? now : blocking + lengthMs;
    },
    started: (now) => {
      starts.push(now);
      if (starts.length - first > requests) first += 1;
      // Copied when half of it is of no more use: that costs each start the same, however many there are.
      if (first < starts.length / 2) return;
      starts = starts.slice(first);
      first = 0;
    },
    changed: (share) => {
      allowed = Math.max(1, Math.floor(requests * share + ROUNDING));
      // Less than one start in a window is one start in a longer window.
      lengthMs = windowMs * Math.max(1, 1 / (requests * share));
    },
  };
}

/** A token bucket (GCRA), kept as the moment at which it would be full again: exact, without fractions of tokens. */
function bucket(fullIntervalMs: number, burst: number): Counter {
  let intervalMs = fullIntervalMs;
  let fullAt = -Infinity;
  return {
    admitsAt: () => fullAt - (burst - 1) * intervalMs,
    started: (now) => {
      fullAt = Math.max(fullAt, now) + intervalMs;
    },
    changed: (share, now) => {
      const changedIntervalMs = fullIntervalMs / share;
      // As many tokens are missing as before.
      if (fullAt > now) fullAt = now + ((fullAt - now) / intervalMs) * changedIntervalMs;
      intervalMs = changedIntervalMs;
    },
  };
}
