import { asyncScheduler, merge, Observable } from 'rxjs';
import type { MonoTypeOperatorFunction, SchedulerLike, Subscription } from 'rxjs';
import { admissionOf, admits, checkSize, latest, priorityOf } from './admission';
import { currentContext } from './context';
import { heldHere, refuseNested, subscribeWithin, within } from './holding';
import type { Holding } from './holding';
import { firstOf } from './limiter-lanes';
import type { Lane, Waiter, Waiting } from './limiter-lanes';
import type { HoldOptions, LimiterRule } from './limiter-rule';
import { longTimer } from './long-timer';
import { createWaitingLine } from './waiting-line';

/** Admits work by rules: made by {@link createLimiter}. */
export interface Limiter {
  /**
   * Subscribes to the source as soon as all of these rules admit it, and tells them when it is over. Throws a RangeError
   * when `size` is no integer from 1, or when a rule can never admit it.
   */
  readonly hold: <T>(rules: readonly LimiterRule[], options?: HoldOptions) => MonoTypeOperatorFunction<T>;
}

/** How {@link createLimiter} tells the time. */
export interface LimiterOptions {
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Lets work wait until rules admit it: caps on what runs at once, rates, budgets.
 *
 * ```text
 * a, by inFlight(1)               --a|
 * b, by inFlight(1)               ---(b|)          waits until a is over
 * c, by inFlight(1) and a rate    -------(c|)      the rate opens only later
 * d, by inFlight(1)               ----d|           does not need the rate, so c does not hold it up
 * ```
 *
 * - A source is subscribed in the same moment in which all of its rules admit it, and counts for all of them from then to
 *   its end: nothing is held of one rule during the wait for another, so there is no deadlock. Without a wait it is
 *   subscribed synchronously.
 * - Of all who could start now, the one of highest priority does, and of these the one who came first. Among those with the
 *   same rules the order is kept.
 * - One of a larger `size` is not starved by small ones: while its size alone keeps it waiting (its rules would admit one of
 *   size 1), nobody behind it takes anything of its rules.
 * - One who unsubscribes while waiting leaves the queue, and no rule hears of it.
 * - Who has waited begins in the async context in which it was subscribed (`AsyncLocalStorage`), not in that of the one who made
 *   room.
 * - One timer runs at most, and none while nobody waits.
 *
 * To hold a place of a rule and to wait for another of the same is to wait for oneself as soon as there are no more of them:
 * `source.pipe(hold([one]), hold([one]))`. It is an error, even while a place is free. Found is what is subscribed while the outer
 * source is being subscribed, or while a value passes through a `hold` within; what a source subscribes later by itself, in a timer for
 * example, is not found: there is no portable way to tell for whom a callback runs. Rates may be nested.
 *
 * An end is passed on before it counts as one: what a consumer subscribes in answer to it queues behind those who waited.
 *
 * Relatives: `mergeMap` with `concurrent`, and the libraries bottleneck and p-limit. The first has one cap and one
 * stream; the others give promises, which cannot be cancelled, and take several limits one after the other, so that a
 * place of one is held during the wait for another.
 *
 * @param options The clock; see {@link LimiterOptions}. Give the same one to the rules.
 * @returns A limiter whose operators share its queue. The result of `hold` errors with what a rule or `priority` throws, with
 * a RangeError when `priority` gives NaN, and with an Error when a place of a rule is held already.
 * @example
 * ```ts
 * import { from, mergeMap, timer } from 'rxjs';
 * import { createLimiter, inFlight, rateLimit } from 'headwater/operators';
 *
 * const limiter = createLimiter();
 * const politely = [inFlight(2), rateLimit({ requests: 10, seconds: 1 })];
 * const request = (name: string) =>
 *   timer(5).pipe(
 *     mergeMap(() => [`${name} answered`]),
 *     limiter.hold(politely),
 *   );
 *
 * from(['a', 'b', 'c']).pipe(mergeMap(request)).subscribe(console.log);
 * // → a answered
 * // → b answered
 * // → c answered
 * ```
 */
export function createLimiter({ scheduler = asyncScheduler }: LimiterOptions = {}): Limiter {
  const lanes = new Map<string, Lane>();
  const numbers = new WeakMap<LimiterRule, number>();
  let numbered = 0;
  let arrivals = 0;
  /** True while the queue is served, or an end is told: after either the queue is looked at once more. */
  let busy = false;
  let timer: Subscription | undefined;
  let timerAt = Infinity;

  const wakeAt = (at: number): void => {
    if (at === timerAt) return;
    timer?.unsubscribe();
    timerAt = at;
    timer =
      at === Infinity
        ? undefined
        : longTimer(Math.ceil(at - scheduler.now()), scheduler).subscribe(() => {
            timerAt = Infinity;
            serve();
          });
  };

  const leave = (lane: Lane, waiter: Waiting): void => {
    if (!lane.line.remove(waiter) || lane.line.first() !== undefined) return;
    lane.loosening.unsubscribe();
    lanes.delete(lane.key);
    if (lanes.size === 0) wakeAt(Infinity);
  };

  const admit = ({ rules, size, subscriber, begin }: Waiter, now: number): void => {
    const ends: (() => void)[] = [];
    let holding: Holding | undefined;
    const release = (): void => {
      const wasBusy = busy;
      // Only when all of its rules know of the end may the queue be served, or the first would be passed over.
      busy = true;
      if (holding !== undefined) holding.isOver = true;
      for (const end of ends) end();
      busy = wasBusy;
      serve();
    };
    try {
      for (const rule of rules) ends.push(rule.start(now, size));
      holding = begin();
    } finally {
      // After what the source cleans up. A rule that throws is an end as well, for those that counted the start before it.
      subscriber.add(release);
    }
  };

  /** Finds the first of those who can start, or else the moment to look again. */
  const choose = (now: number): (() => void) | number => {
    let next = Infinity;
    const reserved = new Set<LimiterRule>();
    for (const { waiter, lane } of firstOf(lanes.values())) {
      if (reserved.size > 0 && waiter.rules.some((rule) => reserved.has(rule))) continue;
      const at = admissionOf(waiter.rules, now, waiter.size);
      if (typeof at !== 'number') return () => waiter.subscriber.error(at.error);
      if (at <= now)
        return () => {
          leave(lane, waiter);
          waiter.inContext(() => within(waiter.outer, () => attempt(waiter, () => admit(waiter, now))));
        };
      next = Math.min(next, at);
      if (waiter.size > 1 && admits(waiter.rules, now)) for (const rule of waiter.rules) reserved.add(rule);
    }
    return next;
  };

  const serve = (): void => {
    if (busy || lanes.size === 0) return;
    busy = true;
    let choice = choose(scheduler.now());
    // A loop, since what is begun may end at once and let the next one in.
    while (typeof choice !== 'number') {
      choice();
      choice = choose(scheduler.now());
    }
    busy = false;
    wakeAt(choice);
  };

  const laneFor = (rules: readonly LimiterRule[]): Lane => {
    const key = rules.map(numberOf).sort().join();
    const known = lanes.get(key);
    if (known !== undefined) return known;
    const loosening = merge(...rules.map(({ loosened$ }) => loosened$)).subscribe(serve);
    const lane: Lane = { key, line: createWaitingLine(), loosening };
    lanes.set(key, lane);
    return lane;
  };

  const numberOf = (rule: LimiterRule): number => {
    const known = numbers.get(rule);
    if (known !== undefined) return known;
    numbered += 1;
    numbers.set(rule, numbered);
    return numbered;
  };

  const enter = (waiter: Waiter): void => {
    const now = scheduler.now();
    if (lanes.size === 0 && !busy && latest(waiter.rules, now, waiter.size) <= now) {
      admit(waiter, now);
      return;
    }
    const lane = laneFor(waiter.rules);
    const waiting: Waiting = { ...waiter, inContext: currentContext() };
    lane.line.add(waiting);
    waiter.subscriber.add(() => leave(lane, waiting));
    if (lane.line.first() === waiting) serve();
  };

  const hold = <T>(
    given: readonly LimiterRule[],
    { priority = 0, size = 1 }: HoldOptions = {},
  ): MonoTypeOperatorFunction<T> => {
    const rules = [...new Set(given)];
    checkSize(size, rules);
    const placed = rules.filter(({ holdsPlaces }) => holdsPlaces === true);
    return (source) =>
      new Observable((subscriber) => {
        const outer = heldHere();
        refuseNested(placed, outer);
        arrivals += 1;
        const begin = (): Holding | undefined => {
          if (placed.length > 0) return subscribeWithin({ rules: placed, outer, isOver: false }, source, subscriber);
          source.subscribe(subscriber);
          return undefined;
        };
        enter({ priority: priorityOf(priority), arrival: arrivals, size, rules, outer, subscriber, begin });
      });
  };
  return { hold };
}

function attempt({ subscriber }: Waiter, work: () => void): void {
  try {
    work();
  } catch (error) {
    subscriber.error(error);
  }
}
