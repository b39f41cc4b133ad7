/**
 * The items of pages, one by one. Unlike an async generator, whose `return()` waits for the `next()` that is under way,
 * `return()` reaches the pages at once: leaving in the middle of a page ends the work on it.
 *
 * ```text
 * next()   n---n---n-------n--
 * pages    ----[a b]-------[c]
 * items    ----a---b-------c--
 * ```
 *
 * @param pages Asked for the next page when the items of the last are used up.
 * @param itemsOf The items of a page, in order.
 * @returns An iterable; its `next()` rejects with the error of the pages.
 * @example
 * ```ts
 * import { flattenIterable } from 'headwater';
 *
 * const pages = (async function* () {
 *   yield ['a', 'b'];
 *   yield ['c'];
 * })();
 * for await (const letter of flattenIterable(pages, (page) => page)) console.log(letter);
 * // → a
 * // → b
 * // → c
 * ```
 */
export function flattenIterable<P, T>(pages: AsyncIterable<P>, itemsOf: (page: P) => readonly T[]): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => iterate(pages[Symbol.asyncIterator](), itemsOf) };
}

function iterate<P, T>(pages: AsyncIterator<P>, itemsOf: (page: P) => readonly T[]): AsyncIterator<T, undefined> {
  let items: Iterator<T> = [][Symbol.iterator]();
  let previous: Promise<unknown> = Promise.resolve();

  const step = async (): Promise<IteratorResult<T, undefined>> => {
    for (;;) {
      const item = items.next();
      if (item.done !== true) return item;
      const page = await pages.next();
      if (page.done === true) return { done: true, value: undefined };
      items = itemsOf(page.value)[Symbol.iterator]();
    }
  };

  return {
    next: () => {
      // Calls that come before the last one is answered are answered in order.
      const answer = previous.then(step, step);
      previous = answer;
      return answer;
    },
    return: async () => {
      items = [][Symbol.iterator]();
      await pages.return?.();
      return { done: true, value: undefined };
    },
  };
}
