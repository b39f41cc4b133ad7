import type { Observable } from 'rxjs';

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
