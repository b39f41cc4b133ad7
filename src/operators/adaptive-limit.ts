import { BehaviorSubject, distinctUntilChanged, map } from 'rxjs';
import type { Observable } from 'rxjs';
import { inFlight } from './in-flight';
import type { LimiterRule } from './limiter';

/** A cap that finds out itself how much the other side can take: made by {@link adaptiveLimit}. */
export interface AdaptiveLimit extends LimiterRule {
  /** The cap now, and each one after it. */
  readonly limit$: Observable<number>;
  /** Something that this rule has admitted was answered, after so many milliseconds. */
  readonly answered: (milliseconds: number) => void;
  /**
   * Something was refused for the sake of the load: the other side said so (a 429 or 503), or did not answer in time.
   *
   * @param startedAt when it had started, in ms by the clock of the limiter
   */
  readonly refused: (startedAt: number, now: number) => void;
}

/** Between which numbers an {@link adaptiveLimit} moves. */
export interface AdaptiveLimitOptions {
  /** At least so many at once: an integer from 1; default 1. */
  readonly least?: number;
  /** At most so many at once: an integer from `least`; default 100. */
  readonly most?: number;
  /** How many at first: an integer between them; default 4, or what is nearest to it. */
  readonly initial?: number;
}

/** A round is judged by so many answers at least: the mean of fewer says nothing. */
const SAMPLES = 5;
/** A mean latency of up to so many times the base one is no sign of a queue. */
const TOLERANCE = 1.25;
/** Of a limit, the part that may stand in a queue of the other side: with less it grows, with twice as much it shrinks. */
const QUEUED = 0.1;
const QUEUED_LEAST = 1;
/** Rounds from one measurement of the base to the next. */
const ROUNDS = 30;

/**
 * A rule for a limiter: as many at once as the other side can take, which it finds out by its latency and its refusals.
 *
 * ```text
 * limit            4----8----16---32---40-----38---20---21---22
 * latency (mean)    10   10   10   14     19    15
 * refused                                         x
 * ```
 *
 * - It doubles in each round of answers until something speaks against it; then it grows by 1 a round.
 * - Latency: the mean of a round, compared with the lowest one so far, tells how many of those in
 *   flight only stand in a queue (TCP Vegas). While that is less than a tenth, the limit grows; above two tenths it shrinks by
 *   the excess.
 * - A refusal halves it, once for all that started before (AIMD).
 * - It does not grow while less than half of it is made use of.
 * - After 30 rounds two more run at half the limit, and what the second takes is the new base: the other side
 *   may have become slower for good. Where the limit is `least`, each round gives it.
 *
 * Relatives: `inFlight`, whose number is given; Netflix's concurrency-limits (Vegas, Gradient2), which takes each
 * answer for itself, where the mean of a round bears latencies that scatter.
 *
 * @param options The bounds; see {@link AdaptiveLimitOptions}.
 * @returns A rule to give to `hold`, which has to be told of answers and refusals.
 * @throws RangeError when a bound is no such number.
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
  checkBetween('most', most, least, Infinity);
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

  /** The limit after a round, by what its latency tells of a queue. */
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
      // What was a queue by the old base was none.
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
      // All that had started at the old limit has to be over before the latency at half of it tells anything.
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

/** What a round is for: `settling` and `measuring` are the two at half the limit, which holds again after them. */
type Phase =
  | { readonly kind: 'working'; readonly rounds: number }
  | { readonly kind: 'settling'; readonly limit: number }
  | { readonly kind: 'measuring'; readonly limit: number };

/** Answers from one limit to the next. */
interface Round {
  sum: number;
  count: number;
  /** The most that were under way at once. */
  busiest: number;
}

const emptyRound = (): Round => ({ sum: 0, count: 0, busiest: 0 });

/** A clock of whole milliseconds knows no shorter time. */
const SHORTEST = 1;

function checkBetween(name: string, value: number, from: number, to: number): void {
  if (Number.isInteger(value) && value >= from && value <= to) return;
  const range = to === Infinity ? `from ${from}` : `from ${from} to ${to}`;
  throw new RangeError(`adaptiveLimit needs an integer ${range} for \`${name}\`, not ${value}.`);
}
