import { Readable } from 'node:stream';
import type { ReadableOptions } from 'node:stream';

/**
 * Turns an async iterable into a Readable of Node in object mode. Destroying it calls `return()` (with an error:
 * `throw()`), so a stream behind {@link toAsyncIterable} is unsubscribed.
 *
 * @param iterable What to read; a Readable cannot carry `null`, which ends it with `ERR_STREAM_NULL_VALUES`.
 * @param options Options of the Readable. It reads one value ahead, unless `highWaterMark` says otherwise.
 * @returns A Readable that has asked for nothing until it is read.
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
export const toNodeReadable = <T>(iterable: AsyncIterable<T>, options: ReadableOptions = {}): Readable =>
  Readable.from(iterable, { objectMode: true, ...options });
