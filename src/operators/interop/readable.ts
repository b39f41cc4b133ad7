import { Readable } from 'node:stream';
import type { ReadableOptions } from 'node:stream';

/**
 * Turns an async iterable into a Readable of Node in object mode. Unlike `Readable.from`, which is always one value
 * ahead, it requests a value only when the stream is read. Destroying it calls `return()` (with an error: `throw()`),
 * so a stream behind `toAsyncIterable` is unsubscribed.
 *
 * @param iterable The values to read; a Readable cannot carry `null`, which ends it with `ERR_STREAM_NULL_VALUES`.
 * @param options Options of the Readable. It reads nothing ahead, unless `highWaterMark` is set.
 * @returns A Readable that requests nothing until it is read.
 * @example
 * ```ts
 * import { of } from 'rxjs';
 * import { toAsyncIterable, toNodeReadable } from 'headwater';
 *
 * toNodeReadable(toAsyncIterable(() => of('ant', 'bee'))).on('data', (name) => console.log(name));
 * // → ant
 * // → bee
 * ```
 */
export function toNodeReadable<T>(iterable: AsyncIterable<T>, options: ReadableOptions = {}): Readable {
  const iterator = iterable[Symbol.asyncIterator]();
  const leave = async (error: Error | null): Promise<void> => {
    if (error !== null && iterator.throw !== undefined) await iterator.throw(error).catch(() => undefined);
    else await iterator.return?.();
  };
  const readable: Readable = new Readable({
    objectMode: true,
    highWaterMark: 0,
    ...options,
    read: () => {
      iterator.next().then(
        ({ done, value }) => {
          if (done === true) readable.push(null);
          else if (value === null) readable.destroy(new NullValue());
          else readable.push(value);
        },
        (error: unknown) => readable.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
    destroy: (error, callback) => {
      leave(error).then(
        () => callback(error),
        (failure: unknown) => callback(failure instanceof Error ? failure : error),
      );
    },
  });
  return readable;
}

/** The error that Node's own streams throw. */
class NullValue extends TypeError {
  readonly code = 'ERR_STREAM_NULL_VALUES';
  constructor() {
    super('May not write null values to stream');
  }
}

/**
 * Turns an async iterable into a web `ReadableStream`. It reads nothing ahead; cancelling it calls `return()`, so a
 * stream behind `toAsyncIterable` is unsubscribed.
 *
 * @param iterable The values to read.
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
