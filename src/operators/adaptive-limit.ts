import { BehaviorSubject, distinctUntilChanged, map } from 'rxjs';
import type { Observable } from 'rxjs';
import { inFlight } from './in-flight';
import { limitFrom } from './limit';
import type { LimiterRule } from './limiter';

/** A cap that adapts to the capacity of the server: created by {@link adaptiveLimit}. */
export interface AdaptiveLimit extends LimiterRule {
  /** Emits the current cap, and each new one. */
  readonly limit$: Observable<number>;
  /** Reports that work admitted by this rule was answered after a number of milliseconds. */
  readonly answered: (milliseconds: number) => void;
  /**
   * Reports that work was refused because of the load: the server said so (a 429 or 503), or did not answer in time.
   *
   * @param startedAt the start of the work, in ms by the clock of the limiter
   */
  readonly refused: (startedAt: number, now: number) => void;
}

/** The bounds of an {@link adaptiveLimit}. */
export interface AdaptiveLimitOptions {
  /** The lowest cap: an integer from 1; default 1. */
  readonly least?: number;
  /** The highest cap: an integer from `least`, or `Infinity`; default 100. */
  readonly most?: number;
  /** The first cap: an integer between the two; default 4, or the nearest bound. */
  readonly initial?: number;
}

/** The least number of answers in a round: the mean of fewer says nothing. */
const SAMPLES = 5;
/** The ratio of mean latency to base latency up to which there is no sign of a queue. */
const TOLERANCE = 1.25;
/**
 * The part of a limit that may wait in a queue of the server: below it the limit grows, above twice the part it
 * shrinks.
 */
const QUEUED = 0.1;
const QUEUED_LEAST = 1;
/** The number of rounds between two measurements of the base. */
const ROUNDS = 30;

/**
 * Creates a rule for a limiter that admits as many requests at once as the server can handle. It learns the number from
 * latencies and refusals.
 *
 * ```text
 * limit            4----8----16---32---40-----38---20---21---22
 * latency (mean)    10   10   10   14     19    15
 * refused                                         x
 * ```
 *
 * - The limit doubles in each round of answers until a latency or a refusal speaks against it; then it grows by 1 in
 *   each round.
 * - Latency: the mean of a round, compared with the lowest mean so far, shows how many requests in flight only wait in
 *   a queue (TCP Vegas). While these are less than a tenth, the limit grows; above two tenths it shrinks by the excess.
 * - A refusal halves the limit, once for all requests that started before (AIMD).
 * - The limit does not grow while less than half of it is used.
 * - After 30 rounds two more run at half the limit, and the latency of the second is the new base: the server may have
 *   become slower permanently. While the limit is `least`, each round sets the base.
 *
 * Related: `inFlight`, whose number is fixed by the caller; Netflix's concurrency-limits (Vegas, Gradient2), which
 * judges each answer alone, while the mean of a round tolerates latencies that scatter.
 *
 * @param options The bounds; see {@link AdaptiveLimitOptions}.
 * @returns A rule for `hold`. The caller reports answers and refusals to it.
 * @throws RangeError if a bound is out of its range.
 * @example
 * ```ts
 * import { defer, from, mergeMap, tap, timer } from 'rxjs';
 * import { adaptiveLimit, createLimiter } from 'headwater/operators';
 *
 * const limiter = createLimiter();
 * const limit = adaptiveLimit({ initial: 1, most: 8 });
 * const ask = (name: string) =>
 *   defer(() => {
 *     const startedAt = Date.now();
 *     return timer(5).pipe(tap(() => limit.answered(Date.now() - startedAt)));
 *   }).pipe(limiter.hold([limit]));
 *
 * limit.limit$.subscribe((most) => console.log(`at most ${most} at once`));
 * from(['a', 'b', 'c']).pipe(mergeMap(ask)).subscribe();
 * // → at most 1 at once
 * ```
 */
