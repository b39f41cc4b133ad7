import { asyncScheduler, from, mergeMap, of } from 'rxjs';
import { createLimiter, rateLimit } from '../../src/operators';
import type { RateLimit } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const TWO = { requests: 2, seconds: 0.004 };
const all = (rate: RateLimit, values: readonly string[] = LETTERS) => {
  const limiter = createLimiter();
  return from(values).pipe(mergeMap((value) => of(value).pipe(limiter.hold([rate]))));
};

describe('rateLimit', () => {
  afterEach(() => jest.useRealTimers());

  const diagrams: [string, string, (rate: RateLimit) => void][] = [
    ['the rate', '  (ab)(cd)(ef)(g|)', () => undefined],
    ['pauseUntil', '---(ab)(cd)(ef)(g|)', (rate) => rate.pauseUntil(3)],
    ['slowDown', '  a---b---c---d---e---(fg|)', (rate) => rate.slowDown()],
  ];
  it.each(diagrams)('is as its diagram shows: %s', (_, marbles, report) =>
    inVirtualTime(({ expectObservable }) => {
      const rate = rateLimit(TWO);
      report(rate);
      expectObservable(all(rate)).toBe(marbles);
    }),
  );

  it('a pause is never shortened, and holds those who wait already', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const rate = rateLimit(TWO);
      cold('-x').subscribe(() => {
        rate.pauseUntil(20);
        rate.pauseUntil(10);
      });
      expectObservable(all(rate, ['a', 'b', 'c', 'd'])).toBe('(ab) 16ms (cd|)');
    }));

  it('a budget counts with the rate, and ends at its reset', () =>
    inVirtualTime(({ expectObservable }) => {
      const rate = rateLimit(TWO);
      rate.budget(3, 11);
      expectObservable(all(rate)).toBe('(ab)c------(de)(fg|)');
    }));

  it('takes a burst', () =>
    inVirtualTime(({ expectObservable }) => {
      const rate = rateLimit({ requests: 1, seconds: 0.006, burst: 2 });
      expectObservable(all(rate, ['a', 'b', 'c', 'd'])).toBe('(ab)--c-----(d|)');
    }));

  it('halves at most once in a window', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const rate = rateLimit({ requests: 4, seconds: 0.01 });
      rate.slowDown();
      cold('---x').subscribe(rate.slowDown);
      expectObservable(all(rate)).toBe('(ab) 6ms (cd) 6ms (ef) 6ms (g|)');
    }));

  it('recovers by a tenth of the rate for each full window without another call', () => {
    const rate = rateLimit({ requests: 10, seconds: 1 });
    jest.useFakeTimers({ now: 0 });
    rate.slowDown();
    jest.setSystemTime(600);
    rate.slowDown();
    const startsAt = (now: number): number => {
      let count = 0;
      for (; rate.admitsAt(now) <= now; count += 1) rate.start(now);
      return count;
    };
    expect([1599, 2600, 3600, 4600, 5600, 6600, 7600].map(startsAt)).toEqual([5, 7, 8, 9, 10, 10, 10]);
    jest.setSystemTime(8000);
    rate.slowDown();
    jest.setSystemTime(9000);
    rate.slowDown();
    expect([9000, 10_000].map(startsAt)).toEqual([3, 4]);
  });

  it('a recovery lets those who wait start earlier', () =>
    inVirtualTime(({ expectObservable }) => {
      const rate = rateLimit({ requests: 1, seconds: 0.1 });
      rate.slowDown();
      // 200 ms at half the rate; at 0.6 of it from 100 on: 167 ms.
      expectObservable(all(rate, ['a', 'b'])).toBe('a 166ms (b|)');
    }));

  it('without a rate it admits all but in a pause and when the budget is used up; there is nothing to slow down', () =>
    inVirtualTime(({ expectObservable }) => {
      const rate = rateLimit();
      rate.slowDown();
      expectObservable(all(rate)).toBe('(abcdefg|)');
      const reported = rateLimit();
      reported.budget(2, 9);
      reported.pauseUntil(2);
      expectObservable(all(reported)).toBe('--(ab)---(cdefg|)');
    }));

  it('numbers its requests', () => {
    const rate = rateLimit(TWO);
    expect(rate.started()).toBe(0);
    rate.start(asyncScheduler.now());
    expect(rate.started()).toBe(1);
  });

  it('refuses a pause until NaN, and a rate out of range', () => {
    expect(() => rateLimit(TWO).pauseUntil(NaN)).toThrow(RangeError);
    expect(() => rateLimit({ requests: 0, seconds: 1 })).toThrow(RangeError);
  });

  it('holds one timer while it holds somebody, also through a pause of months', () => {
    jest.useFakeTimers({ now: 0 });
    const rate = rateLimit(TWO);
    rate.pauseUntil(100 * 86_400_000);
    const subscription = all(rate).subscribe();
    expect(jest.getTimerCount()).toBe(1);
    subscription.unsubscribe();
    expect(jest.getTimerCount()).toBe(0);
  });

  describe('another rate', () => {
    it('holds from then on; the pause and the budget stay', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const rate = rateLimit({ requests: 1, seconds: 1 });
        rate.pauseUntil(6);
        cold('--x').subscribe(() => rate.set(TWO));
        expectObservable(all(rate)).toBe('------(ab)(cd)(ef)(g|)');
      }));

    it('may be the first, or none', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const rate = rateLimit();
        rate.set({ requests: 1, seconds: 1 });
        cold('--x').subscribe(() => rate.set(undefined));
        expectObservable(all(rate)).toBe('a-(bcdefg|)');
      }));

    it('is as slow as the old one had become, and recovers', () =>
      inVirtualTime(({ expectObservable }) => {
        const rate = rateLimit({ requests: 10, seconds: 1 });
        rate.slowDown();
        rate.set({ requests: 10, seconds: 0.01 });
        expectObservable(all(rate)).toBe('(abcde) 3ms (fg|)');
      }));
  });

  it.each([Infinity, NaN])('refuses a pause and a budget until %s: nothing would end them', (moment) => {
    expect(() => rateLimit(TWO).pauseUntil(moment)).toThrow(RangeError);
    expect(() => rateLimit(TWO).budget(0, moment)).toThrow(RangeError);
  });
});
