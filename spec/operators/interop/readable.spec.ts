import { once } from 'node:events';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Subject, concat, concatMap, map, of, range, throwError } from 'rxjs';
import { toAsyncIterable } from '../../../src/operators/interop/iterable';
import { toNodeReadable, toWebReadable } from '../../../src/operators/interop/readable';

describe('node readable', () => {
  const defect = new Error('a defect');

  describe('toNodeReadable', () => {
    it('gives every value as an object, in order', async () => {
      const values = [{ id: 1 }, { id: 2 }, { id: 3 }];
      const readable = toNodeReadable(toAsyncIterable(() => of(...values)));
      expect(readable.readableObjectMode).toBe(true);
      expect(await readable.toArray()).toEqual(values);
    });

    it('asks for nothing until it is read', async () => {
      const source$ = new Subject<string>();
      const readable = toNodeReadable(toAsyncIterable(() => source$));
      await new Promise(setImmediate);
      expect(source$.observed).toBe(false);
      readable.resume();
      await new Promise(setImmediate);
      expect(source$.observed).toBe(true);
      readable.destroy();
    });

    it('unsubscribes when destroyed, with or without an error, also while a value is awaited', async () => {
      for (const reason of [undefined, defect]) {
        const source$ = new Subject<string>();
        const readable = toNodeReadable(toAsyncIterable(() => source$)).resume();
        await new Promise(setImmediate);
        expect(source$.observed).toBe(true);
        const failed = jest.fn();
        readable.on('error', failed);
        readable.destroy(reason);
        await new Promise((resolve) => readable.on('close', resolve));
        expect(source$.observed).toBe(false);
        expect(failed.mock.calls).toEqual(reason === undefined ? [] : [[defect]]);
      }
    });

    it('errors with the error of the stream, after the values before it', async () => {
      const readable = toNodeReadable(
        toAsyncIterable(() =>
          concat(
            of('a'),
            throwError(() => defect),
          ),
        ),
      );
      const seen: unknown[] = [];
      readable.on('data', (value) => seen.push(value));
      expect(await once(readable, 'error')).toEqual([defect]);
      expect(seen).toEqual(['a']);
    });

    it('reads no more than highWaterMark ahead of a slow writer', async () => {
      let made = 0;
      const written: number[] = [];
      const ahead: number[] = [];
      const values = toAsyncIterable((gate) => range(1, 20).pipe(concatMap((n) => gate().pipe(map(() => (made = n))))));
      const writer = new Writable({
        objectMode: true,
        highWaterMark: 1,
        write: (value: number, _, done) => {
          setImmediate(() => {
            written.push(value);
            ahead.push(made - written.length);
            done();
          });
        },
      });
      await pipeline(toNodeReadable(values, { highWaterMark: 1 }), writer);
      expect(written).toHaveLength(20);
      expect(Math.max(...ahead)).toBeLessThanOrEqual(4);
    });
  });
});

describe('web readable', () => {
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
});
