import { once } from 'node:events';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { concat, concatMap, map, of, range, Subject, throwError } from 'rxjs';
import { toAsyncIterable } from '../../../src/operators/interop/async-iterable';
import { toNodeReadable } from '../../../src/operators/interop/node-readable';

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
