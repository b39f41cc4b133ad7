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
    const told = jest.fn();
    rule.loosened$.subscribe(told);
    const endFirst = rule.start(0);
    expect(rule.admitsAt(7)).toBe(7);
    rule.start(0);
    expect(rule.admitsAt(7)).toBe(Infinity);
    expect(told).not.toHaveBeenCalled();
    endFirst();
    expect(told).toHaveBeenCalledTimes(1);
    expect(rule.admitsAt(7)).toBe(7);
  });

  it.each([0, -1, 1.5, NaN, Infinity])('refuses %s', (most) => {
    expect(() => inFlight(most)).toThrow(new RangeError(`inFlight needs an integer from 1, not ${most}.`));
  });
});
