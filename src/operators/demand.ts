import { Observable } from 'rxjs';
import type { Subscriber } from 'rxjs';
import { currentContext, openFor } from './subscription';
import type { InContext } from './subscription';

/** Units of demand: a consumer raises them, a producer takes them. Created by {@link createDemand}. */
export interface Demand {
  /** Adds one unit: it goes to the take that has waited longest, or to the stock if none waits. */
  readonly raise: () => void;
  /** Emits once and completes as soon as it has consumed one unit; subscriptions are served in order. */
  readonly take: () => Observable<void>;
}

interface Waiting {
  readonly subscriber: Subscriber<void>;
  readonly inContext: InContext;
}

/**
 * Creates explicit demand between a consumer that pulls and a producer that must not run ahead of it.
 *
 * ```text
 * raise     r-------r--r--
 * take a    (x|)
 * take b     -------(x|)
 * take c       !              left the queue: consumes nothing
 * take d      ---------(x|)
 * ```
 *
 * Each subscription to `take()` consumes one unit. A subscription that is cancelled while it waits leaves the queue and
 * consumes none. A subscriber that has waited continues in its own async context. As the gate of `unfoldPages`, one
 * unit admits one visit, so it fits loops in which every visit emits: a visit without output consumes a unit without
 * giving the consumer an occasion to raise the next.
 *
 * Related: a counting semaphore that begins with no permits, and `request(n)` of Reactive Streams. `zip` with a stream
 * of requests pairs the same way, but subscribes to the source at once and buffers what it emits.
 *
 * @returns A demand without units.
 * @example
 * ```ts
 * import { createDemand, more, unfoldPages } from 'headwater/operators';
 * import { of } from 'rxjs';
 *
 * const demand = createDemand();
 * unfoldPages(1, (n) => of(more(`page ${n}`, n + 1)), { gate: demand.take }).subscribe(console.log);
 * demand.raise();
 * demand.raise();
 * // → page 1
 * // → page 2
 * ```
 */
export function createDemand(): Demand {
  let units = 0;
  const waiting = new Set<Waiting>();

  const raise = (): void => {
    const [longest] = waiting;
    if (longest === undefined) {
      units += 1;
      return;
    }
    waiting.delete(longest);
    longest.inContext(() => openFor(longest.subscriber));
  };

  const take = (): Observable<void> =>
    new Observable((subscriber) => {
      if (units > 0) {
        units -= 1;
        openFor(subscriber);
        return undefined;
      }
      const mine = { subscriber, inContext: currentContext() };
      waiting.add(mine);
      return () => waiting.delete(mine);
    });

  return { raise, take };
}
