/** Starts a task when those before it have ended, and gives its result. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Tasks one after another, whoever asks for them. One that fails keeps no other from running.
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
