import { asyncScheduler, merge, Observable } from 'rxjs';
import type { MonoTypeOperatorFunction, SchedulerLike, Subscriber, Subscription } from 'rxjs';
import { longTimer } from './long-timer';

/**
 * A rule about when one more may start: `inFlight`, `rateLimit`, `createBudget`, or one of your own. Moments are in ms.
 */
export interface LimiterRule {
  /** Says when to ask again: a moment up to `now` admits one more at once, `Infinity` waits for `loosened$`. */
  readonly admitsAt: (now: number) => number;
  /** Counts a start. The returned function is called once, when what started is over; it must not throw. */
  readonly start: (now: number) => () => void;
  /** Emits whenever the rule may admit earlier than it last said. */
  readonly loosened$: Observable<unknown>;
}

/** Admits work by rules: made by {@link createLimiter}. */
export interface Limiter {
  /** Subscribes to the source as soon as all of these rules admit it, and tells them when it is over. */
  readonly hold: <T>(rules: readonly LimiterRule[]) => MonoTypeOperatorFunction<T>;
}

/** How {@link createLimiter} tells the time. */
export interface LimiterOptions {
  /** Keeps the time; `asyncScheduler` unless given. */
  readonly scheduler?: SchedulerLike;
}

interface Waiter {
  readonly arrival: number;
  readonly rules: readonly LimiterRule[];
  readonly subscriber: Subscriber<never>;
  readonly begin: () => void;
}

/** Subscribers that wait for the same rules, in order: while the first has to wait, so have the others. */
interface Lane {
  readonly key: string;
  readonly waiters: Set<Waiter>;
  readonly loosening: Subscription;
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
 * - Of all who could start now, the one who came first does. Among those with the same rules the order is kept.
 * - One who unsubscribes while waiting leaves the queue, and no rule hears of it.
 * - One timer runs at most, and none while nobody waits.
 *
 * An end is passed on before it counts as one: what a consumer subscribes in answer to it queues behind those who waited.
 *
 * Relatives: `mergeMap` with `concurrent`, and the libraries bottleneck and p-limit. The first has one cap and one
 * stream; the others give promises, which cannot be cancelled, and take several limits one after the other, so that a
 * place of one is held during the wait for another.
 *
 * @param options The clock; see {@link LimiterOptions}. Give the same one to the rules.
 * @returns A limiter whose operators share its queue. The result of `hold` errors with what a rule throws.
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

  const leave = (lane: Lane, waiter: Waiter): void => {
    if (!lane.waiters.delete(waiter) || lane.waiters.size > 0) return;
    lane.loosening.unsubscribe();
    lanes.delete(lane.key);
    if (lanes.size === 0) wakeAt(Infinity);
  };

  const admit = ({ rules, subscriber, begin }: Waiter, now: number): void => {
    const ends: (() => void)[] = [];
    const release = (): void => {
      const wasBusy = busy;
      // Only when all of its rules know of the end may the queue be served, or the first would be passed over.
      busy = true;
      for (const end of ends) end();
      busy = wasBusy;
      serve();
    };
    try {
      for (const rule of rules) ends.push(rule.start(now));
      begin();
    } finally {
      // After what the source cleans up. A rule that throws is an end as well, for those that counted the start before it.
      subscriber.add(release);
    }
  };

  /** Finds who came first of those who can start, or else the moment to look again. */
  const choose = (now: number): (() => void) | number => {
    let first: { readonly waiter: Waiter; readonly lane: Lane } | undefined;
    let next = Infinity;
    for (const lane of lanes.values()) {
      const [waiter] = lane.waiters;
      if (waiter === undefined) continue;
      const at = admissionOf(waiter, now);
      if (typeof at !== 'number') return () => waiter.subscriber.error(at.error);
      if (at > now) next = Math.min(next, at);
      else if (first === undefined || waiter.arrival < first.waiter.arrival) first = { waiter, lane };
    }
    if (first === undefined) return next;
    const { waiter, lane } = first;
    return () => {
      leave(lane, waiter);
      attempt(waiter, () => admit(waiter, now));
    };
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
    const lane: Lane = { key, waiters: new Set(), loosening };
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
    if (lanes.size === 0 && !busy && latest(waiter.rules, now) <= now) {
      admit(waiter, now);
      return;
    }
    const lane = laneFor(waiter.rules);
    lane.waiters.add(waiter);
    waiter.subscriber.add(() => leave(lane, waiter));
    if (lane.waiters.size === 1) serve();
  };

  const hold = <T>(given: readonly LimiterRule[]): MonoTypeOperatorFunction<T> => {
    const rules = [...new Set(given)];
    return (source) =>
      new Observable((subscriber) => {
        arrivals += 1;
        enter({ arrival: arrivals, rules, subscriber, begin: () => source.subscribe(subscriber) });
      });
  };
  return { hold };
}

const latest = (rules: readonly LimiterRule[], now: number): number => {
  let at = -Infinity;
  for (const rule of rules) at = Math.max(at, rule.admitsAt(now));
  return at;
};

function admissionOf({ rules }: Waiter, now: number): number | { readonly error: unknown } {
  try {
    return latest(rules, now);
  } catch (error) {
    return { error };
  }
}

function attempt({ subscriber }: Waiter, work: () => void): void {
  try {
    work();
  } catch (error) {
    subscriber.error(error);
  }
}
