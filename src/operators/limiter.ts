import { Observable, asyncScheduler, merge } from 'rxjs';
import type { MonoTypeOperatorFunction, SchedulerLike, Subscriber, Subscription } from 'rxjs';
import { longTimer } from './long-timer';
import { currentContext, passOn } from './subscription';
import type { InContext } from './subscription';

/**
 * A rule that decides when the next work may start: `inFlight`, `rateLimit`, `createBudget`, or a custom one. Moments
 * are in ms. `size` is the number of places or starts that the work takes, 1 if absent.
 */
export interface LimiterRule {
  /**
   * Returns the moment to ask again: a moment up to `now` admits the work at once, `Infinity` waits for `loosened$`.
   */
  readonly admitsAt: (now: number, size?: number) => number;
  /** Counts a start. The returned function is called once, when the started work has ended; it must not throw. */
  readonly start: (now: number, size?: number) => () => void;
  /** Emits whenever the rule may admit earlier than it last returned. */
  readonly loosened$: Observable<unknown>;
  /** Returns the largest size that the rule will ever admit; if absent, there is no limit. */
  readonly largest?: () => number;
  /**
   * True if a place is taken until the end of the work, so that its holder must not wait for another place; default
   * false.
   */
  readonly holdsPlaces?: boolean;
}

/** Options of waiting for rules. */
export interface HoldOptions {
  /**
   * The highest priority starts first; 0 by default. A function is called when the wait begins, once for each
   * subscription.
   */
  readonly priority?: number | (() => number);
  /** The number of places, and of starts of a rate, that the work takes: an integer from 1; 1 by default. */
  readonly size?: number;
}

/** The rules held by a subscription whose source is being subscribed to, or emits. */
export interface Holding {
  readonly rules: readonly LimiterRule[];
  readonly outer: Holding | undefined;
  isOver: boolean;
}

/** The innermost holding while its source runs synchronously. */
let current: Holding | undefined;

/** Returns the rules held at the point of the call. */
const heldHere = (): Holding | undefined => current;

/** Runs work inside of a holding, or outside of all. */
function within(holding: Holding | undefined, work: () => void): void {
  const before = current;
  current = holding;
  try {
    work();
  } finally {
    current = before;
  }
}

const NESTED =
  'hold: a place of this rule is held already, and to wait for another one inside of it would be to wait for ever. ' +
  'Hold the rule once, around all of the work, or use a rule of its own for what is inside.';

/** Throws if a place of one of these rules is held already: the work would wait for itself. */
function refuseNested(rules: readonly LimiterRule[], holding: Holding | undefined): void {
  for (let at = holding; at !== undefined; at = at.outer)
    if (!at.isOver && at.rules.some((rule) => rules.includes(rule))) throw new Error(NESTED);
}

/**
 * Subscribes to a source inside of a holding. Its values are delivered outside of the holding, because the consumer of
 * a value may start work under the same rules: the place is free when the source has ended.
 */
function subscribeWithin<T>(holding: Holding, source: Observable<T>, subscriber: Subscriber<T>): Holding {
  const { outer } = holding;
  within(holding, () => passOn(source, subscriber, (deliver) => within(outer, deliver)));
  return holding;
}

/** A queue: the first waiter is the earliest one of the highest priority. */
export interface WaitingLine<T extends { readonly priority: number }> {
  readonly add: (waiter: T) => void;
  /** Returns false if the waiter is not in the queue. */
  readonly remove: (waiter: T) => boolean;
  readonly first: () => T | undefined;
}