export function adaptiveLimit({ least = 1, most = 100, initial }: AdaptiveLimitOptions = {}): AdaptiveLimit {
  checkBetween('least', least, 1, Infinity);
  limitFrom(least, 'adaptiveLimit', 'most', most);
  const first = initial ?? Math.min(Math.max(4, least), most);
  checkBetween('initial', first, least, most);
  const exact$ = new BehaviorSubject<number>(first);
  const limit$ = exact$.pipe(map(Math.floor), distinctUntilChanged());
  const cap = inFlight(limit$);
  let running = 0;
  let isDoubling = true;
  let base = Infinity;
  let loweredAt = -Infinity;
  let round = emptyRound();
  let phase: Phase = { kind: 'working', rounds: 0 };

  const change = (next: number): void => {
    const bounded = Math.min(Math.max(next, least), most);
    round = emptyRound();
    exact$.next(bounded);
  };

  /** Returns the limit after a round, by the queue that its latency shows. */
  const judged = (mean: number, busiest: number): number => {
    const limit = exact$.value;
    base = Math.min(base, mean);
    const queued = limit * (1 - Math.min(1, (TOLERANCE * base) / mean));
    const tolerated = Math.max(QUEUED_LEAST, limit * QUEUED);
    if (queued > tolerated) isDoubling = false;
    if (queued > 2 * tolerated) return limit - (queued - tolerated);
    if (queued > tolerated || busiest < limit / 2) return limit;
    return isDoubling ? limit * 2 : limit + 1;
  };

  const nextRound = (mean: number, busiest: number): void => {
    if (phase.kind === 'settling') {
      phase = { kind: 'measuring', limit: phase.limit };
      round = emptyRound();
    } else if (phase.kind === 'measuring') {
      const { limit } = phase;
      // The requests that seemed to be in a queue by the old base were not.
      isDoubling ||= mean > TOLERANCE * base;
      base = mean;
      phase = { kind: 'working', rounds: 0 };
      change(limit);
    } else if (phase.rounds >= ROUNDS && exact$.value > least) {
      phase = { kind: 'settling', limit: exact$.value };
      change(exact$.value / 2);
    } else {
      phase = { kind: 'working', rounds: phase.rounds + 1 };
      if (Math.floor(exact$.value) <= least) base = mean;
      change(judged(mean, busiest));
    }
  };

  return {
    ...cap,
    start: (now, size = 1) => {
      const end = cap.start(now, size);
      running += size;
      round.busiest = Math.max(round.busiest, running);
      return () => {
        running -= size;
        end();
      };
    },
    limit$,
    answered: (milliseconds) => {
      round.sum += Math.max(milliseconds, SHORTEST);
      round.count += 1;
      // All work that started at the old limit must end before the latency at half of it means anything.
      const length = phase.kind === 'settling' ? phase.limit : exact$.value;
      if (round.count >= Math.max(SAMPLES, length)) nextRound(round.sum / round.count, round.busiest);
    },
    refused: (startedAt, now) => {
      isDoubling = false;
      if (startedAt < loweredAt) return;
      loweredAt = now;
      phase = { kind: 'working', rounds: 0 };
      change(exact$.value / 2);
    },
  };
}

/**
 * The purpose of a round: `settling` and `measuring` are the two rounds at half the limit, which is restored after
 * them.
 */
type Phase =
  | { readonly kind: 'working'; readonly rounds: number }
  | { readonly kind: 'settling'; readonly limit: number }
  | { readonly kind: 'measuring'; readonly limit: number };

/** The answers between two changes of the limit. */
interface Round {
  sum: number;
  count: number;
  /** The largest number of requests in flight at once. */
  busiest: number;
}

const emptyRound = (): Round => ({ sum: 0, count: 0, busiest: 0 });

/** The shortest latency in milliseconds, because the clock counts whole milliseconds. */
const SHORTEST = 1;

function checkBetween(name: string, value: number, from: number, to: number): void {
  if (Number.isInteger(value) && value >= from && value <= to) return;
  const range = to === Infinity ? `from ${from}` : `from ${from} to ${to}`;
  throw new RangeError(`adaptiveLimit needs an integer ${range} for \`${name}\`, not ${value}.`);
}
