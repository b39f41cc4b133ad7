/**
 * Turns an async iterable into a `ReadableStream` of the web. It reads nothing ahead; cancelling it calls `return()`, so
 * a stream behind `toAsyncIterable` is unsubscribed.
 *
 * @param iterable What to read.
 * @returns A stream of the same values; it errors when the iterable does.
 * @example
 * ```ts
 * import { of } from 'rxjs';
 * import { toAsyncIterable, toWebReadable } from 'headwater';
 *
 * const reader = toWebReadable(toAsyncIterable(() => of('ant', 'bee'))).getReader();
 * console.log((await reader.read()).value);
 * await reader.cancel();
 * // → ant
 * ```
 */
export function toWebReadable<T>(iterable: AsyncIterable<T>): ReadableStream<T> {
  const iterator = iterable[Symbol.asyncIterator]();
  return new ReadableStream<T>(
    {
      pull: async (controller) => {
        const result = await iterator.next();
        if (result.done === true) controller.close();
        else controller.enqueue(result.value);
      },
      cancel: async () => {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