/** Creates one queue for each priority: there are few priorities, no matter how many wait. */
function createWaitingLine<T extends { readonly priority: number }>(): WaitingLine<T> {
  /** The queues by priority, the highest first; none is empty. */
  const queues: { readonly priority: number; readonly waiters: Set<T> }[] = [];

  const queueOf = (priority: number): Set<T> => {
    const at = queues.findIndex((queue) => queue.priority <= priority);
    const found = queues[at];
    if (found?.priority === priority) return found.waiters;
    const waiters = new Set<T>();
    queues.splice(at < 0 ? queues.length : at, 0, { priority, waiters });
    return waiters;
  };

  return {
    add: (waiter) => void queueOf(waiter.priority).add(waiter),
    remove: (waiter) => {
      const at = queues.findIndex(({ priority }) => priority === waiter.priority);
      const waiters = queues[at]?.waiters;
      if (waiters?.delete(waiter) !== true) return false;
      if (waiters.size === 0) queues.splice(at, 1);
      return true;
    },
    first: () => {
      const [highest] = queues;
      if (highest === undefined) return undefined;
      const [waiter] = highest.waiters;
      return waiter;
    },
  };
}

/** A subscription that asks a limiter. */
export interface Waiter {
  readonly priority: number;
  readonly arrival: number;
  readonly size: number;
  readonly rules: readonly LimiterRule[];
  /** The rules held at the point of the subscription. */
  readonly outer: Holding | undefined;
  readonly subscriber: Subscriber<never>;
  readonly begin: () => Holding | undefined;
}

/** A subscription that has to wait. */
export interface Waiting extends Waiter {
  readonly inContext: InContext;
}

/** Subscriptions that wait for the same rules, in order: while the first has to wait, all have to. */
export interface Lane {
  readonly key: string;
  readonly line: WaitingLine<Waiting>;
  readonly loosening: Subscription;
}

/** Returns the first waiter of each lane, in the order in which they may start. */
function firstOf(lanes: Iterable<Lane>): readonly { readonly waiter: Waiting; readonly lane: Lane }[] {
  const firsts: { readonly waiter: Waiting; readonly lane: Lane }[] = [];
  for (const lane of lanes) {
    const waiter = lane.line.first();
    if (waiter !== undefined) firsts.push({ waiter, lane });
  }
  return firsts.sort((a, b) => b.waiter.priority - a.waiter.priority || a.waiter.arrival - b.waiter.arrival);
}

/** Returns the moment when all of the rules admit the work. */
const latest = (rules: readonly LimiterRule[], now: number, size: number): number => {
  let at = -Infinity;
  for (const rule of rules) at = Math.max(at, rule.admitsAt(now, size));
  return at;
};

/** Does the same as {@link latest}, but returns an error that a rule throws. */
function admissionOf(rules: readonly LimiterRule[], now: number, size: number): number | { readonly error: unknown } {
  try {
    return latest(rules, now, size);
  } catch (error) {
    return { error };
  }
}

/** Returns whether the rules would admit work of size 1. */
function admits(rules: readonly LimiterRule[], now: number): boolean {
  const at = admissionOf(rules, now, 1);
  return typeof at === 'number' && at <= now;
}

/** Reads the priority of a subscription that begins to wait. */
function priorityOf(given: NonNullable<HoldOptions['priority']>): number {
  const priority = typeof given === 'number' ? given : given();
  if (Number.isNaN(priority)) throw new RangeError('hold needs a number for `priority`, not NaN.');
  return priority;
}

/** Throws if work of this size can never start. */
function checkSize(size: number, rules: readonly LimiterRule[]): void {
  if (!Number.isInteger(size) || size < 1)
    throw new RangeError(`hold needs an integer from 1 for \`size\`, not ${size}.`);
  const largest = Math.min(...rules.map((rule) => rule.largest?.() ?? Infinity));
  if (size > largest)
    throw new RangeError(`hold: a size of ${size} can never start, since a rule admits ${largest} at most.`);
}

/** Admits work by rules: created by {@link createLimiter}. */
export interface Limiter {
  /**
   * Subscribes to the source as soon as all of these rules admit it, and notifies them when it has ended. Throws a
   * RangeError if `size` is not an integer from 1, or if a rule can never admit it.
   */
  readonly hold: <T>(rules: readonly LimiterRule[], options?: HoldOptions) => MonoTypeOperatorFunction<T>;
}

