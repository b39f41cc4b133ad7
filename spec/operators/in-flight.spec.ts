import { BehaviorSubject, NEVER, defer, of } from 'rxjs';
import { createLimiter, inFlight } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

describe('inFlight', () => {
  it('is as its diagram shows', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const two = [inFlight(2)];
      expectObservable(cold('--a|').pipe(limiter.hold(two))).toBe(' --a|');
      expectObservable(cold('----b|').pipe(limiter.hold(two))).toBe('----b|');
      expectObservable(cold('(c|)').pipe(limiter.hold(two))).toBe(' ---(c|)');
    }));

  it('admits by the number of those under way, and says when one has ended', () => {
    const rule = inFlight(2);
    const reported = jest.fn();
    rule.loosened$.subscribe(reported);
    const endFirst = rule.start(0);
    expect(rule.admitsAt(7)).toBe(7);
    rule.start(0);
    expect(rule.admitsAt(7)).toBe(Infinity);
    expect(reported).not.toHaveBeenCalled();
    endFirst();
    expect(reported).toHaveBeenCalledTimes(1);
    expect(rule.admitsAt(7)).toBe(7);
  });

  it.each([0, -1, 1.5, NaN])('refuses %s', (most) => {
    const message = `inFlight needs an integer from 1, or Infinity, for \`most\`, not ${most}.`;
    expect(() => inFlight(most)).toThrow(new RangeError(message));
  });

  it.each([Infinity, of(Infinity)])('of Infinity holds nothing back', (most) => {
    const limiter = createLimiter();
    const all = [inFlight(most)];
    const begun = jest.fn(() => NEVER);
    for (let n = 0; n < 100; n += 1)
      defer(begun)
        .pipe(limiter.hold(all, { size: 5 }))
        .subscribe();
    expect(begun).toHaveBeenCalledTimes(100);
  });

  describe('of a number that changes', () => {
    it('raised, it lets more start at once; lowered, none until there is room; 0 holds all back', () =>
      inVirtualTime(({ cold, hot, expectObservable }) => {
        const most$ = new BehaviorSubject(1);
        const limiter = createLimiter();
        const few = [inFlight(most$)];
        const held = () => cold('---x|').pipe(limiter.hold(few));
        hot('-2---1----0--1').subscribe((most) => most$.next(Number(most)));
        expectObservable(held()).toBe('---x|');
        expectObservable(held()).toBe('----x|');
        expectObservable(held()).toBe('-------x|');
        // Only one may run since 5.
        expectObservable(held()).toBe('-----------x|');
        // Between 12 and 13 nothing runs.
        expectObservable(held()).toBe('----------------x|');
      }));

    it('takes all places for a size above it', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const few = [inFlight(new BehaviorSubject(2))];
        expectObservable(cold('--a|').pipe(limiter.hold(few))).toBe('           --a|');
        expectObservable(cold('--b|').pipe(limiter.hold(few, { size: 5 }))).toBe('-----b|');
        expectObservable(cold('--c|').pipe(limiter.hold(few))).toBe('           --------c|');
      }));

    it('nobody starts before the first number', () =>
      inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
        const most$ = cold('--1', { 1: 1 });
        expectObservable(of('a').pipe(createLimiter().hold([inFlight(most$)]))).toBe('--(a|)');
        expectSubscriptions(most$.subscriptions).toBe(['(^!)', '^-!', '--(^!)']);
      }));

    it('is listened to only while something runs or waits', () => {
      const most$ = new BehaviorSubject(1);
      const limiter = createLimiter();
      const few = [inFlight(most$)];
      const [a, b] = [NEVER.pipe(limiter.hold(few)).subscribe(), NEVER.pipe(limiter.hold(few)).subscribe()];
      expect(most$.observed).toBe(true);
      a.unsubscribe();
      expect(most$.observed).toBe(true);
      b.unsubscribe();
      expect(most$.observed).toBe(false);
      most$.next(0);
      const seen: string[] = [];
      of('c')
        .pipe(limiter.hold(few))
        .subscribe((value) => seen.push(value));
      expect(seen).toEqual([]);
      most$.next(1);
      expect(seen).toEqual(['c']);
    });

    it('keeps its last number when the Observable completes', () =>
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        const few = [inFlight(of(3, 1))];
        expectObservable(cold('-a|').pipe(limiter.hold(few))).toBe('-a|');
        expectObservable(cold('-b|').pipe(limiter.hold(few))).toBe('---b|');
      }));

    it('is not listened to again when it has completed', () => {
      const listened = jest.fn(() => of(1));
      const few = [inFlight(defer(listened))];
      inVirtualTime(({ cold, expectObservable }) => {
        const limiter = createLimiter();
        expectObservable(cold('-a|').pipe(limiter.hold(few))).toBe('-a|');
        expectObservable(cold('-b|').pipe(limiter.hold(few))).toBe('---b|');
      });
      expect(listened).toHaveBeenCalledTimes(1);
    });

    const shut = new RangeError('inFlight: its `most` is 0 for ever, so nothing can start.');
    const down = new Error('down');
    it.each([
      ['completes with 0', '(0|)', '#', shut],
      ['completes with 0 later', '0-|', '--#', shut],
      ['completes without a number', '--|', '--#', shut],
      ['fails', '--#', '--#', down],
      [
        'gives no integer',
        '0-x',
        '--#',
        new RangeError('inFlight needs an integer from 0, or Infinity, for `most`, not 1.5.'),
      ],
      [
        'gives a number below 0',
        '0-y',
        '--#',
        new RangeError('inFlight needs an integer from 0, or Infinity, for `most`, not -1.'),
      ],
    ])('one that %s is an error for those who wait', (_, most, expected, error) =>
      inVirtualTime(({ cold, expectObservable }) => {
        const most$ = cold(most, { '0': 0, x: 1.5, y: -1 }, down);
        const limiter = createLimiter();
        const few = [inFlight(most$)];
        expectObservable(of(1).pipe(limiter.hold(few))).toBe(expected, {}, error);
        expectObservable(of(1).pipe(limiter.hold(few))).toBe(expected, {}, error);
      }),
    );
  });
});
