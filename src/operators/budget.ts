import { asyncScheduler, Subject } from 'rxjs';
import type { LimiterOptions, LimiterRule } from './limiter';

/** The remaining requests by the server's own count: created by {@link createBudget}. */
export interface Budget extends LimiterRule {
  /** Returns how many requests have started so far. Read when a request starts, it is the number of that request. */
  readonly started: () => number;
  /**
   * Takes an answer: the number of requests left until a moment.
   *
   * @param remaining The number that the answer gives.
   * @param resetAt The moment when the count is reset, in ms since the epoch. An answer whose moment has passed is
   *   ignored, and an infinite moment is a RangeError.
   * @param request The number of the answered request; by default the last that started.
   */
  readonly answer: (remaining: number, resetAt: number, request?: number) => void;
}

interface Known {
  /** The number left on the server when it counted the last of all answered requests. */
  readonly remaining: number;
  readonly resetAt: number;
  /** The number of the answered request that gave it: requests that start from then on are counted after it. */
  readonly answer: number;
}

interface Started {
  readonly answers: number;
  readonly size: number;
}

interface Lost {
  readonly startedByThen: number;
  readonly size: number;
}

/** The tolerance in ms between answers of one period: servers round the moment to seconds. */
const SAME_PERIOD_MS = 1000;

/**
 * Creates a rule for a limiter from the server's own count of remaining requests.
 *
 * ```text
 * ask             abc--d-----
 * a is answered   ---A             2 are left until r, but b and c have started since
 * r               -----------r
 * start           abc--------d
 * ```
 *
 * Answers may arrive in another order than the server counted the requests in, so the lowest answer counts among
 * requests that were in flight together. The server has counted every request that it has answered. Whether it has
 * counted the requests still in flight is unknown, so they are subtracted, and so are those that ended without an
 * answer, until a request that started later is answered. Before the first answer and after a reset the rule admits
 * all.
 *
 * Related: client-side rate limiters that use the fields `RateLimit-Remaining` and `RateLimit-Reset` of the IETF draft.
 * A plain counter of the last answer would be wrong as soon as several requests are in flight.
 *
 * @param options The clock; use the one of the limiter.
 * @returns A rule for `hold`. The caller reports answers to it.
 * @example
 * ```ts
 * import { defer, from, mergeMap, of, tap } from 'rxjs';
 * import { createBudget, createLimiter } from 'headwater/operators';
 *
 * const limiter = createLimiter();
 * const budget = createBudget();
 * const begun = Date.now();
 * let left = 2;
 * const request = (name: string) =>
 *   defer(() => {
 *     const mine = budget.started();
 *     const answer$ = of({ remaining: (left -= 1), resetAt: begun + 500 });
 *     return answer$.pipe(tap(({ remaining, resetAt }) => budget.answer(remaining, resetAt, mine)));
 *   }).pipe(limiter.hold([budget]));
 *
 * from(['a', 'b', 'c'])
 *   .pipe(mergeMap((name) => request(name).pipe(mergeMap(() => [name]))))
 *   .subscribe((name) => console.log(`${name} ${Date.now() < begun + 495 ? 'at once' : 'after the reset'}`));
 * // → a at once
 * // → b at once
 * // → c after the reset
 * ```
 */
export function createBudget({ scheduler = asyncScheduler }: LimiterOptions = {}): Budget {
  const loosened$ = new Subject<void>();
  /** Requests without an answer yet, each with the number of answers at its start. */
  const open = new Map<number, Started>();
  /**
   * Requests that ended without an answer, each with the number of requests started by then: whether the server counted
   * them is unknown.
   */
  const lost = new Map<number, Lost>();
  let started = 0;
  /** The total size of both. */
  let uncounted = 0;
  let answers = 0;
  let known: Known | undefined;

  const knownAt = (now: number): Known | undefined => {
    if (known !== undefined && known.resetAt <= now) known = undefined;
    return known;
  };

  /** Drops entries: requests that ended before this one started are counted in its answer, whatever that says. */
  const forget = (request: number): void => {
    for (const [other, { startedByThen, size }] of lost) {
      if (startedByThen >= request) return;
      lost.delete(other);
      uncounted -= size;
    }
  };

  const answer = (remaining: number, resetAt: number, request = started): void => {
    if (Number.isNaN(remaining) || !(resetAt < Infinity))
      throw new RangeError(
        `budget: expected a number and a moment in milliseconds, found ${remaining} and ${resetAt}.`,
      );
    const now = scheduler.now();
    const current = knownAt(now);
    const answersBefore = open.get(request)?.answers ?? answers;
    if (resetAt > now) {
      answers += 1;
      uncounted -= open.get(request)?.size ?? 0;
      open.delete(request);
      forget(request);
      const said = { remaining, resetAt, answer: answers };
      if (current === undefined || resetAt > current.resetAt + SAME_PERIOD_MS) known = said;
      else if (resetAt >= current.resetAt - SAME_PERIOD_MS)
        known = answersBefore >= current.answer || remaining < current.remaining ? said : current;
    }
    loosened$.next();
  };

  return {
    admitsAt: (now, size = 1) => {
      const current = knownAt(now);
      return current === undefined || current.remaining - uncounted >= size ? now : current.resetAt;
    },
    start: (_, size = 1) => {
      started += 1;
      const mine = started;
      open.set(mine, { answers, size });
      uncounted += size;
      return () => {
        if (open.delete(mine)) lost.set(mine, { startedByThen: started, size });
        const [oldest = Infinity] = open.keys();
        if (known === undefined) forget(oldest);
      };
    },
    started: () => started,
    answer,
    loosened$,
  };
}