/** Options of {@link createLimiter}. */
export interface LimiterOptions {
  /** The clock; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Creates a limiter, which delays work until rules admit it: caps on concurrent work, rates, budgets.
 *
 * ```text
 * a, by inFlight(1)               --a|
 * b, by inFlight(1)               ---(b|)          waits until a is over
 * c, by inFlight(1) and a rate    -------(c|)      the rate opens only later
 * d, by inFlight(1)               ----d|           does not need the rate, so c does not hold it up
 * ```
 *
 * - A source is subscribed at the moment when all of its rules admit it, and counts for all of them until its end: no
 *   place of one rule is held during the wait for another, so there is no deadlock. Without a wait it is subscribed
 *   synchronously.
 * - Of all work that could start now, the one of the highest priority starts, and among equal priorities the earliest.
 *   Work with the same rules keeps its order.
 * - Work of a larger `size` is not starved by smaller work: while its size alone keeps it waiting (its rules would
 *   admit size 1), no later work takes places of its rules.
 * - A subscriber that unsubscribes while it waits leaves the queue, and no rule is called.
 * - Work that has waited starts in the async context of its subscription (`AsyncLocalStorage`), not in the context of
 *   the work that freed the place.
 * - At most one timer runs, and none while no work waits.
 *
 * Work that holds a place of a rule and waits for another place of the same rule waits for itself as soon as no place
 * is free: `source.pipe(hold([one]), hold([one]))`. This is an error, even while a place is free. The limiter detects
 * subscriptions that happen while the outer source is being subscribed to, or while a value passes through an inner
 * `hold`. It does not detect later subscriptions of a source, in a timer for example: there is no portable way to find
 * out on whose behalf a callback runs. Rates may be nested.
 *
 * The end of a source is passed on before its place is freed: work that a consumer subscribes to in response queues
 * behind waiting work.
 *
 * Related: `mergeMap` with `concurrent`, and the libraries bottleneck and p-limit. The first has one cap and one
 * stream; the others give promises, which cannot be cancelled, and take several limits one after the other, so that a
 * place of one is held during the wait for another.
 *
 * @param options The clock; see {@link LimiterOptions}. Pass the same one to the rules.
 * @returns A limiter whose operators share its queue. The result of `hold` errors with the error that a rule or
 *   `priority` throws, with a RangeError if `priority` returns NaN, and with an Error if a place of a rule is held
 *   already.
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
  /** True while the queue is served, or rules are notified of an end: after either, the queue is checked once more. */
  let busy = false;
  let timer: Subscription | undefined;
  let timerAt = Infinity;

  const wakeAt = (at: number): void => {
    if (at === timerAt) return;
    timer?.unsubscribe();
    timerAt = at;
    timer = longTimer(Math.ceil(at - scheduler.now()), scheduler).subscribe(() => {
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
      // The queue is served only after all of its rules know of the end, or the first waiter would be passed over.
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
      // The release runs after the clean-up of the source. A rule that throws ends the work as well, for the rules that
      // counted the start before it.
      subscriber.add(release);
    }
  };

  /** Finds the first work that can start, or else the moment to check again. */
  const choose = (now: number): (() => void) | number => {
    let next = Infinity;
    const reserved = new Set<LimiterRule>();
    for (const { waiter, lane } of firstOf(lanes.values())) {
      if (waiter.rules.some((rule) => reserved.has(rule))) continue;
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
    // This is a loop, because started work may end at once and admit the next.
    while (typeof choice !== 'number') {
      choice();
      choice = choose(scheduler.now());
    }
    busy = false;
    wakeAt(choice);
  };

  const laneFor = (rules: readonly LimiterRule[]): Lane => {
    const key = rules.map(numberOf).join();
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
