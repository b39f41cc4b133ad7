import type { Subscriber, Subscription } from 'rxjs';
import type { InContext } from './context';
import type { Holding } from './holding';
import type { LimiterRule } from './limiter-rule';
import type { WaitingLine } from './waiting-line';

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
export function firstOf(lanes: Iterable<Lane>): readonly { readonly waiter: Waiting; readonly lane: Lane }[] {
  const firsts: { readonly waiter: Waiting; readonly lane: Lane }[] = [];
  for (const lane of lanes) {
    const waiter = lane.line.first();
    if (waiter !== undefined) firsts.push({ waiter, lane });
  }
  if (firsts.length === 1) return firsts;
  return firsts.sort((a, b) => b.waiter.priority - a.waiter.priority || a.waiter.arrival - b.waiter.arrival);
}
