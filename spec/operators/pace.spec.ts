import fc from 'fast-check';
import { from, map, mergeMap, of, timer, VirtualTimeScheduler } from 'rxjs';
import { createLimiter, createPace } from '../../src/operators';
import type { Pace, Rate } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

const FIVE = ['a', 'b', 'c', 'd', 'e'];

/** The moments (ms) at which those start who ask at these moments. */
function startsOf(pace: Pace, asks: readonly number[], scheduler = new VirtualTimeScheduler()): number[] {
  const limiter = createLimiter({ scheduler });
  const starts: number[] = [];
  from(asks)
    .pipe(
      mergeMap((ask) => timer(ask, scheduler)),
      mergeMap(() =>
        of(0).pipe(
          map(() => scheduler.now()),
          limiter.hold([pace]),
        ),
      ),
    )
    .subscribe((start) => starts.push(start));
  scheduler.flush();
  return starts;
}

const asks = fc.array(fc.nat(3000), { maxLength: 80 });
const rates = {
  requests: fc.integer({ min: 1, max: 7 }),
  seconds: fc.integer({ min: 1, max: 900 }).map((ms) => ms / 1000),
};

describe('createPace', () => {
  const diagrams: [string, number | undefined, number, string][] = [
    ['any window', undefined, 1, '(ab)--------(cd)--------(e|)'],
    ['burst 1', 1, 1, '           a-----b-----c-----d-----(e|)'],
    ['burst 4', 4, 1, '           (abcd)(e|)'],
    ['half of any window', undefined, 0.5, 'a-----------b-----------c-----------d-----------(e|)'],
    ['half of burst 1', 1, 0.5, 'a-----------b-----------c-----------d-----------(e|)'],
    ['a quarter of any window', undefined, 0.25, 'a 23ms b 23ms c 23ms d 23ms (e|)'],
  ];
  it.each(diagrams)('is as its diagram shows: %s', (_, burst, share, marbles) =>
    inVirtualTime(({ expectObservable }) => {
      const pace = createPace({ requests: 2, seconds: 0.012, ...(burst === undefined ? {} : { burst }) });
      if (share < 1) pace.changeTo(share, 0);
      const limiter = createLimiter();
      expectObservable(from(FIVE).pipe(mergeMap((value) => of(value).pipe(limiter.hold([pace]))))).toBe(marbles);
    }),
  );

  it('what ended makes no difference', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const pace = [createPace({ requests: 1, seconds: 0.004 })];
      expectObservable(cold('a|').pipe(limiter.hold(pace))).toBe('   a|');
      expectObservable(cold('------b|').pipe(limiter.hold(pace))).toBe('----------b|');
      expectObservable(cold('(c|)').pipe(limiter.hold(pace))).toBe(' --------(c|)');
    }));

  it('one who leaves the queue uses nothing up', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const pace = [createPace({ requests: 1, seconds: 0.004 })];
      expectObservable(cold('(a|)').pipe(limiter.hold(pace))).toBe('(a|)');
      expectObservable(cold('(b|)').pipe(limiter.hold(pace)), '--!').toBe('-');
      expectObservable(cold('(c|)').pipe(limiter.hold(pace))).toBe('----(c|)');
    }));

  it('a larger share lets those who wait start earlier; as many tokens are missing as before', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const pace = createPace({ requests: 1, seconds: 0.01, burst: 2 });
      pace.changeTo(0.5, 0);
      cold('----------x').subscribe(() => pace.changeTo(1, 10));
      const held$ = from(FIVE).pipe(mergeMap((value) => of(value).pipe(limiter.hold([pace]))));
      // One token would come at 20; half of it is there at 10, and the other half comes twice as fast.
      expectObservable(held$).toBe('(ab) 11ms c 9ms d 9ms (e|)');
    }));

  it('property: without burst no window sees more than `requests`, and no one waits longer than that takes', () => {
    fc.assert(
      fc.property(fc.record(rates), asks, (rate, moments) => {
        const starts = startsOf(createPace(rate), moments);
        const windowMs = rate.seconds * 1000;
        const sorted = [...moments].sort((a, b) => a - b);
        // The earliest moments that the promise allows, to the ms.
        const ideal: number[] = [];
        for (const [at, ask] of sorted.entries())
          ideal.push(Math.max(ask, at < rate.requests ? 0 : Math.ceil((ideal[at - rate.requests] ?? 0) + windowMs)));
        expect(starts).toEqual(ideal);
      }),
    );
  });

  it('property: with burst there are never more than the burst and what the rate gives', () => {
    fc.assert(
      fc.property(fc.record({ ...rates, burst: fc.integer({ min: 1, max: 9 }) }), asks, (rate, moments) => {
        const starts = startsOf(createPace(rate), moments);
        expect(starts).toHaveLength(moments.length);
        const perMs = rate.requests / (rate.seconds * 1000);
        const tooMany = starts.flatMap((begin, at) =>
          starts.slice(at).filter((end, more) => more + 1 > rate.burst + (end - begin) * perMs + 1e-6),
        );
        expect(tooMany).toEqual([]);
      }),
    );
  });

  it('property: a share changes the rate to that share, and the promise holds all the same', () => {
    const changes = fc.array(fc.record({ at: fc.nat(3000), share: fc.constantFrom(0.1, 0.25, 0.5, 0.7, 1) }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.record(rates), asks, changes, (rate, moments, shares) => {
        const scheduler = new VirtualTimeScheduler();
        const pace = createPace(rate);
        for (const { at, share } of shares) scheduler.schedule(() => pace.changeTo(share, at), at);
        const starts = startsOf(pace, moments, scheduler);
        expect(starts).toHaveLength(moments.length);
        const early = starts.filter((start, at) => {
          const before = starts[at - rate.requests];
          return before !== undefined && start - before < rate.seconds * 1000 - 1e-6;
        });
        expect(early).toEqual([]);
      }),
    );
  });

  it('remembers the starts of one window, whatever has started before', () => {
    const pace = createPace({ requests: 3, seconds: 1 });
    for (let now = 0; now < 1_000_000; now += 500) {
      expect(pace.admitsAt(now)).toBeLessThanOrEqual(now);
      pace.start(now);
    }
    pace.start(999_500);
    expect(pace.admitsAt(999_600)).toBe(1_000_000);
  });

  const wrong: [string, Rate][] = [
    ['requests: expected an integer from 1, found 0.', { requests: 0, seconds: 1 }],
    ['requests: expected an integer from 1, found 1.5.', { requests: 1.5, seconds: 1 }],
    ['seconds: expected more than 0, found 0.', { requests: 1, seconds: 0 }],
    ['seconds: expected more than 0, found NaN.', { requests: 1, seconds: NaN }],
    ['seconds: expected more than 0, found Infinity.', { requests: 1, seconds: Infinity }],
    ['burst: expected an integer from 1, found 0.', { requests: 1, seconds: 1, burst: 0 }],
  ];
  it.each(wrong)('refuses a rate: %s', (message, rate) => {
    expect(() => createPace(rate)).toThrow(new RangeError(message));
  });

  describe('another rate', () => {
    const FAST = { requests: 2, seconds: 0.004 };
    const SLOW = { requests: 1, seconds: 0.01 };
    const BURST = { requests: 1, seconds: 0.005, burst: 2 };
    const changes: [string, Rate, Rate, string][] = [
      ['slower', FAST, SLOW, '(ab) 6ms c 9ms d 9ms (e|)'],
      ['faster', SLOW, FAST, 'a--bc--d(e|)'],
      ['a burst in place of a window', SLOW, BURST, 'a--b----c----d----(e|)'],
      ['a window in place of a burst', BURST, SLOW, '(ab) 9ms c 9ms d 9ms (e|)'],
      ['another burst', BURST, { ...BURST, burst: 1 }, '(ab)----c----d----(e|)'],
      ['the same', FAST, FAST, '(ab)(cd)(e|)'],
    ];
    it.each(changes)(
      'holds from then on, also for those who wait; starts before count: %s',
      (_, before, after, marbles) =>
        inVirtualTime(({ cold, expectObservable }) => {
          const pace = createPace(before);
          const limiter = createLimiter();
          cold('---x').subscribe(() => pace.set(after, 3));
          expectObservable(from(FIVE).pipe(mergeMap((value) => of(value).pipe(limiter.hold([pace]))))).toBe(marbles);
        }),
    );

    it('has the same share', () =>
      inVirtualTime(({ expectObservable }) => {
        const pace = createPace(SLOW);
        const limiter = createLimiter();
        pace.changeTo(0.5, 0);
        pace.set(FAST, 0);
        const held$ = from(FIVE).pipe(mergeMap((value) => of(value).pipe(limiter.hold([pace]))));
        expectObservable(held$).toBe('a---b---c---d---(e|)');
      }));

    it('decides which sizes can start', () => {
      const pace = createPace(SLOW);
      expect(() => createLimiter().hold([pace], { size: 2 })).toThrow(RangeError);
      pace.set(FAST, 0);
      expect(() => createLimiter().hold([pace], { size: 2 })).not.toThrow();
    });

    it('that is out of range is refused, and the old one stays', () => {
      const pace = createPace(SLOW);
      expect(() => pace.set({ requests: 0, seconds: 1 }, 0)).toThrow(RangeError);
      pace.start(0);
      expect(pace.admitsAt(5)).toBe(10);
    });
  });

  it('a size above what a share allows starts when nothing else counts', () =>
    inVirtualTime(({ expectObservable }) => {
      const pace = createPace({ requests: 4, seconds: 0.01 });
      const limiter = createLimiter();
      pace.changeTo(0.5, 0);
      expectObservable(of('a').pipe(limiter.hold([pace]))).toBe('(a|)');
      expectObservable(of('b').pipe(limiter.hold([pace], { size: 3 }))).toBe('----------(b|)');
    }));
});
