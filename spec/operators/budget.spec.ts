import fc from 'fast-check';
import { defer, ignoreElements, merge, mergeMap, NEVER, of, tap, timer, VirtualTimeScheduler } from 'rxjs';
import { createBudget, createLimiter } from '../../src/operators';
import type { Budget } from '../../src/operators';
import { inVirtualTime } from './in-virtual-time';

/** A rule whose requests are started and ended by hand, at the moment 0. */
function byHand() {
  const budget = createBudget({ scheduler: new VirtualTimeScheduler() });
  const start = () => {
    const end = budget.start(0);
    const number = budget.started();
    return {
      end,
      answer: (remaining: number, resetAt = 60_000) => {
        budget.answer(remaining, resetAt, number);
        end();
      },
    };
  };
  /** How many more may start at once. */
  const left = (now = 0): number => {
    let count = 0;
    const ends: (() => void)[] = [];
    while (count < 99 && budget.admitsAt(now) <= now) {
      ends.push(budget.start(now));
      count += 1;
    }
    for (const end of ends) end();
    return count;
  };
  return { budget, start, left };
}

describe('createBudget', () => {
  it('is as its diagram shows', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const limiter = createLimiter();
      const budget = createBudget();
      const asked$ = cold('abc--d-----|').pipe(
        mergeMap((name) =>
          defer(() => {
            const mine = budget.started();
            if (name !== 'a') return of(name);
            const answer$ = timer(3).pipe(tap(() => budget.answer(2, 11, mine)));
            return merge(of(name), answer$.pipe(ignoreElements()));
          }).pipe(limiter.hold([budget])),
        ),
      );
      expectObservable(asked$).toBe('abc--------(d|)');
    }));

  it('admits all before the first answer, and counts down after it', () => {
    const { start, left, budget } = byHand();
    expect(budget.admitsAt(5)).toBe(5);
    start().answer(3);
    expect(left()).toBe(3);
    expect(budget.admitsAt(5)).toBe(60_000);
  });

  it('forgets all at the reset', () => {
    const { start, budget } = byHand();
    start().answer(0);
    expect(budget.admitsAt(59_999)).toBe(60_000);
    expect(budget.admitsAt(60_000)).toBe(60_000);
    start();
    expect(budget.admitsAt(60_001)).toBe(60_001);
  });

  it('takes off what started after the answered request, whether or not it is over', () => {
    const { start, left } = byHand();
    const first = start();
    start().end();
    start();
    first.answer(5);
    expect(left()).toBe(3);
  });

  it('takes off what started before and is under way, and gives it back when its answer shows that it was not counted', () => {
    const { start, left, budget } = byHand();
    const [first, second] = [start(), start()];
    second.answer(4);
    first.answer(5);
    expect(left()).toBe(4);
    expect(budget.admitsAt(0)).toBe(60_000);
  });

  it('keeps what was taken off for a request that ends without an answer', () => {
    const { start, left } = byHand();
    const [first, second] = [start(), start()];
    second.answer(4);
    first.end();
    expect(left()).toBe(3);
  });

  it('of requests that were under way together, the lowest answer counts', () => {
    const lowered = byHand();
    const [first, second] = [lowered.start(), lowered.start()];
    second.answer(9);
    first.answer(3);
    expect(lowered.left()).toBe(3);

    const kept = byHand();
    const [older, newer] = [kept.start(), kept.start()];
    newer.answer(3);
    older.answer(9);
    expect(kept.left()).toBe(3);
  });

  it('a late answer of the period before says nothing of this one', () => {
    const { start, left } = byHand();
    const [first, second] = [start(), start()];
    second.answer(9, 60_000);
    first.answer(0, 2_000);
    expect(left()).toBe(9);
  });

  it('a newer answer replaces an older one, up or down', () => {
    const { start, left } = byHand();
    start().answer(1);
    start().answer(7);
    start().answer(5, 90_000);
    expect(left(70_000)).toBe(5);
  });

  it('an answer whose moment is over says nothing', () => {
    const { start, left } = byHand();
    start().answer(2);
    start().answer(50, 0);
    expect(left()).toBe(1);
  });

  it('without a number the answer is to the request that started last', () => {
    const { start, left, budget } = byHand();
    start();
    budget.answer(5, 60_000);
    expect(left()).toBe(5);
  });

  it('says when it has been told something', () => {
    const { budget } = byHand();
    const reported = jest.fn();
    budget.loosened$.subscribe(reported);
    budget.answer(1, 60_000);
    expect(reported).toHaveBeenCalledTimes(1);
  });

  it('lets those who wait go when an answer allows it', () =>
    inVirtualTime(({ cold, expectObservable }) => {
      const budget = createBudget();
      const limiter = createLimiter();
      budget.answer(0, 1000);
      cold('---x').subscribe(() => budget.answer(1, 1000));
      expectObservable(of('a').pipe(limiter.hold([budget]))).toBe('---(a|)');
      expectObservable(of('b').pipe(limiter.hold([budget])), '-----!').toBe('-');
    }));

  it('property: a server that says what is left never gets more than that, however late its answers are', () => {
    const request = fc.record({ asks: fc.nat(60), there: fc.nat(20), back: fc.nat(20), lost: fc.boolean() });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (requests, allowed) => {
        const scheduler = new VirtualTimeScheduler();
        const limiter = createLimiter({ scheduler });
        const budget: Budget = createBudget({ scheduler });
        const RESET = 1000;
        let [arrived, underWay, reported] = [0, 0, false];
        const surplus: number[] = [];
        requests.forEach(({ asks, there, back, lost }) => {
          const request$ = defer(() => {
            const mine = budget.started();
            underWay += 1;
            // What started before anything was known cannot be held back.
            if (reported && scheduler.now() < RESET && arrived + underWay > Math.max(allowed, unknown))
              surplus.push(mine);
            if (!reported) unknown = Math.max(unknown, arrived + underWay);
            return timer(there, scheduler).pipe(
              mergeMap(() => {
                arrived += 1;
                underWay -= 1;
                const remaining = Math.max(0, allowed - arrived);
                return timer(back, scheduler).pipe(
                  tap(() => {
                    if (lost) return;
                    reported = true;
                    budget.answer(remaining, RESET, mine);
                  }),
                );
              }),
            );
          });
          scheduler.schedule(() => request$.pipe(limiter.hold([budget])).subscribe(), asks);
        });
        let unknown = 0;
        scheduler.flush();
        expect(surplus).toEqual([]);
        expect(arrived).toBe(requests.length);
      }),
    );
  });

  it('holds no one who is not told', () => {
    const budget = createBudget();
    const limiter = createLimiter();
    const begun = jest.fn(() => NEVER);
    for (let n = 0; n < 10_000; n += 1)
      defer(begun)
        .pipe(limiter.hold([budget]))
        .subscribe();
    expect(begun).toHaveBeenCalledTimes(10_000);
  });

  it('takes a size of its starts off', () => {
    const { budget } = byHand();
    budget.answer(5, 60_000);
    const end = budget.start(0, 3);
    const number = budget.started();
    expect([1, 2, 3].map((size) => budget.admitsAt(0, size))).toEqual([0, 0, 60_000]);
    end();
    expect(budget.admitsAt(0, 3)).toBe(60_000);
    budget.start(0, 2);
    budget.answer(2, 60_000, number + 1);
    expect([1, 2, 3].map((size) => budget.admitsAt(0, size))).toEqual([0, 0, 60_000]);
  });

  it.each([
    [NaN, 1],
    [1, NaN],
    [1, Infinity],
  ])('refuses %s left until %s', (remaining, resetAt) => {
    expect(() => createBudget().answer(remaining, resetAt)).toThrow(RangeError);
  });
});
