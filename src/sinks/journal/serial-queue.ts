/** Runs a task when those before it have ended, and gives its result. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Runs tasks one after another. A task that fails does not stop those after it.
 *
 * @example const enqueue = createSerialQueue(); await Promise.all([enqueue(write), enqueue(close)]);
 */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}
