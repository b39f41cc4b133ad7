/** Those who wait, of whom the first is the one of highest priority who came first. */
export interface WaitingLine<T extends { readonly priority: number }> {
  readonly add: (waiter: T) => void;
  /** Gives false when he does not wait. */
  readonly remove: (waiter: T) => boolean;
  readonly first: () => T | undefined;
}

/** A queue for each priority: there are few of them, however many wait. */
export function createWaitingLine<T extends { readonly priority: number }>(): WaitingLine<T> {
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
