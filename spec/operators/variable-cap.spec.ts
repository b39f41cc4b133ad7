import { NEVER, throwError } from 'rxjs';
import { createLimiter, variableCap } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

describe('variableCap', () => {
  it('is as its diagram shows', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const limiter = createLimiter();
      const cap = variableCap(1);
      const a = cold('--------a|');
      const b = cold('   b|');
      expectObservable(a.pipe(limiter.hold([cap]))).toBe('--------a|');
      expectObservable(b.pipe(limiter.hold([cap]))).toBe('---b|');
      cold('---x|').subscribe({ next: () => cap.changeTo(2) });
      expectSubscriptions(b.subscriptions).toBe('---^!');
    }));

  it('a lower number breaks nothing off, and holds for what starts next', () =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const limiter = createLimiter();
      const cap = variableCap(2);
      const held = ['----a|', '-------b|', 'c|'].map((marbles) => cold(marbles));
      const [a, b, c] = held.map((source) => source.pipe(limiter.hold([cap])));
      expectObservable(a ?? NEVER).toBe('----a|');
      expectObservable(b ?? NEVER).toBe('-------b|');
      cold('--x|').subscribe({ next: () => cap.changeTo(1) });
      expectObservable(c ?? NEVER).toBe('--------c|');
      expectSubscriptions(held[2]?.subscriptions ?? []).toBe('--------^!');
    }));

  it.each([
    ['-', '^'],
    ['|', '(^!)'],
    ['#', '(^!)'],
    ['-a|', '^-!'],
    ['-a-b-c-', '^'],
  ])('mirrors a source that need not wait: %s', (marbles, subscription) =>
    inVirtualTime(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold(marbles);
      expectObservable(source.pipe(createLimiter().hold([variableCap(Infinity)]))).toBe(marbles);
      expectSubscriptions(source.subscriptions).toBe(subscription);
    }),
  );

  it('counts errors and early leaving as ends', () => {
    const limiter = createLimiter();
    const cap = variableCap(1);
    throwError(() => new Error('x'))
      .pipe(limiter.hold([cap]))
      .subscribe({ error: () => undefined });
    expect(cap.running()).toBe(0);
    NEVER.pipe(limiter.hold([cap]))
      .subscribe()
      .unsubscribe();
    expect(cap.running()).toBe(0);
    NEVER.pipe(limiter.hold([cap])).subscribe();
    expect(cap.running()).toBe(1);
  });

  it.each([0, -1, 1.5, NaN])('refuses %s', (most) => {
    const error = new RangeError(`variableCap needs an integer from 1, not ${most}.`);
    expect(() => variableCap(most)).toThrow(error);
    expect(() => variableCap(1).changeTo(most)).toThrow(error);
  });
});
