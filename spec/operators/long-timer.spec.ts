import { VirtualTimeScheduler } from 'rxjs';
import { longTimer } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

const DAY = 86_400_000;

describe('longTimer', () => {
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  it('emits 0 after the delay and completes', () =>
    inVirtualTime(({ expectObservable }) => {
      expectObservable(longTimer(3)).toBe('---(a|)', { a: 0 });
    }));

  it.each([0, -1, -Infinity])('fires at once, but not while subscribing, for %p', (delay) => {
    inVirtualTime(({ expectObservable }) => {
      expectObservable(longTimer(delay)).toBe('(a|)', { a: 0 });
    });
    const seen: string[] = [];
    const subscription = longTimer(delay).subscribe(() => seen.push('fired'));
    expect(seen).toEqual([]);
    subscription.unsubscribe();
  });

  it('never fires for Infinity, and holds no timer', () => {
    jest.useFakeTimers();
    const subscription = longTimer(Infinity).subscribe();
    expect(jest.getTimerCount()).toBe(0);
    subscription.unsubscribe();
    jest.useRealTimers();
    inVirtualTime(({ expectObservable }) => {
      expectObservable(longTimer(Infinity)).toBe('-');
    });
  });

  it('refuses what is not a number', () => {
    expect(() => longTimer(NaN)).toThrow(new RangeError('longTimer needs a number of milliseconds, not NaN.'));
  });

  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 33 + 5])(
    'is exact around the longest timer: %d ms',
    (delay) =>
      inVirtualTime(({ expectObservable }) => {
        expectObservable(longTimer(delay)).toBe(`${delay}ms (a|)`, { a: 0 });
      }),
  );

  it('is exact for a hundred years', () =>
    inVirtualTime(({ expectObservable }) => {
      expectObservable(longTimer(36_500 * DAY)).toBe(`${36_500 * DAY}ms (a|)`, { a: 0 });
    }));

  it('holds one timer at a time, never longer than JavaScript allows, and clears it when unsubscribed', () => {
    jest.useFakeTimers();
    const delays = jest.spyOn(globalThis, 'setInterval');
    const seen: number[] = [];
    const subscription = longTimer(30 * DAY).subscribe((zero) => seen.push(zero));
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(25 * DAY);
    expect(jest.getTimerCount()).toBe(1);
    expect(seen).toEqual([]);
    subscription.unsubscribe();
    expect(jest.getTimerCount()).toBe(0);
    expect(delays.mock.calls.map(([, delay]) => delay)).toEqual([2 ** 31 - 1, 30 * DAY - (2 ** 31 - 1)]);
  });

  it('stops in the middle of the chain when unsubscribed', () =>
    inVirtualTime(({ expectObservable }) => {
      expectObservable(longTimer(60 * DAY), `${30 * DAY}ms !`).toBe('-');
    }));

  it('counts again for each subscriber', () =>
    inVirtualTime(({ expectObservable }) => {
      const timer$ = longTimer(2 ** 31 + 1);
      expectObservable(timer$).toBe(`${2 ** 31 + 1}ms (a|)`, { a: 0 });
      expectObservable(timer$, '--^').toBe(`${2 ** 31 + 3}ms (a|)`, { a: 0 });
    }));

  it('keeps the time of the given scheduler', () => {
    const scheduler = new VirtualTimeScheduler();
    const seen: number[] = [];
    longTimer(40 * DAY, scheduler).subscribe(() => seen.push(scheduler.now()));
    scheduler.flush();
    expect(seen).toEqual([40 * DAY]);
  });
});
