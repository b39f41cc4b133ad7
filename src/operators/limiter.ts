import { Observable, Subscription, asyncScheduler, merge } from 'rxjs';
import type { MonoTypeOperatorFunction, Observer, SchedulerLike, Subscriber } from 'rxjs';
import { longTimer } from './long-timer';
import { currentContext } from './subscription';
import type { InContext } from './subscription';

/**
 * A rule about when one more may start: `inFlight`, `rateLimit`, `createBudget`, or one of your own. Moments are in ms. `size`
 * is how many places or starts it takes, 1 when absent.
 */
export interface LimiterRule {
  /** Says when to ask again: a moment up to `now` admits it at once, `Infinity` waits for `loosened$`. */
  readonly admitsAt: (now: number, size?: number) => number;
  /** Counts a start. The returned function is called once, when what started is over; it must not throw. */
  readonly start: (now: number, size?: number) => () => void;
  /** Emits whenever the rule may admit earlier than it last said. */
  readonly loosened$: Observable<unknown>;
  /** The largest size that it will ever admit; absent: there is none. */
  readonly largest?: () => number;
  /** Whether a place is taken until the end, so that one who holds it must not wait for another; absent: no. */
  readonly holdsPlaces?: boolean;
}

/** How one waits for rules. */
export interface HoldOptions {
  /** The highest goes first; 0 unless given. A function is called when the wait begins, once a subscription. */
  readonly priority?: number | (() => number);
  /** How many places, and how many starts of a rate, it takes: an integer from 1; 1 unless given. */
  readonly size?: number;
}

/** What a subscription holds whose source is being subscribed, or speaks. */
export interface Holding {
  readonly rules: readonly LimiterRule[];
  readonly outer: Holding | undefined;
  isOver: boolean;
}

/** The innermost, while its source runs synchronously. */
let current: Holding | undefined;

/** What is held where this is asked. */
const heldHere = (): Holding | undefined => current;

/** Does what belongs inside of a holding, or outside of all. */
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

/** Throws where a place of one of these rules is held already: to wait for another would be to wait for oneself. */
function refuseNested(rules: readonly LimiterRule[], holding: Holding | undefined): void {
  for (let at = holding; at !== undefined; at = at.outer)
    if (!at.isOver && at.rules.some((rule) => rules.includes(rule))) throw new Error(NESTED);
}

/**
 * Subscribes to a source inside of a holding; what it says is heard outside of it, since who takes a value may begin work of
 * the same rules: the place is free when the source has ended.
 */
function subscribeWithin<T>(holding: Holding, source: Observable<T>, subscriber: Subscriber<T>): Holding {
  const passage = new Passage(subscriber, holding);
  within(holding, () => source.subscribe(passage));
  return holding;
}

/** RxJS uses a Subscription that is an observer too as it is; this one exists before the source is subscribed to. */
class Passage<T> extends Subscription implements Observer<T> {
  constructor(
    private readonly subscriber: Subscriber<T>,
    private readonly holding: Holding,
  ) {
    super();
    subscriber.add(this);
  }

  next(value: T): void {
    if (!this.closed) within(this.holding.outer, () => this.subscriber.next(value));
  }

  error(error: unknown): void {
    if (!this.closed) within(this.holding.outer, () => this.subscriber.error(error));
  }

  complete(): void {
    if (!this.closed) within(this.holding.outer, () => this.subscriber.complete());
  }
}

/** Those who wait, of whom the first is the one of highest priority who came first. */
export interface WaitingLine<T extends { readonly priority: number }> {
  readonly add: (waiter: T) => void;
  /** Gives false when he does not wait. */
  readonly remove: (waiter: T) => boolean;
  readonly first: () => T | undefined;
}

/** A queue for each priority: there are few of them, however many wait. */
function createWaitingLine<T extends { readonly priority: number }>(): WaitingLine<T> {
  /** By priority, the highest first; none is empty. */
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

/** One who asks a limiter. */
export interface Waiter {
  readonly priority: number;
  readonly arrival: number;
  readonly size: number;
  readonly rules: readonly LimiterRule[];
  /** What is held where it was asked. */
  readonly outer: Holding | undefined;
  readonly subscriber: Subscriber<never>;
  readonly begin: () => Holding | undefined;
}

/** One who has to wait. */
export interface Waiting extends Waiter {
  readonly inContext: InContext;
}

/** Subscribers that wait for the same rules, in order: while the first has to wait, so have the others. */
export interface Lane {
  readonly key: string;
  readonly line: WaitingLine<Waiting>;
  readonly loosening: Subscription;
}

/** The first of each lane: who goes first of all comes first. */
function firstOf(lanes: Iterable<Lane>): readonly { readonly waiter: Waiting; readonly lane: Lane }[] {
  const firsts: { readonly waiter: Waiting; readonly lane: Lane }[] = [];
  for (const lane of lanes) {
    const waiter = lane.line.first();
    if (waiter !== undefined) firsts.push({ waiter, lane });
  }
  if (firsts.length === 1) return firsts;
  return firsts.sort((a, b) => b.waiter.priority - a.waiter.priority || a.waiter.arrival - b.waiter.arrival);
}

/** When all of the rules admit it. */
const latest = (rules: readonly LimiterRule[], now: number, size: number): number => {
  let at = -Infinity;
  for (const rule of rules) at = Math.max(at, rule.admitsAt(now, size));
  return at;
};

/** The same, or what a rule throws. */
function admissionOf(rules: readonly LimiterRule[], now: number, size: number): number | { readonly error: unknown } {
  try {
    return latest(rules, now, size);
  } catch (error) {
    return { error };
  }
}

/** Whether they would admit one of size 1. */
function admits(rules: readonly LimiterRule[], now: number): boolean {
  const at = admissionOf(rules, now, 1);
  return typeof at === 'number' && at <= now;
}

/** Reads the priority of one who begins to wait. */
function priorityOf(given: NonNullable<HoldOptions['priority']>): number {
  const priority = typeof given === 'number' ? given : given();
  if (Number.isNaN(priority)) throw new RangeError('hold needs a number for `priority`, not NaN.');
  return priority;
}

/** A size that can never start is an error at once. */
function checkSize(size: number, rules: readonly LimiterRule[]): void {
  if (!Number.isInteger(size) || size < 1)
    throw new RangeError(`hold needs an integer from 1 for \`size\`, not ${size}.`);
  const largest = Math.min(...rules.map((rule) => rule.largest?.() ?? Infinity));
  if (size > largest)
    throw new RangeError(`hold: a size of ${size} can never start, since a rule admits ${largest} at most.`);
}

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
