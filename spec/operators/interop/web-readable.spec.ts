import { concat, of, Subject, throwError } from 'rxjs';
import { toAsyncIterable } from '../../../src/operators/interop/async-iterable';
import { toWebReadable } from '../../../src/operators/interop/web-readable';

const defect = new Error('a defect');

describe('toWebReadable', () => {
  it('gives every value in order, then closes', async () => {
    const seen: string[] = [];
    for await (const value of toWebReadable(toAsyncIterable(() => of('a', 'b', 'c')))) seen.push(value);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('asks for one value at each read, and for none before', async () => {
    const next = jest.fn(() => Promise.resolve({ done: false as const, value: 'a' }));
    const reader = toWebReadable({ [Symbol.asyncIterator]: () => ({ next }) }).getReader();
    await new Promise(setImmediate);
    expect(next).not.toHaveBeenCalled();
    for (const reads of [1, 2]) {
      expect(await reader.read()).toEqual({ done: false, value: 'a' });
      await new Promise(setImmediate);
      expect(next).toHaveBeenCalledTimes(reads);
    }
    await reader.cancel();
  });

  it('unsubscribes when cancelled while a value is awaited', async () => {
    const source$ = new Subject<string>();
    const reader = toWebReadable(toAsyncIterable(() => source$)).getReader();
    const read = reader.read();
    await new Promise(setImmediate);
    expect(source$.observed).toBe(true);
    await reader.cancel();
    expect(source$.observed).toBe(false);
    expect(await read).toEqual({ done: true, value: undefined });
  });

  it('errors with the error of the stream, after the values before it', async () => {
    const reader = toWebReadable(
      toAsyncIterable(() =>
        concat(
          of('a'),
          throwError(() => defect),
        ),
      ),
    ).getReader();
    expect(await reader.read()).toEqual({ done: false, value: 'a' });
    await expect(reader.read()).rejects.toBe(defect);
  });
});
