import {
  EMPTY,
  NEVER,
  Observable,
  Subject,
  asapScheduler,
  concat,
  concatMap,
  defer,
  expand,
  from,
  map,
  merge,
  of,
  scheduled,
  tap,
  throwError,
  timer,
} from 'rxjs';
import { flattenIterable, toAsyncIterable } from '../../../src/operators/interop/iterable';
import type { Gate } from '../../../src/operators/interop/iterable';
import { inputs } from '../inputs';

const defect = new Error('a defect');

/** Lets every settled promise be heard. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const over = { done: true, value: undefined };
const found = <T>(value: T) => ({ done: false, value });
const iteratorOf = <T>(iterable: AsyncIterable<T>) => {
  const iterator = iterable[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    return: () => iterator.return?.(),
    throw: (error: unknown) => iterator.throw?.(error),
  };
};
const collect = async <T>(iterable: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const value of iterable) all.push(value);
  return all;
};

/** Pages 1 to `last`, made one after the other, each after the gate; `begun` tells which were begun. */
const paged =
  (begun: number[], last = Infinity) =>
  (gate: Gate): Observable<number> => {
    const page = (n: number): Observable<number> =>
      gate().pipe(
        tap(() => begun.push(n)),
        concatMap(() => scheduled([n], asapScheduler)),
      );
    return page(1).pipe(expand((n) => (n < last ? page(n + 1) : EMPTY)));
  };

describe('toAsyncIterable', () => {
  it.each([
    ['empty', EMPTY, []],
    ['one', of('a'), ['a']],
    ['many', of('a', 'b', 'c'), ['a', 'b', 'c']],
    ['falsy values', of(undefined, null, 0, ''), [undefined, null, 0, '']],
    ['asynchronous', timer(1).pipe(concatMap(() => of('a', 'b'))), ['a', 'b']],
  ])('gives every value in order, then ends: %s', async (_, source: Observable<unknown>, values) => {
    expect(await collect(toAsyncIterable(() => source))).toEqual(values);
  });

  it.each(inputs)('iterates over %s', async (_, input) => {
    expect(await collect(toAsyncIterable(() => input('a')))).toEqual(['a']);
  });

  it('subscribes at the first next(), once for each iterator', async () => {
    let subscriptions = 0;
    const iterable = toAsyncIterable(() => defer(() => of(++subscriptions)));
    const one = iteratorOf(iterable);
    const other = iteratorOf(iterable);
    expect(subscriptions).toBe(0);
    expect(await one.next()).toEqual(found(1));
    expect(subscriptions).toBe(1);
    expect(await other.next()).toEqual(found(2));
  });

  describe('demand', () => {
    it('begins a step only while a next() is unanswered', async () => {
      const begun: number[] = [];
      const iterator = iteratorOf(toAsyncIterable(paged(begun)));
      await turn();
      expect(begun).toEqual([]);
      expect(await iterator.next()).toEqual(found(1));
      await turn();
      expect(begun).toEqual([1]);
      expect(await iterator.next()).toEqual(found(2));
      await turn();
      expect(begun).toEqual([1, 2]);
      await iterator.return();
    });

    it('works ahead by as many values as prefetch says', async () => {
      const begun: number[] = [];
      const iterator = iteratorOf(toAsyncIterable(paged(begun), { prefetch: 2 }));
      await turn();
      expect(begun).toEqual([]);
      expect(await iterator.next()).toEqual(found(1));
      await turn();
      expect(begun).toEqual([1, 2, 3]);
      expect(await iterator.next()).toEqual(found(2));
      await turn();
      expect(begun).toEqual([1, 2, 3, 4]);
      await iterator.return();
    });

    it('queues what one step emits at once, and begins the next when that is used up', async () => {
      const begun: string[] = [];
      const iterator = iteratorOf(
        toAsyncIterable((gate) =>
          from(['a', 'b']).pipe(
            concatMap((parent) =>
              gate().pipe(
                tap(() => begun.push(parent)),
                concatMap(() => of(parent, `${parent}.1`, `${parent}.2`)),
              ),
            ),
          ),
        ),
      );
      for (const name of ['a', 'a.1', 'a.2']) {
        expect(await iterator.next()).toEqual(found(name));
        await turn();
        expect(begun).toEqual(['a']);
      }
      expect(await iterator.next()).toEqual(found('b'));
      expect(begun).toEqual(['a', 'b']);
    });

    it('goes on past steps that emit nothing', async () => {
      const steps = (gate: Gate) =>
        from([1, 2, 3, 4, 5]).pipe(
          concatMap((n) => gate().pipe(concatMap(() => (n === 5 ? timer(1).pipe(map(() => n)) : EMPTY)))),
        );
      expect(await collect(toAsyncIterable(steps))).toEqual([5]);
    });

    it('lets a second loop go on when the first ends without a value', async () => {
      const loops = (gate: Gate) =>
        merge(gate().pipe(concatMap(() => EMPTY)), gate().pipe(concatMap(() => timer(1).pipe(map(() => 'second')))));
      expect(await collect(toAsyncIterable(loops))).toEqual(['second']);
    });

    it('opens the gate for one loop when its value answers the only next()', async () => {
      const iterator = iteratorOf(
        toAsyncIterable((gate) => merge(...['a', 'b', 'c'].map((name) => gate().pipe(map(() => name))))),
      );
      expect(await iterator.next()).toEqual(found('a'));
      expect(await iterator.next()).toEqual(found('b'));
      expect(await iterator.next()).toEqual(found('c'));
      expect(await iterator.next()).toEqual(over);
    });

    it('answers several next() at once in order', async () => {
      const begun: number[] = [];
      const iterator = iteratorOf(toAsyncIterable(paged(begun, 2)));
      const answers = await Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.next()]);
      expect(answers).toEqual([found(1), found(2), over, over]);
    });
  });

  describe('leaving', () => {
    it('unsubscribes when the loop breaks', async () => {
      const torndown = jest.fn();
      const source$ = new Observable<string>((subscriber) => {
        subscriber.next('a');
        return torndown;
      });
      for await (const value of toAsyncIterable(() => source$)) {
        expect(value).toBe('a');
        expect(torndown).not.toHaveBeenCalled();
        break;
      }
      expect(torndown).toHaveBeenCalledTimes(1);
    });

    it('return() answers every waiting next() and drops what was queued', async () => {
      const source$ = new Subject<string>();
      const iterator = iteratorOf(toAsyncIterable(() => source$));
      const waiting = [iterator.next(), iterator.next()];
      expect(source$.observed).toBe(true);
      expect(await iterator.return()).toEqual(over);
      expect(source$.observed).toBe(false);
      expect(await Promise.all(waiting)).toEqual([over, over]);

      const queued = iteratorOf(toAsyncIterable(() => of('a', 'b', 'c')));
      await queued.next();
      await queued.return();
      expect(await queued.next()).toEqual(over);
    });

    it('return() before the first next() means that nothing is ever subscribed', async () => {
      const run = jest.fn(() => NEVER);
      const iterator = iteratorOf(toAsyncIterable(run));
      expect(await iterator.return()).toEqual(over);
      expect(await iterator.next()).toEqual(over);
      expect(run).not.toHaveBeenCalled();
    });

    it('throw() unsubscribes and rejects with its argument', async () => {
      const source$ = new Subject<string>();
      const iterator = iteratorOf(toAsyncIterable(() => source$));
      const waiting = iterator.next();
      await expect(iterator.throw(defect)).rejects.toBe(defect);
      expect(source$.observed).toBe(false);
      expect(await waiting).toEqual(over);
      expect(await iterator.next()).toEqual(over);
    });
  });

  describe('errors', () => {
    it('rejects the next() that waits, and is done', async () => {
      const source$ = new Subject<string>();
      const iterator = iteratorOf(toAsyncIterable(() => source$));
      const [first, second] = [iterator.next(), iterator.next()];
      source$.error(defect);
      await expect(first).rejects.toBe(defect);
      expect(await second).toEqual(over);
      expect(await iterator.next()).toEqual(over);
    });

    it('comes after the values before it, and rejects the next next()', async () => {
      const iterator = iteratorOf(
        toAsyncIterable(() =>
          concat(
            of('a', 'b'),
            throwError(() => defect),
          ),
        ),
      );
      expect(await iterator.next()).toEqual(found('a'));
      expect(await iterator.next()).toEqual(found('b'));
      await expect(iterator.next()).rejects.toBe(defect);
      expect(await iterator.next()).toEqual(over);
    });

    it('rejects with what run throws', async () => {
      const iterable = toAsyncIterable((): Observable<string> => {
        throw defect;
      });
      await expect(collect(iterable)).rejects.toBe(defect);
    });
  });
});

