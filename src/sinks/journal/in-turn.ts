/** Starts a task when those before it have ended, and gives its result. */
export type InTurn = <T>(task: () => Promise<T>) => Promise<T>;

/**
 * Tasks one after another, whoever asks for them. One that fails keeps no other from running.
 *
 * @example const inTurn = oneAtATime(); await Promise.all([inTurn(write), inTurn(close)]);
 */
export function oneAtATime(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}
