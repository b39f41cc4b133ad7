import { Subscription } from 'rxjs';
import type { Observable, Observer, Subscriber } from 'rxjs';
import type { LimiterRule } from './limiter-rule';

/** What a subscription holds whose source is being subscribed, or speaks. */
export interface Holding {
  readonly rules: readonly LimiterRule[];
  readonly outer: Holding | undefined;
  isOver: boolean;
}

/** The innermost, while its source runs synchronously. */
let current: Holding | undefined;

/** What is held where this is asked. */
export const heldHere = (): Holding | undefined => current;

/** Does what belongs inside of a holding, or outside of all. */
export function within(holding: Holding | undefined, work: () => void): void {
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
export function refuseNested(rules: readonly LimiterRule[], holding: Holding | undefined): void {
  for (let at = holding; at !== undefined; at = at.outer)
    if (!at.isOver && at.rules.some((rule) => rules.includes(rule))) throw new Error(NESTED);
}

/**
 * Subscribes to a source inside of a holding; what it says is heard outside of it, since who takes a value may begin work of
 * the same rules: the place is free when the source has ended.
 */
export function subscribeWithin<T>(holding: Holding, source: Observable<T>, subscriber: Subscriber<T>): Holding {
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