async function* inPages(...pages: readonly (readonly number[])[]): AsyncGenerator<readonly number[], void> {
  for (const page of pages) yield await Promise.resolve(page);
}
const items = (pages: AsyncIterable<readonly number[]>): AsyncIterable<number> =>
  flattenIterable(pages, (page) => page);
async function all(iterable: AsyncIterable<number>): Promise<number[]> {
  const seen: number[] = [];
  for await (const item of iterable) seen.push(item);
  return seen;
}

describe('flattenIterable', () => {
  it.each<[string, number[][], number[]]>([
    ['no page', [], []],
    ['empty pages', [[], []], []],
    ['one item', [[1]], [1]],
    ['many pages', [[1, 2], [], [3]], [1, 2, 3]],
  ])('%s', async (_, pages, expected) => {
    expect(await all(items(inPages(...pages)))).toEqual(expected);
  });

  it('asks for a page only when the one before is used up', async () => {
    let asked = 0;
    const pages: AsyncIterable<readonly number[]> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: [(asked += 1), 0] }) }),
    };
    const iterator = items(pages)[Symbol.asyncIterator]();
    expect(asked).toBe(0);
    await iterator.next();
    await iterator.next();
    expect(asked).toBe(1);
    await iterator.next();
    expect(asked).toBe(2);
  });

  it('answers calls that come together in order', async () => {
    const iterator = items(inPages([1, 2], [3]))[Symbol.asyncIterator]();
    const answers = await Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.next()]);
    expect(answers.map(({ value }) => value as unknown)).toEqual([1, 2, 3, undefined]);
  });

  it('return() reaches the pages while a next() is under way, and settles it', async () => {
    let release: ((result: IteratorReturnResult<undefined>) => void) | undefined;
    const returned = jest.fn(() => {
      const done = { done: true as const, value: undefined };
      release?.(done);
      return Promise.resolve(done);
    });
    const pages: AsyncIterable<readonly number[]> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise((resolve) => (release = resolve)), return: returned }),
    };
    const iterator = items(pages)[Symbol.asyncIterator]();
    const pending = iterator.next();
    await Promise.resolve();
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(returned).toHaveBeenCalledTimes(1);
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  it('passes an error on, after the items before it', async () => {
    async function* failing(): AsyncGenerator<readonly number[], void> {
      yield await Promise.resolve([1]);
      throw new Error('no more');
    }
    const iterator = items(failing())[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: 1 });
    await expect(iterator.next()).rejects.toThrow('no more');
  });

  it('passes on what itemsOf throws', async () => {
    const broken = flattenIterable(inPages([1]), (): number[] => {
      throw new Error('unreadable');
    });
    await expect(all(broken)).rejects.toThrow('unreadable');
  });
});
