import * as fc from 'fast-check';
import { concat, defer, EMPTY, finalize, map, NEVER, of, range, Subject, take, throwError, timer } from 'rxjs';
import type { Observable } from 'rxjs';
import { boundedWindow, checkpoint } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

const defect = new Error('a defect');
const fail = (): never => {
  throw defect;
};

/** The first letter of a value: `a1` and `a2` are values of one key. */
const firstLetter = (value: string): string => value.charAt(0);

describe('checkpoint', () => {
  afterEach(() => jest.useRealTimers());

  it.each(['-', '|', '--|', '--(a|)', '-a-b-(c|)', '-a-#', '#'])(
    'mirrors the source while saves take no time: %s',
    (marbles) =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const source = cold(marbles);
        expectObservable(source.pipe(checkpoint(() => EMPTY))).toBe(marbles);
        const end = marbles.replace(/\([ac]\|\)|\||#/, '!').replace(/[abc]/g, '-');
        expectSubscriptions(source.subscriptions).toBe(end === '!' ? '(^!)' : `^${end.slice(1)}`);
      }),
  );

  it('saves one at a time, the newest that waits, and completes when the last is saved', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const source = cold('                             a-bc--|');
      const saves = [cold('                             -----|'), cold('-----|')] as const;
      const save = jest.fn((value: string) => (value === 'a' ? saves[0] : saves[1]));
      expectObservable(source.pipe(checkpoint(save))).toBe('a-bc------|');
      expectSubscriptions(source.subscriptions).toBe('  ^-----!');
      expectSubscriptions(saves[0].subscriptions).toBe('^----!');
      expectSubscriptions(saves[1].subscriptions).toBe('-----^----!');
      flush();
      expect(save.mock.calls).toEqual([['a'], ['c']]);
    }));

  it('passes a value on before it saves it, and begins a save when the one before has cleaned up', () => {
    const log: string[] = [];
    const save = (value: string) => {
      log.push(`save ${value}`);
      return of('stored').pipe(finalize(() => log.push(`clean up ${value}`)));
    };
    of('a', 'b')
      .pipe(checkpoint(save))
      .subscribe({ next: (value) => log.push(`take ${value}`), complete: () => log.push('complete') });
    expect(log).toEqual(['take a', 'save a', 'clean up a', 'take b', 'save b', 'clean up b', 'complete']);
  });

  it('keeps the newest of each key, and saves keys in the order in which they began to wait', () =>
    inVirtualTime(({ cold, expectObservable, flush, now }) => {
      const names = { a: 'a1', b: 'b1', c: 'c1', d: 'b2', e: 'a2', f: 'a3' };
      const saved: [number, string][] = [];
      const save = (value: string) => {
        saved.push([now(), value]);
        return cold('---------|');
      };
      // While a1 is saved, b1, c1, b2, a2 and a3 arrive; while b2 is saved, b1 arrives again.
      const source = cold('-abcdef----b----|', names);
      expectObservable(source.pipe(checkpoint(save, { key: firstLetter }))).toBe(
        `                  -abcdef----b${'-'.repeat(34)}|`,
        names,
      );
      flush();
      expect(saved).toEqual([
        [1, 'a1'],
        [10, 'b2'],
        [19, 'c1'],
        [28, 'a3'],
        [37, 'b1'],
      ]);
    }));

  it('ignores what a save emits, and takes promises', async () => {
    const seen: string[] = [];
    await of('a', 'b')
      .pipe(checkpoint((value) => Promise.resolve(value.toUpperCase())))
      .forEach((value) => seen.push(value));
    expect(seen).toEqual(['a', 'b']);
  });

  it('takes `undefined` and `null` for values', () => {
    const save = jest.fn(() => EMPTY);
    of(undefined, null).pipe(checkpoint(save)).subscribe();
    expect(save.mock.calls).toEqual([[undefined], [null]]);
  });

  it('does not end while a save does not', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      expectObservable(cold('-a|').pipe(checkpoint(() => NEVER))).toBe('-a-');
    }));

  it('saves what waits before it passes the error of the source on', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions, flush }) => {
      const source = cold('-ab-#');
      const save = jest.fn<Observable<unknown>, [string]>(() => cold('-----|'));
      expectObservable(source.pipe(checkpoint(save))).toBe('-ab--------#');
      expectSubscriptions(source.subscriptions).toBe('     ^---!');
      flush();
      expect(save.mock.calls).toEqual([['a'], ['b']]);
    }));

  it('errors with the error of a save at once, and leaves the source', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-ab---');
      expectObservable(source.pipe(checkpoint(() => cold('---#')))).toBe('-ab-#');
      expectSubscriptions(source.subscriptions).toBe('^---!');
    }));

  it('errors with the error of a save that fails after the source has', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const save = () => cold('----#', undefined, defect);
      expectObservable(cold('-a-#').pipe(checkpoint(save))).toBe('-a---#', undefined, defect);
    }));

  it.each([
    ['save', () => checkpoint<string>(fail)],
    ['key', () => checkpoint<string>(() => EMPTY, { key: fail })],
  ])('errors when %s throws, and leaves the source', (_, operator) =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('-a-b');
      expectObservable(source.pipe(operator())).toBe('-(a#)', undefined, defect);
      expectSubscriptions(source.subscriptions).toBe('^!');
    }),
  );

  it('unsubscribes from the save under way when unsubscribed, and begins no other', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold('                                       -ab---');
      const save = cold('                                          -----|');
      expectObservable(source.pipe(checkpoint(() => save)), '     ----!').toBe('-ab--');
      expectSubscriptions(source.subscriptions).toBe('            ^---!');
      expectSubscriptions(save.subscriptions).toBe('              -^--!');
    }));

  it('unsubscribes from the last save when unsubscribed after the source has ended', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const save = cold('-----|');
      expectObservable(cold('-a#').pipe(checkpoint(() => save)), '----!').toBe('-a---');
      expectSubscriptions(save.subscriptions).toBe('-^--!');
    }));

  it('does not save the value on which the subscriber leaves', () => {
    const save = jest.fn(() => EMPTY);
    const cleanUp = jest.fn();
    range(0, Infinity).pipe(finalize(cleanUp), checkpoint(save), take(3)).subscribe();
    expect(save.mock.calls).toEqual([[0], [1]]);
    expect(cleanUp).toHaveBeenCalledTimes(1);
  });

  it('works for each subscriber apart', () => {
    const save = jest.fn(() => NEVER);
    const saved$ = of('a', 'b').pipe(checkpoint(save));
    saved$.subscribe();
    saved$.subscribe();
    expect(save.mock.calls).toEqual([['a'], ['a']]);
  });

  it('saves in the order of the source when a subscriber makes the source emit, and end, while it is at a value', () => {
    const source = new Subject<string>();
    const log: string[] = [];
    const save = (value: string) => defer(() => (log.push(`save ${value}`), EMPTY));
    source.pipe(checkpoint(save, { key: (value) => value })).subscribe({
      next: (value) => {
        log.push(`take ${value}`);
        if (value === 'a') source.next('b');
        if (value === 'b') source.complete();
        log.push(`return from ${value}`);
      },
      complete: () => log.push('complete'),
    });
    source.next('a');
    expect(log).toEqual(['take a', 'take b', 'return from b', 'return from a', 'save a', 'save b', 'complete']);
  });

  it('lets a save make the source emit', () => {
    const source = new Subject<number>();
    const saved: number[] = [];
    const save = (n: number) =>
      defer(() => {
        if (n < 3) source.next(n + 1);
        return defer(() => (saved.push(n), EMPTY));
      });
    source.pipe(checkpoint(save)).subscribe();
    source.next(1);
    expect(saved).toEqual([1, 2, 3]);
  });

  it('behind `drain`, saves what has been worked off', () =>
    inVirtualTime(({ cold, expectObservable, flush, now }) => {
      const saved: [number, string][] = [];
      const save = (value: string) => {
        saved.push([now(), value]);
        return timer(1);
      };
      const { drain } = boundedWindow();
      const worked$ = cold('-(ab)--|').pipe(drain((value) => cold('---(v|)', { v: value })));
      expectObservable(worked$.pipe(checkpoint(save))).toBe('----a--b|');
      flush();
      expect(saved).toEqual([
        [4, 'a'],
        [7, 'b'],
      ]);
    }));

  it('leaves no timer behind', () => {
    jest.useFakeTimers();
    const subscription = concat(of('a', 'b'), NEVER)
      .pipe(checkpoint(() => timer(1000)))
      .subscribe();
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1500);
    expect(jest.getTimerCount()).toBe(1);
    subscription.unsubscribe();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('saves 10,000 synchronous values, and 10,000 keys that waited, without overflowing the stack', () => {
    const completed = jest.fn();
    const at = jest.fn((n: number): Observable<unknown> => of(n));
    range(1, 10_000).pipe(checkpoint(at)).subscribe({ complete: completed });
    expect(at).toHaveBeenCalledTimes(10_000);

    const release = new Subject<void>();
    const late = jest.fn((n: number): Observable<unknown> => (n === 1 ? release.pipe(take(1)) : of(n)));
    range(1, 10_000)
      .pipe(checkpoint(late, { key: (n) => n }))
      .subscribe({ complete: completed });
    expect(late).toHaveBeenCalledTimes(1);
    release.next();
    expect(late).toHaveBeenCalledTimes(10_000);
    expect(completed).toHaveBeenCalledTimes(2);
  });

  it('saves the last value of each key, never one that is older than the one before, and never two at once', () => {
    const arrivals = fc.array(fc.record({ key: fc.nat(3), ms: fc.nat(3) }), { maxLength: 20 });
    fc.assert(
      fc.property(
        arrivals,
        fc.array(fc.nat(5), { minLength: 1, maxLength: 10 }),
        fc.boolean(),
        (values, times, fails) =>
          inVirtualTime(({ flush }) => {
            const saved: { key: number; index: number }[] = [];
            const passed: number[] = [];
            let saving = 0;
            let most = 0;
            let ended = '';
            const save = (value: { key: number; index: number }) => {
              saving += 1;
              most = Math.max(most, saving);
              const ms = times[saved.length % times.length] ?? 0;
              saved.push(value);
              return (ms === 0 ? EMPTY : timer(ms)).pipe(finalize(() => (saving -= 1)));
            };
            const values$ = values.map(({ key, ms }, index) =>
              (ms === 0 ? of(0) : timer(ms)).pipe(map(() => ({ key, index }))),
            );
            concat(...values$, fails ? throwError(() => defect) : EMPTY)
              .pipe(checkpoint(save, { key: ({ key }) => key }))
              .subscribe({
                next: ({ index }) => passed.push(index),
                complete: () => (ended = 'complete'),
                error: () => (ended = 'error'),
              });
            flush();
            expect(ended).toBe(fails ? 'error' : 'complete');
            expect(most).toBeLessThanOrEqual(1);
            expect(passed).toEqual(values.map((_, index) => index));
            for (const key of new Set(values.map((value) => value.key))) {
              const indices = saved.filter((value) => value.key === key).map(({ index }) => index);
              expect(indices).toEqual([...indices].sort((a, b) => a - b));
              expect(indices.at(-1)).toBe(values.findLastIndex((value) => value.key === key));
            }
          }),
      ),
    );
  });
});
