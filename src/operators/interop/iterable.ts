import { Observable, Subscription, defer } from 'rxjs';
import type { ObservableInput, Subscriber } from 'rxjs';
import { openFor } from '../subscription';

/**
 * A gate that a producer asks before each step; the step waits for its first emission.
 *
 * @param prefetch replaces {@link PullOptions.prefetch}, because steps may differ
 */
export type Gate = (prefetch?: number) => Observable<unknown>;

/** Options of {@link toAsyncIterable}. */
export interface PullOptions {
  /** The number of values that may wait unrequested before the gate closes; default 0. */
  readonly prefetch?: number;
}

interface Asker<T> {
  readonly resolve: (result: IteratorResult<T, undefined>) => void;
  readonly reject: (error: unknown) => void;
}

/** A step that waits at its gate. */
interface WaitingGate {
  readonly places: number;
  readonly subscriber: Subscriber<void>;
}

/** Settles one `next()`. */
type Answer<T> = (asker: Asker<T>) => void;

const found =
  <T>(value: T): Answer<T> =>
  ({ resolve }) =>
    resolve({ done: false, value });
const failure =
  (error: unknown): Answer<never> =>
  ({ reject }) =>
    reject(error);
const done: Answer<never> = ({ resolve }) => resolve({ done: true, value: undefined });

/**
 * Turns a stream into an async iterable for `for await`. The stream works only on demand, provided that it waits at the
 * gate before each step.
 *
 * ```text
 * next()        n--------n---n------
 * gate          o---x    o-x o-x         opens while a next() is unanswered
 * stream        ----a------b---c|
 * answers       ----a------b---c---      then done
 * ```
 *
 * - Each iterator is a separate subscription, which starts at its first `next()`.
 * - With the default `prefetch` of 0 the gate is open exactly while a `next()` is unanswered, so a stream whose steps
 *   emit one value each never works ahead. With `prefetch` n it is open while fewer than n values wait unrequested.
 * - The gate holds steps back, never values: values that a started step still emits (a page with the pages of its
 *   children, or a parallel step) wait in a queue, and the gate stays closed until the queue is empty. A step that
 *   emits nothing leaves the gate open for the next step.
 * - Several `next()` at once are answered in order.
 * - `return()` and `throw()` unsubscribe and drop waiting values; a `next()` still unanswered resolves as done.
 * - An error comes after the values before it: it rejects one `next()`, and the iterator is done.
 *
 * @param run Creates the stream; it receives the gate at which the steps wait.
 * @param options `prefetch`: how many values may wait unrequested.
 * @returns An iterable; its `next()` rejects with the error of the stream or of `run`.
 * @example
 * ```ts
 * import { of } from 'rxjs';
 * import { toAsyncIterable } from 'headwater';
 * import { more, unfoldPages } from 'headwater/operators';
 *
 * const pages = toAsyncIterable((gate) =>
 *   unfoldPages(1, (n) => of(more(`page ${n}`, n + 1)), { gate }),
 * );
 * for await (const page of pages) {
 *   console.log(page);
 *   if (page === 'page 2') break;
 * }
 * // → page 1
 * // → page 2
 * ```
 */
export function toAsyncIterable<T>(
  run: (gate: Gate) => ObservableInput<T>,
  { prefetch = 0 }: PullOptions = {},
): AsyncIterable<T> {
  return { [Symbol.asyncIterator]: () => iterate(run, prefetch) };
}

function iterate<T>(run: (gate: Gate) => ObservableInput<T>, prefetch: number): AsyncIterator<T, undefined> {
  // One of the two is always empty: answers wait while there is no request, and requests wait while there is no answer.
  const answers: Answer<T>[] = [];
  const askers: Asker<T>[] = [];
  const gates = new Set<WaitingGate>();
  const subscription = new Subscription();
  let status: 'idle' | 'running' | 'done' = 'idle';

  const isOpen = (places: number): boolean => answers.length - askers.length < places;
  const gate: Gate = (places = prefetch) =>
    new Observable<void>((subscriber) => {
      if (isOpen(places)) {
        openFor(subscriber);
        return undefined;
      }
      const waiting = { places, subscriber };
      gates.add(waiting);
      return () => gates.delete(waiting);
    });
  const openGates = (): void => {
    for (const { places, subscriber } of [...gates]) if (isOpen(places)) openFor(subscriber);
  };

  const give = (answer: Answer<T>): void => {
    const longest = askers.shift();
    if (longest === undefined) answers.push(answer);
    else answer(longest);
  };

  const end = (): void => {
    status = 'done';
    askers.splice(0).forEach(done);
  };

  const fail = (error: unknown): void => {
    give(failure(error));
    end();
  };

  const start = (): void => {
    status = 'running';
    const stream$ = defer(() => run(gate));
    subscription.add(stream$.subscribe({ next: (value) => give(found(value)), error: fail, complete: end }));
  };

  const stop = (): void => {
    subscription.unsubscribe();
    answers.length = 0;
    end();
  };

  const settled = (answer: Answer<T>): Promise<IteratorResult<T, undefined>> =>
    new Promise((resolve, reject) => answer({ resolve, reject }));

  const ask: Answer<T> = (asker) => {
    const answer = answers.shift() ?? (status === 'done' ? done : undefined);
    if (answer === undefined) askers.push(asker);
    else answer(asker);
    if (status === 'idle') start();
    else openGates();
  };

  return {
    next: () => settled(ask),
    return: () => {
      stop();
      return settled(done);
    },
    throw: (error: unknown) => {
      stop();
      return settled(failure(error));
    },
  };
}

/**
 * Returns the items of pages, one by one. Unlike an async generator, whose `return()` waits for the running `next()`,
 * `return()` reaches the pages at once: leaving in the middle of a page ends the work on it.
 *
 * ```text
 * next()   n---n---n-------n--
 * pages    ----[a b]-------[c]
 * items    ----a---b-------c--
 * ```
 *
 * @param pages The pages; the next one is requested when the items of the last are used up.
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
  return { [Symbol.asyncIterator]: () => iterateItems(pages[Symbol.asyncIterator](), itemsOf) };
}

function iterateItems<P, T>(pages: AsyncIterator<P>, itemsOf: (page: P) => readonly T[]): AsyncIterator<T, undefined> {
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
